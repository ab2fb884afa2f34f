"""Assessment types of the service (Spec: AssessmentType)."""

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from lendingadmin.sandbox.rules.instants import write_days
from lendingadmin.sandbox.schemas.answers import AnsweredAssessmentType

_INTRODUCED = datetime(2024, 1, 15, 8, tzinfo=UTC)
BETA, GENERAL, DEPRECATED = 0, 1, 2


class AssessmentType(NamedTuple):
    """A way to assess an account over a period of days."""

    assessment_type_id: str
    category: str
    period_days: int
    status: int
    display_name: str
    description: str | None
    channels: tuple[str, ...] = ("mobile", "web")
    platforms: tuple[str, ...] = ("android",)
    categories: tuple[str, ...] = ("individual",)

    @property
    def name(self) -> str:
        """The full resource name of the assessment type."""
        return f"assessmentTypes/{self.assessment_type_id}"


ASSESSMENT_TYPES: tuple[AssessmentType, ...] = (
    AssessmentType(
        "credit-90-days", "credit", 90, GENERAL, "Credit, 90 days",
        "Reads the messages, contacts and devices of the last 90 days.",
    ),
    AssessmentType(
        "loan-history-180-days", "loan", 180, GENERAL, "Loan history, 180 days",
        "Looks at how earlier loans were repaid.", ("mobile", "web"), ("android", "ios"),
        ("individual", "company"),
    ),
    AssessmentType(
        "credit-30-days-beta", "credit", 30, BETA, "Credit, 30 days (beta)",
        "A quick look at the last month.", ("mobile",),
    ),
    AssessmentType(
        "credit-60-days", "credit", 60, DEPRECATED, "Credit, 60 days", None, ("mobile",),
    ),
)  # fmt: skip


def find_assessment_type(name: str) -> AssessmentType | None:
    """Return the assessment type with this full name; None if there is none."""
    return next((kind for kind in ASSESSMENT_TYPES if kind.name == name), None)


def answer_assessment_types() -> list[AnsweredAssessmentType]:
    """Return the assessment types as the service lists them."""
    return [
        AnsweredAssessmentType.read(
            kind,
            uid=uuid5(NAMESPACE_URL, kind.name),
            created_at=_INTRODUCED,
            period=write_days(kind.period_days),
            settings={
                "apps": {"channels": kind.channels, "platforms": kind.platforms},
                "accounts": {"categories": kind.categories, "account_types": ["borrower"]},
            },
        )
        for kind in ASSESSMENT_TYPES
    ]

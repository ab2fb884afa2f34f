"""A lending service whose list of assessments a test decides."""

from typing import Any

from tests.people_index.service import APP, PeopleService

LIST, ONE = f"{APP}/assessments?", f"{APP}/assessments/"


class AssessmentService(PeopleService):
    """Serves assessments in pages of two, and each by its id."""

    collection, id_name = "assessments", "assessmentId"


def assessment(number: int, borrower: str = "B-1", **fields: Any) -> dict[str, Any]:
    """An assessment as the service shows one, the higher its number the newer."""
    return {
        "assessmentId": f"A-{number}",
        "accountId": f"borrower:{borrower}",
        "assessmentType": "assessmentTypes/credit-90-days",
        "timestamp": f"2026-03-{number + 1:02}T07:00:00.000Z",
        "createdAt": f"2026-03-{number + 1:02}T08:00:00.000Z",
        "status": 1,
        "result": {"type": "authorized", "message": "Wanjiru may borrow"},
        **fields,
    }

"""Outcome of an assessment, computed from its findings (Spec: AssessmentOutcome).

SCORING.md describes the same rules; a test compares both.
"""

from typing import NamedTuple

from lendingadmin.sandbox.rules.evidence import Facts

AUTHORIZED, DECLINED, INVALID = "authorized", "declined", "invalid"
NO_DATA = "no_data"
CREDIT, LOAN = "credit", "loan"

LOWEST, HIGHEST = 300, 850
LEAST_TEXTS, LEAST_DUES = 5, 3
LEAST_SCORE = 450
MOST_DAYS_LATE = 30
MOST_SPENT = 2  # times the incoming money

ARREARS, OVERSPENDING, LOW_SCORE, TOO_LITTLE = (
    "arrears_over_30_days", "money_out_over_twice_money_in", "score_below_450", "too_little_data"
)  # fmt: skip

RATINGS = ((750, "A"), (650, "B"), (550, "C"), (450, "D"), (LOWEST, "E"))
LEVELS = ((30, "low"), (55, "medium"), (100, "high"))

SENTENCES = {
    ARREARS: "A loan is more than 30 days late.",
    OVERSPENDING: "More than twice as much money went out as came in.",
    LOW_SCORE: "The score is below 450.",
    TOO_LITTLE: "Too little was reported in the window to say anything.",
}


class Points(NamedTuple):
    """Parts of a score; `late` is subtracted."""

    income: int
    contacts: int
    device: int
    loans: int
    late: int


class Outcome(NamedTuple):
    """Outcome of an assessment. The last two fields are for offers; answers do not have them."""

    type: str
    reason: str | None = None
    message: str | None = None
    rule: str | None = None
    risk_level: str | None = None
    risk_score: int | None = None
    credit_score: int | None = None
    credit_rating: str | None = None
    money_in_a_month: str = "0"
    largest_repaid: str = "0"

    @property
    def is_authorized(self) -> bool:
        """True if the account may receive a loan."""
        return self.type == AUTHORIZED


def assess(facts: Facts, category: str) -> Outcome:
    """Return the outcome for an assessment type of this category, `credit` or `loan`."""
    if not has_enough(facts, category):
        return Outcome(INVALID, NO_DATA, SENTENCES[TOO_LITTLE], TOO_LITTLE)
    score = compute_score(facts, category)
    risk = (HIGHEST - score) * 100 // (HIGHEST - LOWEST)
    rule = _find_broken_rule(facts, category, score)
    return Outcome(
        type=DECLINED if rule else AUTHORIZED,
        reason=rule,
        message=SENTENCES[rule] if rule else None,
        rule=rule,
        risk_level=next(level for most, level in LEVELS if risk <= most),
        risk_score=risk,
        credit_score=score,
        credit_rating=next(rating for least, rating in RATINGS if score >= least),
        money_in_a_month=str(round(facts.money_in_a_month, 2)),
        largest_repaid=str(facts.largest_repaid),
    )


def has_enough(facts: Facts, category: str) -> bool:
    """Return True if there is enough data for a score. Arrears are always enough."""
    history = facts.paid_in_time + facts.paid_late + facts.loans_repaid
    if facts.days_late > 0:
        return True
    if category == LOAN:
        return history > 0
    return facts.texts_in + facts.texts_out >= LEAST_TEXTS or history >= LEAST_DUES


def compute_score(facts: Facts, category: str) -> int:
    """Return 300 plus all points, at least 300; the maximum is 850."""
    found = compute_points(facts, category)
    total = found.income + found.contacts + found.device + found.loans - found.late
    return max(LOWEST, LOWEST + total)


def compute_points(facts: Facts, category: str) -> Points:
    """Return the points of each part. The category `loan` has only points for loans."""
    late = min(300, 3 * facts.days_late)
    repaid = 12 * facts.paid_in_time + 4 * facts.paid_late + 25 * facts.loans_repaid
    if category == LOAN:
        return Points(0, 0, 0, min(550, 2 * repaid), late)
    return Points(
        income=_compute_income(facts),
        contacts=min(60, facts.contacts),
        device=min(20, 2 * facts.battery_days)
        + min(20, 2 * facts.location_days)
        + (20 if facts.finance_app else 0),
        loans=min(200, repaid),
        late=late,
    )


def _compute_income(facts: Facts) -> int:
    """Return the points for income, at most 230.

    There are points for the number of texts about money received, for the number of weeks with such
    texts, and if the money received covers the money paid.
    """
    if not facts.money_in:
        return 0
    often = min(50, 5 * facts.texts_in)
    steady = min(90, 90 * facts.weeks_with_money_in // facts.weeks)
    covered = min(90, int(90 * facts.money_in / max(facts.money_in, facts.money_out)))
    return often + steady + covered


def _find_broken_rule(facts: Facts, category: str, score: int) -> str | None:
    """Return the first rule that forbids lending; None if no rule does."""
    if facts.days_late > MOST_DAYS_LATE:
        return ARREARS
    if category == CREDIT and facts.money_out > MOST_SPENT * facts.money_in:
        return OVERSPENDING
    return LOW_SCORE if score < LEAST_SCORE else None

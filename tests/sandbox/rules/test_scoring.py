"""From what was found to an outcome; SCORING.md says the same in words."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.sandbox.rules.evidence import Facts
from lendingadmin.sandbox.rules.scoring import (
    CREDIT,
    LOAN,
    Outcome,
    Points,
    assess,
    compute_points,
    compute_score,
)
from lendingadmin.sandbox.schemas.answers import AssessmentOutcome

GOOD = Facts(
    weeks=13,
    texts_in=26,
    texts_out=20,
    money_in=Decimal(52_000),
    money_out=Decimal(40_000),
    weeks_with_money_in=13,
    contacts=80,
    battery_days=12,
    location_days=11,
    finance_app=True,
    paid_in_time=6,
    loans_repaid=2,
    largest_repaid=Decimal(9_000),
)
COUNT = st.integers(0, 300)
MONEY = st.integers(0, 10**9).map(Decimal)
FACTS = st.builds(
    Facts,
    weeks=st.sampled_from([4, 9, 13, 26]),
    texts_in=COUNT,
    texts_out=COUNT,
    money_in=MONEY,
    money_out=MONEY,
    weeks_with_money_in=st.integers(0, 27),
    contacts=COUNT,
    battery_days=COUNT,
    location_days=COUNT,
    finance_app=st.booleans(),
    paid_in_time=COUNT,
    paid_late=COUNT,
    loans_repaid=COUNT,
    largest_repaid=MONEY,
    days_late=st.one_of(st.just(0), COUNT),
)
CATEGORY = st.sampled_from([CREDIT, LOAN])
BETTER = (
    "texts_in",
    "money_in",
    "weeks_with_money_in",
    "contacts",
    "battery_days",
    "location_days",
    "paid_in_time",
    "paid_late",
    "loans_repaid",
)
WORSE = ["texts_out", "money_out", "days_late"]
RANK = {"declined": 0, "authorized": 1}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Points(0, 0, 0, 0, 0)),
        # Money in: 5 for each text up to 50, 90 for the share of weeks, 90 for what it covers.
        ({"texts_in": 3, "money_in": 10}, Points(15 + 0 + 90, 0, 0, 0, 0)),
        ({"texts_in": 10, "money_in": 10}, Points(50 + 90, 0, 0, 0, 0)),
        ({"texts_in": 99, "money_in": 10}, Points(50 + 90, 0, 0, 0, 0)),
        ({"texts_in": 1, "money_in": 10, "weeks_with_money_in": 6}, Points(136, 0, 0, 0, 0)),
        ({"texts_in": 1, "money_in": 10, "weeks_with_money_in": 13}, Points(185, 0, 0, 0, 0)),
        ({"texts_in": 1, "money_in": 10, "weeks_with_money_in": 14}, Points(185, 0, 0, 0, 0)),
        ({"texts_in": 1, "money_in": 10, "money_out": 10}, Points(95, 0, 0, 0, 0)),
        ({"texts_in": 1, "money_in": 10, "money_out": 20}, Points(5 + 45, 0, 0, 0, 0)),
        ({"money_out": 20}, Points(0, 0, 0, 0, 0)),
        # Contacts: one each, up to 60.
        ({"contacts": 7}, Points(0, 7, 0, 0, 0)),
        ({"contacts": 61}, Points(0, 60, 0, 0, 0)),
        # Device: 2 for each day up to 20, twice, and 20 for an app.
        ({"battery_days": 4}, Points(0, 0, 8, 0, 0)),
        ({"battery_days": 11}, Points(0, 0, 20, 0, 0)),
        ({"location_days": 4}, Points(0, 0, 8, 0, 0)),
        ({"location_days": 11}, Points(0, 0, 20, 0, 0)),
        ({"finance_app": True}, Points(0, 0, 20, 0, 0)),
        # Loans: 12 in time, 4 late, 25 for a whole loan, up to 200.
        ({"paid_in_time": 3}, Points(0, 0, 0, 36, 0)),
        ({"paid_late": 3}, Points(0, 0, 0, 12, 0)),
        ({"loans_repaid": 3}, Points(0, 0, 0, 75, 0)),
        ({"loans_repaid": 9}, Points(0, 0, 0, 200, 0)),
        # Lateness: 3 for each day, up to 300.
        ({"days_late": 10}, Points(0, 0, 0, 0, 30)),
        ({"days_late": 101}, Points(0, 0, 0, 0, 300)),
    ],
)  # fmt: skip
def test_points_of_each_part(changes: dict[str, Any], expected: Points) -> None:
    facts = Facts(weeks=13)._replace(
        **{name: Decimal(it) if "money" in name else it for name, it in changes.items()}
    )
    assert compute_points(facts, CREDIT) == expected


def test_an_assessment_of_loans_looks_at_loans_alone_and_counts_them_twice() -> None:
    assert compute_points(GOOD, LOAN) == Points(0, 0, 0, 2 * (72 + 50), 0)
    assert compute_points(GOOD._replace(loans_repaid=30, days_late=5), LOAN) == Points(
        0, 0, 0, 550, 15
    )


def test_a_score_is_300_and_the_points_within_300_and_850() -> None:
    assert compute_score(Facts(), CREDIT) == 300
    assert compute_score(Facts(contacts=9), CREDIT) == 309
    assert compute_score(Facts(contacts=9, days_late=2), CREDIT) == 303
    assert compute_score(Facts(contacts=9, days_late=99), CREDIT) == 300
    assert compute_score(GOOD._replace(loans_repaid=9), CREDIT) == 850


def test_an_outcome_says_everything() -> None:
    assert assess(GOOD, CREDIT) == Outcome(
        type="authorized",
        reason=None,
        message=None,
        rule=None,
        risk_level="low",
        risk_score=14,
        credit_score=772,
        credit_rating="A",
        money_in_a_month=str(round(Decimal(52_000) * 30 / 91, 2)),
        largest_repaid="9000",
    )


@pytest.mark.parametrize(
    ("facts", "category", "enough"),
    [
        (Facts(), CREDIT, False),
        (Facts(contacts=99, battery_days=9, finance_app=True), CREDIT, False),
        (Facts(texts_in=4), CREDIT, False),
        (Facts(texts_in=3, texts_out=2), CREDIT, True),
        (Facts(paid_in_time=1, paid_late=1), CREDIT, False),
        (Facts(paid_in_time=1, paid_late=1, loans_repaid=1), CREDIT, True),
        (Facts(days_late=1), CREDIT, True),
        (Facts(texts_in=99), LOAN, False),
        (Facts(paid_late=1), LOAN, True),
        (Facts(loans_repaid=1), LOAN, True),
        (Facts(days_late=1), LOAN, True),
    ],
)
def test_too_little_data_is_invalid(facts: Facts, category: str, enough: bool) -> None:
    outcome = assess(facts, category)
    assert (outcome.type != "invalid") is enough
    if not enough:
        assert (outcome.reason, outcome.rule) == ("no_data", "too_little_data")
        assert outcome.message
        assert outcome.credit_score is outcome.risk_score is None
        assert outcome.risk_level is outcome.credit_rating is None


@pytest.mark.parametrize(
    ("changes", "category", "rule"),
    [
        ({}, CREDIT, None),
        ({"days_late": 30}, CREDIT, None),
        ({"days_late": 31}, CREDIT, "arrears_over_30_days"),
        ({"days_late": 31}, LOAN, "arrears_over_30_days"),
        ({"money_out": Decimal(104_000)}, CREDIT, None),
        ({"money_out": Decimal(104_001)}, CREDIT, "money_out_over_twice_money_in"),
        ({"money_out": Decimal(104_001)}, LOAN, None),
        ({"days_late": 31, "money_out": Decimal(104_001)}, CREDIT, "arrears_over_30_days"),
        ({"paid_in_time": 1, "loans_repaid": 5}, LOAN, None),
        ({"paid_in_time": 1, "loans_repaid": 2}, LOAN, "score_below_450"),
    ],
)
def test_who_is_declined_and_by_which_rule(
    changes: dict[str, Any], category: str, rule: str | None
) -> None:
    outcome = assess(GOOD._replace(**changes), category)
    assert outcome.rule == outcome.reason == rule
    assert outcome.is_authorized is (rule is None)
    assert outcome.type == ("declined" if rule else "authorized")
    assert (outcome.message is not None) is (rule is not None)
    assert outcome.credit_score is not None


@pytest.mark.parametrize(
    ("score", "rating", "risk", "level"),
    [
        (300, "E", 100, "high"),
        (449, "E", 72, "high"),
        (450, "D", 72, "high"),
        (541, "D", 56, "high"),
        (542, "D", 56, "high"),
        (543, "D", 55, "medium"),
        (549, "D", 54, "medium"),
        (550, "C", 54, "medium"),
        (650, "B", 36, "medium"),
        (680, "B", 30, "low"),
        (679, "B", 31, "medium"),
        (749, "B", 18, "low"),
        (750, "A", 18, "low"),
        (850, "A", 0, "low"),
    ],
)
def test_rating_and_risk_follow_from_the_score(
    score: int, rating: str, risk: int, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "lendingadmin.sandbox.rules.scoring.compute_score", lambda facts, category: score
    )
    outcome = assess(GOOD, CREDIT)
    assert (outcome.credit_rating, outcome.risk_score, outcome.risk_level) == (rating, risk, level)
    assert (outcome.rule == "score_below_450") is (score < 450)


def test_an_outcome_is_answered_with_the_specs_fields_alone() -> None:
    def answer(outcome: Outcome) -> dict[str, object]:
        return AssessmentOutcome.read(outcome).model_dump(by_alias=True)

    assert set(answer(assess(GOOD, CREDIT))) == {
        "type", "reason", "message", "rule", "riskLevel", "riskScore", "creditScore",
        "creditRating",
    }  # fmt: skip
    assert answer(assess(GOOD, CREDIT))["creditScore"] == 772
    assert answer(Outcome("a", "b", "c", "d", "e", 1, 2, "f")) == {
        "type": "a", "reason": "b", "message": "c", "rule": "d", "riskLevel": "e",
        "riskScore": 1, "creditScore": 2, "creditRating": "f",
    }  # fmt: skip


@given(FACTS, CATEGORY, st.sampled_from(BETTER), st.integers(1, 1000))
def test_more_of_what_is_good_never_lowers_a_score(
    facts: Facts, category: str, field: str, more: int
) -> None:
    better = facts._replace(**{field: getattr(facts, field) + more})
    assert compute_score(better, category) >= compute_score(facts, category)
    before, after = assess(facts, category), assess(better, category)
    if before.is_authorized:
        assert after.is_authorized


@given(FACTS, CATEGORY, st.sampled_from(WORSE), st.integers(1, 1000))
def test_more_of_what_is_bad_never_raises_a_score(
    facts: Facts, category: str, field: str, more: int
) -> None:
    worse = facts._replace(**{field: getattr(facts, field) + more})
    assert compute_score(worse, category) <= compute_score(facts, category)
    before, after = assess(facts, category), assess(worse, category)
    if "invalid" not in (before.type, after.type):
        assert RANK[after.type] <= RANK[before.type]


@given(FACTS, CATEGORY)
def test_late_is_never_worth_more_than_in_time(facts: Facts, category: str) -> None:
    late = facts._replace(paid_late=facts.paid_late + facts.paid_in_time, paid_in_time=0)
    assert compute_score(late, category) <= compute_score(facts, category)


@given(FACTS, CATEGORY)
def test_a_score_is_always_within_its_bounds(facts: Facts, category: str) -> None:
    assert 300 <= compute_score(facts, category) <= 850
    assert assess(facts, category) == assess(facts, category)

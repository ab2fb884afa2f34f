"""Assessments in words, and scores as pictures."""

from decimal import Decimal

import pytest

from lendingadmin.lending.values import AssessmentOutcome, AssessmentSettings, Malformed
from lendingadmin.web.display import assessments


@pytest.mark.parametrize(
    ("account", "borrower"),
    [
        ("borrower:b", "b"),
        ("borrower:a:b", "a:b"),
        ("agent:b", ""),
        ("borrower:", ""),
        ("b", ""),
        (None, ""),
        (Malformed(5), ""),
    ],
)
def test_the_borrower_of_an_account(account: object, borrower: str) -> None:
    assert assessments.borrower_id(account) == borrower


@pytest.mark.parametrize(
    ("score", "filled", "anchor"),
    [(0, "0.0", "start"), (50, "50.0", "middle"), (100, "100.0", "end"), (99, "99.0", "end")],
)
def test_a_gauge(score: int, filled: str, anchor: str) -> None:
    drawn = assessments.draw_gauge("Risk", Decimal(score), assessments.RISK_SCALE, "bad")
    assert drawn is not None
    assert (drawn.filled, drawn.anchor) == (filled, anchor)


@pytest.mark.parametrize("score", [None, Malformed("x"), Decimal(-1), Decimal("100.1"), True, "50"])
def test_no_gauge_where_there_is_nothing_to_draw(score: object) -> None:
    assert assessments.draw_gauge("Risk", score, assessments.RISK_SCALE) is None


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ({"type": "authorized"}, ["enough", "none failed", "authorized"]),
        ({"type": "declined", "rule": "x"}, ["enough", "one failed", "declined"]),
        (
            {"type": "invalid", "reason": "no_data", "rule": "x"},
            ["too little", "not reached", "invalid"],
        ),
        ({"type": "invalid", "reason": "late"}, ["not reported", "not reported", "invalid"]),
        ({"type": "put_off", "rule": "x"}, ["not reported", "one failed", "put off"]),
        ({}, ["not reported", "not reported", "—"]),
    ],
)
def test_the_way_to_a_decision(outcome: dict[str, object], words: list[str]) -> None:
    steps = assessments.list_steps(AssessmentOutcome(outcome))
    assert [step.words for step in steps] == words


def test_limits_in_words() -> None:
    settings = AssessmentSettings(
        {"apps": {"channels": ["mobile", "web"], "platforms": []}, "accounts": "all"}
    )
    assert assessments.limits(settings) == [
        ("Channels", "mobile, web"),
        ("Platforms", "any"),
        ("Borrowers", "all"),
        ("Account types", "all"),
    ]
    assert assessments.limits(None) == [("Limits", "none")]

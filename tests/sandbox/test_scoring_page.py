"""SCORING.md tells what the rules do."""

import re
from decimal import Decimal
from pathlib import Path

import lendingadmin.sandbox
from lendingadmin.sandbox.catalogue.assessment_types import ASSESSMENT_TYPES
from lendingadmin.sandbox.rules import scoring
from lendingadmin.sandbox.rules.evidence import SMS_DAYS, Facts
from lendingadmin.sandbox.rules.scoring import CREDIT, LOAN, assess, compute_points

PAGE = (Path(lendingadmin.sandbox.__file__).parent / "SCORING.md").read_text()
EXAMPLE = Facts(
    weeks=13,
    texts_in=12,
    texts_out=9,
    money_in=Decimal(24_000),
    money_out=Decimal(20_000),
    weeks_with_money_in=10,
    contacts=40,
    battery_days=6,
    location_days=3,
    paid_in_time=3,
    paid_late=1,
)


def rows(head: str) -> list[list[str]]:
    """The cells of the table under this head."""
    table = PAGE.split(head)[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_example_is_the_rules() -> None:
    outcome = assess(EXAMPLE, CREDIT)
    assert f"= **{outcome.credit_score}**" in PAGE
    assert (
        f"rating {outcome.credit_rating}, risk {outcome.risk_score}, {outcome.risk_level}" in PAGE
    )
    sum_ = re.search(r"^(300 \+[ +\d]+)= ", PAGE, re.MULTILINE)
    assert sum_
    parts = [int(text) for text in sum_[1].split("+")]
    assert sum(parts) == outcome.credit_score
    found = compute_points(EXAMPLE, CREDIT)
    assert parts == [300, *parts[1:4], found.contacts, *parts[5:7], found.loans]
    assert sum(parts[1:4]) == found.income
    assert sum(parts[5:7]) == found.device


def test_the_most_of_each_part_is_the_rules() -> None:
    most = [int(row[-1]) for row in rows("| Part | Points | At most |")]
    plenty = Facts(
        weeks=13, texts_in=999, money_in=Decimal(9), weeks_with_money_in=13, contacts=999,
        battery_days=999, location_days=999, finance_app=True, paid_in_time=999, days_late=999,
    )  # fmt: skip
    found = compute_points(plenty, CREDIT)
    assert sum(most[:3]) == found.income
    assert most[3] == found.contacts
    assert sum(most[4:7]) == found.device
    assert most[7:] == [found.loans, found.late]
    assert f"up to {compute_points(plenty, LOAN).loans}." in PAGE


def test_the_rules_and_their_order_are_the_rules() -> None:
    named = [row[0].strip("`") for row in rows("| Rule | When |")]
    assert named == [scoring.ARREARS, scoring.OVERSPENDING, scoring.LOW_SCORE]
    assert f"more than {scoring.MOST_DAYS_LATE} days late" in PAGE
    assert f"below {scoring.LEAST_SCORE}" in PAGE
    assert f"needs {scoring.LEAST_TEXTS} texts about money, or {scoring.LEAST_DUES}" in PAGE


def test_ratings_and_levels_are_the_rules() -> None:
    assert [(int(least), rating) for least, rating in rows("| Credit score from |")] == list(
        scoring.RATINGS
    )
    assert [(int(most), level) for most, level in rows("| `riskScore` up to |")] == list(
        scoring.LEVELS
    )


def test_windows_are_those_of_the_types() -> None:
    usable = {kind.period_days for kind in ASSESSMENT_TYPES if kind.status != 2}
    assert f"({', '.join(map(str, sorted(usable)[:-1]))} or {max(usable)} days)" in PAGE
    assert f"{SMS_DAYS} days (six months)" in PAGE

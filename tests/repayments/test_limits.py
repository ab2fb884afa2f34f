"""Above which limits a repayment needs a second person."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lendingadmin.money.repayments.policies import ApprovalLimits, list_reasons

ALL = ApprovalLimits(Decimal(100), Decimal(300), look_alikes=True)
CENTS = some.decimals(0, 1000, places=2)


@pytest.mark.parametrize(
    ("amount", "entered", "is_converted", "is_alike", "expected"),
    [
        ("100", "0", False, False, []),
        ("100.01", "0", False, False, ["amount"]),
        ("100", "200", False, False, []),
        ("100", "200.01", False, False, ["day"]),
        ("301", "0", False, False, ["amount", "day"]),
        ("1", "0", False, True, ["look-alike"]),
        ("1", "0", True, False, ["currency"]),
        ("1000", "1000", True, False, ["currency"]),
    ],
)
def test_reasons(
    amount: str, entered: str, is_converted: bool, is_alike: bool, expected: list[str]
) -> None:
    found = list_reasons(
        ALL,
        Decimal(amount),
        entered=Decimal(entered),
        is_converted=is_converted,
        is_alike=is_alike,
    )
    assert found == expected


@given(amounts=some.lists(CENTS, max_size=8), limit=CENTS)
def test_what_goes_without_approval_in_a_day_is_never_above_its_limit(
    amounts: list[Decimal], limit: Decimal
) -> None:
    alone = Decimal(0)
    for amount in amounts:
        limits = ApprovalLimits(None, limit, look_alikes=False)
        if not list_reasons(limits, amount, entered=alone, is_converted=False, is_alike=False):
            alone += amount
    assert alone <= limit


def test_without_a_limit_of_amounts_no_currency_needs_approval() -> None:
    limits = ApprovalLimits(None, None, look_alikes=True)
    found = list_reasons(
        limits, Decimal(10**9), entered=Decimal(10**9), is_converted=True, is_alike=False
    )
    assert found == []

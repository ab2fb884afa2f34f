"""Above which limits a repayment needs a second person."""

from decimal import Decimal

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as some

from lendingadmin.money.repayments.limits import (
    ApprovalLimits,
    list_reasons,
    read_amounts,
    read_approval_limits,
)

READ = read_approval_limits(settings.LENDING_APPS)
ALL = ApprovalLimits(Decimal(100), Decimal(300), look_alikes=True)
CENTS = some.decimals(0, 1000, places=2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("kenya:100", {"kenya": ApprovalLimits(Decimal(100), None, look_alikes=False)}),
        ("kenya::300.50", {"kenya": ApprovalLimits(None, Decimal("300.50"), look_alikes=False)}),
        (
            "kenya:0, ghana:::look-alikes",
            {
                "kenya": ApprovalLimits(Decimal(0), None, look_alikes=False),
                "ghana": ApprovalLimits(None, None, look_alikes=True),
            },
        ),
        ("kenya:100:300:look-alikes", {"kenya": ALL}),
    ],
)
def test_the_setting_is_read(text: str, expected: dict[str, ApprovalLimits]) -> None:
    assert READ(text) == expected


def test_amounts_by_app_are_read() -> None:
    read = read_amounts(settings.LENDING_APPS)
    assert read("kenya:100, ghana:0.50") == {"kenya": Decimal(100), "ghana": Decimal("0.50")}
    assert read("") == {}
    with pytest.raises(ValueError, match="“ten” is no amount"):
        read("kenya:ten")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kenya:ten", "“ten” is no amount"),
        ("kenya:-1", "“-1” is no amount"),
        ("kenya:NaN", "“NaN” is no amount"),
        ("kenya::", "limits nothing"),
        ("kenya:1:2:always", "not of the form"),
        ("kenya:1:2:look-alikes:4", "not of the form"),
        ("mali:100", "no app of LENDING_APPS"),
        ("kenya:100,kenya:200", "each app once"),
    ],
)
def test_what_can_t_be_read_is_told(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        READ(text)


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

"""What balances say in all: the service's total, or the sum of its parts where it gives none."""

from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.lending import loan_math
from lendingadmin.lending.values import Loan

PART = {"due": 1, "paid": 2, "total": 3, "unpaid": 4, "overdue": 5}
PARTS = dict.fromkeys(loan_math.PARTS, PART)
MISTYPED: list[Any] = ["1,000.00", True, [1], {}]


def loan(**groups: Any) -> Loan:
    return Loan({"accountId": "L-1", "balances": PARTS | groups})


def test_the_total_of_the_service_counts() -> None:
    assert loan_math.total_of(loan(repayment={"paid": Decimal("7.5")}), "paid") == Decimal("7.5")


@pytest.mark.parametrize("absent", [None, {}, {"paid": None}])
def test_without_a_total_its_parts_are_added(absent: Any) -> None:
    one = loan(repayment=absent)
    assert (loan_math.total_of(one, "paid"), loan_math.unreadable_totals(one)) == (8, ())


@pytest.mark.parametrize("mistyped", MISTYPED)
def test_a_total_that_cannot_be_read_is_not_replaced_by_its_parts(mistyped: Any) -> None:
    one = loan(repayment=PART | {"paid": mistyped})
    assert loan_math.total_of(one, "paid") is None
    assert loan_math.total_of(one, "unpaid") == 4
    assert loan_math.unreadable_totals(one) == ("paid",)


def test_nor_are_totals_that_are_no_object() -> None:
    one = loan(repayment="none")
    assert loan_math.total_of(one, "paid") is None
    assert loan_math.unreadable_totals(one) == ("due", "paid", "total", "unpaid", "overdue")

"""What a repayment will probably do, by a table: balances, instalments, what comes next."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments.estimate import estimate

FIRST, SECOND, THIRD = (datetime(2026, month, 21, tzinfo=UTC) for month in (10, 11, 12))


def loan(paid: object = 0, unpaid: object = 300, overdue: object = 100, **fields: Any) -> Loan:
    """Three instalments of 100."""
    dues = enumerate((FIRST, SECOND, THIRD), start=1)
    installments = [
        {"sequenceNo": number, "dueDate": due.isoformat(), "amounts": {"repayment": Decimal(100)}}
        for number, due in dues
    ]
    repayment = {"total": 300, "paid": paid, "unpaid": unpaid, "overdue": overdue}
    usual = {"balances": {"repayment": repayment}, "contract": {"installments": installments}}
    return Loan(usual | fields)


@pytest.mark.parametrize(
    ("paid", "amount", "clears", "touches", "following"),
    [
        (0, "100", ("1",), None, (SECOND, 100)),
        (0, "130", ("1",), "2", (SECOND, 70)),
        (0, "40", (), "1", (FIRST, 60)),
        (50, "30", (), "1", (FIRST, 20)),
        (50, "50", ("1",), None, (SECOND, 100)),
        (100, "200", ("2", "3"), None, (None, None)),
        (0, "300.01", ("1", "2", "3"), None, (None, None)),
    ],
)
def test_instalments_and_what_comes_next(
    paid: int,
    amount: str,
    clears: tuple[str, ...],
    touches: str | None,
    following: tuple[datetime | None, int | None],
) -> None:
    found = estimate(loan(paid=paid, unpaid=300 - paid), Decimal(amount))
    assert (found.clears, found.touches) == (clears, touches)
    assert (found.next_due, found.next_amount) == following


@pytest.mark.parametrize(
    ("amount", "remains", "overpaid", "overdue_after"),
    [("0.01", "299.99", "0", "99.99"), ("300", "0", "0", "0"), ("300.01", "0", "0.01", "0")],
)
def test_balances_before_and_after(
    amount: str, remains: str, overpaid: str, overdue_after: str
) -> None:
    found = estimate(loan(), Decimal(amount))
    assert (found.owed, found.overdue) == (300, 100)
    assert (found.remains, found.overpaid) == (Decimal(remains), Decimal(overpaid))
    assert found.overdue_after == Decimal(overdue_after)


@pytest.mark.parametrize("odd", [None, "300", {}, True])
def test_what_the_loan_does_not_tell_is_not_made_up(odd: object) -> None:
    found = estimate(loan(paid=odd, unpaid=odd, overdue=odd), Decimal(10))
    assert (found.owed, found.remains, found.overdue_after) == (None, None, None)
    assert found.overpaid == 0
    assert (found.clears, found.touches, found.next_amount) == ((), None, None)


@pytest.mark.parametrize(
    ("fees", "penalty", "charges"),
    [
        (None, None, 0),
        ({"overdue": 3}, {"overdue": Decimal("1.50")}, Decimal("4.50")),
        ({"overdue": 3}, {"unpaid": 7}, 3),
        ({"overdue": "3"}, [], 0),
    ],
)
def test_fees_and_penalties_that_are_overdue_are_told(
    fees: object, penalty: object, charges: Decimal
) -> None:
    balances = {"repayment": {"unpaid": 300}, "fees": fees, "penalty": penalty}
    assert estimate(loan(balances=balances), Decimal(10)).charges == charges
    assert estimate(loan(balances=None), Decimal(10)).charges == 0

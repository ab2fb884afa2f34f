"""The open loans of borrowers in the newest count: how many, and what is overdue on them."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from lendingadmin.desk.portfolio.models import Snapshot
from lendingadmin.desk.portfolio.open_loans import filter_open, read_open_loans
from tests.portfolio.conftest import counted
from tests.portfolio.service import BookService, loan

pytestmark = pytest.mark.django_db
WANTED = ("B-1", "B-2", "B-3")


def read(app_id: str = "kenya") -> dict[str, tuple[int, Decimal | None]]:
    return {
        key: (one.open_count, one.overdue) for key, one in read_open_loans(app_id, WANTED).items()
    }


def overdue(number: int, borrower: str, amount: object, **fields: Any) -> dict[str, Any]:
    return loan(number, borrowerId=borrower, balances={"repayment": {"overdue": amount}}, **fields)


def test_the_open_loans_of_each_and_what_is_overdue_on_them(service: BookService) -> None:
    service.loans = [
        overdue(0, "B-1", Decimal("840.05")),
        overdue(1, "B-1", Decimal("3.01")),
        overdue(2, "B-1", Decimal("7.00"), status=3),
        overdue(3, "B-2", 0),
        overdue(4, "B-9", 5),
    ]
    service.loans[0]["balances"]["repayment"]["unpaid"] = Decimal("1000.50")
    service.loans[1]["balances"]["repayment"]["unpaid"] = Decimal("0.25")
    row = counted()
    assert read() == {"B-1": (2, Decimal("843.06")), "B-2": (1, 0), "B-3": (0, 0)}
    found = read_open_loans("kenya", ["B-1", "B-2"])
    assert found["B-1"].counted_at == row.ended_at
    assert (found["B-1"].owed, found["B-2"].owed) == (Decimal("1000.75"), None)
    assert read("ghana") == {} and read_open_loans("kenya", []) == {}


def test_what_is_not_reported_is_not_added_up(service: BookService) -> None:
    service.loans = [overdue(0, "B-1", 5), overdue(1, "B-1", None), overdue(2, "B-2", "five")]
    counted()
    assert read() == {"B-1": (2, None), "B-2": (1, None), "B-3": (0, 0)}


@pytest.mark.parametrize(
    ("other", "is_known"),
    [
        (loan(2, borrowerId=None), False),
        (loan(2, borrowerId="B" * 256), False),
        (loan(2, accountId=None), False),
        ("no loan", False),
        # Closed, it is nobody's open loan.
        (loan(2, borrowerId=None, status=3), True),
    ],
)
def test_where_a_loan_may_be_anybody_s_nobody_is_said_to_have_none(
    service: BookService, other: Any, is_known: bool
) -> None:
    service.loans = [overdue(0, "B-1", 5), overdue(1, "B-2", 6), other]
    counted()
    known = {"B-1": (1, Decimal(5)), "B-2": (1, Decimal(6))}
    assert read() == (known | {"B-3": (0, Decimal(0))} if is_known else known)


def test_the_newest_complete_count_is_read(service: BookService) -> None:
    assert read() == {}
    counted()
    service.loans = [overdue(0, "B-2", 5)]
    row = counted()
    assert read()["B-2"] == (1, 5) and read()["B-1"] == (0, 0)
    Snapshot.objects.create(app_id="kenya", began_at=timezone.now() + timedelta(hours=1))
    assert read()["B-2"] == (1, 5)
    # Of a count that says less than is asked of it nothing is said, whatever an older one said.
    for changes in ({"figures_version": 1}, {"without_borrower": None}):
        before = Snapshot.objects.filter(pk=row.pk).values(*changes).get()
        Snapshot.objects.filter(pk=row.pk).update(**changes)
        assert read() == {}, changes
        Snapshot.objects.filter(pk=row.pk).update(**before)
    assert read()["B-2"] == (1, 5)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="others scan a table this small")
def test_an_index_leads_to_the_open_loans_of_borrowers() -> None:
    plan = filter_open(Snapshot(pk=1), WANTED).explain()
    assert "INDEX portfolio_open_by_borrower (snapshot_id=? AND borrower_id=?)" in plan

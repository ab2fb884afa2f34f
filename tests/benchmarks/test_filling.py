"""The rows that `make bench` measures fit the tables as they are now."""

import pytest
from django.db import connection
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.areas import collect
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio.models import Snapshot
from lendingadmin.desk.statements.models import StatementLine
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.models import Write
from lendingadmin.records.assessments.models import KnownAssessment
from lendingadmin.records.offers.models import OfferRequest
from lendingadmin.web.timeline import Subject
from tests.benchmarks import filling, filling_book, filling_timeline


@pytest.mark.django_db(transaction=True)
def test_each_table_takes_its_rows() -> None:
    filling.fill(repayments=602, entries=40, writes=20, assessments=30)
    assert (Repayment.objects.count(), Entry.objects.count(), Write.objects.count()) == (
        602,
        40,
        20,
    )
    assert KnownAssessment.objects.filter(account_id__startswith="borrower:B-").count() == 30
    assert OfferRequest.objects.filter(borrower_id__startswith="B-").count() == 20
    assert StatementLine.objects.filter(file__network="M-PESA").count() == 1_000
    states = set(Repayment.objects.values_list("state", flat=True))
    assert states <= set(RepaymentState.values)
    assert RepaymentState.REFUSED in states
    assert connection.in_atomic_block is False


@pytest.mark.django_db
def test_a_borrower_has_entries_of_every_kind_of_our_own(officer: User) -> None:
    User.objects.create_user("clerk-000")
    filling_timeline.fill_timeline(repayments=30, notes=10, lines=5)
    subject = Subject(gateway.lending_app("kenya"), officer, "B-LONG")
    own = [one for one in collect("timeline") if one.key in ("repayments", "notes", "writes")]
    found = [rows.find(subject).count() for one in own for rows in one.rows]
    assert sorted(found) == [5, 10, 30]


@pytest.mark.django_db(transaction=True)
def test_the_count_has_loans_for_every_list() -> None:
    filling_book.fill_count(500)
    loans = Snapshot.objects.get().loans
    assert loans.count() == 500
    assert loans.filter(is_open=True, overdue_rank__gt=0).exists()
    assert loans.filter(is_first_missed=True).exists()
    assert loans.filter(is_open=False, settlement_day__isnull=False).exists()
    assert loans.filter(next_due_day=timezone.localdate()).exists()

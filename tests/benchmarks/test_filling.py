"""The rows that `make bench` measures fit the tables as they are now."""

import pytest
from django.db import connection
from django.utils import timezone

from lendingadmin.assessments.models import KnownAssessment
from lendingadmin.audit.models import Entry
from lendingadmin.offers.models import OfferRequest
from lendingadmin.portfolio.models import Snapshot
from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.states import RepaymentState
from lendingadmin.statements.models import StatementLine
from lendingadmin.writes.models import Write
from tests.benchmarks import filling


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
def test_the_count_has_loans_for_every_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "LOANS", 500)
    filling.fill_count()
    loans = Snapshot.objects.get().loans
    assert loans.count() == 500
    assert loans.filter(is_open=True, overdue_rank__gt=0).exists()
    assert loans.filter(is_first_missed=True).exists()
    assert loans.filter(is_open=False, settlement_day__isnull=False).exists()
    assert loans.filter(next_due_day=timezone.localdate()).exists()

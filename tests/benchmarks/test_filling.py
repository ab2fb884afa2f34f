"""The rows that `make bench` measures fit the tables as they are now."""

import pytest
from django.db import connection

from lendingadmin.audit.models import Entry
from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.states import RepaymentState
from lendingadmin.writes.models import Write
from tests.benchmarks import filling


@pytest.mark.django_db(transaction=True)
def test_each_table_takes_its_rows() -> None:
    filling.fill(repayments=602, entries=40, writes=20)
    assert (Repayment.objects.count(), Entry.objects.count(), Write.objects.count()) == (
        602,
        40,
        20,
    )
    states = set(Repayment.objects.values_list("state", flat=True))
    assert states <= set(RepaymentState.values)
    assert RepaymentState.REFUSED in states
    assert connection.in_atomic_block is False

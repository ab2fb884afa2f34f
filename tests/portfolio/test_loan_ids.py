"""A loan's id in other letters is looked up by its index, in the snapshot at hand alone."""

import pytest
from django.db import connection
from django.utils import timezone

from lendingadmin.desk.portfolio.loan_ids import filter_folded
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan

pytestmark = pytest.mark.django_db


def make_snapshot(count: int) -> Snapshot:
    row = Snapshot.objects.create(app_id="kenya", state="done", ended_at=timezone.now())
    loans = [SnapshotLoan(snapshot=row, account_id=f"L-K{number}") for number in range(count)]
    SnapshotLoan.objects.bulk_create(loans)
    return row


def test_the_index_of_folded_ids_is_used() -> None:
    _, row = make_snapshot(2_000), make_snapshot(2_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE portfolio_snapshotloan")
    found = filter_folded(row, "l-k77")
    assert [loan.account_id for loan in found] == ["L-K77"]
    plan = found.explain()
    assert "portfolio_loan_any_case" in plan, plan
    if connection.vendor == "sqlite":
        assert "(snapshot_id=? AND <expr>=?)" in plan, plan
    else:
        assert "Index Cond: ((snapshot_id =" in plan and "lower(" in plan, plan

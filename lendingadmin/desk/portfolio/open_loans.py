"""The open loans of some borrowers in the newest complete snapshot."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import QuerySet

from lendingadmin.people.search.open_loans import OpenLoans, Reader, Standing

from .amounts import exactly
from .models import Snapshot, SnapshotLoan
from .snapshot_job import find_with_loans


def read_open_loans(app_id: str, borrower_ids: Collection[str]) -> dict[str, OpenLoans]:
    """Return the number of open loans and their amounts, by borrower id.

    Return an empty dict if no snapshot has these data. An open loan without a borrower, or an item
    that can't be read, may belong to any borrower. If the snapshot has such an item, leave out
    borrowers without a known open loan. An amount is None if it is unknown for one of the loans.
    """
    snapshot = find_with_loans(app_id)
    if snapshot is None or snapshot.ended_at is None or snapshot.without_borrower is None:
        return {}
    found: dict[str, list[Standing]] = defaultdict(list)
    for loan in filter_open(snapshot, borrower_ids).only(
        "borrower_id", "outstanding", "overdue", "days_late"
    ):
        standing = Standing(loan.outstanding, loan.overdue, loan.days_late)
        found[loan.borrower_id].append(standing)
    is_whole = not (snapshot.without_borrower or snapshot.unreadable)
    with exactly():
        return {
            key: OpenLoans.add_up(found[key], snapshot.ended_at)
            for key in borrower_ids
            if is_whole or key in found
        }


def filter_open(snapshot: Snapshot, borrower_ids: Collection[str]) -> QuerySet[SnapshotLoan]:
    """Return the open loans of these borrowers in a snapshot."""
    return SnapshotLoan.objects.filter(
        snapshot=snapshot, is_open=True, borrower_id__in=[key for key in borrower_ids if key]
    )


READER = Reader("lending.loans.list", read_open_loans)

"""Loan ids in snapshots: find them in any letter case, read their borrowers, and count them."""

from collections.abc import Collection, Iterable

from django.db.models import QuerySet, Value
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.staff.erasure import KeptOn
from lendingadmin.people.search import kinds
from lendingadmin.people.search.lookups import Finder, Match
from lendingadmin.web.display import formats, times

from .models import Snapshot, SnapshotLoan
from .snapshot_job import find_with_loans

_AT_MOST = 10


def find_in_other_case(app_id: str, wanted: str) -> tuple[Match, ...]:
    """Return loans whose id differs from this one only in upper and lower case.

    Return none if no snapshot is complete. The database converts both ids to lower case: SQLite
    converts only ASCII letters, PostgreSQL the letters of its collation. The service may have
    removed a loan since the snapshot; this shows when a person opens the loan.
    """
    snapshot = find_with_loans(app_id)
    if snapshot is None:
        return ()
    age = times.ago(snapshot.ended_at, timezone.now(), formats.locale())
    warning = _(
        "The capital letters differ from your entry. The id is shown as the service sent it "
        "%(age)s."
    ) % {"age": age}
    rows = filter_folded(snapshot, wanted).exclude(account_id=wanted)
    return tuple(
        Match(
            kinds.LOAN,
            key,
            _("of %(borrower)s") % {"borrower": borrower} if borrower else "",
            warning,
        )
        for key, borrower in rows.values_list("account_id", "borrower_id")[:_AT_MOST]
    )


def filter_folded(snapshot: Snapshot, wanted: str) -> QuerySet[SnapshotLoan]:
    """Return the loans of a snapshot whose id equals this one in lower case."""
    rows = SnapshotLoan.objects.alias(folded=Lower("account_id"))
    return rows.filter(snapshot=snapshot, folded=Lower(Value(wanted)))


def read_borrowers(app_id: str, loan_ids: Collection[str]) -> dict[str, str]:
    """Return the borrowers of these loans in the newest snapshot, by loan id.

    Loans without a known borrower are left out.
    """
    snapshot = find_with_loans(app_id)
    if snapshot is None:
        return {}
    rows = SnapshotLoan.objects.filter(snapshot=snapshot, account_id__in=loan_ids)
    return dict(rows.exclude(borrower_id="").values_list("account_id", "borrower_id"))


def count_of_borrower(app_id: str, borrower_id: str) -> int:
    """Return the number of loans of this borrower in the app's snapshots."""
    return sum(rows.count() for rows in list_rows(app_id, borrower_id))


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[SnapshotLoan]]:
    """Yield the loans of this borrower in the app's snapshots."""
    yield SnapshotLoan.objects.filter(snapshot__app_id=app_id, borrower_id=borrower_id)


KEPT = KeptOn(
    gettext_noop("loan snapshots"),
    gettext_noop("the next update saves loans again if the service still lists them"),
    count_of_borrower,
    list_rows,
)
OTHER_CASE = Finder("lending.loans.get", find_in_other_case)

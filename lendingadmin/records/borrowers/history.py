"""History of a borrower in this dashboard: writes, repayments and entries of the audit trail."""

from typing import Any, NamedTuple

from django.db.models import QuerySet

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import NOTES_WRITE, REVEAL
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.writes import reconciliation
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.services import as_kept
from lendingadmin.money.writes.states import WriteState
from lendingadmin.web.keyset import build_prefix

_SHOWN = 20
# The subject depends on the operation. It is the borrower's id, the account id, or the account id
# followed by a space and an event's time or `record`. A loan may have the same id as a borrower, so
# the search needs the operation too.
_BY_ID = tuple(name for name in OPERATIONS if name.startswith("borrowers."))
_BY_ACCOUNT = ("assessments.create", NOTES_WRITE)
_BY_ACCOUNT_AND_MORE = ("events.create", REVEAL)
_MAKES = ("loans.create", "borrowers.getOffers", "assessments.create", "events.create")


class Done(NamedTuple):
    """One write, its description in words, and the address of `find_target`."""

    words: str
    write: Write
    leads_to: str


class History(NamedTuple):
    """The newest writes, repayments and entries of the audit trail.

    A list is None if the person may not see it. `is_cut` is True if a list has older items.
    """

    writes: list[Done]
    repayments: list[Any] | None
    entries: list[Entry] | None
    is_cut: bool = False


def of_borrower(person: User, app_id: str, borrower_id: str) -> History:
    """Return the history of this borrower that this person may see. May raise InvalidId."""
    sees_repayments = person.has_perm("lending.loans.get", app_id)
    sees_entries = person.has_perm("dashboard.audit.view", app_id)
    # Each list is read with one more row than is shown. This row shows if there are older rows.
    newest = find_writes(app_id, borrower_id).select_related("person").order_by("-created_at")
    writes = [
        Done(reconciliation.describe(one), one, find_target(one, person))
        for one in newest[: _SHOWN + 1]
    ]
    rows = Repayment.objects.of_borrower(app_id, borrower_id).with_mistake()
    repayments = list(rows[: _SHOWN + 1] if sees_repayments else ())
    entries = list(find_entries(app_id, borrower_id)[: _SHOWN + 1] if sees_entries else ())
    return History(
        writes[:_SHOWN],
        repayments[:_SHOWN] if sees_repayments else None,
        entries[:_SHOWN] if sees_entries else None,
        is_cut=any(len(rows) > _SHOWN for rows in (writes, repayments, entries)),
    )


def find_writes(app_id: str, borrower_id: str) -> QuerySet[Write]:
    """Return all writes for this borrower. May raise InvalidId."""
    own = Write.objects.filter(app_id=app_id)
    # The partial index on `borrower_id` is used only if the query excludes empty values.
    named = own.filter(borrower_id=as_kept(borrower_id)).exclude(borrower_id="")
    found = _found(own, borrower_id, "operation").union(named.values("pk"))
    return Write.objects.filter(pk__in=found)


def find_entries(app_id: str, borrower_id: str) -> QuerySet[Entry]:
    """Return the trail's entries about this borrower, the newest first. May raise InvalidId."""
    found = _found(Entry.objects.filter(app_id=app_id), borrower_id, "action")
    return Entry.objects.filter(pk__in=found)


def find_target(write: Write, person: User) -> str:
    """Return the address of the record that a saved write made, such as a loan.

    For a write that is not saved, return the write's own page. Return an empty text if the person
    may not see that page, or if the write made no such record.
    """
    if write.state == WriteState.SAVED:
        return write.url if write.operation in _MAKES else ""
    return write.get_absolute_url() if reconciliation.may_see(write, person) else ""


def _found(rows: QuerySet[Any], borrower_id: str, deed: str) -> QuerySet[Any, Any]:
    """Return the primary keys of the rows about this borrower. May raise InvalidId.

    `deed` is the column with the operation. The index finds each kind of subject, and the caller
    sorts the results. Otherwise databases would read an app's complete trail backwards to find the
    newest rows.
    """
    account = account_id(borrower_id)
    by_id = rows.filter((f"{deed}__in", _BY_ID), subject=as_kept(borrower_id))
    by_account = rows.filter((f"{deed}__in", _BY_ACCOUNT), subject=as_kept(account))
    by_time = rows.filter(
        build_prefix("subject", as_kept(f"{account} ")), (f"{deed}__in", _BY_ACCOUNT_AND_MORE)
    )
    first, *others = (one.order_by().values("pk") for one in (by_id, by_account, by_time))
    return first.union(*others)

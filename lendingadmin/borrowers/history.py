"""What was done here with a borrower, and by whom: writes, repayments, the audit trail."""

from typing import Any, NamedTuple

from django.db.models import Q

from lendingadmin.audit.models import Entry
from lendingadmin.lending.ids import account_id
from lendingadmin.repayments import book
from lendingadmin.staff.models import User
from lendingadmin.staff.roles import RIGHTS
from lendingadmin.web.models import Write

_SHOWN = 20
# Forms that name the borrower by its id, without its account type.
_ABOUT_AN_ACCOUNT = ("assessments.create", "events.create", "loans.create")


class Done(NamedTuple):
    """One write: in words, with its outcome, who and when, and where it led to."""

    words: str
    write: Write


class History(NamedTuple):
    """The newest of each kind; None for what the person may not see."""

    writes: list[Done]
    repayments: list[Any] | None
    entries: list[Entry] | None


def of_borrower(person: User, app_id: str, borrower_id: str) -> History:
    """What was done here with this borrower, as far as this person may see it. Raises InvalidId."""
    return History(
        _writes(app_id, borrower_id),
        list(book.of_borrower(app_id, borrower_id)[:_SHOWN])
        if person.has_perm("lending.loans.get")
        else None,
        list(_entries(app_id, borrower_id)) if person.has_perm("dashboard.audit.view") else None,
    )


def _writes(app_id: str, borrower_id: str) -> list[Done]:
    subject, account = _as_kept(borrower_id), _as_kept(account_id(borrower_id))
    own = Q(operation__startswith="borrowers.") | Q(operation__in=_ABOUT_AN_ACCOUNT)
    rows = Write.objects.filter(Q(subject=account) | own & Q(subject=subject), app_id=app_id)
    newest = rows.select_related("person").order_by("-created_at")[:_SHOWN]
    return [Done(_words(write.operation), write) for write in newest]


def _entries(app_id: str, borrower_id: str) -> Any:
    subjects = [_as_kept(borrower_id), _as_kept(account_id(borrower_id))]
    return Entry.objects.filter(app_id=app_id, subject__in=subjects)[:_SHOWN]


def _as_kept(subject: str) -> str:
    """A subject as writes and the audit trail keep it: cut to their column."""
    return subject.replace("\x00", "")[:300]


def _words(operation: str) -> str:
    right = RIGHTS.get(f"lending.{operation}")
    return right.words if right else operation

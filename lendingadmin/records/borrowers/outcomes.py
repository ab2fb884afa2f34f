"""Find out the result of a borrower's registration, change or deletion.

A borrower has an id (Spec: Borrowers, 1 and 2), so the check reads the record by this id.
"""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.lending.diff import find_differences
from lendingadmin.lending.identity import find_named
from lendingadmin.lending.values import Borrower
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import (
    CheckResult,
    OutcomeChecker,
    Submitted,
)
from lendingadmin.money.writes.states import WriteFound

from .changes import same

_READS = "lending.borrowers.get"


def created(write: Write, submitted: Submitted) -> CheckResult:
    """Check whether a borrower with the id exists, with the data that were sent."""
    there = _read(write)
    if there is None:
        return CheckResult(WriteFound.NOT_SEEN, _("There is no borrower with this id yet."))
    places = find_differences(submitted.sent, there.raw)
    if places:
        why = _(
            "There is a borrower with this id, but another person may have added that "
            "borrower. The differences are in: %(places)s."
        ) % {"places": ", ".join(places)}
        return CheckResult(WriteFound.DIFFERS, why, _link(write))
    why = _("The service has a borrower with this id and with the data that you entered.")
    return CheckResult(WriteFound.THERE, why, _link(write))


def changed(write: Write, submitted: Submitted) -> CheckResult:
    """Check whether the fields have the values that were sent, or their old values."""
    there = _read(write)
    if there is None:
        return CheckResult(WriteFound.DIFFERS, _("There is no borrower with this id any more."))
    places = find_differences(submitted.sent, there.raw)
    if not places:
        return CheckResult(WriteFound.THERE, _("The record has your changes."), _link(write))
    if all(same(submitted.before.get(key), there.raw.get(key)) for key in submitted.sent):
        return CheckResult(
            WriteFound.NOT_SEEN, _("The record does not have your changes yet."), _link(write)
        )
    why = _(
        "The record has neither the old values nor your values. The differences are in: %(places)s."
    ) % {"places": ", ".join(places)}
    return CheckResult(WriteFound.DIFFERS, why, _link(write))


def deleted(write: Write, submitted: Submitted) -> CheckResult:
    """Check whether the borrower no longer exists."""
    if _read(write) is None:
        return CheckResult(WriteFound.THERE, _("There is no borrower with this id any more."))
    return CheckResult(WriteFound.NOT_SEEN, _("The service still has this borrower."), _link(write))


def _read(write: Write) -> Borrower | None:
    return find_named(gateway.app(write.app_id).borrowers.get, write.subject)


def _link(write: Write) -> tuple[tuple[str, str], ...]:
    there = reverse("borrower", args=[write.app_id, write.subject])
    return ((_("Open the borrower"), there),)


OUTCOMES = {
    "borrowers.create": OutcomeChecker(gettext_noop("Register this borrower"), _READS, created),
    "borrowers.patch": OutcomeChecker(
        gettext_noop("Change this borrower"),
        _READS,
        changed,
        there=gettext_noop("Your changes are saved"),
        not_seen=gettext_noop("Your changes are not saved yet"),
    ),
    "borrowers.delete": OutcomeChecker(
        gettext_noop("Delete this borrower"),
        _READS,
        deleted,
        compares=False,
        there=gettext_noop("The borrower is deleted"),
        not_seen=gettext_noop("The borrower is not deleted yet"),
    ),
}

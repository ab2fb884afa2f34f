"""Find out whether a loan was created or deleted.

A loan has an accountId (Spec: Loan), so the check reads the loan by this id.
"""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.lending.client import select_fixed
from lendingadmin.lending.diff import find_differences
from lendingadmin.lending.identity import find_named
from lendingadmin.lending.values import Loan
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import (
    CheckResult,
    OutcomeChecker,
    Submitted,
)
from lendingadmin.money.writes.states import WriteFound

_READS = "lending.loans.get"


def created(write: Write, submitted: Submitted) -> CheckResult:
    """Check whether a loan with the accountId exists, with this borrower and this contract."""
    there = _read(write)
    if there is None:
        return CheckResult(WriteFound.NOT_SEEN, _("There is no loan with this account id yet."))
    places = find_differences(select_fixed(submitted.sent), there.raw)
    if places:
        why = _(
            "There is a loan with this account id, but another person may have created this "
            "loan. The differences are in: %(places)s."
        ) % {"places": ", ".join(places)}
        return CheckResult(WriteFound.DIFFERS, why, _link(write))
    why = _("There is a loan with this account id, for this borrower and with this contract.")
    return CheckResult(WriteFound.THERE, why, _link(write))


def deleted(write: Write, submitted: Submitted) -> CheckResult:
    """Check whether the loan no longer exists."""
    if _read(write) is None:
        return CheckResult(WriteFound.THERE, _("There is no loan with this account id any more."))
    return CheckResult(WriteFound.NOT_SEEN, _("The service still has this loan."), _link(write))


def _read(write: Write) -> Loan | None:
    return find_named(gateway.app(write.app_id).loans.get, write.subject)


def _link(write: Write) -> tuple[tuple[str, str], ...]:
    return ((_("Open the loan"), reverse("loan", args=[write.app_id, write.subject])),)


OUTCOMES = {
    "loans.create": OutcomeChecker(gettext_noop("Create a loan"), _READS, created),
    "loans.delete": OutcomeChecker(
        gettext_noop("Delete this loan"),
        _READS,
        deleted,
        compares=False,
        there=gettext_noop("The loan is deleted"),
        not_seen=gettext_noop("The loan is not deleted yet"),
    ),
}

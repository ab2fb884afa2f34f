"""Check of a request for offers, from the last answer that this dashboard saved.

Only the page of the request asks the service, with the requestId. Such a call could also start an
offer, so this module does not call the service (Spec: Borrowers, 4).
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import (
    CheckResult,
    OutcomeChecker,
    Submitted,
)
from lendingadmin.money.writes.states import WriteFound

from .asking import Place
from .models import OfferState

NO_REQUEST_ID = gettext_noop(
    "The request was sent without a request id, so the dashboard cannot ask the service for the "
    "offer."
)


def asked(write: Write, submitted: Submitted) -> CheckResult:
    """Return the result of the check from the saved state of the request."""
    if "requestId" not in submitted.sent:
        return CheckResult(WriteFound.NOT_SEEN, _(NO_REQUEST_ID))
    row = Place(write.app_id, write.subject, str(submitted.sent["requestId"])).find()
    if row is None:
        # The row is saved before the call, so the service was not called.
        return CheckResult(
            WriteFound.NOT_SEEN,
            _("The request was not sent, because the dashboard could not save it."),
        )
    links = ((_("Open the request"), row.get_absolute_url()),)
    if row.state == OfferState.REFUSED:
        return CheckResult(WriteFound.NOT_SEEN, _("The service refused the request."), links)
    if row.state == OfferState.ASKED:
        why = _(
            "There is no answer yet. The page of this request asks the service again with the "
            "same request id."
        )
        return CheckResult(WriteFound.NOT_SEEN, why, links)
    if not row.is_named:
        why = _("The service's answer has no request id.")
        return CheckResult(WriteFound.DIFFERS, why, links)
    return CheckResult(
        WriteFound.THERE, _("The service has a request with this request id."), links
    )


OUTCOMES = {
    "borrowers.getOffers": OutcomeChecker(
        gettext_noop("Request offer"),
        "lending.borrowers.getOffers",
        asked,
        there=gettext_noop("The service has the request"),
    )
}

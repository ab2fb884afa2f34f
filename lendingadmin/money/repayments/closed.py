"""Loans that take no repayment any more, as far as the dashboard can tell: the service decides."""

from django.conf import settings
from django.utils.translation import gettext as _

from lendingadmin.lending.values import Loan
from lendingadmin.web.display.statuses import find_status, says_open


def explain_closed(loan: Loan) -> str:
    """Why the service will probably refuse a repayment of this loan; empty where nothing says so.

    It takes repayments of open loans only (spec: States and transitions, 4). The word of the status
    decides; without one, a settlement date with a result does.
    """
    words = settings.LENDING_LOAN_STATUSES
    is_open, status = says_open(loan.status, words), find_status(loan.status, words)
    if is_open is False and status:
        return _("The status of this loan is “%(status)s”.") % {"status": status.word}
    has_ended = loan.settlement_date is not None and loan.result is not None
    if is_open is None and has_ended:
        return _("This loan has a settlement date and a result.")
    return ""

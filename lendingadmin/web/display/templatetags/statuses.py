"""`{% chip loan.status|loan_status %}`: statuses in the lender's words, and their chip."""

from functools import lru_cache

from django import template
from django.template.loader import render_to_string

from lendingadmin.lending.values import Loan
from lendingadmin.web.display import formats, statuses
from lendingadmin.web.display.statuses import Status
from lendingadmin.web.policies import BORROWER, LOAN, PERFORMANCE, PRODUCT, read_words

register = template.Library()
register.filter("processing_status", statuses.processing)
register.filter("assessment_type_status", statuses.assessment_type)


@register.filter
def days_late(value: object) -> Status | None:
    """Return `20 days late` for a loan in arrears; None for other loans."""
    return statuses.days_late(value, formats.locale())


@register.filter
def loan_status(value: object) -> Status | None:
    """Return the status of a loan in the lender's words; None if it is missing."""
    return statuses.find_status(value, read_words(LOAN))


@register.filter
def performance_status(value: object) -> Status | None:
    """Return the performance of a loan in the lender's words; None if it is missing."""
    return statuses.find_status(value, read_words(PERFORMANCE))


def has_performance(status: object, settlement_date: object) -> bool:
    """Return True if a loan may be open. The performance of other loans is out of date."""
    words = read_words(LOAN)
    return not settlement_date and statuses.says_open(status, words) is not False


@register.filter
def loan_performance(loan: Loan) -> Status | None:
    """Return the performance of a loan; None if the loan is not open."""
    if not has_performance(loan.status, loan.settlement_date):
        return None
    return performance_status(loan.performance_status)


@register.filter
def loan_standing(loan: Loan) -> Status | None:
    """Return the status of a loan for a list of loans.

    For an open loan, return the days late or the performance. For other loans, return the status.
    Return None if the service reports nothing.
    """
    words = read_words(LOAN)
    status = statuses.find_status(loan.status, words)
    is_open = statuses.says_open(loan.status, words)
    if is_open is False:
        return status
    days = getattr(loan.schedule, "days_late", None)
    late = statuses.days_late(days, formats.locale())
    performance = None
    if not loan.settlement_date:
        words = read_words(PERFORMANCE)
        performance = statuses.find_status(loan.performance_status, words)
    return late or (performance if is_open else None) or status or performance


@register.filter
def borrower_status(value: object) -> Status | None:
    """Return the status of a borrower in the lender's words; None if it is missing."""
    return statuses.find_status(value, read_words(BORROWER))


@register.filter
def product_status(value: object) -> Status | None:
    """Return the status of a product in the lender's words; None if it is missing."""
    return statuses.find_status(value, read_words(PRODUCT))


@register.simple_tag
def status(word: str, tone: str = "", icon: str = "minus-circle") -> Status:
    """Return a status that a template names: `{% status "paid" "good" "check-circle" as x %}`."""
    return Status(word, tone, icon)


@register.simple_tag
def chip(status: Status | None) -> str:
    """Draw a status as colour, word and icon; nothing for None."""
    return _drawn(status) if status else ""


# A list draws the same few chips hundreds of times.
@lru_cache(maxsize=512)
def _drawn(status: Status) -> str:
    return render_to_string("_chip.html", {"status": status})

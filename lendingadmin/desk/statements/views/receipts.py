"""The receipts of a statement's payments, printed together."""

from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import translation

from lendingadmin.desk.statements.keeping import READ
from lendingadmin.money.repayments import receipts
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.receipts import Receipt
from lendingadmin.web.access import access
from lendingadmin.web.display import formats
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

from .batches import find_batch

# The most receipts that are printed together, because each is marked as opened.
_AT_ONCE = 100


class Sheet(NamedTuple):
    """A receipt to print, and the time of its first opening; None if this is the first."""

    receipt: Receipt
    opened_at: object


@access(READ, "lending.loans.get", methods=("POST",))
def print_receipts(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the receipts of the recorded payments, in the file's order, some at a time.

    The page is the response to a POST, as for a single receipt, so loading it again is a reprint.
    """
    batch = find_batch(app_id, number)
    after = whole_number(request.POST.get("after")) or 0
    rows = batch.allocations.filter(position__gt=after, repayment__receipt_year__isnull=False)
    rows = rows.select_related("repayment__created_by").order_by("position", "part")
    some = list(rows[: _AT_ONCE + 1])
    following = some[_AT_ONCE - 1].position if len(some) > _AT_ONCE else None
    found = [one.repayment for one in some[:_AT_ONCE] if one.repayment]
    sheets = [_build_sheet(request, repayment) for repayment in found]
    language = sheets[0].receipt.language if sheets else translation.get_language()
    context = {"batch": batch, "sheets": sheets, "following": following, "language": language}
    # The receipts are in the customer's language and the lender's zone, not in the clerk's.
    with translation.override(language), formats.use_zone(lambda: None):
        return render(request, "statements/receipts.html", context)


def _build_sheet(request: PersonRequest, repayment: Repayment) -> Sheet:
    remainder = receipts.find_remainder(repayment, repayment.baseline, repayment.latest)
    receipt = receipts.build_receipt(request, repayment, remainder)
    opened_at = receipts.open_for_printing(repayment, request.user) if receipt.is_one else None
    return Sheet(receipt, opened_at)

"""Receipts of repayments: their numbers, their content, and the time of the first printing.

Each app has one series of numbers for each year of the lender's time zone, without gaps. A
repayment gets its number in the transaction that saves it as recorded, by the service or by a
person. A repayment that is only presumed has no number.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from lendingadmin.core import audit
from lendingadmin.core.gateway import LendingApp, lending_app
from lendingadmin.core.policies.lender import read_lender
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_NAMES
from lendingadmin.people.index.names import get_page_names, to_borrower_id
from lendingadmin.web.requests import PersonRequest

from .attribution import others_of, paid_at
from .evidence import Effect, attribute
from .models import Reading, ReceiptCounter, Repayment

_NUMBER = re.compile(r"(?:(?P<app>.+)-)?(?P<year>\d{4})-(?P<sequence>\d{1,9})")


def give_numbers(repayments: Sequence[Repayment]) -> None:
    """Give the next numbers to recorded repayments without a number.

    Run inside the caller's transaction.

    The row of the counter is locked until the transaction ends, so no other transaction gets the
    same numbers. A rollback frees the numbers again.
    """
    numbered = [one for one in repayments if one.is_recorded and not one.receipt_number]
    of_year: dict[tuple[str, int], list[Repayment]] = {}
    for one in numbered:
        year = one.state_at.astimezone(find_zone(one.app_id)).year
        of_year.setdefault((one.app_id, year), []).append(one)
    for (app_id, year), some in of_year.items():
        counter, _ = ReceiptCounter.objects.select_for_update().get_or_create(
            app_id=app_id, year=year
        )
        for one in some:
            counter.last += 1
            one.receipt_year, one.receipt_sequence = year, counter.last
        counter.save(update_fields=["last"])
    Repayment.objects.bulk_update(numbered, ["receipt_year", "receipt_sequence"])


def find_zone(app_id: str) -> tzinfo:
    """Return the lender's zone; UTC for an app that is no longer configured."""
    return next((app.zone for app in settings.LENDING_APPS if app.app_id == app_id), UTC)


def match_number(app_id: str, text: str) -> Q | None:
    """Return the condition for a receipt number such as `KENYA-2026-000123` or `2026-123`.

    Return None for a text that is not such a number, or for a number of another app.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None or (found["app"] or app_id).casefold() != app_id.casefold():
        return None
    return Q(receipt_year=int(found["year"]), receipt_sequence=int(found["sequence"]))


class Remainder(NamedTuple):
    """The balance of a loan after a repayment, with the overdue amount and next instalment.

    The amounts are in the app's currency and were read at `read_at`. `overdue` is None if nothing
    is overdue, if the loan does not show the amount, and after a payment in another currency. The
    next instalment is None if nothing is left. While the loan is late, it is also None if `overdue`
    is None or if the instalment is already due.
    """

    amount: Decimal
    read_at: datetime
    next_amount: Decimal | None
    next_due: datetime | None
    overdue: Decimal | None = None


def find_remainder(
    repayment: Repayment, before: Reading | None, after: Reading | None
) -> Remainder | None:
    """Return the remainder at the newest reading after a repayment; None if it is unknown.

    A reading from before the posting of the repayment would show the customer a balance that is too
    high. So a reading counts only if its `paid` includes this repayment as well as the loan's other
    repayments, or if nothing is left to pay.
    """
    if after is None or after.unpaid_amount is None:
        return None
    left = after.unpaid_amount
    if left > 0 and not _shows(repayment, before, after):
        return None
    coming, due = after.next_due_amount, after.next_due_at
    overdue = after.overdue_amount if left > 0 else None
    is_late = overdue is not None and overdue > 0
    # If the service converts a payment, the balances can't show that the full amount counted.
    shown = overdue if is_late and repayment.moves_paid_by is not None else None
    is_hidden = is_late and (shown is None or (due is not None and due <= after.taken_at))
    if left <= 0 or is_hidden or not coming or due is None:
        coming = due = None
    return Remainder(left, after.taken_at, coming, due, shown)


def _shows(repayment: Repayment, before: Reading | None, after: Reading) -> bool:
    if before is None:
        return False
    first, last, amount = paid_at(before), paid_at(after), repayment.moves_paid_by
    if amount is None:  # the effect of the repayment on `paid` is unknown
        return first.paid is not None and last.paid is not None and last.paid > first.paid
    others = [other for _, other in others_of(repayment, first.taken_at, last.taken_at)]
    return attribute(first, last, amount, others) in (Effect.SEEN, Effect.MORE)


class Receipt(NamedTuple):
    """The paper that a customer gets for a repayment. `person` is empty if the name is unknown.

    `is_one` is False if the repayment is not known to be recorded. The paper is then a slip and not
    a receipt.
    """

    repayment: Repayment
    is_one: bool
    lender: str
    person: str
    taken_by: str
    remainder: Remainder | None
    language: str
    app: LendingApp


def build_receipt(
    request: PersonRequest, repayment: Repayment, remainder: Remainder | None
) -> Receipt:
    """Return the receipt or slip of a repayment that this person may print.

    A person without the right to see names gets initials. The language is the one in the request,
    or else the lender's.
    """
    app = lending_app(repayment.app_id)
    may_see, by = request.user.has_perm(SEE_NAMES), repayment.created_by
    borrower_id = to_borrower_id(repayment.borrower_id)
    lender = read_lender(app.app_id)
    name = get_page_names(request, app.app_id).get([borrower_id]).get(borrower_id)
    return Receipt(
        repayment,
        repayment.is_recorded,
        lender.name,
        (name.name if may_see else name.initials) if name else "",
        by.get_full_name() or by.username,
        remainder,
        _choose_language(request) or lender.language,
        app,
    )


def _choose_language(request: PersonRequest) -> str:
    """Return the language that the request names; empty if it names none."""
    asked = (request.POST if request.method == "POST" else request.GET).get("language", "")
    return asked if asked in dict(settings.LANGUAGES) else ""


def open_for_printing(repayment: Repayment, by: User) -> datetime | None:
    """Record on the repayment and in the audit trail that a receipt is opened for printing.

    Return the time of the first opening; None if this is the first opening. A browser does not
    report printing, so an opened receipt counts as given to the customer.
    """
    now = timezone.now()
    with transaction.atomic(durable=True):
        rows = Repayment.objects.filter(pk=repayment.pk)
        is_first = rows.filter(receipt_opened_at=None).update(receipt_opened_at=now) == 1
        repayment.refresh_from_db(fields=["receipt_opened_at"])
        audit.record(
            by,
            "receipt",
            app_id=repayment.app_id,
            subject=f"{repayment.account_id} {repayment}",
            outcome=gettext_noop("opened for printing")
            if is_first
            else gettext_noop("opened for reprinting"),
            detail=repayment.receipt_number,
            url=repayment.get_absolute_url(),
        )
    return None if is_first else repayment.receipt_opened_at

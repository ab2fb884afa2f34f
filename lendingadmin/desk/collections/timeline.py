"""Timeline items for the calls and promises of a borrower or a loan."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.web.display import formats, times
from lendingadmin.web.display.money import money
from lendingadmin.web.timeline import Item, OwnRows, Source, Subject

from .models import Call, Promise
from .permissions import CALL
from .states import Outcome, describe_promise


def _filter(rows: QuerySet[Any], subject: Subject) -> QuerySet[Any]:
    """Return the rows of a borrower, or of one loan.

    Return none if the borrower is not known.
    """
    if not subject.borrower_id:
        return rows.none()
    rows = rows.filter(app_id=subject.app.app_id, borrower_id=subject.borrower_id)
    return rows.filter(account_id=subject.account_id) if subject.account_id else rows


def find_calls(subject: Subject) -> QuerySet[Call]:
    """Return the calls of a timeline."""
    return _filter(Call.objects.select_related("called_by"), subject)


def describe_call(call: Call, subject: Subject) -> Item:
    """Return the timeline item of a call, with its result and its note."""
    words = _("The borrower called") if call.is_incoming else _("Call")
    result = call.get_outcome_display()
    return Item(
        call.called_at,
        result if call.outcome == Outcome.NOTICE else f"{words}: {result}",
        by=call.called_by.username,
        detail="" if subject.account_id else call.account_id,
        text=call.note,
    )


def find_promises(subject: Subject) -> QuerySet[Promise]:
    """Return the promises of a timeline."""
    return _filter(Promise.objects.select_related("call__called_by"), subject)


def describe_promise_made(promise: Promise, subject: Subject) -> Item:
    """Return the timeline item of a promise: its day, its amount and its state."""
    return Item(
        promise.made_at,
        _("Promise for %(day)s") % {"day": times.day(promise.day, None, formats.locale())},
        url=promise.get_absolute_url(),
        by=promise.call.called_by.username,
        chips=(describe_promise(promise.state),),
        amount=money(promise.amount, subject.app.currency, formats.locale()),
        detail="" if subject.account_id else promise.account_id,
    )


CALLS = Source(
    "calls",
    gettext_noop("Calls"),
    "phone",
    CALL,
    rows=(
        OwnRows(find_calls, "called_at", describe_call),
        OwnRows(find_promises, "made_at", describe_promise_made),
    ),
)

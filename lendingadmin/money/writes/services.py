"""Writes other than repayments. Each is committed before the call, sent once, and audited.

The service documents no idempotency key. So this module guarantees that a double click, or a form
that is sent again, leads to the first result. Nothing is ever sent again automatically.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import NamedTuple, TypeVar

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import audit, gateway
from lendingadmin.core.audit import restores
from lendingadmin.core.encryption import Undecryptable, bind
from lendingadmin.core.english import in_english
from lendingadmin.lending.errors import LendingError, NotSent, Saved
from lendingadmin.lending.transport import Call
from lendingadmin.web import errors
from lendingadmin.web.errors import Card
from lendingadmin.web.requests import PersonRequest
from lendingadmin.web.unavailable import (
    UNAVAILABLE,
    build_not_sent_card,
    build_saved_card,
    keep_outcome,
)

from . import idempotency, reconciliation
from .models import Write
from .reconciliation import Submitted
from .states import WriteFound, WriteResolution, WriteState
from .unconfirmed import SENDER_LOST, build_alarm

__all__ = ["Outcome", "as_kept", "card_of", "entered", "write_once"]

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

_LONGEST_ADDRESS = 1000  # the longest address that the record of a write saves


class Outcome(NamedTuple):
    """The address of a write's result, or the card about a failure.

    The card says if anything was saved. A write with an unknown outcome has both: a card, and the
    address of the write's own page.
    """

    url: str = ""
    card: Card | None = None

    @property
    def saved(self) -> bool:
        """True if the service has confirmed that the write was saved."""
        return bool(self.url) and self.card is None


@in_english
def write_once(
    request: PersonRequest,
    write: Write,
    do: Callable[[], Result],
    lands_on: Callable[[Result], str],
    token: str = "",
) -> Outcome:
    """Make one write at the service and return its outcome.

    `write` is the new record of the write. Its `operation` is the purpose of the token, which is
    `token` or else the one in the form. Its `again_at` is the address of the form to enter the
    write again. `do` makes the call, and `lands_on` returns the address of the result.

    If the token was used before, return the first outcome and send nothing. If the database may
    have been restored, return a card and send nothing. If the token is not valid, raise
    idempotency.StaleKey before anything is sent. Raise OutcomeNotKept if the database can't save
    the outcome.
    """
    token = token or request.POST.get("token", "")
    write.idempotency_key = idempotency.check_key(request, write.operation, token)
    gateway.lending_app(write.app_id)
    if restores.check_for_restore():
        return Outcome(card=errors.card(restores.MayBeRestored()))
    write.person, write.again_at = request.user, write.again_at[:_LONGEST_ADDRESS]
    write.subject, write.borrower_id = as_kept(write.subject), as_kept(write.borrower_id)
    try:
        with transaction.atomic(durable=True):
            write.save(force_insert=True)
    except IntegrityError:
        return _landed(Write.objects.get(idempotency_key=write.idempotency_key))
    with gateway.calls() as made:
        try:
            check_deadline(write)
            result = do()
        except LendingError as error:
            return _failed(write, error, made)
        except Exception as error:
            logger.exception("%s: sending failed", write.operation)
            if isinstance(error, UNAVAILABLE) and not any(call.may_have_saved for call in made):
                card = build_not_sent_card()
                _finish(write, WriteState.NOT_SAVED, made, card=card)
                return Outcome(card=card)
            # After a fault of the dashboard, the write may have been sent, so it is unknown.
            card = _build_doubt_card()
            _finish(write, WriteState.UNKNOWN, made, card=card)
            return Outcome(write.get_absolute_url(), card)
    url = find_address(write, lands_on, result)
    keep_outcome(lambda: _finish(write, WriteState.SAVED, made, url=url), build_saved_card())
    return Outcome(url=url)


def check_deadline(write: Write) -> None:
    """Raise NotSent if the sender was paused for more than half of `SENDER_LOST`."""
    if timezone.now() - write.created_at >= SENDER_LOST / 2:
        raise NotSent("The time limit for sending is over. Nothing was sent.")


def find_address(write: Write, lands_on: Callable[[Result], str], result: Result) -> str:
    """Return the address of the result; if that fails, the address of the write's own page."""
    try:
        found = lands_on(result)
    except Exception:
        logger.exception("%s: the answer leads nowhere", write.operation)
        found = ""
    return found if 0 < len(found) <= _LONGEST_ADDRESS else write.get_absolute_url()


def entered(request: PersonRequest, operation: str, app_id: str, subject: str = "") -> Submitted:
    """Return the data of this person's write that the address names in `again`.

    A form shows these data, so that the person can send them again. If the write may still arrive
    at the service, the page shows a warning. The result is empty if no data are stored.
    """
    idempotency_key = request.GET.get("again", "")
    if not idempotency_key or "\x00" in idempotency_key:
        return Submitted({})
    rows = Write.objects.filter(person=request.user, operation=operation, app_id=app_id)
    rows = rows.filter(subject=as_kept(subject)) if subject else rows
    write = rows.filter(idempotency_key=idempotency_key).first()
    kept = reconciliation.read_submitted(write) if write else None
    if write and kept and request.method == "GET" and write.state != WriteState.NOT_SAVED:
        messages.warning(
            request,
            _(
                "This entry was sent before and may still arrive at the service. If you send "
                "it again, it may be saved twice."
            ),
            extra_tags="may-arrive",
        )
    return kept or Submitted({})


def as_kept(subject: str) -> str:
    """Return a subject as writes and the audit trail store it, cut to the length of the column."""
    return subject.replace("\x00", "")[:300]


def card_of(write: Write) -> Card | None:
    """Return the saved error card of a write; None if there is none or it can't be decrypted."""
    if not write.card or isinstance(write.card, Undecryptable):
        return None
    kept = json.loads(write.card)
    return Card(**kept | {"links": tuple(map(tuple, kept["links"]))})


def _build_doubt_card() -> Card:
    return Card(
        title=_("This form was sent. We don't know the result yet"),
        cause=_("The form is still being sent, or sending was interrupted."),
        next=_(
            "Open the record before you enter the same data again. Your entry may have been saved."
        ),
        saved="unknown",
        tone="odd",
    )


def _landed(write: Write) -> Outcome:
    """Return the outcome of the first sending, because the same form was sent again."""
    if write.state == WriteState.SAVED:
        return Outcome(url=write.url)
    card = card_of(write) or _build_doubt_card()
    if write.state == WriteState.NOT_SAVED:
        return Outcome(card=card)
    return Outcome(write.get_absolute_url(), card)


def _failed(write: Write, error: LendingError, made: list[Call]) -> Outcome:
    card = errors.card(error)
    is_known = error.saved == Saved.NO
    state = WriteState.NOT_SAVED if is_known else WriteState.UNKNOWN
    keep_outcome(lambda: _finish(write, state, made, card=card), card)
    return Outcome(card=card) if is_known else Outcome(write.get_absolute_url(), card)


# A late yes or no of the service replaces any earlier conclusion.
_OPEN = (WriteState.SENT, WriteState.UNKNOWN)
_MOVES_FROM = {
    WriteState.SAVED: (*_OPEN, WriteState.RESOLVED),
    WriteState.NOT_SAVED: (*_OPEN, WriteState.RESOLVED),
    WriteState.UNKNOWN: (WriteState.SENT,),
}


def _finish(
    write: Write, state: WriteState, made: list[Call], *, url: str = "", card: Card | None = None
) -> None:
    """Save the new state of a write, with an audit entry.

    Save nothing if the present state can't change to the new state. Add an alarm if the answer
    contradicts an earlier conclusion.
    """
    # A read may follow the write to prove it, so the last call that may have saved is used.
    last = next(
        (call for call in reversed(made) if call.may_have_saved), made[-1] if made else None
    )
    fields: dict[str, object] = {
        "state": state,
        "card": json.dumps(asdict(card)) if card else "",
        "next_check_at": timezone.now() if state == WriteState.UNKNOWN else None,
    }
    if state == WriteState.SAVED:
        fields |= {"submitted": "", "url": url}
    with transaction.atomic(durable=True):
        before = Write.objects.select_for_update().get(pk=write.pk)
        if before.state not in _MOVES_FROM[state]:
            return
        alarm = _contradiction(before, state, url)
        if alarm:
            fields |= build_alarm(alarm)
        Write.objects.filter(pk=write.pk).update(**bind(write, **fields))
        audit.record(
            write.person,
            write.operation,
            app_id=write.app_id,
            subject=write.subject,
            outcome=state.label,
            saved="yes" if state == WriteState.SAVED else state.value,
            request_id=(last.request_id or "") if last else "",
            detail=alarm or (card.cause if card else ""),
            url=write.get_absolute_url(),
        )
    restores.note_sent()


def _contradiction(before: Write, answer: WriteState, url: str) -> str:
    """Return the alarm if an answer contradicts a decision or a finding; empty if not.

    `url` is the record that the answer names.
    """
    decided = before.resolution if before.state == WriteState.RESOLVED else ""
    was_saved = answer == WriteState.SAVED
    if was_saved and decided == WriteResolution.NOT_SAVED:
        return _(
            "The service confirmed late that this entry was saved. A person had resolved it as "
            "not saved."
        )
    named = {before.url, url} - {"", before.get_absolute_url()}
    if was_saved and decided == WriteResolution.SAVED and len(named) > 1:
        return _(
            "The service confirmed late that this entry was saved. The saved record is not the "
            "record that the person chose."
        )
    if was_saved and before.found in reconciliation.ABANDONED and not decided:
        return _(
            "The service confirmed late that this entry was saved. In this dashboard its "
            "status was “%(found)s”, so it may have been entered again."
        ) % {"found": _(WriteFound(before.found).label)}
    if answer == WriteState.NOT_SAVED and decided == WriteResolution.SAVED:
        return _(
            "The service reported late that this entry was not saved. A person had resolved it as "
            "saved."
        )
    return ""

"""Writes other than repayments: committed before the call, made once, audited, and told plainly.

The service documents no idempotency key, so the guard is here: a double click, or a form that is
sent again, lands on the first result. Nothing is ever sent again by machinery.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import NamedTuple, TypeVar

from django.db import IntegrityError, transaction

from lendingadmin import audit, gateway
from lendingadmin.lending.calls import Call
from lendingadmin.lending.errors import LendingError, Saved
from lendingadmin.web import errors, onetime
from lendingadmin.web.errors import Card
from lendingadmin.web.models import Write
from lendingadmin.web.requests import PersonRequest

Result = TypeVar("Result")

_IN_DOUBT = Card(
    title="This form was sent before, and its outcome is not known",
    cause="The first sending is still under way, or was interrupted.",
    next="Look at the record before you enter it again: it may have been saved.",
    saved="unknown",
    tone="odd",
)


class Outcome(NamedTuple):
    """Where a write landed, or the card that says what went wrong and whether it was saved."""

    url: str = ""
    card: Card | None = None


def once(
    request: PersonRequest,
    operation: str,
    *,
    token: str,
    do: Callable[[], Result],
    lands_on: Callable[[Result], str],
    app_id: str = "",
    subject: str = "",
    borrower_id: str = "",
) -> Outcome:
    """Make one write of the service and say what became of it.

    `operation` is its name in the client's table and the purpose for which the form's `token` was
    minted; `do` makes the call, and `lands_on` gives the address that its result is shown at.
    Raises onetime.Stale for a token that is not valid any more; nothing is sent then.
    """
    nonce = onetime.check(request, operation, token)
    try:
        with transaction.atomic(durable=True):
            write = Write.objects.create(
                token=nonce,
                person=request.user,
                app_id=app_id,
                operation=operation,
                subject=as_kept(subject),
                borrower_id=as_kept(borrower_id),
            )
    except IntegrityError:
        return _landed(Write.objects.get(token=nonce))
    with gateway.calls() as made:
        try:
            result = do()
        except LendingError as error:
            return _failed(write, error, made)
        except Exception:
            _finish(write, Write.State.UNKNOWN, made, card=_IN_DOUBT)
            raise
    url = lands_on(result)
    _finish(write, Write.State.SAVED, made, url=url)
    return Outcome(url=url)


def as_kept(subject: str) -> str:
    """A subject as writes and the audit trail keep it: cut to their column."""
    return subject.replace("\x00", "")[:300]


def _landed(write: Write) -> Outcome:
    """The same form came again: show what the first sending led to."""
    if write.state == Write.State.SAVED:
        return Outcome(url=write.url)
    try:
        kept = json.loads(write.card)
    except ValueError:
        return Outcome(card=_IN_DOUBT)
    return Outcome(card=Card(**kept | {"links": tuple(map(tuple, kept["links"]))}))


def _failed(write: Write, error: LendingError, made: list[Call]) -> Outcome:
    card = errors.card(error)
    saved_nothing = error.saved == Saved.NO
    _finish(write, Write.State.NOT_SAVED if saved_nothing else Write.State.UNKNOWN, made, card=card)
    return Outcome(card=card)


def _finish(
    write: Write, state: Write.State, made: list[Call], *, url: str = "", card: Card | None = None
) -> None:
    last = made[-1] if made else None
    kept = json.dumps(asdict(card)) if card else ""
    with transaction.atomic(durable=True):
        Write.objects.filter(pk=write.pk).update(state=state, url=url, card=kept)
        audit.record(
            write.person,
            write.operation,
            app_id=write.app_id,
            subject=write.subject,
            outcome=state.label,
            saved="yes" if state == Write.State.SAVED else state.value,
            request_id=(last.request_id or "") if last else "",
            detail=card.cause if card else "",
        )

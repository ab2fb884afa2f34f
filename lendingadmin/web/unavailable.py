"""Responses while our own database or cache can't be used: a 503 that says if data were saved.

Such a fault can happen in any view, middleware or template. Django's handler of uncaught exceptions
recognises the fault, because every uncaught exception reaches this handler.
"""

import logging
import sys
import time
from collections.abc import Callable
from dataclasses import replace

from django.db import (
    InterfaceError,
    InternalError,
    OperationalError,
    close_old_connections,
    connection,
)
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from redis.exceptions import RedisError

from lendingadmin.core.monitoring.request_ids import find_request_id

from .errors import Card

logger = logging.getLogger(__name__)

# The errors of a database or cache that is locked, full, gone or refuses connections.
UNAVAILABLE = (OperationalError, InterfaceError, RedisError)
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
NO_DATABASE = gettext_noop("The dashboard's database is busy, full or can't be reached.")
NOTHING_SENT = gettext_noop("Nothing was sent to the lending service.")
_SAVED = gettext_noop("saved")


# The dashboard tries for this many seconds to save an outcome. A check of the write starts only
# after 90 seconds.
KEEP_WITHIN = 30.0


class OutcomeNotKept(Exception):
    """Error: the outcome of a write is known, but the database did not save it.

    `card` reports the outcome to the person, because nothing else in the dashboard has it.
    """

    def __init__(self, card: Card) -> None:
        super().__init__(card.title)
        self.card = card


def build_not_sent_card(done: str = _SAVED) -> Card:
    """Return the card for a write that was not sent; `done` is “saved” or “recorded”."""
    return Card(
        title=_("Not %(done)s") % {"done": _(done)},
        cause=f"{_(NO_DATABASE)} {_(NOTHING_SENT)}",
        next=_(
            "Send your entry again in a minute. If this happens again, tell your administrator."
        ),
        saved="no",
    )


def build_saved_card(done: str = _SAVED) -> Card:
    """Return the card for a write that the service confirmed, but the database did not save."""
    return Card(
        title=_(
            "The service %(done)s your entry, but the dashboard could not save the confirmation"
        )
        % {"done": _(done)},
        cause=" ".join([_(NO_DATABASE), _("Your entry is shown as “needs checking”.")]),
        next=_("Do not enter the same data again. Open the record in a minute."),
        saved="yes",
        tone="warn",
    )


def build_unknown_card(done: str = _SAVED) -> Card:
    """Return the card for a write that was sent, but the database did not save its outcome."""
    return Card(
        title=_("We don't know yet whether your entry was %(done)s") % {"done": _(done)},
        cause=" ".join([_("Your entry was sent to the lending service."), _(NO_DATABASE)]),
        next=_(
            "Do not enter the same data again. The dashboard checks your entry automatically "
            "in two minutes."
        ),
        saved="unknown",
        tone="odd",
    )


def keep_outcome(write: Callable[[], object], card: Card) -> None:
    """Save the outcome of a write. Try again while the database can't be used.

    After KEEP_WITHIN, raise OutcomeNotKept with the card.
    """
    until, pause = time.monotonic() + KEEP_WITHIN, 0.05
    while True:
        try:
            write()
            return
        except UNAVAILABLE as error:
            if time.monotonic() + pause > until:
                logger.error("an outcome could not be saved: %s", type(error).__name__)
                raise OutcomeNotKept(card) from error
        time.sleep(pause)
        pause = min(pause * 2, 1.0)
        close_old_connections()  # so that Django replaces a broken connection


def server_error(request: HttpRequest) -> HttpResponse:
    """Return a 503 with the known facts if the database or cache can't be used; else our 500.

    This is Django's handler500, and reads nothing from the database. A fragment with the facts has
    status 200, because htmx inserts no other status into the page.
    """
    error = sys.exc_info()[1]
    if error is None or find_unavailable(error) is None:
        reference = {"reference": find_request_id()}
        return HttpResponse(render_to_string("500.html", reference), status=500)
    context = {"card": _card(request, error)}
    if getattr(request, "htmx", False):
        return HttpResponse(render_to_string("_error_card.html", context))
    return HttpResponse(render_to_string("503.html", context), status=503)


def find_unavailable(error: BaseException | None) -> BaseException | None:
    """Return the error or cause that shows an outage of our database or cache; else None."""
    while error is not None and not (isinstance(error, UNAVAILABLE) or _is_read_only(error)):
        error = error.__cause__
    return error


def _is_read_only(error: BaseException) -> bool:
    """Return True if PostgreSQL accepts no writes, for example as a standby.

    Django treats this as an error of ours.
    """
    is_internal = isinstance(error, InternalError)
    return is_internal and getattr(error.__cause__, "sqlstate", "") == "25006"


def _card(request: HttpRequest, error: BaseException) -> Card:
    if isinstance(error, OutcomeNotKept):
        return error.card
    if request.method in _SAFE_METHODS:
        return Card(
            title=_("This page can't be shown now"),
            cause=_(NO_DATABASE),
            next=_(
                "Try again in a minute. If you have just sent a form, check the record "
                "before you send the form again."
            ),
        )
    if any(call.may_have_saved for call in getattr(request, "calls_made", ())):
        return build_unknown_card()
    # An open connection broke, so a commit may still have been received.
    if connection.connection is not None and not connection.is_usable():
        return replace(
            build_unknown_card(),
            cause=f"{_(NO_DATABASE)} {_(NOTHING_SENT)}",
            next=_("Check the record before you enter the same data again."),
        )
    return replace(
        build_not_sent_card(),
        next=_("Go back with your browser and send the form again in a minute."),
    )

"""The error card: what happened, what to do next, and whether anything was saved.

A rule of the service, the service account's rights, an outage and a fault of the service are
different cards, and so is this dashboard's own limit; the person's own role has another, drawn by
the access rule.
"""

from dataclasses import dataclass, field
from http import HTTPStatus

from lendingadmin.gateway import is_outage
from lendingadmin.lending.errors import (
    AnswerTooLarge,
    BadRequest,
    Conflict,
    InvalidFilter,
    LendingError,
    NotAccepted,
    NotAllowed,
    NotFound,
    NotSent,
    RateLimited,
    Saved,
    Throttled,
    TimedOut,
    TokenRefused,
    Unconfirmed,
    UnfinishedList,
    UnidentifiedRecord,
    Unreachable,
    Unreadable,
    WrongRecord,
)


@dataclass(frozen=True)
class Card:
    """What `_error_card.html` draws. `saved` is "no", "unknown" or "yes"; empty for a read.

    `status` is the HTTP status that the service answered with, None where no answer came.
    """

    title: str
    cause: str
    next: str
    saved: str = ""
    service_words: str = ""
    reference: str = ""
    tone: str = "bad"
    links: tuple[tuple[str, str], ...] = field(default=())
    status: int | None = None
    # The parts of a page share it: one of them says all, the others a line.
    is_outage: bool = False


# What each kind of fault is called, what to do about it, and which status the page bears.
_KINDS: tuple[tuple[type[LendingError], str, str, HTTPStatus], ...] = (
    (
        NotFound,
        "The service does not know this record",
        "Check the id, and whether the right app is chosen in the header.",
        HTTPStatus.NOT_FOUND,
    ),
    (
        BadRequest,
        "The service refused this request",
        "Change what it names and try again.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        Conflict,
        "The service refused this: it conflicts with what is there",
        "Open the existing record and compare.",
        HTTPStatus.CONFLICT,
    ),
    (
        NotAllowed,
        "The service account may not do this",
        "This is not about your role. Ask your administrator to have the right granted.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        TokenRefused,
        "The service refused the access token of this call",
        "Try again in a minute. If it lasts, tell your administrator.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        NotAccepted,
        "The service does not accept this dashboard's account",
        "Ask your administrator to check its credentials for the service.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        RateLimited,
        "The service asks for fewer requests",
        "Wait a minute and try again.",
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        Throttled,
        "This dashboard is busy",
        "Try again in a moment.",
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        NotSent,
        "This was not sent in time",
        "Try again.",
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        Unreachable,
        "The service can't be reached",
        "Try again in a minute. If it lasts, tell your administrator.",
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        TimedOut,
        "The service did not answer in time",
        "Try again in a minute.",
        HTTPStatus.GATEWAY_TIMEOUT,
    ),
    (
        UnfinishedList,
        "The service's list was not read to its end",
        "It may still be there. If this lasts, tell the operator of the service.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        AnswerTooLarge,
        "The service's answer is too large",
        "Narrow it down with a filter, or ask for fewer on a page.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        Unreadable,
        "The service's answer can't be read",
        "Try again. If it lasts, give the reference to your administrator.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        WrongRecord,
        "The service answered with another record",
        "Nothing of it is shown here. Try again; if it lasts, tell your administrator.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        UnidentifiedRecord,
        "This may be somebody else's",
        "Nothing can be entered from it. Try again; if it lasts, tell your administrator.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        Unconfirmed,
        "The service did not confirm this",
        "Look at the record.",
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        InvalidFilter,
        "The service can't be asked this",
        "Look for it in another way, such as by the loan's own id.",
        HTTPStatus.BAD_REQUEST,
    ),
    (
        LendingError,
        "The service has a fault",
        "Try again in a minute. If it lasts, give the reference to the operator of the service.",
        HTTPStatus.BAD_GATEWAY,
    ),
)

_LOOK_FIRST = "Look at the record before you try again: it may have been {}."


def card(error: LendingError) -> Card:
    """Draw the card of a fault."""
    _, title, what_next, _ = _kind(error)
    if error.saved == Saved.UNKNOWN:
        what_next = _LOOK_FIRST.format("deleted" if _deletes(error) else "saved")
        if isinstance(error, Conflict):
            title = "The service says that something stands in the way"
    return Card(
        title=title,
        cause=_cause(error),
        next=what_next,
        saved=str(error.saved),
        service_words=error.error_description or "",
        reference=" · ".join(
            part for part in (error.operation, str(error.status or ""), error.request_id) if part
        ),
        tone="warn" if isinstance(error, NotFound) else "bad",
        status=error.status,
        is_outage=is_outage(type(error).__name__, error.status),
    )


def _cause(error: LendingError) -> str:
    """The fault's sentence; for a right that is missing, with the names to ask for."""
    if isinstance(error, Conflict) and error.saved == Saved.UNKNOWN:
        # No create: there is nothing that could be there already.
        done = "deleted" if _deletes(error) else "done"
        return f"The lending service answered that this can't be {done} as things stand."
    if not (isinstance(error, NotAllowed) and error.permission):
        return error.message
    scopes = ", ".join(error.scopes)
    return f"{error.message} It needs the permission {error.permission} and one scope of: {scopes}."


def status(error: LendingError) -> int:
    """The HTTP status of a whole page that shows this fault."""
    return int(_kind(error)[3])


def _deletes(error: LendingError) -> bool:
    return error.operation.endswith(".delete")


def _kind(error: LendingError) -> tuple[type[LendingError], str, str, HTTPStatus]:
    return next(kind for kind in _KINDS if isinstance(error, kind[0]))

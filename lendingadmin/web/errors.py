"""The error card: the event, the next step for the person, and whether anything was saved.

There are different cards for a rule of the service, the rights of the service account, an outage,
an error of the service, and a limit of this dashboard. The access rule draws another card if the
person lacks a role.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from lendingadmin.core.audit.restores import MayBeRestored
from lendingadmin.core.gateway import is_outage
from lendingadmin.lending.errors import (
    AnswerTooLarge,
    BadRequest,
    Conflict,
    InvalidFilter,
    InvalidId,
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
from lendingadmin.lending.identity import Named, check_named

from .quotas import OverQuota


@dataclass(frozen=True)
class Card:
    """Content of `_error_card.html`. `saved` is "no", "unknown" or "yes"; empty after a read.

    `status` is the HTTP status of the service's answer; None if there was none. `finding` is the
    kind of the fault, for a mark in the page.
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
    # If True, a part of a page shows one line instead of a card.
    is_outage: bool = False
    finding: str = ""


# For each kind of fault: its title, the advice, and the status of the page.
_KINDS: tuple[tuple[type[LendingError], str, str, HTTPStatus], ...] = (
    (
        NotFound,
        _("Record not found at the service"),
        _("Check the id. Also check the app that is chosen in the header."),
        HTTPStatus.NOT_FOUND,
    ),
    (
        BadRequest,
        _("The service refused this request"),
        _("Correct the fields that the service names, then try again."),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        Conflict,
        _("The service refused your entry because of an existing record"),
        _("Open the existing record and compare."),
        HTTPStatus.CONFLICT,
    ),
    (
        NotAllowed,
        _("The dashboard's service account may not do this action"),
        _(
            "Your role in this dashboard is not the cause. Ask your administrator to give this "
            "right to the service account."
        ),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        TokenRefused,
        _("The service refused this dashboard's access"),
        _("Try again in a minute. If this happens again, tell your administrator."),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        NotAccepted,
        _("The service does not accept this dashboard's account"),
        _("Ask your administrator to check the credentials of the service account."),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        RateLimited,
        _("The service is receiving too many requests"),
        _("Wait a minute and try again."),
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        OverQuota,
        _("You have reached your limit"),
        _("If you need a higher limit for your work, ask a manager."),
        HTTPStatus.TOO_MANY_REQUESTS,
    ),
    (
        Throttled,
        _("This dashboard is busy"),
        _("Try again in a moment."),
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        MayBeRestored,
        _("Not sent, because the database may have been restored"),
        _(
            "Tell a manager. The manager and your administrator can solve this problem on the "
            "page “Needs checking”. Your entry is saved. You can send your entry again after "
            "that."
        ),
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        NotSent,
        _("Your entry was not sent in time"),
        _("Try again."),
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        Unreachable,
        _("The service can't be reached"),
        _("Try again in a minute. If this happens again, tell your administrator."),
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    (
        TimedOut,
        _("The service did not answer in time"),
        _("Try again in a minute."),
        HTTPStatus.GATEWAY_TIMEOUT,
    ),
    (
        UnfinishedList,
        _("Not all of the service's list could be read"),
        _(
            "The record may still be in the list. If this happens again, tell the operator of "
            "the service."
        ),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        AnswerTooLarge,
        _("The service's answer is too large"),
        _("Use a filter, or a smaller page size."),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        Unreadable,
        _("The service sent a wrong answer"),
        _("Try again. If this happens again, give the reference to your administrator."),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        WrongRecord,
        _("The service answered with another record"),
        _(
            "The other record is not shown. Try again. If this happens again, tell your "
            "administrator."
        ),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        UnidentifiedRecord,
        _("This record may belong to another borrower"),
        _(
            "You can't enter anything for this record. Try again. If this happens again, tell "
            "your administrator."
        ),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        Unconfirmed,
        _("The service did not confirm your entry"),
        _("Open the record."),
        HTTPStatus.BAD_GATEWAY,
    ),
    (
        InvalidFilter,
        _("Can't search in this way"),
        _("Search in another way, such as by the id of the loan."),
        HTTPStatus.BAD_REQUEST,
    ),
    (
        LendingError,
        _("The service has a fault"),
        _(
            "Try again in a minute. If this happens again, give the reference to the "
            "operator of the service."
        ),
        HTTPStatus.BAD_GATEWAY,
    ),
)


def card(error: LendingError) -> Card:
    """Return the card that explains a fault, in the language of the page."""
    title, what_next = map(gettext, _kind(error)[1:3])
    if error.saved == Saved.UNKNOWN:
        if _deletes(error):
            what_next = gettext(
                "Open the record before you try again. The record may have been deleted."
            )
        else:
            what_next = gettext(
                "Open the record before you try again. Your entry may have been saved."
            )
        if isinstance(error, Conflict):
            title = gettext("The service did not allow this action")
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
        finding=_name_kind(error),
    )


def _cause(error: LendingError) -> str:
    """Return the sentence that explains a fault.

    For a missing right of the service account, add the names of the permission and its scopes.
    """
    if isinstance(error, Conflict) and error.saved == Saved.UNKNOWN:
        # The request created nothing, so an existing record can't be the cause.
        if _deletes(error):
            return gettext("The lending service answered that this record can't be deleted now.")
        return gettext("The lending service answered that this action is not possible now.")
    if not (isinstance(error, NotAllowed) and error.permission):
        return gettext(error.message)
    needs = gettext(
        "The service account needs the permission %(permission)s and one of these scopes: "
        "%(scopes)s."
    )
    given = {"permission": error.permission, "scopes": ", ".join(error.scopes)}
    return f"{gettext(error.message)} {needs % given}"


def status(error: LendingError) -> int:
    """Return the HTTP status of a full page that shows this fault."""
    return int(_kind(error)[3])


def _deletes(error: LendingError) -> bool:
    return error.operation.endswith(".delete")


def _name_kind(error: LendingError) -> str:
    """Return the kind of a fault as a mark: `not-found` for NotFound."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", _kind(error)[0].__name__).lower()


def _kind(error: LendingError) -> tuple[type[LendingError], str, str, HTTPStatus]:
    return next(kind for kind in _KINDS if isinstance(error, kind[0]))


def read_for_form(
    request: HttpRequest, read: Callable[[str], Named], asked: str
) -> tuple[Named | None, LendingError | None]:
    """Return the record of a page with a form, or on a POST the error of the failed read.

    On a POST the page must not lose the typed values, and shows the result of the write or a card.
    On a GET, and for an invalid id, raise LendingError.
    """
    try:
        return check_named(read(asked), asked), None
    except LendingError as error:
        if request.method != "POST" or isinstance(error, InvalidId):
            raise
        return None, error

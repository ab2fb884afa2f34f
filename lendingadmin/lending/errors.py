"""Errors of a call to the lending service, with one class for each remedy.

Spec: Errors. The spec shows only `error_description`, so every status has a class, also a status
that is not expected.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from lendingadmin.lending.operations import Operation

# Statuses with which the service refuses a request and changes nothing. A 409 is such a status only
# for a create; see `saved_after`.
_SAID_NO = frozenset({400, 401, 403, 404, 422, 429})


def gettext_noop(text: str) -> str:
    """Return the text; mark it for translation by pages. This package does not import Django."""
    return text


_ = gettext_noop


class Saved(StrEnum):
    """Effect of a failed call: NO if no data was changed, UNKNOWN if data may have changed."""

    NO = "no"
    UNKNOWN = "unknown"


class LendingError(Exception):
    """Error: a call did not give a usable answer.

    operation name of the operation, such as `loans.get`; `token` for the token issuer status HTTP
    status of the answer; None if there was no answer error_description text of the service; None if
    there is none; may contain personal data request_id the service's reference for its answer; None
    if there is none message a sentence for people, without secrets and personal data saved UNKNOWN
    if the call may have changed data; always NO for a read
    """

    default_message: ClassVar[str] = _("The lending service could not do this action.")
    default_saved: ClassVar[Saved] = Saved.UNKNOWN

    def __init__(
        self,
        message: str = "",
        *,
        operation: str = "",
        status: int | None = None,
        error_description: str | None = None,
        request_id: str | None = None,
        saved: Saved | None = None,
    ) -> None:
        self.message = message or self.default_message
        self.operation = operation
        self.status = status
        self.error_description = error_description
        self.request_id = request_id
        self.saved = saved or self.default_saved
        super().__init__(self.message)

    def __str__(self) -> str:
        # Without error_description, which may name a person, because logs contain this text.
        parts = (self.operation, str(self.status or ""), self.message)
        return ": ".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.operation} {self.status} saved={self.saved}>"


class BadRequest(LendingError):
    """Error 400, 413, 415 or 422: the service does not accept the request in this form."""

    default_saved = Saved.NO
    default_message = _("The lending service did not accept this request.")


class NotAccepted(LendingError):
    """Error: the token issuer does not accept the dashboard's service account."""

    default_saved = Saved.NO
    default_message = _("The lending service does not accept the dashboard's service account.")


class TokenRefused(NotAccepted):
    """Error 401: the service refused the access token of one call.

    The account may still be valid, because the token may have expired or been revoked.
    """

    default_message = _("The lending service refused the dashboard's access for this action.")


class NotAllowed(LendingError):
    """Error 403: the service account lacks a scope or a permission.

    The token needs one of `scopes`, and the user of the account needs `permission` (Spec: Scopes
    and permissions).
    """

    default_saved = Saved.NO
    default_message = _("The dashboard's service account is not allowed to do this.")
    scopes: tuple[str, ...] = ()
    permission: str = ""


class NotFound(LendingError):
    """Error 404: there is no such record."""

    default_saved = Saved.NO
    default_message = _("The lending service has no such record.")


class Conflict(LendingError):
    """Error 409: the record exists already, or conflicts with another record."""

    default_message = _(
        "The lending service already has this record, or another record conflicts with it."
    )


class RateLimited(LendingError):
    """Error 429: too many requests.

    `retry_after` is in seconds; None if the service named no time.
    """

    default_saved = Saved.NO
    default_message = _(
        "The lending service is receiving too many requests. Try again in a moment."
    )
    retry_after: float | None = None


class ServiceFault(LendingError):
    """Error: the service failed, closed the connection, or answered with an unexpected status.

    Examples are 5xx and 3xx. `status` is None if the connection broke without an answer.
    """

    default_message = _("The lending service had a fault.")


class Unreachable(LendingError):
    """Error: the connection was not opened, so nothing was sent."""

    default_message = _("The lending service can't be reached. Nothing was sent.")
    default_saved = Saved.NO


class Untrusted(Unreachable):
    """Error: the certificate of the other side was refused, so nothing was sent."""

    default_message = _("The certificate of the lending service is not trusted. Nothing was sent.")


class Throttled(LendingError):
    """Error: the call was not sent, because the dashboard has its maximum number of open calls.

    After `retry_after` seconds, a call is probably possible. The service did not cause this error.
    """

    default_message = _("This dashboard is sending too many requests now. Nothing was sent.")
    default_saved = Saved.NO
    retry_after = 2


class NotSent(LendingError):
    """Error: the deadline passed before the first byte was written, so nothing was sent.

    A `before_send` hook also raises this error, to stop a call at the last moment. The service did
    not cause this error.
    """

    default_message = _("The request was not ready in time. Nothing was sent.")
    default_saved = Saved.NO


class TimedOut(LendingError):
    """Error: the request was sent, but no complete answer was received in time."""

    default_message = _("The lending service did not answer in time.")


class Unreadable(LendingError):
    """Error: the answer can't be read.

    It is not JSON, too large, not complete or in a wrong form.
    """

    default_message = _("The lending service gave an answer that can't be read.")


class AnswerTooLarge(Unreadable):
    """Error: the answer had, or announced, more bytes than allowed."""

    default_message = _("The lending service's answer is too large for this dashboard.")


class UnfinishedList(LendingError):
    """Error: the list was not read to its end, so it may have more items."""

    default_message = _("Not all of the service's list could be read, so there may be more items.")
    default_saved = Saved.NO


class WrongRecord(LendingError):
    """Error: the answer is about another record, so its data must not be shown."""

    default_message = _("The lending service answered with the wrong record.")


class UnidentifiedRecord(LendingError):
    """Error: the answer does not identify its record, so a form must not use its data."""

    default_message = _(
        "The lending service does not say who owns this record. The record may belong to "
        "another borrower."
    )
    default_saved = Saved.NO


class Unconfirmed(LendingError):
    """Error: a write was accepted, but the answer is not the record that was sent."""

    default_message = _(
        "The lending service accepted your entry, but its answer does not show that the entry "
        "was saved."
    )


class InvalidId(LendingError, ValueError):
    """Error: no address can safely contain this id. Nothing was sent.

    These are the empty id, `.`, `..`, and ids with control characters or lone surrogates.
    """

    default_message = _("No record can have this id.")
    default_saved = Saved.NO


class InvalidFilter(LendingError, ValueError):
    """Error: no filter can contain this value. Nothing was sent. Spec: Shared list behaviour."""

    default_message = _("The service can't search for this value.")
    default_saved = Saved.NO


_BY_STATUS: dict[int, type[LendingError]] = {
    400: BadRequest,
    401: TokenRefused,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: BadRequest,
    415: BadRequest,
    422: BadRequest,
    429: RateLimited,
}


def saved_after(operation: Operation, status: int | None) -> Saved:
    """Return UNKNOWN if an operation that was sent and failed may have changed data, else NO.

    A read changes nothing. The contract preview changes nothing either, although it is a POST. A
    write changed nothing if `status` is a refusal. After any other status, also None (no readable
    status), the result is UNKNOWN.
    """
    if operation.saves_nothing or status in _SAID_NO:
        return Saved.NO
    if status == 409 and operation.name.endswith(".create"):
        return Saved.NO
    return Saved.UNKNOWN


def error_for_status(
    operation: Operation,
    status: int,
    *,
    error_description: str | None = None,
    request_id: str | None = None,
    retry_after: float | None = None,
) -> LendingError:
    """Return the error for an answer with this status, which is not 2xx."""
    kind = _BY_STATUS.get(status, ServiceFault)
    error = kind(
        operation=operation.name,
        status=status,
        error_description=error_description,
        request_id=request_id,
        saved=saved_after(operation, status),
    )
    if isinstance(error, NotAllowed):
        error.scopes = tuple(operation.scopes)
        error.permission = operation.permission
    if isinstance(error, RateLimited):
        error.retry_after = retry_after
    return error

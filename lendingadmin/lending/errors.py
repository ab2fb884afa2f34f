"""Errors of a call to the lending service, sorted by what a person can do about them.

Spec: Errors. Beyond `error_description` the spec shows little, so every status has a class,
expected or not.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from lendingadmin.lending.operations import Operation

# The service said no and changed nothing. A 409 belongs here only on a create; see `saved_after`.
_SAID_NO = frozenset({400, 401, 403, 404, 422, 429})


def gettext_noop(text: str) -> str:
    """Return the text. Marks a sentence that pages translate; this package imports no Django."""
    return text


_ = gettext_noop


class Saved(StrEnum):
    """Effect of a failed call: it may have changed data at the service, or not."""

    NO = "no"
    UNKNOWN = "unknown"


class LendingError(Exception):
    """Error: a call gave no usable answer.

    operation           name of the operation, such as `loans.get`; `token` for the token issuer
    status              HTTP status of the answer; None if there was no answer
    error_description   the service's own words; None if it gave none; may hold personal data
    request_id          the service's reference for its answer, if it sent one
    message             a plain sentence for people, without anything secret or personal
    saved               whether the call may have changed anything; always NO for a read
    """

    default_message: ClassVar[str] = _("The lending service could not do this.")
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
        # error_description stays out: it may name a person, and this text ends up in logs.
        parts = (self.operation, str(self.status or ""), self.message)
        return ": ".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.operation} {self.status} saved={self.saved}>"


class BadRequest(LendingError):
    """400, 413, 415 or 422: the service does not accept the request in this form."""

    default_saved = Saved.NO
    default_message = _("The lending service did not accept this request.")


class NotAccepted(LendingError):
    """Error: the token issuer does not accept the dashboard's service account."""

    default_saved = Saved.NO
    default_message = _("The lending service does not accept the dashboard's service account.")


class TokenRefused(NotAccepted):
    """401: the service refused the access token of one call.

    The account may still be good, because the token may have expired or been revoked early.
    """

    default_message = _("The lending service refused the dashboard's access token for this call.")


class NotAllowed(LendingError):
    """403: the service account lacks a scope or a permission.

    One of `scopes` is needed. The user of the account must have `permission`. Spec: Scopes and
    permissions.
    """

    default_saved = Saved.NO
    default_message = _("The dashboard's service account is not allowed to do this.")
    scopes: tuple[str, ...] = ()
    permission: str = ""


class NotFound(LendingError):
    """404: there is no such record."""

    default_saved = Saved.NO
    default_message = _("The lending service has no such record.")


class Conflict(LendingError):
    """409: the record exists already, or conflicts with something else."""

    default_message = _(
        "The lending service already has this record, or another record conflicts with it."
    )


class RateLimited(LendingError):
    """429: too many requests. `retry_after` is in seconds, None if the service named no time."""

    default_saved = Saved.NO
    default_message = _(
        "The lending service is receiving too many requests. Try again in a moment."
    )
    retry_after: float | None = None


class ServiceFault(LendingError):
    """The service failed, closed the connection, or answered with an unexpected status.

    Statuses 5xx and 3xx are included; `status` is None if the connection broke without an answer.
    """

    default_message = _("The lending service had a fault.")


class Unreachable(LendingError):
    """The connection was not opened, so nothing was sent."""

    default_message = _("The lending service can't be reached. Nothing was sent.")
    default_saved = Saved.NO


class Untrusted(Unreachable):
    """The certificate of the other side was refused, so nothing was sent."""

    default_message = _("The certificate of the lending service is not trusted. Nothing was sent.")


class Throttled(LendingError):
    """The call was not sent, because the dashboard already has its maximum number of calls.

    After `retry_after` seconds, a call is probably possible. The service is not at fault.
    """

    default_message = _("This dashboard is sending too many requests now. Nothing was sent.")
    default_saved = Saved.NO
    retry_after = 2


class NotSent(LendingError):
    """The deadline of a call passed before its first byte was written, so it was not sent.

    A `before_send` hook raises this error to stop a call at the last moment. The service is not at
    fault.
    """

    default_message = _("The request was not ready in time. Nothing was sent.")
    default_saved = Saved.NO


class TimedOut(LendingError):
    """The request was sent, and no complete answer was received in time."""

    default_message = _("The lending service did not answer in time.")


class Unreadable(LendingError):
    """The answer cannot be read: it is not JSON, too large, cut short or of the wrong form."""

    default_message = _("The lending service gave an answer that can't be read.")


class AnswerTooLarge(Unreadable):
    """The answer had, or announced, more bytes than allowed."""

    default_message = _("The lending service's answer is too large for this dashboard.")


class UnfinishedList(LendingError):
    """The list was not read to its end, so it may have items that were not seen."""

    default_message = _("Not all of the service's list could be read, so there may be more items.")
    default_saved = Saved.NO


class WrongRecord(LendingError):
    """The answer is about another record; its data must not be shown."""

    default_message = _("The lending service answered with the wrong record.")


class UnidentifiedRecord(LendingError):
    """The answer does not identify its record, so its data must not be used in a form."""

    default_message = _(
        "The lending service does not say who owns this record. It may belong to another borrower."
    )
    default_saved = Saved.NO


class Unconfirmed(LendingError):
    """A write was accepted, but the answer is not the record that was sent."""

    default_message = _(
        "The lending service accepted this, but its answer does not show that it was saved."
    )


class InvalidId(LendingError, ValueError):
    """An id that no address can safely contain. Nothing was sent.

    These are the empty id, `.`, `..`, and ids with control characters or lone surrogates.
    """

    default_message = _("No record can have this id.")
    default_saved = Saved.NO


class InvalidFilter(LendingError, ValueError):
    """A filter value that no clause can contain. Nothing was sent. Spec: Shared list behaviour."""

    default_message = _("The service can't search for this.")
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
    """Return whether a sent operation that failed with `status` may have changed data.

    A read changes nothing; nor does the contract preview, although it is a POST. A write changed
    nothing if the status is a refusal. For all other statuses, also None (no readable status), this
    is unknown.
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
    """Return the error for an answer with this status; any status other than 2xx has one."""
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

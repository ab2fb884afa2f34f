"""The token issuer: one form-encoded request, and what its answer says about the token's life.

Spec: Authentication, Token request. Unit and lifetime of `expires_at` are not shown there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

from lendingadmin.lending.codec import decode
from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import (
    LendingError,
    NotAccepted,
    RateLimited,
    Saved,
    ServiceFault,
    TimedOut,
    Unreachable,
    Unreadable,
    Untrusted,
)
from lendingadmin.lending.wire import Answer, Fault, WireFault, send

from .connection import DIRECT, HttpExchange, Route

OPERATION = "token"

_PATH = "/v1/oauth2/token"
_MAX_BYTES = 256 * 1024
_LONGEST_PLAUSIBLE = 30 * 24 * 3600
_ASSUMED_LIFE = 5 * 60
_LONGEST_LIFE = 3600
_UNITS = (1, 10**3, 10**6, 10**9)
_RENEW_AT = 0.8  # of a token's life
_YOUNG = timedelta(seconds=30)
# Anything else could break out of the Authorization header.
_TOKEN = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True)
class AccessToken:
    """A token and its life by our own clock (aware, UTC).

    If `issued_at` is in the future, the clock of the host that stored it was ahead. Its real end is
    unknown then, so it counts as old: neither usable nor fresh nor young.
    """

    value: str = field(repr=False)
    issued_at: datetime
    expires_at: datetime
    scope: str

    def is_usable(self, now: datetime) -> bool:
        """Whether it has not expired."""
        return self.issued_at <= now < self.expires_at

    def is_fresh(self, now: datetime) -> bool:
        """Whether less than 80 % of its life is over, so that it needs no renewal yet."""
        life = self.expires_at - self.issued_at
        return self.issued_at <= now < self.issued_at + life * _RENEW_AT

    def is_young(self, now: datetime) -> bool:
        """Whether it was issued less than 30 s ago: a 401 then belongs to the operation."""
        return self.issued_at <= now < self.issued_at + _YOUNG


def request_token(
    address: str,
    form: Mapping[str, str],
    now: datetime,
    timeout: float,
    connect_timeout: float,
    route: Route = DIRECT,
) -> AccessToken:
    """Ask the issuer at `address` once; its life counts from `now`, the timeouts are in seconds.

    Every LendingError that it raises has `saved` no: nothing was sent to the service.
    """
    exchange = HttpExchange(
        Deadline(timeout),
        connect_timeout=connect_timeout,
        read_timeout=timeout,
        max_bytes=_MAX_BYTES,
    )
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    try:
        answer = send(
            "POST",
            address.rstrip("/") + _PATH,
            headers,
            urlencode(form).encode(),
            exchange,
            route=route,
        )
    except WireFault as fault:
        kind, words = _FAULTS.get(fault.fault, (Unreadable, "gave an answer that cannot be read"))
        words = f"The token issuer of the lending service {words}."
        raise _make_error(kind, words, fault.status) from None
    if not answer.is_accepted:
        raise _make_error(*_explain_status(answer.status), answer.status, answer)
    try:
        content = decode(answer.body)
    except ValueError:
        content = None
    fields: Mapping[str, object] = content if isinstance(content, dict) else {}
    value, scope = fields.get("access_token"), fields.get("scope")
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        words = "The token issuer gave no token that can be used."
        raise _make_error(Unreadable, words, answer.status, answer)
    ends_at = now + read_lifetime(fields, now)
    return AccessToken(value, now, ends_at, scope if isinstance(scope, str) else form["scope"])


def _make_error(
    kind: type[LendingError], words: str, status: int | None, answer: Answer | None = None
) -> LendingError:
    return kind(
        f"{words} Nothing was sent.",
        operation=OPERATION,
        status=status,
        error_description=answer.error_description if answer else None,
        request_id=answer.request_id if answer else None,
        saved=Saved.NO,
    )


def _explain_status(status: int) -> tuple[type[LendingError], str]:
    if status == 429:
        return RateLimited, "The token issuer is receiving too many requests."
    if 400 <= status < 500:
        return NotAccepted, "The lending service does not accept the dashboard's account."
    return ServiceFault, "The token issuer of the lending service had a fault."


_FAULTS: dict[Fault, tuple[type[LendingError], str]] = {
    Fault.NOT_OPENED: (Unreachable, "cannot be reached"),
    Fault.UNTRUSTED: (Untrusted, "shows a certificate that is not trusted here"),
    Fault.TIMED_OUT: (TimedOut, "did not answer in time"),
    Fault.BROKEN: (ServiceFault, "broke the connection before its whole answer arrived"),
}


def read_lifetime(answer: Mapping[str, object], now: datetime) -> timedelta:
    """How long a token lives, from `expires_at` in any unit, or else `expires_in`.

    A number counts as seconds, milli-, micro- or nanoseconds since the epoch, or as seconds from
    now: the first of these within 30 days. Text may be such a number or ISO 8601. When nothing fits
    it is five minutes, and never more than an hour.
    """
    ends, number = answer.get("expires_at"), _read_number(answer.get("expires_at"))
    if number is not None:
        candidates = [number / unit - now.timestamp() for unit in _UNITS] + [number]
    else:
        candidates = [_seconds_until(ends, now)]
    candidates.append(_read_number(answer.get("expires_in")) or 0)
    plausible = (seconds for seconds in candidates if 0 < seconds <= _LONGEST_PLAUSIBLE)
    return timedelta(seconds=min(next(plausible, _ASSUMED_LIFE), _LONGEST_LIFE))


def _read_number(value: object) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"\d{1,25}(\.\d{1,9})?", value.strip()):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    # Past this it is no moment in any unit, and a float might not hold it.
    return float(value) if abs(Decimal(value)) < 10**25 else None


def _seconds_until(value: object, now: datetime) -> float:
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else now
    except ValueError:
        return 0
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()

"""The token issuer: one form-encoded request, and what its answer says about the token's life.

Spec: Authentication, Token request. Unit and lifetime of `expires_at` are not shown there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

from lendingadmin.lending.answers import error_description_of, request_id_of
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
)
from lendingadmin.lending.wire import Fault, RawAnswer, Request, WireFault, send

from .connection import HttpExchange

OPERATION = "token"

_PATH = "/v1/oauth2/token"
_MAX_BYTES = 256 * 1024
_LONGEST_PLAUSIBLE = 30 * 24 * 3600
_ASSUMED_LIFE = 5 * 60
_LONGEST_LIFE = 3600
_UNITS = (1, 10**3, 10**6, 10**9)
# Anything else could break out of the Authorization header.
_TOKEN = re.compile(r"[\x21-\x7e]+")
_NOTHING_SENT = "Nothing was sent."


@dataclass(frozen=True)
class Grant:
    """What the issuer gave: the token, how long to use it from the moment of asking, its scope."""

    value: str = field(repr=False)
    life: timedelta
    scope: str


class Issuer:
    """Asks for tokens with one service account's credentials."""

    def __init__(
        self,
        url: str,
        client_id: str,
        client_secret: str,
        scope: str,
        *,
        timeout: float,
        connect_timeout: float,
        trust_env: bool,
    ) -> None:
        self._url = url.rstrip("/") + _PATH
        self._scope = scope
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._trust_env = trust_env
        self._form = urlencode(
            {
                "client_id": client_id,
                "client_secret": client_secret,
                "grant_type": "client_credentials",
                "scope": scope,
            }
        ).encode()

    def ask(self, now: datetime) -> Grant:
        """Ask once. Every LendingError that it raises has `saved` no: nothing else was sent."""
        raw = self._exchange()
        if raw.accepted:
            return self._grant(raw, now)
        raise _refusal(raw)

    def _exchange(self) -> RawAnswer:
        request = Request(
            "POST",
            self._url,
            {"Content-Type": "application/x-www-form-urlencoded"},
            self._form,
        )
        exchange = HttpExchange(
            Deadline(self._timeout), patience=self._timeout, max_bytes=_MAX_BYTES
        )
        try:
            return send(request, exchange, self._connect_timeout, trust_env=self._trust_env)
        except WireFault as fault:
            error = _error(fault)
        raise error

    def _grant(self, raw: RawAnswer, now: datetime) -> Grant:
        try:
            answer = decode(raw.body)
        except ValueError:
            answer = None
        fields: Mapping[str, object] = answer if isinstance(answer, dict) else {}
        value = fields.get("access_token")
        if not isinstance(value, str) or not _TOKEN.fullmatch(value):
            raise Unreadable(
                f"The token issuer gave no token that can be used. {_NOTHING_SENT}",
                operation=OPERATION,
                status=raw.status,
                request_id=request_id_of(raw),
                saved=Saved.NO,
            )
        scope = fields.get("scope")
        return Grant(value, life_of(fields, now), scope if isinstance(scope, str) else self._scope)


def life_of(answer: Mapping[str, object], now: datetime) -> timedelta:
    """How long a token lives, from `expires_at` in whichever unit, or else `expires_in`.

    A number counts as seconds, milli-, micro- or nanoseconds since the epoch, or as seconds from
    now: whichever falls within 30 days. Text may be such a number or ISO 8601. When nothing fits it
    is five minutes, and never more than an hour.
    """
    seconds = _until(answer.get("expires_at"), now)
    if seconds is None:
        seconds = _plausible(_number(answer.get("expires_in")))
    return timedelta(seconds=min(_ASSUMED_LIFE if seconds is None else seconds, _LONGEST_LIFE))


def _until(value: object, now: datetime) -> float | None:
    number = _number(value)
    if number is None:
        return _plausible(_seconds_to(value, now))
    epoch = now.timestamp()
    candidates = [number / unit - epoch for unit in _UNITS] + [number]
    return next(filter(None, map(_plausible, candidates)), None)


def _number(value: object) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"\d{1,25}(\.\d{1,9})?", value.strip()):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    # Past this it is no moment in any unit, and a float might not hold it.
    return float(value) if abs(Decimal(value)) < 10**25 else None


def _seconds_to(value: object, now: datetime) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - now).total_seconds()


def _plausible(seconds: float | None) -> float | None:
    return seconds if seconds is not None and 0 < seconds <= _LONGEST_PLAUSIBLE else None


def _refusal(raw: RawAnswer) -> LendingError:
    kind: type[LendingError]
    if raw.status == 429:
        kind, message = RateLimited, "The token issuer is receiving too many requests."
    elif 400 <= raw.status < 500:
        kind, message = NotAccepted, "The lending service does not accept the dashboard's account."
    else:
        kind, message = ServiceFault, "The token issuer of the lending service had a fault."
    return kind(
        f"{message} {_NOTHING_SENT}",
        operation=OPERATION,
        status=raw.status,
        error_description=error_description_of(raw),
        request_id=request_id_of(raw),
        saved=Saved.NO,
    )


def _error(fault: WireFault) -> LendingError:
    kind, what = _FAULTS.get(fault.fault, (Unreadable, "gave an answer that cannot be read"))
    return kind(
        f"The token issuer of the lending service {what}. {_NOTHING_SENT}",
        operation=OPERATION,
        status=fault.status,
        saved=Saved.NO,
    )


_FAULTS: dict[Fault, tuple[type[LendingError], str]] = {
    Fault.NOT_OPENED: (Unreachable, "cannot be reached"),
    Fault.TIMED_OUT: (TimedOut, "did not answer in time"),
    Fault.BROKEN: (ServiceFault, "broke the connection before its whole answer arrived"),
}

"""Token of the service account. All processes share the token; one caller at a time renews it.

Spec: Authentication. The value of the token appears in no repr, message or log.

The spec shows one form-encoded request to the issuer, and an answer with the lifetime of the token
(Authentication, Token request). It does not show the unit and the meaning of `expires_at`.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Protocol
from urllib.parse import urlencode

from lendingadmin.lending import errors
from lendingadmin.lending.codec import decode
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
from lendingadmin.lending.errors import gettext_noop as _
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.wire import (
    DIRECT,
    Answer,
    Deadline,
    Fault,
    HttpExchange,
    Route,
    WireFault,
    send,
)

OPERATION = "token"
DEFAULT_SCOPE = "platform.lending"  # this scope is enough for every operation in the spec's table

_REFUSAL_KEPT = timedelta(seconds=30)
_FAULT_KEPT = timedelta(seconds=2)
_PATH = "/v1/oauth2/token"
_MAX_BYTES = 256 * 1024
_LONGEST_PLAUSIBLE = 30 * 24 * 3600
_ASSUMED_LIFE = 5 * 60
_LONGEST_LIFE = 3600
_UNITS = (1, 10**3, 10**6, 10**9)
_RENEW_AT = 0.8  # of a token's life
_YOUNG = timedelta(seconds=30)
# Other characters could end the Authorization header and begin another header.
_TOKEN = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True)
class AccessToken:
    """A token, and its lifetime by our own clock (aware, UTC).

    If `issued_at` is in the future, the host that stored the token had a wrong clock. The end of
    the lifetime is then unknown, and the token is not usable, fresh or young.
    """

    value: str = field(repr=False)
    issued_at: datetime
    expires_at: datetime
    scope: str

    def is_usable(self, now: datetime) -> bool:
        """Return True if the token has not expired."""
        return self.issued_at <= now < self.expires_at

    def is_fresh(self, now: datetime) -> bool:
        """Return True if less than 80 % of the lifetime has passed. No renewal is due then."""
        life = self.expires_at - self.issued_at
        return self.issued_at <= now < self.issued_at + life * _RENEW_AT

    def is_young(self, now: datetime) -> bool:
        """Return True if the token was issued less than 30 s ago.

        If the service refuses such a token with 401, the cause is the operation and not the token.
        """
        return self.issued_at <= now < self.issued_at + _YOUNG


def request_token(
    address: str,
    form: Mapping[str, str],
    now: datetime,
    timeout: float,
    connect_timeout: float,
    route: Route = DIRECT,
) -> AccessToken:
    """Ask the issuer at `address` once for a token. The lifetime of the token begins at `now`.

    Timeouts are in seconds. The `saved` of every LendingError is NO, because nothing was sent to
    the service.
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
        kind, words = _FAULTS.get(fault.fault, (Unreadable, _UNREADABLE))
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
        raise _make_error(Unreadable, _UNREADABLE, answer.status, answer)
    ends_at = now + read_lifetime(fields, now)
    return AccessToken(value, now, ends_at, scope if isinstance(scope, str) else form["scope"])


def _make_error(
    kind: type[LendingError], words: str, status: int | None, answer: Answer | None = None
) -> LendingError:
    return kind(
        words,
        operation=OPERATION,
        status=status,
        error_description=answer.error_description if answer else None,
        request_id=answer.request_id if answer else None,
        saved=Saved.NO,
    )


def _explain_status(status: int) -> tuple[type[LendingError], str]:
    if status == 429:
        return RateLimited, _(
            "The service's sign-in server is receiving too many requests. Nothing was sent."
        )
    if 400 <= status < 500:
        return NotAccepted, NotAccepted.default_message
    return ServiceFault, _("The service's sign-in server had a fault. Nothing was sent.")


_TIMED_OUT = _("The service's sign-in server did not answer in time. Nothing was sent.")
_UNREADABLE = _("The service's sign-in server sent an answer that can't be used. Nothing was sent.")
_FAULTS: dict[Fault, tuple[type[LendingError], str]] = {
    Fault.NOT_OPENED: (
        Unreachable,
        _("The service's sign-in server can't be reached. Nothing was sent."),
    ),
    Fault.UNTRUSTED: (
        Untrusted,
        _("The certificate of the service's sign-in server is not trusted. Nothing was sent."),
    ),
    Fault.TIMED_OUT: (TimedOut, _TIMED_OUT),
    Fault.BROKEN: (
        ServiceFault,
        _(
            "The connection to the service's sign-in server broke before the answer. Nothing "
            "was sent."
        ),
    ),
}


def read_lifetime(answer: Mapping[str, object], now: datetime) -> timedelta:
    """Return the lifetime of a token, from `expires_at` in any unit, or else from `expires_in`.

    A number is tried as seconds, milli-, micro- and nanoseconds since the epoch, then as seconds
    from now. The first result within 30 days is used. Text may be such a number or ISO 8601. If no
    result fits, the lifetime is five minutes; it is never more than an hour.
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
    # A larger number is no time in any of the units, and may be too large for a float.
    return float(value) if abs(Decimal(value)) < 10**25 else None


def _seconds_until(value: object, now: datetime) -> float:
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else now
    except ValueError:
        return 0
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds()


@dataclass(frozen=True)
class Refusal:
    """The reason why the last call for a token failed, and the time until which no call is made."""

    until: datetime
    kind: str
    status: int | None
    error_description: str | None
    message: str

    @classmethod
    def from_error(cls, error: LendingError, now: datetime) -> Refusal:
        """Return a refusal that is in force for 30 s, or for 2 s after a fault."""
        refused = isinstance(error, errors.NotAccepted | errors.RateLimited)
        until = now + (_REFUSAL_KEPT if refused else _FAULT_KEPT)
        kind = type(error).__name__
        return cls(until, kind, error.status, error.error_description, error.message)

    def is_in_force(self, now: datetime) -> bool:
        """Return True if the refusal is still in force.

        Even if a host with a wrong clock made the refusal, it is not in force for longer.
        """
        return now < self.until <= now + _REFUSAL_KEPT

    def make_error(self) -> LendingError:
        """Return a new error with the same facts, for another caller."""
        kind: type[LendingError] = getattr(errors, self.kind, errors.ServiceFault)
        return kind(
            self.message,
            operation=OPERATION,
            status=self.status,
            error_description=self.error_description,
            saved=Saved.NO,
        )


@dataclass(frozen=True)
class TokenState:
    """State shared by the processes: the token, the last refusal and the lease for renewal.

    One caller has the lease until `leased_until` (aware, UTC). Only the store uses `version`.
    """

    token: AccessToken | None = None
    refusal: Refusal | None = None
    leased_until: datetime | None = None
    version: int = 0


class TokenStore(Protocol):
    """Store that shares one TokenState between processes."""

    def load(self) -> TokenState:
        """Return the stored state.

        Return an empty state if nothing is stored, or if the stored state can't be read.
        """

    def swap(self, before: TokenState, after: TokenState) -> bool:
        """Replace the state if it has not changed since it was loaded.

        Return True if the state was replaced.
        """


class MemoryTokenStore(ForkSafe):
    """Store of the tokens of one process."""

    def reset(self) -> None:
        """Start without a token in a child of this process."""
        self._state = TokenState()
        self._lock = threading.Lock()

    def load(self) -> TokenState:
        """Return the saved state (see TokenStore)."""
        return self._state

    def swap(self, before: TokenState, after: TokenState) -> bool:
        """Replace the saved state; return False if it is no longer `before` (see TokenStore)."""
        with self._lock:
            is_same = self._state is before
            if is_same:
                self._state = after
            return is_same


class TokenSource(ForkSafe):
    """Source of the token for the next call.

    `issuer_url` is the address of the token issuer, and `route` the route to it. All processes
    share the `store`. `clock` returns the time (aware, UTC). `timeout` limits one call of the
    issuer, in seconds.
    """

    def __init__(
        self,
        issuer_url: str,
        client_id: str,
        client_secret: str,
        scope: str = DEFAULT_SCOPE,
        store: TokenStore | None = None,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        timeout: float = 10.0,
        connect_timeout: float = 2.0,
        route: Route = DIRECT,
    ) -> None:
        self._issuer_url = issuer_url
        self._form = {
            "client_id": client_id,
            "client_secret": client_secret,
            "grant_type": "client_credentials",
            "scope": scope,
        }
        self._store = store or MemoryTokenStore()
        self._clock = clock
        self._how = timeout, connect_timeout, route
        # A lease lasts longer than the call to the issuer. A caller that waits also waits longer
        # than this call.
        self._lease = timedelta(seconds=timeout + connect_timeout + 3)
        self._longest_wait = timeout + connect_timeout + 1
        super().__init__()

    def reset(self) -> None:
        """Start without a token, because a child process must read the store."""
        self._held: AccessToken | None = None

    def get_token(self) -> AccessToken:
        """Return a usable token: from memory, from the store, or from the issuer.

        After 80 % of the token's lifetime one caller renews it, while all other callers use the old
        token. Without a usable token they wait for this caller. If no token is available, raise a
        LendingError of the operation `token`; nothing was sent to the service. The error is
        NotAccepted if the issuer refuses the account. A refusal is stored for 30 s; during this
        time the issuer is not asked again.
        """
        token = self._held
        if token is None or not token.is_fresh(self._clock()):
            token = self._held = self._share_token(Deadline(self._longest_wait))
        return token

    def drop(self, refused: str) -> bool:
        """Drop a token that the service refused with 401; return True if a retry makes sense.

        A retry makes sense if there is another token, or if the refused token was older than 30 s
        and is now dropped. A younger token is not dropped, because it is valid and the operation is
        the cause of the 401.
        """
        while (state := self._store.load()).token and state.token.value == refused:
            if state.token.is_young(self._clock()):
                return False
            if self._store.swap(state, replace(state, token=None)):
                break
        held = self._held
        if held and held.value == refused:
            self._held = None
        return True

    def _share_token(self, wait: Deadline) -> AccessToken:
        """Return the token of all processes.

        If a renewal is due and no other caller does it, renew it.
        """
        while True:
            state, now = self._store.load(), self._clock()
            token = state.token if state.token and state.token.is_usable(now) else None
            refusal = state.refusal if state.refusal and state.refusal.is_in_force(now) else None
            if token and (refusal or token.is_fresh(now)):
                return token
            if refusal:
                raise refusal.make_error()
            # A lease that ends later than a new lease could end is from a host whose clock is
            # ahead. Such a lease does not count. Clocks may differ by less than the length of a
            # lease.
            if not (state.leased_until and now < state.leased_until <= now + 2 * self._lease):
                until = now + self._lease
                if self._store.swap(state, replace(state, leased_until=until)):
                    return self._renew(token, until)
            elif token:
                return token
            elif wait.has_passed:
                raise TimedOut(_TIMED_OUT, operation=OPERATION, saved=Saved.NO)
            else:
                time.sleep(min(0.05, wait.left))

    def _renew(self, token: AccessToken | None, lease: datetime) -> AccessToken:
        """Get a new token from the issuer and share it, or share the refusal; end the lease.

        If the issuer gives no token, return the old token. Raise LendingError if there is no old
        token.
        """
        granted = refusal = None
        try:
            granted = request_token(self._issuer_url, self._form, self._clock(), *self._how)
            return granted
        except LendingError as error:
            refusal = Refusal.from_error(error, self._clock())
            if token is None:
                raise
            return token
        finally:
            self._give_back(lease, granted, refusal)

    def _give_back(
        self, lease: datetime, granted: AccessToken | None, refusal: Refusal | None
    ) -> None:
        """Store the result of a call to the issuer.

        The lease ends, unless another caller has it now.
        """
        while True:
            state = self._store.load()
            after = replace(
                state,
                token=granted or state.token,
                refusal=refusal,
                leased_until=None if state.leased_until == lease else state.leased_until,
            )
            if self._store.swap(state, after):
                return

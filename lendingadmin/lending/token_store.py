"""What the processes share about the service account's token, and the contract for keeping it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol
from uuid import uuid4

from lendingadmin.lending import errors
from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import LendingError, Saved
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.issuer import OPERATION

_RENEW_AT = 0.8  # of a token's life
_YOUNG = timedelta(seconds=30)
_REFUSAL_KEPT = timedelta(seconds=30)
_FAULT_KEPT = timedelta(seconds=2)


@dataclass(frozen=True)
class AccessToken:
    """A token and its life by our own clock (aware, UTC). `serial` names it without telling it.

    One that is issued in the future comes from a host whose clock was ahead. Nobody knows when it
    really ends, so it counts as old: neither usable nor fresh nor young.
    """

    value: str = field(repr=False)
    issued_at: datetime
    expires_at: datetime
    scope: str
    serial: str = field(default_factory=lambda: uuid4().hex)

    def usable(self, now: datetime) -> bool:
        """Whether it has not expired."""
        return self.issued_at <= now < self.expires_at

    def fresh(self, now: datetime) -> bool:
        """Whether less than 80 % of its life is over, so that nobody need renew it yet."""
        life = self.expires_at - self.issued_at
        return self.issued_at <= now < self.issued_at + life * _RENEW_AT

    def young(self, now: datetime) -> bool:
        """Whether it was issued less than 30 s ago: a 401 then belongs to the operation."""
        return self.issued_at <= now < self.issued_at + _YOUNG


@dataclass(frozen=True)
class Refusal:
    """Why the last token call failed, and until when nobody shall make another (aware, UTC)."""

    until: datetime
    kind: str
    status: int | None
    error_description: str | None
    message: str

    @classmethod
    def of(cls, error: LendingError, now: datetime) -> Refusal:
        """Remember a refusal for 30 s; a fault of the wire or of the issuer for two."""
        refused = isinstance(error, errors.NotAccepted | errors.RateLimited)
        return cls(
            until=now + (_REFUSAL_KEPT if refused else _FAULT_KEPT),
            kind=type(error).__name__,
            status=error.status,
            error_description=error.error_description,
            message=error.message,
        )

    def stands(self, now: datetime) -> bool:
        """Whether it is not over. A host whose clock was ahead can't make it last longer."""
        return now < self.until <= now + _REFUSAL_KEPT

    def error(self) -> LendingError:
        """The same failure again, for one more caller."""
        return _KINDS.get(self.kind, errors.ServiceFault)(
            self.message,
            operation=OPERATION,
            status=self.status,
            error_description=self.error_description,
            saved=Saved.NO,
        )


_KINDS: dict[str, type[LendingError]] = {
    kind.__name__: kind
    for kind in (
        errors.NotAccepted,
        errors.RateLimited,
        errors.ServiceFault,
        errors.TimedOut,
        errors.Unreachable,
        errors.Unreadable,
    )
}


class TokenStore(Protocol):
    """Where the processes keep their one token, the lease to renew it, and the last refusal."""

    def load(self) -> AccessToken | None:
        """The token, None when there is none (or none that can be read)."""

    def save(self, token: AccessToken) -> None:
        """Keep this token instead of any other, and forget the refusal."""

    def discard(self, serial: str) -> bool:
        """Forget the token if it is still this one; True if it was."""

    def try_lease(self, seconds: float) -> str | None:
        """Become the one who renews: a holder's name, or None while somebody else is."""

    def release(self, holder: str) -> None:
        """Give the lease back; without effect when it has passed to somebody else."""

    def refusal(self) -> Refusal | None:
        """The last refusal, which may be over."""

    def refuse(self, refusal: Refusal) -> None:
        """Keep this refusal."""


class MemoryTokenStore(ForkSafe):
    """A store for one process."""

    def start_afresh(self) -> None:
        """A child of this process begins without a token."""
        self._lock = threading.Lock()
        self._token: AccessToken | None = None
        self._refusal: Refusal | None = None
        self._lease: tuple[str, Deadline] | None = None

    def load(self) -> AccessToken | None:
        """See TokenStore."""
        return self._token

    def save(self, token: AccessToken) -> None:
        """See TokenStore."""
        with self._lock:
            self._token, self._refusal = token, None

    def discard(self, serial: str) -> bool:
        """See TokenStore."""
        with self._lock:
            if self._token is None or self._token.serial != serial:
                return False
            self._token = None
            return True

    def try_lease(self, seconds: float) -> str | None:
        """See TokenStore."""
        with self._lock:
            if self._lease is not None and not self._lease[1].passed:
                return None
            holder = uuid4().hex
            self._lease = (holder, Deadline(seconds))
            return holder

    def release(self, holder: str) -> None:
        """See TokenStore."""
        with self._lock:
            if self._lease is not None and self._lease[0] == holder:
                self._lease = None

    def refusal(self) -> Refusal | None:
        """See TokenStore."""
        return self._refusal

    def refuse(self, refusal: Refusal) -> None:
        """See TokenStore."""
        self._refusal = refusal

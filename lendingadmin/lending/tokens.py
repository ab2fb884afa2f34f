"""The service account's token, renewed by one caller at a time while the others go on.

Spec: Authentication. The value appears in no repr, message or log.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from lendingadmin.lending.deadline import Deadline
from lendingadmin.lending.errors import LendingError, Saved, TimedOut
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.issuer import OPERATION, Issuer
from lendingadmin.lending.token_store import AccessToken, MemoryTokenStore, Refusal, TokenStore

__all__ = ["AccessToken", "MemoryTokenStore", "Refusal", "TokenSource", "TokenStore"]

DEFAULT_SCOPE = "platform.lending"  # the spec's table admits it for every operation


class TokenSource(ForkSafe):
    """Gives the token that the next call goes out with.

    `issuer_url` is the address of the token issuer; `store` is shared by all processes (without one
    each process keeps its own token); `clock` gives the time (aware, UTC); `timeout` bounds one
    call of the issuer, in seconds.
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
        trust_env: bool = False,
    ) -> None:
        self.scope = scope
        self._issuer = Issuer(
            issuer_url,
            client_id,
            client_secret,
            scope,
            timeout=timeout,
            connect_timeout=connect_timeout,
            trust_env=trust_env,
        )
        self._store: TokenStore = store if store is not None else MemoryTokenStore()
        self._clock = clock
        # A lease outlives the call that it guards; a waiter waits a little longer than that call.
        self._lease_seconds = timeout + connect_timeout + 3
        self._patience = timeout + connect_timeout + 1
        super().__init__()

    def __repr__(self) -> str:
        return f"<TokenSource {self.scope}>"

    def start_afresh(self) -> None:
        """A child of this process looks into the store first."""
        self._lock = threading.Lock()
        self._held: AccessToken | None = None

    def token(self) -> AccessToken:
        """A usable token: from memory, from the store, or from the issuer.

        From 80 % of its life one caller renews it, while all others go on with the one in hand.
        Without a usable one they wait for that caller. Raises a LendingError of operation `token`
        (nothing was sent to the service then): NotAccepted when the issuer refuses, which is
        remembered for 30 s so that it is not asked again; others when it cannot be asked.
        """
        held, now = self._held, self._clock()
        if held is not None and held.fresh(now):
            return held
        wait = Deadline(self._patience)
        if held is not None and held.usable(now):
            if not self._lock.acquire(blocking=False):
                return held
        elif not self._lock.acquire(timeout=wait.left):
            raise _waited_in_vain()
        try:
            self._held = self._shared(wait)
            return self._held
        finally:
            self._lock.release()

    def drop(self, refused: str) -> bool:
        """The service answered 401 to this value: whether a different token is worth a try.

        True when another one has taken its place, or when it was older than 30 s and was forgotten.
        False for a younger one: it works, and the 401 belongs to the operation.
        """
        current = self._store.load()
        if current is not None and current.value == refused:
            if current.young(self._clock()):
                return False
            self._store.discard(current.serial)
        with self._lock:
            if self._held is not None and self._held.value == refused:
                self._held = None
        return True

    def _shared(self, wait: Deadline) -> AccessToken:
        while True:
            known = self._known()
            if known is not None and known.fresh(self._clock()):
                return known
            holder = self._store.try_lease(self._lease_seconds)
            if holder is not None:
                return self._renew(holder)
            if known is not None:
                return known
            if wait.passed:
                raise _waited_in_vain()
            time.sleep(min(0.05, wait.left))

    def _known(self) -> AccessToken | None:
        """The store's usable token, None when there is none; raises the refusal that stands."""
        token, now = self._store.load(), self._clock()
        if token is not None and token.usable(now):
            return token
        refusal = self._store.refusal()
        if refusal is not None and refusal.stands(now):
            raise refusal.error()
        return None

    def _renew(self, holder: str) -> AccessToken:
        try:
            # Another may have renewed it, or been refused, between our look and our lease.
            known, refusal, now = self._known(), self._store.refusal(), self._clock()
            refused = refusal is not None and refusal.stands(now)
            if known is not None and (refused or known.fresh(now)):
                return known
            return self._ask(known)
        finally:
            self._store.release(holder)

    def _ask(self, known: AccessToken | None) -> AccessToken:
        asked_at = self._clock()
        try:
            grant = self._issuer.ask(asked_at)
        except LendingError as error:
            self._store.refuse(Refusal.of(error, self._clock()))
            if known is None:
                raise
            return known
        token = AccessToken(grant.value, asked_at, asked_at + grant.life, grant.scope)
        self._store.save(token)
        return token


def _waited_in_vain() -> TimedOut:
    return TimedOut(
        "The token issuer of the lending service did not answer in time. Nothing was sent.",
        operation=OPERATION,
        saved=Saved.NO,
    )

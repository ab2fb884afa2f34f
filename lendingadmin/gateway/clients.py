"""One client for each process, made from the settings when it is first asked for."""

import logging
import threading
from collections.abc import Callable
from typing import NamedTuple, cast

from django.conf import settings

from lendingadmin.gateway import observing
from lendingadmin.gateway.lending_apps import lending_app
from lendingadmin.lending.calls import Call
from lendingadmin.lending.client import AppClient, LendingClient
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.operations import CustomMethods
from lendingadmin.lending.tokens import MemoryTokenStore, TokenSource, TokenStore

logger = logging.getLogger("lendingadmin.gateway")


class _Account(NamedTuple):
    """The settings that a client is made of; another set of them makes another client."""

    base_url: str
    auth_url: str
    client_id: str
    client_secret: str
    scope: str
    project_id: str
    custom_methods: CustomMethods

    @classmethod
    def from_settings(cls) -> "_Account":
        return cls(
            settings.LENDING_BASE_URL,
            settings.LENDING_AUTH_URL,
            settings.LENDING_CLIENT_ID,
            settings.LENDING_CLIENT_SECRET,
            settings.LENDING_SCOPE,
            settings.LENDING_PROJECT_ID,
            cast(CustomMethods, settings.LENDING_CUSTOM_METHODS),
        )

    def client(
        self, store: TokenStore, on_call: Callable[[Call], None] | None = None
    ) -> LendingClient:
        tokens = TokenSource(self.auth_url, self.client_id, self.client_secret, self.scope, store)
        return LendingClient(
            self.base_url,
            self.project_id,
            tokens,
            custom_methods=self.custom_methods,
            on_call=on_call,
        )


class _Process(ForkSafe):
    """What this process holds; a forked child makes its own."""

    def reset(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[_Account, LendingClient] | None = None

    def client(self) -> LendingClient:
        account = _Account.from_settings()
        with self._lock:
            if self._made is None or self._made[0] != account:
                # Imported late: there are no models yet when Django first imports this package.
                from lendingadmin.gateway.models import DatabaseTokenStore

                store = DatabaseTokenStore(account.auth_url, account.client_id, account.scope)
                self._made = (account, account.client(store, _log))
            return self._made[1]


_process = _Process()


def client() -> LendingClient:
    """The client of this process, with the settings' service account. It opens nothing yet."""
    return _process.client()


def trial_client() -> LendingClient:
    """A client that asks the issuer itself: a shared token would hide that the secret is wrong.

    Its calls leave no lines in the log.
    """
    return _Account.from_settings().client(MemoryTokenStore())


def app(app_id: str) -> AppClient:
    """The resources of one of the apps in LENDING_APPS. Raises Http404 for any other."""
    return client().app(lending_app(app_id).app_id)


def _log(call: Call) -> None:
    """One line for each call. No path: it holds ids of people."""
    observing.keep(call)
    logger.info(
        "%s %s in %.0f ms, attempts %d%s, request id %s, %s",
        call.operation,
        call.status or "without answer",
        call.seconds * 1000,
        call.attempts,
        f" ({', '.join(call.faults)})" if call.faults else "",
        call.request_id or "none",
        call.error or "ok",
    )

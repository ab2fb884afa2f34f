"""One client for each process, made from the settings at the first use."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from django.conf import settings

from lendingadmin.core.gateway import health
from lendingadmin.core.gateway.lending_apps import lending_app
from lendingadmin.core.monitoring import request_ids
from lendingadmin.lending.client import AppClient, LendingClient
from lendingadmin.lending.forks import ForkSafe
from lendingadmin.lending.operations import CustomMethods
from lendingadmin.lending.tokens import TokenSource, TokenStore
from lendingadmin.lending.transport import Call
from lendingadmin.lending.wire import Route

logger = logging.getLogger("lendingadmin.core.gateway")

_collected: ContextVar[list[Call] | None] = ContextVar("collected", default=None)


class _Process(ForkSafe):
    """The client of this process, and the settings from which it was made."""

    def reset(self) -> None:
        """Start without a client, because a forked child makes its own client."""
        self.lock = threading.Lock()
        self.made_of: tuple[str, ...] = ()
        self.client: LendingClient


_process = _Process()


def client() -> LendingClient:
    """Return the client of this process for the settings' service account.

    The client opens no connection yet.
    """
    account = settings.LENDING_AUTH_URL, settings.LENDING_CLIENT_ID, settings.LENDING_SCOPE
    made_of = (
        *account,
        settings.LENDING_CLIENT_SECRET,
        settings.LENDING_BASE_URL,
        settings.LENDING_PROJECT_ID,
        settings.LENDING_CUSTOM_METHODS,
        settings.LENDING_CA_FILE,
        settings.LENDING_PROXY,
    )
    with _process.lock:
        if _process.made_of != made_of:
            # Imported here, because Django imports this package before models can be imported.
            from lendingadmin.core.gateway.models import DatabaseTokenStore

            _process.client = _make_client(DatabaseTokenStore(*account), _keep_call)
            _process.made_of = made_of
        return _process.client


def trial_client() -> LendingClient:
    """Return a client that gets its own token, because a shared token would hide a wrong secret.

    Its calls write no lines to the log.
    """
    return _make_client(store=None)


def _make_client(
    store: TokenStore | None, on_call: Callable[[Call], None] | None = None
) -> LendingClient:
    route = Route(settings.LENDING_CA_FILE, settings.LENDING_PROXY)
    tokens = TokenSource(
        settings.LENDING_AUTH_URL,
        settings.LENDING_CLIENT_ID,
        settings.LENDING_CLIENT_SECRET,
        settings.LENDING_SCOPE,
        store,
        route=route,
    )
    return LendingClient(
        settings.LENDING_BASE_URL,
        settings.LENDING_PROJECT_ID,
        tokens,
        custom_methods=cast(CustomMethods, settings.LENDING_CUSTOM_METHODS),
        on_call=on_call,
        route=route,
        build_headers=request_ids.build_headers,
    )


def app(app_id: str) -> AppClient:
    """Return the resources of an app in LENDING_APPS. Raise Http404 for any other app."""
    return client().app(lending_app(app_id).app_id)


@contextmanager
def calls() -> Iterator[list[Call]]:
    """Collect the calls that this thread makes inside the block, in their order.

    When this block ends, an outer block gets these calls too.
    """
    made: list[Call] = []
    before = _collected.set(made)
    try:
        yield made
    finally:
        _collected.reset(before)
        if (around := _collected.get()) is not None:
            around.extend(made)


def _keep_call(call: Call) -> None:
    """Update the state of the service and the metrics, collect the call, and log one line.

    The line does not have the path, because a path contains ids of borrowers.
    """
    # Imported here, because settings import this package, and the metrics read the settings.
    from lendingadmin.core.monitoring import request_lines

    health.note_call(call)
    request_lines.note_call(call)
    if (made := _collected.get()) is not None:
        made.append(call)
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

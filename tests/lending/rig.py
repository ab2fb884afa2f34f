"""A client in front of a server that a test commands."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from lendingadmin.lending.client import LendingClient
from lendingadmin.lending.tokens import AccessToken, TokenSource
from lendingadmin.lending.transport import Transport
from tests.faults.behaviours import reply
from tests.faults.server import Wire

LIMITS: dict[str, Any] = {
    "connect_timeout": 2.0,
    "read_timeout": 8.0,
    "deadline": 15.0,
    "backoff": 0.01,
    "slot_wait": 0.1,
}
HASTY: dict[str, Any] = {"connect_timeout": 0.3, "read_timeout": 0.3, "deadline": 0.9}
LOAN = {"accountId": "L1", "loanAmount": 100}


def any_loan(wire: Wire) -> bool:
    """Answers with the loan that the address names."""
    named = wire.request.path.rpartition("/")[2].removesuffix(":makeRepayment")
    return reply(LOAN | {"accountId": unquote(named)})(wire)


class FixedTokens:
    """One token that never changes."""

    def __init__(self, value: str = "token-1") -> None:
        now = datetime.now(UTC)
        self._token = AccessToken(value, now, now + timedelta(hours=1), "platform.lending")
        self.asked = 0

    def get_token(self) -> AccessToken:
        self.asked += 1
        return self._token

    def drop(self, refused: str) -> bool:
        return False


def transport_to(url: str, tokens: Any = None, **options: Any) -> Transport:
    return Transport(url, tokens or FixedTokens(), **(LIMITS | options))


def client_of(transport: Transport) -> LendingClient:
    return LendingClient("http://unused", "demo", transport.tokens, transport=transport)  # type: ignore[arg-type]


def client_to(url: str, tokens: Any = None, **options: Any) -> LendingClient:
    return client_of(transport_to(url, tokens, **options))


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def source_at(url: str, **options: Any) -> TokenSource:
    return TokenSource(url, "account", "hush-hush", **({"timeout": 8.0} | options))

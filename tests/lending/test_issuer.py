"""The token issuer: what it is asked, how its answer is read, what its failures mean."""

from datetime import UTC, datetime
from decimal import Decimal
from urllib.parse import parse_qs

import pytest

from lendingadmin.lending.errors import (
    LendingError,
    RateLimited,
    Saved,
    ServiceFault,
    TimedOut,
    Unreachable,
    Unreadable,
)
from lendingadmin.lending.tokens import read_lifetime
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending.rig import Clock, client_to, source_at

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
EPOCH = int(NOW.timestamp())
TOKEN = "/v1/oauth2/token"


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        ({"expires_at": EPOCH + 600}, 600),
        ({"expires_at": (EPOCH + 600) * 10**3}, 600),
        ({"expires_at": (EPOCH + 600) * 10**6}, 600),
        ({"expires_at": (EPOCH + 600) * 10**9}, 600),
        ({"expires_at": Decimal(EPOCH) + Decimal("600.5")}, 600.5),
        ({"expires_at": str(EPOCH + 600)}, 600),
        ({"expires_at": 600}, 600),
        ({"expires_at": 3599}, 3599),
        ({"expires_at": 86400}, 3600),
        ({"expires_at": EPOCH + 86400}, 3600),
        ({"expires_at": "2026-05-01T12:10:00Z"}, 600),
        ({"expires_at": "2026-05-01T15:10:00+03:00"}, 600),
        ({"expires_at": "2026-05-01T12:10:00"}, 600),
        ({"expires_in": 700}, 700),
        ({"expires_in": "700"}, 700),
        ({"expires_at": None, "expires_in": 700}, 700),
        ({"expires_at": EPOCH - 5, "expires_in": 700}, 700),
        ({"expires_at": EPOCH - 5}, 300),
        ({"expires_at": EPOCH + 31 * 86400}, 300),
        ({"expires_at": "2026-04-01T00:00:00Z"}, 300),
        ({"expires_at": "soon"}, 300),
        ({"expires_at": True}, 300),
        ({"expires_at": -1}, 300),
        ({"expires_at": 0}, 300),
        ({"expires_at": 10**400}, 300),
        ({"expires_at": Decimal("1E+390")}, 300),
        ({"expires_at": {"seconds": 5}}, 300),
        ({"expires_in": -1}, 300),
        ({}, 300),
    ],
    ids=str,
)
def test_life(answer: dict[str, object], seconds: float) -> None:
    assert read_lifetime(answer, NOW).total_seconds() == pytest.approx(seconds, abs=0.01)


def test_the_request_is_that_of_the_spec(fault_server: FaultServer) -> None:
    fault_server.on(TOKEN, do.token(scope="platform.lending"))
    token = source_at(fault_server.url).get_token()
    sent = fault_server.last()
    assert (sent.method, sent.path) == ("POST", TOKEN)
    assert sent.headers["content-type"] == "application/x-www-form-urlencoded"
    assert parse_qs(sent.body.decode()) == {
        "client_id": ["account"],
        "client_secret": ["hush-hush"],
        "grant_type": ["client_credentials"],
        "scope": ["platform.lending"],
    }
    assert (token.value, token.scope) == ("token-1", "platform.lending")


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (do.refusal(429), RateLimited),
        (do.refusal(500), ServiceFault),
        (do.redirect("/elsewhere"), ServiceFault),
        (do.reset(), ServiceFault),
        (do.hang(), TimedOut),
        (do.drip_headers(), TimedOut),
        (do.drip_body(), TimedOut),
        (do.html(), Unreadable),
        (do.empty(), Unreadable),
        (do.reply([]), Unreadable),
        (do.reply({"access_token": None}), Unreadable),
        (do.reply({"access_token": "a\r\nX-Evil: 1"}), Unreadable),
        (do.reply({"access_token": "sp ace"}), Unreadable),
    ],
)
def test_a_failing_issuer_means_that_nothing_was_sent(
    behaviour: "do.Behaviour", error: type[LendingError], fault_server: FaultServer
) -> None:
    fault_server.on(TOKEN, behaviour)
    clock = Clock()
    source = source_at(fault_server.url, timeout=1.0 if error is TimedOut else 8.0, clock=clock)
    loans = client_to(fault_server.url, source).app("kenya").loans
    for _ in range(3):  # the clock stands still, so only the first asks
        with pytest.raises(LendingError) as caught:
            loans.make_repayment("L1", {"externalId": "R1"})
        assert (type(caught.value), caught.value.saved) == (error, Saved.NO)
    assert (fault_server.hits(TOKEN), fault_server.hits()) == (1, 1)
    clock.forward(3)
    fault_server.on(TOKEN, do.token())
    if error is not RateLimited:
        assert source.get_token().value == "token-1"


def test_an_issuer_out_of_reach(refused_address: str) -> None:
    with pytest.raises(Unreachable) as caught:
        source_at(refused_address).get_token()
    assert caught.value.saved is Saved.NO

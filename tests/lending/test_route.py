"""How the service is reached: by whose certificate, and by which proxy."""

from pathlib import Path

import pytest

from lendingadmin.lending.errors import Saved, Unreachable, Untrusted
from lendingadmin.lending.tokens import TokenSource
from lendingadmin.lending.wire import Route
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending.rig import LOAN, any_loan, client_to
from tests.lending.test_in_step import tls_server

__all__ = ["tls_server"]


def test_a_certificate_of_ones_own_is_trusted_where_its_file_is_named(
    tls_server: FaultServer, tmp_path: Path
) -> None:
    tls_server.on("/loans/", any_loan)
    route = Route(ca_file=str(tmp_path / "own.pem"))
    loans = client_to(tls_server.url, route=route).app("kenya").loans
    assert loans.get("L1").account_id == "L1"
    tls_server.on("makeRepayment", do.reply(LOAN))
    assert loans.make_repayment("L1", {}).account_id == "L1"


def test_another_is_refused_and_nothing_is_sent(tls_server: FaultServer) -> None:
    calls = []
    client = client_to(tls_server.url, on_call=calls.append)
    loans = client.app("kenya").loans
    for call in (lambda: loans.get("L1"), lambda: loans.make_repayment("L1", {})):
        with pytest.raises(Untrusted) as caught:
            call()
        assert isinstance(caught.value, Unreachable) and caught.value.saved == Saved.NO
        assert "certificate" in caught.value.message
    assert tls_server.hits() == 0
    # A certificate does not get better by asking again.
    assert [call.attempts for call in calls] == [1, 1]


def test_the_issuer_s_certificate_too(tls_server: FaultServer, tmp_path: Path) -> None:
    tls_server.on("/token", do.token("token-1"))
    with pytest.raises(Untrusted, match=r"certificate.*sign-in server"):
        TokenSource(tls_server.url, "me", "secret").get_token()
    route = Route(ca_file=str(tmp_path / "own.pem"))
    assert TokenSource(tls_server.url, "me", "secret", route=route).get_token().value == "token-1"


def test_calls_and_tokens_go_by_the_proxy(fault_server: FaultServer) -> None:
    fault_server.on("/loans/", any_loan)
    fault_server.on("/token", do.token("token-1"))
    route = Route(proxy=fault_server.url)
    service = "http://service.invalid"
    tokens = TokenSource(service, "me", "secret", route=route)
    client = client_to(service, tokens, route=route)
    assert client.app("kenya").loans.get("L1").account_id == "L1"
    lines = [one.line for one in fault_server.arrived]
    assert len(lines) == 2 and all(f" {service}/" in line for line in lines)


def test_a_proxy_may_need_a_password_which_no_repr_shows() -> None:
    proxy = "http://me:secret@proxy.invalid:3128"  # pragma: allowlist secret
    assert "secret" not in repr(Route(proxy=proxy))

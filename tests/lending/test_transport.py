"""What goes out over the wire, what comes back, and who hears of it."""

import threading
from collections.abc import Callable
from decimal import Decimal

import pytest

from lendingadmin.lending.errors import LendingError, Saved, Unreachable
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.transport import Call
from lendingadmin.lending.wire import Route
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending.rig import LOAN, FixedTokens, transport_to

READ, WRITE = OPERATIONS["loans.get"], OPERATIONS["loans.makeRepayment"]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/a%2Fb",
        "/v1/a%2fb",
        "/v1/%2E%2E%2Fx",
        "/v1/%7Etilde/%3F%23%25",
        "/v1/%C3%A9%20%E4%BA%BA",
        "/v1/L1:makeRepayment",
        "/v1/%3A:makeRepayment",
        "/v1/a%252Fb",
    ],
)
@pytest.mark.parametrize("operation", [READ, WRITE], ids=["read", "write"])
def test_the_path_goes_out_as_it_is(operation, path: str, fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.reply(LOAN))
    transport_to(fault_server.url + "/base").call(operation, path)
    assert fault_server.last().path.lower() == f"/base{path}".lower()
    assert fault_server.last().path.count("%25") == path.count("%25")


def test_the_query_is_encoded_whole(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.reply(LOAN))
    transport_to(fault_server.url).call(
        READ, "/v1/x", query={"filter": "status:2 borrowerId:é/&", "pageToken": "a+b="}
    )
    assert fault_server.last().path == (
        "/v1/x?filter=status%3A2%20borrowerId%3A%C3%A9%2F%26&pageToken=a%2Bb%3D"
    )


def test_headers_and_body_are_those_of_the_spec(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.reply(LOAN))
    transport = transport_to(fault_server.url)
    body = {"amount": Decimal("10.10"), "big": Decimal("12345678901234567.89"), "notes": "é"}
    transport.call(WRITE, "/v1/x", body=body)
    sent = fault_server.last()
    assert sent.headers["authorization"] == "Bearer token-1"
    assert sent.headers["content-type"] == "application/json"
    assert sent.body == '{"amount":10.10,"big":12345678901234567.89,"notes":"é"}'.encode()
    transport.call(READ, "/v1/x")
    assert "content-type" not in fault_server.last().headers


def test_numbers_come_back_digit_by_digit(fault_server: FaultServer) -> None:
    body = b'{"a": 0.1, "b": 12345678901234567.890, "c": 7, "d": 1E+2, "name": "\\ud800x"}'
    fault_server.on("/v1/", do.reply(body, headers={"X-Request-Id": "r-1"}))
    answer = transport_to(fault_server.url).call(READ, "/v1/x")
    assert str(answer.json) == str(
        {
            "a": Decimal("0.1"),
            "b": Decimal("12345678901234567.890"),
            "c": 7,
            "d": Decimal("1E+2"),
            "name": "\ufffdx",
        }
    )
    assert (answer.status, answer.request_id) == (200, "r-1")
    assert answer.read_at.utcoffset() is not None


def test_a_packed_answer_is_unpacked(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.gzipped(b'{"a": 1.10}'))
    assert transport_to(fault_server.url).call(READ, "/v1/x").json == {"a": Decimal("1.10")}


def test_an_empty_answer_is_none(fault_server: FaultServer) -> None:
    fault_server.on("DELETE", do.empty(204))
    answer = transport_to(fault_server.url).call(OPERATIONS["loans.delete"], "/v1/x")
    assert (answer.json, answer.status) == (None, 204)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"amount": 10.5}, TypeError),
        ({"rows": [{"amount": 10.5}]}, TypeError),
        ({"amount": Decimal("NaN")}, ValueError),
        ({"amount": Decimal("Infinity")}, ValueError),
        ({"amount": b"1"}, TypeError),
        ({"notes": "\ud800"}, ValueError),
    ],
    ids=["float", "inner float", "NaN", "Infinity", "bytes", "lone surrogate"],
)
def test_what_json_cannot_carry_is_not_sent(body, error, fault_server: FaultServer) -> None:
    with pytest.raises(error):
        transport_to(fault_server.url).call(WRITE, "/v1/x", body=body)
    assert fault_server.connections() == 0


def test_reads_share_a_connection_and_each_write_opens_its_own(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.reply(LOAN))
    transport = transport_to(fault_server.url)
    for _ in range(3):
        transport.call(READ, "/v1/x")
    assert fault_server.connections() == 1
    for _ in range(3):
        transport.call(WRITE, "/v1/x")
    assert fault_server.connections() == 4


def test_the_observer_gets_facts_and_its_failure_hides_nothing(
    fault_server: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    fault_server.on(
        "/v1/", do.refusal(503), do.reply(LOAN, headers={"X-Request-Id": "r-7"}), do.refusal(404)
    )
    calls: list[Call] = []

    def observe(call: Call) -> None:
        calls.append(call)
        raise RuntimeError("observer broke")

    transport = transport_to(fault_server.url, on_call=observe)
    assert transport.call(READ, "/v1/x", query={"filter": "name:jane"}).status == 200
    with pytest.raises(LendingError):
        transport.call(WRITE, "/v1/y")
    first, second = calls
    assert (first.operation, first.method, first.path, first.status) == (
        "loans.get",
        "GET",
        "/v1/x",
        200,
    )
    assert (first.request_id, first.attempts, first.faults, first.error) == (
        "r-7",
        2,
        ("503",),
        None,
    )
    assert (second.status, second.attempts, second.faults, second.error) == (
        404,
        1,
        ("404",),
        "NotFound",
    )
    assert 0 <= second.seconds < 5
    assert "observer broke" in caplog.text


def test_the_environment_counts_only_when_asked_for(
    fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch, refused_address: str
) -> None:
    fault_server.on("/v1/", do.reply(LOAN))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("HTTP_PROXY", refused_address)
    monkeypatch.setenv("http_proxy", refused_address)
    transport_to(fault_server.url).call(READ, "/v1/x")
    with pytest.raises(Unreachable):
        transport_to(fault_server.url, route=Route(trust_env=True)).call(WRITE, "/v1/x")
    assert fault_server.hits() == 1


def test_a_write_through_a_proxy_knows_that_it_was_sent(
    fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault_server.on("", do.reset())
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", fault_server.url)
    asked = []
    with pytest.raises(LendingError) as caught:
        transport_to("http://service.invalid", route=Route(trust_env=True)).call(
            WRITE, "/v1/x", before_send=lambda: asked.append(1)
        )
    assert (caught.value.saved, asked, fault_server.hits("http://service.invalid/v1/x")) == (
        Saved.UNKNOWN,
        [1],
        1,
    )


def test_cookies_of_the_service_do_not_come_back(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.reply(LOAN, headers={"Set-Cookie": "who=jane; Path=/"}))
    transport = transport_to(fault_server.url)
    transport.call(READ, "/v1/x")
    transport.call(READ, "/v1/x")
    assert "cookie" not in fault_server.last().headers


def test_nothing_secret_shows(
    fault_server: FaultServer, caplog: pytest.LogCaptureFixture, refused_address: str
) -> None:
    caplog.set_level("DEBUG")
    secret = "very-secret-token"
    fault_server.on("/v1/", do.refusal(400, "Jane Doe is known"), do.reset())
    shown: list[str] = []
    calls: list[Call] = []
    tokens = FixedTokens(secret)
    for url in (fault_server.url, fault_server.url, refused_address):
        transport = transport_to(url, tokens, on_call=calls.append)
        with pytest.raises(LendingError) as caught:
            transport.call(WRITE, "/v1/x", body={"notes": "private words"})
        error: BaseException | None = caught.value
        while error is not None:
            shown += [repr(error), str(error)]
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        shown += [repr(transport), repr(tokens.get_token()), repr(vars(transport))]
    shown += [repr(calls), caplog.text]
    for word in (secret, "private words", "Jane Doe"):
        assert not [text for text in shown if word in text]


def test_threads_do_not_share_a_connection(fault_server: FaultServer) -> None:
    fault_server.on("/v1/", do.reply(LOAN))
    transport = transport_to(fault_server.url)
    work: Callable[[], object] = lambda: transport.call(READ, "/v1/x")  # noqa: E731
    work()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert fault_server.connections() == 2

"""The proxy before a real server, here another server of ours: what each side gets to see."""

from collections.abc import Callable

import pytest
import requests

from tests.faults import behaviours as do
from tests.faults.server import FaultServer

Proxy = Callable[[str], FaultServer]


def post(server: FaultServer, **options: float) -> requests.Response:
    return requests.post(f"{server.url}/v1/a%2Fb?x=1", json={"amount": 1}, **options)


def test_the_proxy_passes_everything_on(fault_server: FaultServer, fault_proxy: Proxy) -> None:
    fault_server.on("POST", do.reply({"ok": True}, 201, {"X-Request-Id": "r-1"}))
    proxy = fault_proxy(fault_server.url)
    answer = post(proxy)
    assert (answer.status_code, answer.json(), answer.headers["X-Request-Id"]) == (
        201,
        {"ok": True},
        "r-1",
    )
    assert fault_server.last().path == "/v1/a%2Fb?x=1"
    assert fault_server.last().json() == {"amount": 1}


def test_a_dropped_request_never_arrives(fault_server: FaultServer, fault_proxy: Proxy) -> None:
    proxy = fault_proxy(fault_server.url)
    proxy.once("POST", do.reset())
    with pytest.raises(requests.ConnectionError):
        post(proxy)
    assert (proxy.hits(), fault_server.hits()) == (1, 0)


def test_a_dropped_answer_was_handled(fault_server: FaultServer, fault_proxy: Proxy) -> None:
    fault_server.on("POST", do.reply({"ok": True}))
    proxy = fault_proxy(fault_server.url)
    proxy.once("POST", do.handled_then(do.reset()), do.handled_then(do.hang()))
    with pytest.raises(requests.ConnectionError):
        post(proxy)
    with pytest.raises(requests.ReadTimeout):
        post(proxy, timeout=0.3)
    assert post(proxy).json() == {"ok": True}  # both rules are used up
    assert fault_server.hits() == len(proxy.forwarded) == 3


def test_a_slow_answer_was_handled_at_once(fault_server: FaultServer, fault_proxy: Proxy) -> None:
    fault_server.on("POST", do.reply({"ok": True}))
    proxy = fault_proxy(fault_server.url)
    proxy.once("POST", do.slow_answer(30))
    with pytest.raises(requests.ReadTimeout):
        post(proxy, timeout=0.5)
    assert fault_server.hits() == 1


def test_rules_stay_or_step_aside(fault_server: FaultServer) -> None:
    fault_server.on("POST", do.refusal(503), do.reply({"n": 1}))
    fault_server.once("POST", do.refusal(429))
    assert [post(fault_server).status_code for _ in range(4)] == [429, 503, 200, 200]


def test_refused_and_unanswered(refused_address: str, unanswered_address: str) -> None:
    with pytest.raises(requests.ConnectionError):
        requests.get(refused_address, timeout=5)
    with pytest.raises(requests.ConnectTimeout):
        requests.get(unanswered_address, timeout=0.3)

"""The id of a request: taken or made, answered, logged, and sent on to the service."""

import re
import threading
from functools import partial

import pytest
from django.test import Client

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.monitoring.request_ids import (
    RequestId,
    build_headers,
    find_request_id,
    make_request_id,
    use_request_id,
)
from lendingadmin.lending.parallel import read_in_parallel, write_in_parallel
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending.rig import LOAN, any_loan, client_to

ROLE = "manager"
TRACE = "ab" * 16
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"X-Request-ID": "a1b2c3d4-proxy.7"}, ("a1b2c3d4-proxy.7", None, "00")),
        ({"traceparent": PARENT}, (TRACE, TRACE, "01")),
        ({"X-Request-ID": "a1b2c3d4", "traceparent": PARENT}, ("a1b2c3d4", TRACE, "01")),
        ({"X-Request-ID": "too-sho"}, (None, None, "00")),
        ({"X-Request-ID": "x" * 65}, (None, None, "00")),
        ({"X-Request-ID": "8 letters\nforged line"}, (None, None, "00")),
        ({"traceparent": PARENT.upper()}, (None, None, "00")),
        ({"traceparent": f"00-{'0' * 32}-00f067aa0ba902b7-01"}, (None, None, "01")),
        ({"traceparent": f"00-{TRACE}-{'0' * 16}-01"}, (None, None, "00")),
        ({}, (None, None, "00")),
    ],
)
def test_what_is_taken_of_headers(
    headers: dict[str, str], expected: tuple[str | None, str | None, str]
) -> None:
    found = make_request_id(headers)
    for got, wanted in zip(found, expected, strict=True):
        if wanted is None:  # a new one
            assert re.fullmatch("[0-9a-f]{32}", got) and int(got, 16)
        else:
            assert got == wanted
    assert make_request_id(headers).id == found.id or expected[0] is None


def test_it_ends_with_its_block() -> None:
    assert (find_request_id(), build_headers()) == ("", {})
    with use_request_id(RequestId("outer-one", TRACE)):
        with use_request_id(RequestId("inner-one", TRACE)):
            assert find_request_id() == "inner-one"
        assert find_request_id() == "outer-one"
        assert re.fullmatch(f"00-{TRACE}-[0-9a-f]{{16}}-00", build_headers()["traceparent"])
    assert (find_request_id(), build_headers()) == ("", {})


def test_each_call_bears_it_from_whatever_thread(fault_server: FaultServer) -> None:
    fault_server.on("/loans/", any_loan)
    client = client_to(fault_server.url, build_headers=build_headers)
    loans = client.app("kenya").loans
    threads = set()

    def get(key: str) -> object:
        threads.add(threading.get_ident())
        return loans.get(key)

    with use_request_id(RequestId("desk-request", TRACE)):
        get("L0")
        read_in_parallel(client, partial(get, "L1"), partial(get, "L2"))
        write_in_parallel(client, *(partial(loans.make_repayment, key, {}) for key in ("L1", "L2")))
    get("L9")
    assert len(threads) > 1
    *inside, outside = [one.headers for one in fault_server.arrived]
    assert len(inside) == 5
    assert {one["x-request-id"] for one in inside} == {"desk-request"}
    assert {one["traceparent"].split("-")[1] for one in inside} == {TRACE}
    assert "x-request-id" not in outside and "traceparent" not in outside


@pytest.mark.django_db
def test_a_page_answers_with_it_and_asks_the_service_with_it(
    app: LendingApp, proxy: FaultServer, desk: Client
) -> None:
    page = desk.get(f"/apps/{app.app_id}/loans/", headers={"X-Request-ID": "from-the-proxy"})
    assert page.status_code == 200 and page["X-Request-ID"] == "from-the-proxy"
    asked = [one for one in proxy.arrived if "/loans" in one.path]
    assert {one.headers["x-request-id"] for one in asked} == {"from-the-proxy"} and asked


@pytest.mark.django_db
def test_the_page_of_our_own_fault_names_it(desk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("ours")

    desk.raise_request_exception = False
    monkeypatch.setattr("lendingadmin.people.search.opened.filter_opened", broken)
    page = desk.get("/apps/kenya/find/last", headers={"traceparent": PARENT})
    assert page.status_code == 500 and page["X-Request-ID"] == TRACE
    assert TRACE in page.content.decode()


def test_the_service_is_told_the_version(fault_server: FaultServer) -> None:
    fault_server.on("/loans/", do.reply(LOAN))
    client_to(fault_server.url).app("kenya").loans.get("L1")
    from lendingadmin import __version__

    [arrived] = fault_server.arrived
    assert arrived.headers["user-agent"] == f"lendingadmin/{__version__}"


def test_the_client_of_the_settings_sends_it() -> None:
    assert gateway.client().transport.build_headers is build_headers

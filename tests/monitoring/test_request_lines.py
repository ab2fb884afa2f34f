"""One line for each request: a route, a status, where the time went, and nobody's id."""

import io
import json
import logging
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils.log import configure_logging
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.monitoring.request_lines import QueryTimer, sum_spans
from tests.faults import behaviours as do
from tests.faults.server import FaultServer

ROLE = "manager"
_LINE = re.compile(
    r"(GET|POST) (\S+) (\d+), own (\d+) ms, sql (\d+) in (\d+) ms, calls (\d+) in (\d+) ms, (.+)"
)


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[tuple[str, ...]]]:
    """The lines so far, in their parts."""
    caplog.set_level(logging.INFO, "lendingadmin.requests")

    def read() -> list[tuple[str, ...]]:
        found = []
        for record in caplog.records:
            if record.name == "lendingadmin.requests":
                match = _LINE.fullmatch(record.getMessage())
                assert match, record.getMessage()
                found.append(match.groups())
        return found

    return read


@pytest.mark.django_db
def test_a_page_has_its_line(
    app: LendingApp, proxy: FaultServer, desk: Client, lines: Callable[[], list[tuple[str, ...]]]
) -> None:
    proxy.on("/borrowers/b", do.late(do.forward(), 0.3))
    page = desk.get(f"/apps/{app.app_id}/borrowers/b/?whole=1")
    [(method, route, status, own, queries, _, calls, in_calls, role)] = lines()
    assert (method, status, role) == ("GET", "200", "manager")
    assert route == "/apps/<slug:app_id>/borrowers/<key:borrower_id>/"
    assert int(calls) == len(page.wsgi_request.calls_made) > 1
    assert int(in_calls) >= 300 and int(queries) > 0
    timing = dict(re.findall(r"(\w+);dur=([\d.]+)", page["Server-Timing"]))
    assert timing.keys() == {"own", "db", "service"}
    assert float(timing["service"]) == pytest.approx(int(in_calls), abs=1)
    assert float(timing["own"]) == pytest.approx(int(own), abs=1)
    assert f'desc="{calls} calls"' in page["Server-Timing"]


@pytest.mark.django_db
def test_a_stranger_and_who_may_not_see_calls_get_no_timing(
    app: LendingApp, client_of: Any, viewer: Any, lines: Callable[[], list[tuple[str, ...]]]
) -> None:
    for person in (viewer, None):
        page = client_of(person).get("/accounts/login/" if person is None else "/glossary/")
        assert page.status_code == 200 and "Server-Timing" not in page
    assert [one[1] for one in lines()] == ["/glossary/", "/accounts/login/"]
    assert lines()[-1][-1] == "-"


@pytest.mark.django_db
def test_health_is_quiet_while_it_is_well(
    client: Client,
    lines: Callable[[], list[tuple[str, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert client.get("/healthz").status_code == client.get("/readyz").status_code == 200
    assert lines() == []
    waiting = frozenset({("loans", "9999_next")})
    monkeypatch.setattr("lendingadmin.core.monitoring.readiness.list_migrations", lambda: waiting)
    assert client.get("/readyz").status_code == 503
    assert [one[1:3] for one in lines()] == [("/readyz", "503")]


@pytest.mark.django_db
def test_the_timer_counts_what_the_connection_runs() -> None:
    timer = QueryTimer()
    with connection.execute_wrapper(timer), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        with pytest.raises(Exception, match="no_such"):
            cursor.execute("SELECT no_such")
    assert timer.count == 2 and timer.seconds > 0


_SPANS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)))


@pytest.mark.django_db
def test_a_slow_call_has_a_line_and_others_have_none(
    app: LendingApp,
    proxy: FaultServer,
    desk: Client,
    caplog: pytest.LogCaptureFixture,
    settings: Any,
) -> None:
    settings.SLOW_CALL = timedelta(hours=1)
    address = f"/apps/{app.app_id}/loans/L-254700000001/"
    desk.get(address)
    assert not [one for one in caplog.records if one.name == "lendingadmin.calls"]
    settings.SLOW_CALL = timedelta(microseconds=1)
    proxy.on("/loans/L-254700000001", do.refusal(500))
    desk.get(address, headers={"X-Request-ID": "an-id-of-ours"})
    found = [one for one in caplog.records if one.name == "lendingadmin.calls"]
    said = next(one for one in found if "loans.get " in one.getMessage())
    words = r"slow call: loans\.get ServiceFault, status 500, \d+\.\d s, \d+ tries"
    assert re.fullmatch(words, said.getMessage())
    assert "254700000001" not in repr([vars(one) for one in found])


@given(_SPANS)
def test_spans_count_each_moment_once(spans: list[tuple[int, int]]) -> None:
    ends = [(begin, begin + length) for begin, length in spans]
    covered = {moment for begin, end in ends for moment in range(begin, end)}
    assert sum_spans(ends) == len(covered)


@pytest.mark.parametrize("form", ["line", "json"])
def test_both_forms_of_the_log_have_the_id(form: str, settings: Any) -> None:
    written = io.StringIO()
    handlers = settings.LOGGING["handlers"]
    stderr = handlers["stderr"] | {"formatter": form, "stream": written}
    try:
        configure_logging(
            "logging.config.dictConfig",
            settings.LOGGING | {"handlers": handlers | {"stderr": stderr}},
        )
        Client().get("/nowhere/", headers={"X-Request-ID": "an-id-of-ours"})
        logging.getLogger("lendingadmin.core.worker").warning("outside of any")
    finally:
        configure_logging("logging.config.dictConfig", settings.LOGGING)
    *_, line, missing, outside = written.getvalue().splitlines()
    if form == "line":
        assert " INFO lendingadmin.requests an-id-of-ours GET - 404, own " in line
        assert " WARNING django.request an-id-of-ours Not Found" in missing
        assert " WARNING lendingadmin.core.worker - outside of any" in outside
    else:
        read = json.loads(line)
        kept = {key: read[key] for key in ("request_id", "method", "route", "status", "calls")}
        assert kept == {
            "request_id": "an-id-of-ours",
            "method": "GET",
            "route": "-",
            "status": 404,
            "calls": 0,
        }
        assert json.loads(missing)["request_id"] == "an-id-of-ours"
        assert json.loads(outside)["request_id"] == "-"

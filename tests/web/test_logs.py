"""Ids may be phone numbers: no address of a page reaches the log."""

import logging
import sys

import pytest
from django.db import OperationalError
from redis.exceptions import ConnectionError as RedisGone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.web.logs import NO_ROUTE, NoAddress, OneOutage
from tests.conftest import ClientOf
from tests.search.words import place_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """The log as the settings' handler writes it."""
    caplog.handler.addFilter(NoAddress())
    caplog.set_level(logging.INFO)
    return caplog


def list_not_found(heard: pytest.LogCaptureFixture) -> list[object]:
    """Return what the log names as the places at which nothing is."""
    lines = [one for one in heard.records if getattr(one, "status_code", 0) == 404]
    return [one.args[-1] for one in lines if isinstance(one.args, tuple)]


def test_a_record_that_is_not_there_is_logged_by_its_route(
    heard: pytest.LogCaptureFixture,
    client_of: ClientOf,
    viewer: User,
    app: LendingApp,
) -> None:
    client_of(viewer).get(f"/apps/{app.app_id}/loans/254700000001/")
    assert "254700000001" not in heard.text
    assert "loans/<key:account_id>/" in heard.text


def test_an_address_without_a_route_is_not_repeated(
    heard: pytest.LogCaptureFixture, client_of: ClientOf, viewer: User
) -> None:
    client_of(viewer).get("/nowhere/254700000001")
    assert "254700000001" not in heard.text
    assert list_not_found(heard) == [NO_ROUTE]


def test_nor_is_one_that_django_writes_in_escapes(
    heard: pytest.LogCaptureFixture,
    client_of: ClientOf,
    viewer: User,
    app: LendingApp,
) -> None:
    client_of(viewer).get(f"/apps/{app.app_id}/loans/محمد-254700000001/")
    assert "254700000001" not in heard.text
    assert list_not_found(heard) == [NO_ROUTE]


def test_what_was_looked_for_is_in_no_line(
    heard: pytest.LogCaptureFixture,
    client_of: ClientOf,
    viewer: User,
    app: LendingApp,
) -> None:
    desk = client_of(viewer)
    desk.get(place_of(desk, app.app_id, "cellar", "254700000001"))
    desk.post(f"/apps/{app.app_id}/find", {"q": "254700000001"}, follow=True)
    assert "254700000001" not in heard.text
    assert "find/for/<str:encrypted>/in/<slug:place>" in heard.text


def make_record(error: Exception) -> logging.LogRecord:
    try:
        raise ValueError("what a view made of it") from error
    except ValueError:
        info = sys.exc_info()
    return logging.LogRecord(
        "django.request", logging.ERROR, "", 0, "%s: %s", ("Fault", "/r/"), info
    )


@pytest.mark.parametrize("error", [OperationalError("refused"), RedisGone("refused")])
def test_an_outage_is_a_line_in_ten_seconds_without_its_trace(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, one_outage = [], OneOutage()
    for now in (1000.0, 1000.5, 1009.9, 1010.0, 1010.1, 1021.0):
        monkeypatch.setattr("lendingadmin.web.logs.time.monotonic", lambda now=now: now)
        record = make_record(error)
        if one_outage.filter(record):
            said.append(logging.Formatter().format(record))
    assert said == [
        f"Fault: /r/: {type(error).__name__}",
        f"Fault: /r/: {type(error).__name__}, and 2 more since the last line",
        f"Fault: /r/: {type(error).__name__}, and 1 more since the last line",
    ]


def test_a_fault_of_our_own_keeps_its_trace_each_time() -> None:
    one_outage = OneOutage()
    for _ in range(3):
        record = make_record(KeyError("ours"))
        assert one_outage.filter(record)
        assert "KeyError" in logging.Formatter().format(record)

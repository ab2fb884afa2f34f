"""Where the log goes, and that each of its lines says when."""

import logging
import time

import pytest
from django.conf import settings
from django.test import Client

from lendingadmin.core.monitoring.request_ids import RequestIdFilter
from lendingadmin.settings import LOGGING


def test_it_goes_to_the_process_s_own_streams_and_nowhere_else() -> None:
    handlers = {one["class"] for one in LOGGING["handlers"].values()}
    assert handlers == {"logging.StreamHandler", "logging.NullHandler"}
    assert LOGGING["root"]["handlers"] == ["stderr"]
    named = {name for one in LOGGING["loggers"].values() for name in one.get("handlers", ())}
    assert named == {"stdout", "nowhere"}


def test_a_line_says_the_time_in_utc_the_level_and_the_part() -> None:
    assert settings.TIME_ZONE == "UTC"
    assert time.localtime(0)[:5] == time.gmtime(0)[:5]
    made = logging.Formatter(LOGGING["formatters"]["line"]["format"], style="{")
    record = logging.LogRecord("lendingadmin.core.gateway", logging.INFO, "", 0, "done", (), None)
    record.created, record.msecs = 0.0, 0.0
    assert "request_id" in LOGGING["handlers"]["stderr"]["filters"]
    assert RequestIdFilter().filter(record)
    assert made.format(record) == "1970-01-01 00:00:00,000 INFO lendingadmin.core.gateway - done"


def test_a_fault_of_our_own_is_logged_with_its_trace(
    client: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    def break_down(*_: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr("lendingadmin.core.monitoring.readiness.MigrationRecorder", break_down)
    client.raise_request_exception = False
    answer = client.get("/readyz")
    assert (answer.status_code, b"ours" in answer.content) == (500, False)
    (record,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert record.exc_info and "break_down" in logging.Formatter().format(record)

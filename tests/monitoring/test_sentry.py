"""What leaves for Sentry when something breaks: recorded by a stub that takes all of it."""

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import brotli
import pytest

from lendingadmin import __version__
from tests.databases import copy_to_file
from tests.test_checks import product

CANARY, NUMBER = "Zebrafink", "+254700000017"
# A view breaks with a person's data wherever data can be, and so do a task and a line of the log.
_BREAK = f"""
import logging
import django
django.setup()
from django.conf import settings
from django.test import Client
from django.urls import path
import sentry_sdk
from lendingadmin.core.monitoring.request_ids import make_request_id, use_request_id
from lendingadmin.web.access import public

@public(methods=("POST",))
def broken(request, name):
    held = request.POST["note"]
    raise ValueError(f"{{held}} of {{name}}")

urlpatterns = [path("apps/<name>/", broken, name="start")]
settings.ROOT_URLCONF = "__main__"
client = Client(raise_request_exception=False, headers={{"X-Request-ID": "told-by-a-proxy"}})
client.cookies["sessionid"] = "{CANARY}"
address = "/apps/{CANARY}/?q={CANARY}"
answer = client.post(address, {{"note": "{CANARY} {NUMBER}"}}, HTTP_USER_AGENT="{CANARY}")
assert answer.status_code == 500, answer.status_code
with use_request_id(make_request_id({{"X-Request-ID": "of-a-task"}})):
    try:
        int("{CANARY}")
    except ValueError:
        logging.getLogger("lendingadmin.core.worker").exception("%s broke", "{CANARY}")
logging.getLogger("lendingadmin.core.worker").error("no trace of {NUMBER}")
sentry_sdk.flush(5)
"""


class Stub(BaseHTTPRequestHandler):
    """Takes whatever is sent; `taken` is its headers and its body as text."""

    taken: list[tuple[str, str]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        opened = {"gzip": gzip.decompress, "br": brotli.decompress}
        body = opened.get(self.headers.get("Content-Encoding", ""), bytes)(body)
        self.taken.append((str(self.headers), body.decode()))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: it stands in the tests' output."""


@pytest.fixture
def stub() -> Iterator[str]:
    Stub.taken.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://key@127.0.0.1:{server.server_port}/1"
    server.shutdown()
    server.server_close()


@pytest.mark.drill
def test_kinds_and_places_leave_and_nothing_of_people(stub: str, tmp_path: Path) -> None:
    copy_to_file(tmp_path / "book.sqlite3")
    told = product(
        "-c",
        _BREAK,
        SENTRY_DSN=stub,
        DASHBOARD_URL="http://testserver",
        DATABASE_URL=f"sqlite:///{tmp_path / 'book.sqlite3'}",
        CACHE_URL="locmemcache://",
        DJANGO_SETTINGS_MODULE="lendingadmin.settings",
    )
    assert told.returncode == 0, told.stderr[-2000:]
    everything = " ".join(part for one in Stub.taken for part in one)
    assert CANARY not in everything and NUMBER not in everything and "700000017" not in everything
    for word in ("testserver", "sessionid", "Cookie", "127.0.0.1:8", '"vars"', '"request"', "user"):
        assert word not in " ".join(body for _headers, body in Stub.taken), word
    events = [
        json.loads(line)
        for _headers, body in Stub.taken
        for line in body.splitlines()
        if '"event_id"' in line and '"platform"' in line
    ]
    ids = {one["tags"]["request_id"]: one for one in events}
    broken, task = ids["told-by-a-proxy"], ids["of-a-task"]
    [error] = broken["exception"]["values"]
    assert error["type"] == "ValueError" and "value" not in error
    assert error["stacktrace"]["frames"][-1]["function"] == "broken"
    assert broken["release"] == f"lendingadmin@{__version__}"
    assert task["exception"]["values"][0]["type"] == "ValueError"
    assert task["logger"] == "lendingadmin.core.worker"
    assert len(events) == 3


@pytest.mark.drill
def test_without_a_place_nothing_is_loaded_for_it() -> None:
    code = "import django, sys; django.setup(); print('sentry_sdk' in sys.modules)"
    told = product("-c", code, DJANGO_SETTINGS_MODULE="lendingadmin.settings")
    assert told.stdout.strip() == "False", told.stderr


@pytest.mark.drill
@pytest.mark.parametrize(
    ("before", "dsn", "words"),
    [
        ("", "sentry", "give the address that Sentry shows"),
        ("sys.modules['sentry_sdk'] = None;", "http://key@host/1", "requirements-sentry.lock"),
    ],
)
def test_what_is_missing_stops_the_start(before: str, dsn: str, words: str) -> None:
    code = f"import django, sys; {before} django.setup()"
    told = product("-c", code, SENTRY_DSN=dsn, DJANGO_SETTINGS_MODULE="lendingadmin.settings")
    assert told.returncode == 1 and f"SENTRY_DSN: {words}" in told.stderr.replace("install ", "")

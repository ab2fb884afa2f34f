"""Requests that no browser sends are the sender's fault: 400, and no trace in the log."""

import io
import logging
from wsgiref.util import setup_testing_defaults

import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client

from lendingadmin.web.logs import NoTraceOfRefusals
from lendingadmin.web.requests import Utf8Request

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/"
FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """The log as the settings' handler writes it."""
    assert "no_trace" in settings.LOGGING["handlers"]["stderr"]["filters"]
    caplog.handler.addFilter(NoTraceOfRefusals())
    return caplog


def send(method: str, address: str, kind: str, query: str = "") -> int:
    """The status of a request with the token of a form that somebody was given."""
    client = Client()
    client.get(LOGIN)
    token = client.cookies["csrftoken"].value
    body = f"csrfmiddlewaretoken={token}&login=a&password=b"
    if kind.startswith("multipart"):
        name = 'Content-Disposition: form-data; name="csrfmiddlewaretoken"'
        body = f"--x\r\n{name}\r\n\r\n{token}\r\n--x--\r\n"
    handler, statuses = WSGIHandler(), list[str]()
    handler.request_class = Utf8Request
    environ = {
        "REMOTE_ADDR": "127.0.0.1",
        "REQUEST_METHOD": method,
        "PATH_INFO": address,
        "QUERY_STRING": query,
        "CONTENT_TYPE": kind,
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_COOKIE": f"csrftoken={token}",
        "wsgi.input": io.BytesIO(body.encode()),
    }
    setup_testing_defaults(environ)
    list(handler(environ, lambda status, _headers: statuses.append(status)))
    return int(statuses[0][:3])


@pytest.mark.parametrize(
    "charset",
    [
        *("utf-16", "utf-32", "utf-7", "utf-8-sig", "idna", "punycode", "undefined", "cp037"),
        *("unicode_escape", "rot13", "base64", "hex", "zip", "latin-1", "no-such-name"),
    ],
)
@pytest.mark.parametrize("kind", [FORM, PARTS, "application/json"])
@pytest.mark.parametrize("address", [LOGIN, "/nowhere/", "/apps/kenya/loans/", "/apps/kenya/find"])
def test_another_encoding_is_a_bad_request(
    charset: str, kind: str, address: str, heard: pytest.LogCaptureFixture
) -> None:
    for method, query in (("POST", ""), ("POST", "next=%C3%A9"), ("GET", "a=b"), ("PUT", "")):
        assert send(method, address, f"{kind}; charset={charset}", query) == 400
    assert "Traceback" not in heard.text


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"', "utf8"])
def test_utf_8_is_read(charset: str) -> None:
    assert send("POST", LOGIN, f"{FORM};charset={charset}", "") == 200


@pytest.mark.parametrize("host", ["evil.example", "a b", "x" * 300])
def test_a_bad_host_is_one_line(host: str, heard: pytest.LogCaptureFixture) -> None:
    answer = Client(raise_request_exception=False).get(LOGIN, headers={"Host": host})
    assert answer.status_code == 400
    assert "Traceback" not in heard.text
    assert [one.name for one in heard.records].count("django.security.DisallowedHost") == 1


def test_a_fault_of_ours_keeps_its_trace(
    heard: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        raise ValueError
    except ValueError:
        extra = {"status_code": 500}
        logging.getLogger("django.request").error("a fault", exc_info=True, extra=extra)
        logging.getLogger("lendingadmin").error("a fault", exc_info=True)
    assert heard.text.count("Traceback") == 2

"""Whatever is sent, the answer is an error with `error_description`; nothing is half-written."""

import socket
from urllib.parse import urlsplit

import pytest
import requests

from tests.sandbox.calling import Answer, Caller, new_borrower

START = b'{"borrowerId":"b","category":"individual","company":'
BROKEN = {
    "nothing": b"",
    "not JSON": b"{'a': 1}",
    "cut off": b'{"borrowerId": "b", "category"',
    "not UTF-8": b'{"borrowerId": "\xff\xfe"}',
    "UTF-16": '{"borrowerId": "b"}'.encode("utf-16"),
    "an array": b'[{"borrowerId": "b"}]',
    "a text": b'"b"',
    "null": b"null",
    "a number": b"17",
    "NaN": START + b'{"a": NaN}}',
    "infinity": START + b'{"a": -Infinity}}',
    "huge integer": START + b'{"a":' + b"9" * 9999 + b"}}",
    "huge exponent": START + b'{"a":1e99999999999999999999}}',
    "overflowing exponent": START + b'{"a":1e999999999}}',
    "huge number": START + b'{"a":1e400}}',
    "deep": START + b'{"a":' * 40 + b"1" + b"}" * 41,
    "very deep": b"[" * 200_000,
    "raw control": START + b'{"n":"a\x01b"}}',
    "escaped control": START + b'{"n":"a\\u0000b"}}',
    "control in a key": START + b'{"a\\u001fb":1}}',
    "half a surrogate": START + b'{"n":"\\ud800"}}',
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("path", ["/borrowers", "/loans", "/loans/l:makeRepayment"])
def test_broken_bodies(caller: Caller, name: str, path: str) -> None:
    answer = caller.call("POST", path, raw=BROKEN[name])
    assert answer.status == 400, answer.text
    assert answer.description
    assert answer.headers["X-Request-Id"]
    assert caller.get("/borrowers").body["borrowers"] == []


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/json"]
)
def test_bodies_must_be_said_to_be_json(caller: Caller, kind: str) -> None:
    raw = b'{"borrowerId": "b", "category": "individual"}'
    answer = caller.call("POST", "/borrowers", raw=raw, headers={"Content-Type": kind})
    assert answer.status == 415
    assert "application/json" in answer.description
    charset = {"Content-Type": "application/json; charset=utf-8"}
    assert caller.call("POST", "/borrowers", raw=raw, headers=charset).status == 200


@pytest.mark.parametrize("size", [1_000_001, 10_000_000])
def test_bodies_above_the_limit_get_413(caller: Caller, size: int) -> None:
    answer = caller.call("POST", "/borrowers", raw=b" " * size)
    assert answer.status == 413
    assert "1000000 bytes" in answer.description


def test_a_body_within_the_limit_is_read(caller: Caller) -> None:
    company = {"notes": "x" * 990_000}
    assert caller.post("/borrowers", new_borrower(company=company)).status == 200


def test_a_body_without_a_length_gets_411(caller: Caller) -> None:
    response = caller.session.post(
        caller.base_url + caller.app + "/borrowers",
        data=iter([b"{", b"}"]),
        headers={"Content-Type": "application/json"},
    )
    assert Answer(response).status == 411


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/loans/l"),
        ("PATCH", "/loans/l"),
        ("DELETE", "/loans"),
        ("GET", "/loans/l:makeRepayment"),
    ],
)
def test_a_method_that_a_path_does_not_know_gets_405(
    caller: Caller, method: str, path: str
) -> None:
    answer = caller.call(method, path)
    assert answer.status == 405
    assert answer.description
    assert answer.headers["Allow"]


@pytest.mark.parametrize("path", ["/", "/v2/assessmentTypes", "/v1/projects/demo/apps/a/loans/a/b"])
def test_a_path_that_leads_nowhere_gets_404(caller: Caller, path: str) -> None:
    answer = Answer(caller.session.get(caller.base_url + path))
    assert answer.status == 404
    assert answer.description
    assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize(
    "key", ["%00", "%FF%FE", "%2e%2e", "%0a", "a%2Fb", "%F0%9F%92%A9", "x" * 3000]
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_odd_keys_are_not_there(caller: Caller, key: str, method: str) -> None:
    parts = urlsplit(caller.base_url)
    text = (
        f"{method} {caller.app}/loans/{key} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        f"Authorization: {caller.session.headers['Authorization']!s}\r\n\r\n"
    )
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as connection:
        connection.sendall(text.encode())
        received = b""
        while piece := connection.recv(65536):
            received += piece
    assert received.startswith(b"HTTP/1.1 404"), received
    assert b"error_description" in received


def test_odd_queries_do_not_hurt(caller: Caller) -> None:
    for query in ("filter=%00", "filter=%FF:%FE", "pageToken=%FF", "filter=accountId:%ED%A0%80"):
        response = requests.get(
            f"{caller.base_url}{caller.app}/loans?{query}", headers=caller.session.headers
        )
        assert response.status_code in (200, 400), response.text
    too_many = "a&" * 1200
    response = caller.session.get(f"{caller.base_url}{caller.app}/loans?{too_many}")
    assert Answer(response).status == 400

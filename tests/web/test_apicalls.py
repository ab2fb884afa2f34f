"""“Show the API call”: only for those with the right, with personal data and the token masked."""

from decimal import Decimal

import pytest
import simplejson

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.codec import decode
from lendingadmin.lending.transport import Call
from lendingadmin.web import apicalls
from lendingadmin.web.masking import WHOLE_RECORD
from lendingadmin.web.redact import REDACTED, redact
from tests.conftest import ClientOf
from tests.sandbox.calling import Caller


def test_personal_trees_keys_and_secrets_are_masked_and_the_rest_stays() -> None:
    value = {
        "borrowerId": "b-1",
        "status": 1,
        "individual": {"surname": "WANJIRU", "noOfDependants": 2, "photos": ["x"], "sex": None},
        "devices": [{"deviceId": "d", "osName": "android", "active": True}],
        "settings": {"timezone": "Africa/Nairobi"},
        "access_token": "secret",
        "amount": Decimal("10.50"),
    }
    assert redact(value) == {
        "borrowerId": "b-1",
        "status": 1,
        "individual": {
            "surname": REDACTED,
            "noOfDependants": REDACTED,
            "photos": [REDACTED],
            "sex": None,
        },
        "devices": [{"deviceId": REDACTED, "osName": "android", "active": True}],
        "settings": {"timezone": REDACTED},
        "access_token": REDACTED,
        "amount": Decimal("10.50"),
    }


def test_further_keys_are_masked_where_they_are_named() -> None:
    assert redact({"result": {"a": "x"}, "b": [{"result": 1}]}, {"result"}) == {
        "result": {"a": REDACTED},
        "b": [{"result": REDACTED}],
    }


def test_long_lists_are_cut_with_their_count() -> None:
    assert redact(list(range(8))) == [0, 1, 2, 3, 4, "… and 3 more"]


@pytest.mark.django_db
def test_a_manager_sees_the_calls_of_a_page_and_nobody_s_name(
    app: LendingApp, book: Caller, client_of: ClientOf, manager: User
) -> None:
    page = client_of(manager).get(f"/apps/{app.app_id}/borrowers/b/?whole=1").content.decode()
    panel = page.partition('class="card calls')[2]
    assert "5 calls to the service" in panel
    assert f"/v1/projects/demo/apps/{app.app_id}/borrowers/b" in panel
    assert "borrowers.get" in panel and "loans.list" in panel
    assert "curl -X GET" in panel
    assert "WANJIRU" not in panel
    assert "+254700000001" not in panel
    assert f"Bearer {REDACTED}" in panel


@pytest.mark.django_db
def test_others_do_not(app: LendingApp, book: Caller, client_of: ClientOf, officer: User) -> None:
    page = client_of(officer).get(f"/apps/{app.app_id}/borrowers/b/?whole=1").content.decode()
    assert 'class="card calls' not in page


LOANS = [{"accountId": f"L-{n}", "labels": {"a": "Anne"}, "loanAmount": n} for n in range(50)]


def test_of_a_long_list_only_what_is_shown_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []
    monkeypatch.setattr(apicalls, "decode", lambda body: read.append(body) or decode(body))
    text = answer_shown(simplejson.dumps({"loans": LOANS, "nextPageToken": "t"}).encode())
    assert simplejson.loads(text) == {
        "loans": [loan | {"labels": {"a": REDACTED}} for loan in LOANS[:5]] + ["… and 45 more"],
        "nextPageToken": "t",
    }
    assert sum(map(len, read)) < 600


def answer_shown(body: bytes, operation: str = "loans.list") -> str:
    """What the panel shows of an answer."""
    call = Call(operation, "GET", "/v1/x", 200, 0.1, None, 1, (), None, url="u", answer=body)
    return apicalls.shown([call], WHOLE_RECORD)[0].answer


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"amount": 1.10, "large": 12345678901234567890.5}', '"large": 12345678901234567890.5'),
        (b'{"amount": 1.10}', '"amount": 1.10'),
        (b'{"name": "\\ud800x"}', '"name": "\N{REPLACEMENT CHARACTER}x"'),
        (b'[1, {"name": "\\ud800x"}]', '"name": "\N{REPLACEMENT CHARACTER}x"'),
        (b'{"name": "\xd8\xb9"}', '"name": "\N{ARABIC LETTER AIN}"'),
        (b'[{"productId": "p"}, {"productId": "q"}]', '"productId": "q"'),
        (b'"words"', '"words"'),
        (b'{"a": 1, "a": 2}', '"a": 2'),
        (b'\xef\xbb\xbf{"a": 1}', '"a": 1'),
        (b' {"a": [ ] , "b" : [1,2] }', '"a": []'),
    ],
)
def test_every_json_is_shown_as_it_came(body: bytes, text: str) -> None:
    assert text in answer_shown(body)


def test_an_event_of_megabytes_is_told_by_its_size() -> None:
    event = {"eventId": "e", "data": [{"kind": "x/sms", "values": ["y" * 300_000]}]}
    text = answer_shown(simplejson.dumps({"events": [event] * 3}).encode(), "events.list")
    assert "yyy" not in text
    assert len(simplejson.loads(text)["events"]) == 3
    assert "bytes" in text


def test_a_number_out_of_all_range_costs_the_panel_its_answer_only() -> None:
    call = Call(
        operation="loans.list", method="GET", path="/loans", status=200, seconds=0.1,
        request_id=None, attempts=1, faults=(), error=None,
        answer=b'{"loans": [{"accountId": "a", "x": 1e999}]}',
    )  # fmt: skip
    shown = apicalls._pretty(call, call.answer or b"")
    assert str(len(call.answer or b"")) in shown and "1e999" not in shown

"""Changing a borrower: only what changed is sent, nothing is lost, and nobody is overwritten."""

from typing import Any

import pytest
import simplejson
from django.test import Client
from django.utils.html import escape

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.models import Check
from lendingadmin.money.writes.states import WriteFound
from tests.borrowers.forms import filled, is_unchanged
from tests.conftest import ClientOf
from tests.faults.behaviours import echo, refusal, reply, token
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db
ROLE = "manager"  # who edits JSON too
EDIT = "/apps/kenya/borrowers/B-1/edit"
RECORD = "GET /v1/projects/demo/apps/kenya/borrowers/B-1"
PATCH = "PATCH /v1/projects/demo/apps/kenya/borrowers/B-1"

# Unknown keys, exact digits, times to the millisecond, and shapes that the spec leaves open.
WHOLE = """{
  "borrowerId": "B-1", "category": "individual", "status": 1, "borrowerNo": 7, "tier": {"a": 1.50},
  "startDate": "2026-01-01T08:00:00.123Z",
  "individual": {"surname": "A", "othernames": null, "noOfDependants": 2, "score": 1.10,
                 "photos": [], "nickname": {"x": 1.000}},
  "company": null,
  "identity": {"a": {"b": 1.20}},
  "devices": [{"deviceId": "d1", "createdAt": "2026-01-01T00:00:00.999Z", "imsi": 12.340,
               "active": true},
              {"deviceId": "d2", "osName": "x"}],
  "loans": [{"loanId": "l", "principalAmount": 100.50, "endDate": "2026-01-01T23:59:59.999Z",
             "extra": 0.10}],
  "settings": {"timezone": "Africa/Nairobi"}, "profiles": null, "labels": null
}"""


def make_service(server: FaultServer) -> FaultServer:
    """A service that knows borrower B-1 and takes every change."""
    server.on("POST /v1/oauth2/token", token())
    server.on(RECORD, reply(WHOLE))
    server.on(PATCH, echo(borrowerId="B-1"))
    return server


def sent(service: FaultServer) -> list[Any]:
    """The bodies of the PATCHes that arrived, each number as the text that came."""
    return [
        simplejson.loads(one.body, parse_float=str, parse_int=str)
        for one in service.arrived
        if one.method == "PATCH"
    ]


def entered(desk: Client, **fields: str) -> str:
    """Change fields and send the form; the address of the confirm step."""
    answer = desk.post(EDIT, filled(desk.get(EDIT), **fields))
    assert answer.status_code == 302, answer.content.decode()
    return str(answer.headers["Location"])


def changed(service: FaultServer, desk: Client, **fields: str) -> Any:
    """Change fields and confirm; what the service was sent."""
    answer = desk.post(entered(desk, **fields))
    assert answer.status_code == 302, answer.content.decode()
    return sent(service)[-1]


def edited(desk: Client, name: str, before: str, after: str) -> dict[str, str]:
    """A field of the form with a part of its text replaced."""
    text = filled(desk.get(EDIT))[name.replace("__", "-")]
    assert text.count(before) == 1
    return {name: text.replace(before, after)}


def test_a_form_that_nobody_touched_sends_nothing(desk: Client, service: FaultServer) -> None:
    answer = desk.post(EDIT, filled(desk.get(EDIT)))
    assert is_unchanged(answer)
    assert sent(service) == []


def test_only_what_changed_goes_out_and_keeps_what_is_not_edited(
    desk: Client, service: FaultServer
) -> None:
    assert changed(service, desk, general__category="company") == {"category": "company"}
    patch = changed(service, desk, individual__surname="B")
    assert patch == {
        "individual": {
            "surname": "B",
            "othernames": None,
            "noOfDependants": "2",
            "score": "1.10",
            "photos": [],
            "nickname": {"x": "1.000"},
        }
    }
    text = edited(desk, "json__devices", '"x"', '"y"')
    device = changed(service, desk, **text)["devices"]
    assert device == [
        {
            "deviceId": "d1",
            "createdAt": "2026-01-01T00:00:00.999Z",
            "imsi": "12.340",
            "active": True,
        },
        {"deviceId": "d2", "osName": "y"},
    ]
    text = edited(desk, "json__loans", "0.10", '0.10, "paidAmount": 20.00')
    loan = changed(service, desk, **text)["loans"]
    assert loan == [
        {
            "loanId": "l",
            "principalAmount": "100.50",
            "endDate": "2026-01-01T23:59:59.999Z",
            "extra": "0.10",
            "paidAmount": "20.00",
        }
    ]


@pytest.mark.parametrize(
    ("field", "text", "patch"),
    [
        ("general__status", "dormant", {"status": "dormant"}),
        ("general__startDate", "2026-01-01T12:00", {"startDate": "2026-01-01T09:00:00.000Z"}),
        ("settings__settings", "a: b\r\nc: d:e", {"settings": {"a": "b", "c": "d:e"}}),
        ("settings__settings", "", {"settings": {}}),
        ("open__company", '{"staff": [1.50, null]}', {"company": {"staff": ["1.50", None]}}),
        ("open__company", "name: Mama Mboga", {"company": {"name": "Mama Mboga"}}),
        ("open__identity", "", {"identity": None}),
        ("open__demographic", "town: Kisumu", {"demographic": {"town": "Kisumu"}}),
        ("open__profiles", '{"a": [1]}', {"profiles": {"a": ["1"]}}),
        ("open__labels", "colour: red", {"labels": {"colour": "red"}}),
        ("json__devices", '[{"deviceId": "d2"}]', {"devices": [{"deviceId": "d2"}]}),
        ("json__devices", "", {"devices": []}),
    ],
)
def test_each_kind_of_field_becomes_what_it_says(
    desk: Client, service: FaultServer, field: str, text: str, patch: Any
) -> None:
    assert changed(service, desk, **{field: text}) == patch


@pytest.mark.parametrize("name", ["photos", "fingerprints"])
def test_photos_and_fingerprints_are_edited_as_lists(
    desk: Client, service: FaultServer, name: str
) -> None:
    person = changed(service, desk, **{f"biometrics__{name}": '[{"of": 1.50}]'})["individual"]
    assert person[name] == [{"of": "1.50"}]


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("open__company", '{"a": }', "The text is not valid JSON"),
        ("open__company", "[1]", "Enter keys and values"),
        ("open__company", '{"a": NaN}', "The text is not valid JSON"),
        ("open__company", "just words", "Line 1 is not written as “key: value”"),
        ("open__company", "a: 1\na: 2", "appears twice"),
        ("settings__settings", '{"a": 1}', "The value of “a” must be text"),
        ("biometrics__photos", "{}", "Enter a list as JSON"),
        ("individual__dateOfBirth", "31.12.1990", "Enter a date"),
        ("individual__noOfDependants", "two", "whole number"),
        (
            "json__loans",
            '[{"loanId": "l", "principalAmount": 1,000}]',
            "The text is not valid JSON",
        ),
        ("json__loans", "loanId: l", "Enter a list as JSON"),
        ("general__startDate", "0001-01-01T00:00", "year between"),
        ("json__devices", '[{"osName": "x"}]', "Enter “deviceId” for each new item"),
        ("json__devices", '["x"]', "Enter “deviceId” for each new item"),
    ],
)
def test_what_cannot_be_sent_says_so_beside_its_field_and_stays(
    desk: Client, service: FaultServer, field: str, text: str, words: str
) -> None:
    page = desk.post(EDIT, filled(desk.get(EDIT), **{field: text}))
    assert page.status_code == 200
    assert words in page.content.decode()
    assert filled(page)[field.replace("__", "-")].strip() == text.replace("\n", "\r\n")
    assert sent(service) == []


def test_the_confirm_step_compares_and_warns(desk: Client, service: FaultServer) -> None:
    text = edited(desk, "json__devices", '"x"', '"y"')
    page = desk.get(entered(desk, **text)).content.decode()
    for words in ("devices · 2 · osName", ">x<", ">y<", "will be replaced completely"):
        assert words in page
    assert sent(service) == []


def test_a_record_that_changed_meanwhile_is_not_written_over(
    desk: Client, service: FaultServer
) -> None:
    confirm = entered(desk, individual__surname="MINE")
    newer = WHOLE.replace('"surname": "A"', '"surname": "A", "sex": "f"')
    service.on(RECORD, reply(newer))
    page = desk.post(confirm, follow=True)
    assert sent(service) == []
    assert list_marks(page, "finding") == ["moved"]
    (moved,) = page.context["moved"]
    assert (moved.place, moved.after) == ("individual · sex", "f") and moved.before
    assert all(escape(one) in page.content.decode() for one in moved)
    assert filled(page)["individual-surname"] == "MINE"
    # Going on takes the newer version and puts what was entered on top of it.
    carried = desk.post(EDIT, filled(page) | {"carry": "yes"})
    assert filled(carried)["individual-surname"] == "MINE"
    assert filled(carried)["individual-sex"] == "f"
    confirm = desk.post(EDIT, filled(carried)).headers["Location"]
    assert desk.post(confirm).status_code == 302
    assert sent(service)[0]["individual"]["sex"] == "f"
    assert sent(service)[0]["individual"]["surname"] == "MINE"


def test_a_digit_that_changed_is_a_change(desk: Client, service: FaultServer) -> None:
    confirm = entered(desk, individual__surname="MINE")
    service.on(RECORD, reply(WHOLE.replace("1.50", "1.5")))
    assert list_marks(desk.post(confirm, follow=True), "finding") == ["moved"]
    assert sent(service) == []


def test_a_double_click_sends_once_though_the_record_is_another_by_then(
    desk: Client, service: FaultServer
) -> None:
    confirm = entered(desk, individual__surname="B")
    first = desk.post(confirm)
    service.on(RECORD, reply(WHOLE.replace('"surname": "A"', '"surname": "B"')))
    second = desk.post(confirm)
    assert first.headers["Location"] == second.headers["Location"] == "/apps/kenya/borrowers/B-1/"
    assert len(sent(service)) == 1
    assert Entry.objects.get(action="borrowers.patch").subject == "B-1"


def test_a_doubt_leads_to_its_own_page(desk: Client, service: FaultServer) -> None:
    service.once(PATCH, refusal(500, "not like this"))
    confirm = entered(desk, individual__surname="B")
    page = desk.post(confirm, follow=True)
    text = page.content.decode()
    assert "not like this" in text and "<strong>Not known yet.</strong>" in text
    assert Check.objects.get().found == WriteFound.NOT_SEEN
    assert desk.post(confirm).headers["Location"] == page.request["PATH_INFO"]
    assert len(sent(service)) == 1


def test_a_refusal_keeps_what_was_entered_and_may_be_tried_again(
    desk: Client, service: FaultServer
) -> None:
    service.once(PATCH, refusal(400, "not like this"))
    page = desk.post(entered(desk, individual__surname="B"))
    text = page.content.decode()
    assert "not like this" in text
    assert "<strong>Nothing was saved.</strong>" in text
    again = page.context["form_token"]
    assert desk.post(f"{EDIT}/{again}").status_code == 302
    assert len(sent(service)) == 2


def test_a_read_that_fails_at_the_confirm_step_sends_nothing(
    desk: Client, service: FaultServer
) -> None:
    confirm = entered(desk, individual__surname="B")
    service.on(RECORD, refusal(500, "down"))
    assert list_marks(desk.post(confirm), "finding") == ["lending-error"]
    assert sent(service) == []


def test_another_person_s_form_is_nobody_else_s(
    desk: Client,
    service: FaultServer,
    client_of: ClientOf,
    officer: User,
) -> None:
    confirm = entered(desk, individual__surname="B")
    answer = client_of(officer).post(confirm)
    assert answer.headers["Location"] == EDIT
    assert sent(service) == []


def test_an_item_without_an_id_may_stay_but_none_is_added(
    desk: Client, service: FaultServer
) -> None:
    service.on(RECORD, reply(WHOLE.replace('"deviceId": "d2", ', "")))
    kept = [{"deviceId": "d1"}, {"osName": "y"}]
    assert changed(service, desk, json__devices=simplejson.dumps(kept)) == {"devices": kept}
    text = simplejson.dumps([*kept, {"osName": "z"}])
    page = desk.post(EDIT, filled(desk.get(EDIT), json__devices=text))
    assert set(page.context["form"].errors) == {"json-devices"}
    assert len(sent(service)) == 1


def test_a_long_list_is_edited_as_json(desk: Client, service: FaultServer) -> None:
    devices = [{"deviceId": f"d{number}"} for number in range(40)]
    whole = simplejson.loads(WHOLE, use_decimal=True) | {"devices": devices}
    service.on(RECORD, reply(simplejson.dumps(whole, use_decimal=True)))
    text = '[{"deviceId": "only", "n": 1.0}]'
    assert changed(service, desk, json__devices=text) == {
        "devices": [{"deviceId": "only", "n": "1.0"}]
    }


def test_nesting_without_end_is_a_card(desk: Client, service: FaultServer) -> None:
    deep = '{"borrowerId": "B-1", "profiles": ' + '{"a":' * 900 + "1" + "}" * 901
    service.on(RECORD, reply(deep))
    assert desk.get(EDIT).status_code == 502
    assert desk.get("/apps/kenya/borrowers/B-1/panels/record").status_code == 200


def test_at_the_sandbox(desk: Client, app: LendingApp, book: Caller) -> None:
    there = f"/apps/{app.app_id}/borrowers/b/edit"
    page = desk.get(there)
    answer = desk.post(there, filled(page, individual__emailAddress="a@example.org"))
    assert desk.post(answer.headers["Location"]).status_code == 302
    person = book.get("/borrowers/b").body["individual"]
    assert (person["emailAddress"], person["phoneNumber"]) == ("a@example.org", "+254700000001")


def test_without_the_right_there_is_no_json(
    client_of: ClientOf, officer: User, service: FaultServer
) -> None:
    desk = client_of(officer)
    form = filled(desk.get(EDIT))
    assert not [name for name in form if name.startswith(("open-", "settings-", "json-"))]
    patch = changed(
        service, desk, individual__surname="B", settings__settings="a: b", json__devices="[]"
    )
    assert set(patch) == {"individual"}

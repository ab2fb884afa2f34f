"""Events over HTTP (Spec: Event, Events; Limits)."""

from typing import Any

import pytest
import simplejson

from lendingadmin.sandbox.rules.lists import InvalidPageToken
from tests.sandbox.calling import Caller, ago, millis_ago, new_event, sms
from tests.sandbox_process import SandboxProcess

FIVE_MB = 5_000_000
CONTACTS = {
    "kind": "lending.example/contact",
    "values": [
        {
            "name": "Akinyi",
            "primaryAddress": {"addressName": "+254700000001", "addressType": "telephone"},
            "otherAddresses": [],
        }
    ],
}


def create(caller: Caller, **fields: object) -> Any:
    answer = caller.post("/events", new_event(**fields))
    assert answer.status == 200, answer.text
    return answer.body


def listed(caller: Caller, **params: str) -> list[str]:
    answer = caller.get("/events", **params)
    assert answer.status == 200, answer.text
    assert set(answer.body) == {"events", "nextPageToken"}
    return [event["eventId"] for event in answer.body["events"]]


def test_a_new_event_comes_back_whole(slow: Caller) -> None:
    sent = new_event(timestamp="2026-01-31T03:00:00+03:00", category="sms")
    sent["data"] = [{"kind": "lending.example/sms", "values": [sms(days=600)]}]
    event = slow.post("/events", sent).body
    project, app = "projects/demo", slow.app.rpartition("/")[2]
    assert event.pop("uid")
    assert event.pop("createdAt").endswith("Z")
    event_id = event["eventId"]
    assert event == {
        "name": f"{project}/apps/{app}/events/{event_id}",
        "status": 0,
        "accountId": "borrower:b",
        "eventId": event_id,
        "eventType": "personal_data.captured",
        "timestamp": "2026-01-31T00:00:00.000Z",
        "data": sent["data"],
        "appVersionId": "v1",
        "category": "sms",
        "result": None,
    }
    (again,) = slow.get("/events").body["events"]
    assert again["data"] == sent["data"]
    assert again["eventId"] == event_id


def report_two(caller: Caller) -> tuple[str, str]:
    """One event without errors, and one with texts of a later moment than its own."""
    good = create(caller, timestamp=ago(minutes=2))
    return good["eventId"], create(caller, timestamp=ago(days=2))["eventId"]


def statuses(caller: Caller) -> dict[str, int]:
    events = caller.get("/events").body["events"]
    assert all(event["result"] is None for event in events)
    return {event["eventId"]: event["status"] for event in events}


def test_an_event_is_not_processed_before_its_time(slow: Caller) -> None:
    good, odd = report_two(slow)
    assert statuses(slow) == {good: 0, odd: 0}
    assert listed(slow, filter="status:0") == [good, odd]
    assert listed(slow, filter="status:1") == listed(slow, filter="status:2") == []


def test_an_event_is_processed_by_the_clock(instant: Caller) -> None:
    good, odd = report_two(instant)
    assert statuses(instant) == {good: 1, odd: 2}
    assert listed(instant, filter="status:0") == listed(instant, filter="status:3") == []
    assert listed(instant, filter="status:1") == [good]
    assert listed(instant, filter="status:2") == [odd]


def test_an_event_is_unique_by_account_type_and_timestamp(lender: Caller) -> None:
    lender.borrower("c")
    first = create(lender, timestamp="2026-01-31T00:00:00Z")
    same = new_event(timestamp="2026-01-31T03:00:00.000+03:00", category="sms")
    answer = lender.post("/events", same)
    assert answer.status == 409
    assert "timestamp" in answer.description
    assert listed(lender) == [first["eventId"]]
    later = create(lender, timestamp="2026-01-31T00:00:00.001Z")
    other = create(lender, timestamp="2026-01-31T00:00:00Z", accountId="borrower:c")
    assert len({first["eventId"], later["eventId"], other["eventId"]}) == 3


def test_the_same_event_may_be_in_two_apps(sandbox: SandboxProcess, lender: Caller) -> None:
    other = Caller(sandbox, lender.app.rpartition("/")[2] + "-2")
    other.borrower("b")
    moment = ago(minutes=3)
    assert create(lender, timestamp=moment)["eventId"] == create(other, timestamp=moment)["eventId"]
    assert len(listed(lender)) == len(listed(other)) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"eventType": "personal_data.received"}, "eventType"),
        ({"eventType": "loan.paid"}, "eventType"),
        ({"eventType": None}, "eventType"),
        ({"accountId": "borrower:nobody"}, "accountId"),
        ({"accountId": "lender:b"}, "accountId"),
        ({"accountId": "b"}, "accountId"),
        ({"accountId": 7}, "accountId"),
        ({"timestamp": "yesterday"}, "timestamp"),
        ({"timestamp": lambda: ago(minutes=-9)}, "timestamp"),
        ({"data": None}, "data"),
        ({"data": []}, "data"),
        ({"data": [{"kind": "lending.example/fax", "values": []}]}, "data[0].kind"),
        (
            {"data": [CONTACTS, {"kind": "lending.example/sms", "values": [sms() | {"read": 0}]}]},
            "data[1].values[0].read",
        ),
        ({"category": "fax"}, "category"),
        ({"category": "contact"}, "category"),
    ],
)
def test_what_an_event_must_not_hold(lender: Caller, change: dict[str, object], field: str) -> None:
    answer = lender.post("/events", new_event(**change))
    assert answer.status == 400
    assert answer.description.startswith(f"{field}: "), answer.description
    assert listed(lender) == []


@pytest.mark.parametrize("field", ["accountId", "eventType", "timestamp", "data"])
def test_what_an_event_needs(lender: Caller, field: str) -> None:
    sent = new_event()
    del sent[field]
    answer = lender.post("/events", sent)
    assert answer.status == 400
    assert answer.description.startswith(f"{field}: ")


def test_the_guides_other_name_is_told_the_accepted_one(lender: Caller) -> None:
    answer = lender.post("/events", new_event(eventType="personal_data.received"))
    assert answer.status == 400
    assert "personal_data.captured" in answer.description


def body_of(size: int) -> bytes:
    sent = new_event(data=[{"kind": "lending.example/sms", "values": [sms("")]}])
    bare = simplejson.dumps(sent).encode()
    return bare.replace(b'"rawBody": ""', b'"rawBody": "' + b"x" * (size - len(bare)) + b'"')


def test_event_data_must_be_under_5_mb(lender: Caller) -> None:
    for size in (FIVE_MB, 10_000_000):
        answer = lender.call("POST", "/events", raw=body_of(size))
        assert answer.status == 413
        assert answer.description
    assert listed(lender) == []
    body = body_of(FIVE_MB - 1)
    answer = lender.call("POST", "/events", raw=body)
    assert answer.status == 200
    assert len(body) == FIVE_MB - 1
    assert answer.body["data"] == simplejson.loads(body)["data"]


def test_the_larger_limit_is_for_creating_events_alone(lender: Caller) -> None:
    body = body_of(1_000_001)
    for method, path in (
        ("POST", "/borrowers"),
        ("POST", "/assessments"),
        ("PATCH", "/borrowers/b"),
        ("PUT", "/events"),
        ("POST", "/borrowers/events"),
        ("POST", "/events/x"),
    ):
        assert lender.call(method, path, raw=body).status == 413, path
    assert lender.call("POST", "/events", raw=body).status == 200


def test_a_page_is_not_cut_by_the_size_of_its_events(lender: Caller) -> None:
    for minutes in (4, 3, 2, 1):
        body = body_of(3_000_000).replace(
            simplejson.loads(body_of(600))["timestamp"][:16].encode(),
            ago(minutes=minutes)[:16].encode(),
        )
        assert lender.call("POST", "/events", raw=body).status == 200
    for order in ("asc", "desc"):
        first = lender.get("/events", order=order, pageSize="3").body
        token = first["nextPageToken"]
        rest = lender.get("/events", order=order, pageSize="3", pageToken=token).body
        assert (len(first["events"]), len(rest["events"])) == (3, 1)
        assert rest["nextPageToken"] is None


@pytest.fixture(scope="module")
def book(instant_sandbox: SandboxProcess) -> tuple[Caller, list[dict[str, Any]]]:
    """An app with events of two borrowers, all processed."""
    caller = Caller(instant_sandbox, "lists-of-events")
    caller.borrower("b")
    caller.borrower("a:1")
    readings = [{"timestamp": millis_ago(minutes=5), "level": 50}]
    battery = [{"kind": "lending.example/device/battery", "values": readings}]
    create(caller, category="sms", timestamp=ago(minutes=4))
    create(caller, category="contact", data=[CONTACTS], timestamp=ago(minutes=3))
    create(caller, accountId="borrower:a:1", timestamp=ago(minutes=2))
    create(caller, data=battery, timestamp=ago(minutes=9))
    return caller, caller.get("/events").body["events"]


FIELDS = ["accountId", "eventType", "timestamp", "status", "appVersionId", "category"]


@pytest.mark.parametrize("field", FIELDS)
def test_every_filter_field(book: tuple[Caller, list[dict[str, Any]]], field: str) -> None:
    caller, events = book
    assert [event["status"] for event in events] == [1, 1, 1, 2]
    assert len(events) == 4
    for event in events:
        if event[field] is None:
            continue
        same = [one["eventId"] for one in events if one[field] == event[field]]
        text = f"{field}:{event[field]}"
        assert listed(caller, filter=text) == same
        assert listed(caller, filter=text, order="desc") == same[::-1]
        assert listed(caller, filter=f"{text} accountId:borrower:nobody") == []
    other = "2020-01-01T00:00:00Z" if field == "timestamp" else "0" if field == "status" else "x"
    assert listed(caller, filter=f"{field}:{other}") == []


def test_a_timestamp_is_found_however_it_is_written(
    book: tuple[Caller, list[dict[str, Any]]],
) -> None:
    caller, (first, *_) = book
    text = first["timestamp"].replace("Z", "000+00:00")
    assert listed(caller, filter=f"timestamp:{text}") == [first["eventId"]]


@pytest.mark.parametrize(
    "text", ["eventId:x", "timestamp:noon", "timestamp:2026-01-01", "status:done", "category:"]
)
def test_a_filter_that_is_none_is_refused(
    book: tuple[Caller, list[dict[str, Any]]], text: str
) -> None:
    answer = book[0].get("/events", filter=text)
    assert answer.status == 400
    assert answer.description.startswith("filter: ")


def test_pages_follow_each_other(book: tuple[Caller, list[dict[str, Any]]]) -> None:
    caller, events = book
    first = caller.get("/events", pageSize="3", filter="appVersionId:v1").body
    assert len(first["events"]) == 3
    params = {"pageToken": first["nextPageToken"], "filter": "appVersionId:v1"}
    assert listed(caller, pageSize="3", **params) == [events[3]["eventId"]]
    for wrong in ({"pageSize": "2"}, {"pageSize": "3", "filter": "status:1"}):
        answer = caller.get("/events", **(params | wrong))
        assert (answer.status, answer.description) == (400, InvalidPageToken.description)


def test_events_go_with_their_borrower(lender: Caller) -> None:
    lender.borrower("c")
    create(lender, accountId="borrower:c")
    create(lender)
    assert lender.call("DELETE", "/borrowers/b").status == 204
    assert [one["accountId"] for one in lender.get("/events").body["events"]] == ["borrower:c"]


def test_another_project_has_no_events(lender: Caller) -> None:
    path = lender.app.replace("demo", "other") + "/events"
    assert lender.get(path).status == 404
    assert lender.post(path, new_event()).status == 404

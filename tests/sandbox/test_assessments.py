"""Assessments over HTTP (Spec: Assessment, Assessments)."""

import time
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from lendingadmin.sandbox.rules.lists import InvalidPageToken
from lendingadmin.sandbox.rules.scoring import LOW_SCORE, SENTENCES
from tests.sandbox.calling import (
    Caller,
    ago,
    millis_ago,
    new_assessment,
    new_event,
    sms,
)
from tests.sandbox_process import SandboxProcess, running_sandbox

LOANS = "assessmentTypes/loan-history-180-days"


def create(caller: Caller, **fields: object) -> Any:
    answer = caller.post("/assessments", new_assessment(**fields))
    assert answer.status == 200, answer.text
    return answer.body


def finished(caller: Caller, assessment: Any) -> Any:
    for _ in range(150):
        found = caller.get(f"/assessments/{assessment['assessmentId']}").body
        if found["result"] is not None:
            return found
        time.sleep(0.1)
    raise AssertionError(found)


def outcome(instant: Caller, **fields: object) -> Any:
    """The result; such a sandbox has it at once."""
    return create(instant, **fields)["result"]


def report(caller: Caller, *bodies: str, **fields: object) -> None:
    texts = [sms(body, days=1 + place) for place, body in enumerate(bodies)]
    sent = new_event(data=[{"kind": "lending.example/sms", "values": texts}], **fields)
    answer = caller.post("/events", sent)
    assert answer.status == 200, answer.text


def test_a_new_assessment_has_no_result(slow: Caller) -> None:
    report(slow, *["You have received Ksh900"] * 6)
    moment = ago(seconds=0)
    made = create(slow, timestamp=moment)
    app, key = slow.app.rpartition("/")[2], made["assessmentId"]
    assert slow.get(f"/assessments/{key}").body == made
    assert slow.get("/assessments").body["assessments"] == [made]
    assert made.pop("uid")
    assert made.pop("createdAt").endswith("Z")
    assert made == {
        "name": f"projects/demo/apps/{app}/assessments/{key}",
        "status": 0,
        "accountId": "borrower:b",
        "assessmentId": key,
        "assessmentType": "assessmentTypes/credit-90-days",
        "timestamp": moment,
        "result": None,
        "appVersionId": "v1",
        "requestId": None,
    }


def test_the_result_is_filled_when_its_time_has_come(lender: Caller) -> None:
    report(lender, *["You have received Ksh900"] * 6)
    made = create(lender)
    assert (made["status"], made["result"]) == (0, None)
    done = finished(lender, made)
    assert done["status"] == 1
    assert lender.get("/assessments").body["assessments"] == [done]
    # 300 + 30 for six texts + 6 for one week of 13 + 90 since nothing went out
    assert done["result"] == {
        "type": "declined",
        "reason": "score_below_450",
        "message": SENTENCES[LOW_SCORE],
        "rule": "score_below_450",
        "riskLevel": "high",
        "riskScore": 77,
        "creditScore": 426,
        "creditRating": "E",
    }


def test_too_little_data_is_processed_with_errors(instant: Caller) -> None:
    done = create(instant)
    assert done["status"] == 2
    result = done["result"]
    assert (result["type"], result["reason"]) == ("invalid", "no_data")
    assert result["rule"] == "too_little_data"
    assert result["creditScore"] is None


def test_an_assessment_is_found_by_id_and_by_uid(lender: Caller) -> None:
    made = create(lender)
    for key in (made["assessmentId"], made["uid"], made["uid"].upper()):
        assert lender.get(f"/assessments/{key}").body["uid"] == made["uid"]
    for key in ("nothing", str(uuid4()), made["uid"].replace("-", ""), "{" + made["uid"] + "}"):
        assert lender.get(f"/assessments/{key}").status == 404


def test_assessments_are_kept_apart_by_app(sandbox: SandboxProcess, lender: Caller) -> None:
    made = create(lender)
    other = Caller(sandbox, lender.app.rpartition("/")[2] + "-2")
    for key in (made["assessmentId"], made["uid"]):
        assert other.get(f"/assessments/{key}").status == 404
    assert other.get("/assessments").body["assessments"] == []


def test_the_list_is_paged_and_takes_nothing_else(lender: Caller) -> None:
    made = [create(lender, timestamp=ago(hours=n))["assessmentId"] for n in (3, 1, 2)]
    whole = lender.get("/assessments").body
    assert set(whole) == {"assessments", "nextPageToken"}
    assert [one["assessmentId"] for one in whole["assessments"]] == made
    assert whole["nextPageToken"] is None
    first = lender.get("/assessments", pageSize="2").body
    token = first["nextPageToken"]
    rest = lender.get("/assessments", pageSize="2", pageToken=token).body
    assert [one["assessmentId"] for one in rest["assessments"]] == made[2:]
    assert rest["nextPageToken"] is None
    answer = lender.get("/assessments", pageSize="1", pageToken=token)
    assert (answer.status, answer.description) == (400, InvalidPageToken.description)
    for name in ("filter", "order"):
        assert lender.get("/assessments", **{name: "desc"}).status == 400


def test_an_assessment_is_made_if_there_is_none(lender: Caller) -> None:
    lender.borrower("c")
    moment = ago(minutes=5)
    create(lender, timestamp=moment)
    answer = lender.post("/assessments", new_assessment(timestamp=moment))
    assert answer.status == 409
    assert answer.description
    create(lender, timestamp=ago(minutes=6))
    create(lender, timestamp=moment, accountId="borrower:c")
    create(lender, timestamp=moment, assessmentType=LOANS)
    assert len(lender.get("/assessments").body["assessments"]) == 4


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"accountId": "borrower:nobody"}, 400, "accountId: "),
        ({"accountId": "user:b"}, 400, "accountId: "),
        ({"accountId": None}, 400, "accountId: "),
        ({"timestamp": "2026-02-30T00:00:00Z"}, 400, "timestamp: "),
        ({"timestamp": lambda: ago(minutes=-9)}, 400, "timestamp: "),
        ({"assessmentType": "credit-90-days"}, 400, "assessmentType: "),
        ({"assessmentType": "assessmentTypes/unheard-of"}, 400, "assessmentType: "),
        ({"assessmentType": 90}, 400, "assessmentType: "),
        ({"assessmentType": "assessmentTypes/credit-60-days"}, 422, "deprecated"),
        ({"accountId": "borrower:firm"}, 422, "company"),
    ],
)
def test_what_is_not_assessed(
    lender: Caller, change: dict[str, object], status: int, field: str
) -> None:
    lender.borrower("firm", category="company")
    answer = lender.post("/assessments", new_assessment(**change))
    assert answer.status == status
    assert field in answer.description
    assert lender.get("/assessments").body["assessments"] == []


@pytest.mark.parametrize("field", ["accountId", "assessmentType", "timestamp"])
def test_what_an_assessment_needs(lender: Caller, field: str) -> None:
    sent = new_assessment()
    del sent[field]
    answer = lender.post("/assessments", sent)
    assert answer.status == 400
    assert answer.description.startswith(f"{field}: ")


def test_a_type_for_companies_and_one_in_beta_are_used(lender: Caller) -> None:
    lender.borrower("firm", category="company")
    create(lender, accountId="borrower:firm", assessmentType=LOANS)
    create(lender, assessmentType="assessmentTypes/credit-30-days-beta")


def test_the_result_is_of_the_data_as_it_stood(instant: Caller) -> None:
    before = create(instant, timestamp=ago(seconds=1))
    report(instant, *["You have received Ksh900"] * 6)
    after = create(instant, timestamp=ago(seconds=0))
    assert before["result"]["type"] == "invalid"
    assert after["result"]["type"] == "declined"
    assert instant.get("/assessments").body["assessments"] == [before, after]


def test_the_same_data_gives_the_same_score(instant: Caller) -> None:
    instant.borrower("c")
    texts = ["You have received Ksh900", "Ksh200 sent to JANE"] * 4
    report(instant, *texts)
    report(instant, *texts, accountId="borrower:c")
    assert outcome(instant) == outcome(instant, accountId="borrower:c")
    # Of somebody else nothing is known by that.
    instant.borrower("d")
    assert outcome(instant, accountId="borrower:d")["type"] == "invalid"
    # Reported a second time, the same texts change nothing.
    score = outcome(instant, timestamp=ago(seconds=0))
    data = instant.get("/events", filter="accountId:borrower:b").body["events"][0]["data"]
    assert instant.post("/events", new_event(data=data, timestamp=ago(seconds=30))).status == 200
    assert outcome(instant, timestamp=ago(seconds=0)) == score


def test_data_after_the_timestamp_or_before_the_window_is_not_read(instant: Caller) -> None:
    report(instant, *["You have received Ksh900"] * 6, timestamp=ago(minutes=10))
    old = [sms(days=days) for days in (95, 96, 97, 98, 99)]
    sent = new_event(data=[{"kind": "lending.example/sms", "values": old}], timestamp=ago(days=94))
    assert instant.post("/events", sent).status == 200
    friend = {"name": "A", "primaryAddress": {"addressName": "+2547", "addressType": "telephone"}}
    friends = [{"kind": "lending.example/contact", "values": [friend]}]
    assert instant.post("/events", new_event(data=friends, timestamp=ago(days=91))).status == 200
    assert outcome(instant)["creditScore"] == 426
    assert outcome(instant, timestamp=ago(minutes=11))["type"] == "invalid"
    assert outcome(instant, timestamp=ago(days=94))["creditScore"] is not None


def test_every_kind_of_data_counts(instant: Caller) -> None:
    report(instant, *["You have received Ksh900"] * 6)
    scores = [outcome(instant)["creditScore"]]
    moment = millis_ago(hours=3)
    address = {"addressName": "+254700000001", "addressType": "telephone"}
    more: tuple[tuple[str, dict[str, object]], ...] = (
        ("contact", {"name": "A", "primaryAddress": address}),
        ("device/battery", {"timestamp": moment, "level": 40}),
        ("device/location", {"timestamp": moment, "latLng": "-1.3,36.8"}),
        ("device/app", {"timestamp": moment, "package": "com.bank"}),
    )
    for n, (kind, value) in enumerate(more):
        data = [{"kind": f"lending.example/{kind}", "values": [value]}]
        event = new_event(data=data, timestamp=ago(minutes=10 + n))
        assert instant.post("/events", event).status == 200
        scores.append(outcome(instant)["creditScore"])
    assert [after - before for before, after in pairwise(scores)] == [1, 2, 2, 20]


def test_assessments_go_with_their_borrower(lender: Caller) -> None:
    lender.borrower("c")
    create(lender, accountId="borrower:c")
    made = create(lender)
    assert lender.call("DELETE", "/borrowers/b").status == 204
    assert lender.get(f"/assessments/{made['assessmentId']}").status == 404
    assert len(lender.get("/assessments").body["assessments"]) == 1


@pytest.mark.exhaustive
def test_what_was_under_way_is_finished_after_a_restart(tmp_path: Path) -> None:
    with running_sandbox(tmp_path, processing_seconds=2) as first:
        caller = Caller(first, "app")
        caller.borrower("b")
        made = create(caller)
        event = caller.post("/events", new_event()).body
        began = time.monotonic()
    with running_sandbox(tmp_path, processing_seconds=600) as second:
        caller.base_url = second.base_url
        time.sleep(max(0, 2.1 - (time.monotonic() - began)))
        assert caller.get(f"/assessments/{made['assessmentId']}").body["status"] == 2
        assert caller.get("/events").body["events"][0]["status"] == 1
        # What is new takes as long as it is said to take now.
        assert create(caller)["status"] == 0
        assert event["status"] == 0

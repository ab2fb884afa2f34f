"""The pages of assessments against a service that is odd, slow to finish, or gone."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.money.writes.models import Check
from lendingadmin.money.writes.states import WriteFound
from lendingadmin.web import coalesce
from tests.borrowers.forms import filled
from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import FaultServer
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)
LIST = "GET /v1/projects/demo/apps/kenya/assessments?"
ONE = "GET /v1/projects/demo/apps/kenya/assessments/"
PAGE = "/apps/kenya/assessments/A-1/"

GOOD: dict[str, Any] = {
    "assessmentId": "A-1",
    "uid": "7f3a",
    "accountId": "borrower:B-1",
    "assessmentType": "assessmentTypes/credit",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "createdAt": "2026-01-01T00:00:01.000Z",
    "status": 1,
    "appVersionId": "v1",
    "requestId": None,
    "result": {
        "type": "declined",
        "reason": "late",
        "message": "A loan is late.",
        "rule": "arrears_over_30_days",
        "riskLevel": "high",
        "riskScore": 71,
        "creditScore": 455.5,
        "creditRating": "D",
    },
}
KIND = {
    "name": "assessmentTypes/credit",
    "assessmentTypeId": "credit",
    "category": "credit",
    "period": "90 days",
    "status": 1,
    "displayName": "Credit",
    "description": "x",
    "settings": {
        "apps": {"channels": ["mobile"], "platforms": ["android"]},
        "accounts": {"categories": ["individual"], "accountTypes": ["borrower"]},
    },
}


def now_text(**back: float) -> str:
    return (datetime.now(UTC) - timedelta(**back)).isoformat(timespec="milliseconds")


@pytest.fixture(autouse=True)
def fresh_answers(service: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dashboard reads every answer again."""
    monkeypatch.setattr(coalesce, "GOOD_FOR", timedelta(0))


def make_service(server: FaultServer) -> FaultServer:
    """A service with one assessment and its type."""
    server.on("POST /v1/oauth2/token", token())
    answer(server, GOOD, KIND)
    return server


def answer(server: FaultServer, assessment: object, kind: object) -> None:
    listed = {"assessments": [assessment], "nextPageToken": None}
    kinds = {"assessmentTypes": [kind], "nextPageToken": None}
    server.on(LIST, reply(simplejson.dumps(listed)))
    server.on(ONE, reply(simplejson.dumps(assessment)))
    server.on("GET /v1/assessmentTypes", reply(simplejson.dumps(kinds)))


def test_the_outcome_is_told_in_words_numbers_and_pictures(desk: Client) -> None:
    page = desk.get(PAGE).content.decode()
    for words in (
        "The service advises against lending",
        "arrears over 30 days",
        "A loan is late.",
        "Rules: one failed; Result: declined",
        "Risk score 71, on a scale from 0 to 100",
        "Credit score 455.5, on a scale from 300 to 850",
        "high risk",
    ):
        assert words in page
    assert "data-poll hx-get" not in page


def test_what_the_spec_does_not_name_is_shown_as_it_came(
    desk: Client, fault_server: FaultServer
) -> None:
    extra = {"bureau": {"hits": [1, 2]}, "flag": True}
    more = GOOD | {"result": GOOD["result"] | extra, "batch": [7]}
    answer(fault_server, more, KIND)
    page = desk.get(PAGE).content.decode()
    for words in ("bureau", "{&quot;hits&quot;: [1, 2]}", "flag", ">yes<", "batch", "[7]"):
        assert words in page, words


def test_a_score_outside_the_usual_scale_has_no_picture(
    desk: Client, fault_server: FaultServer
) -> None:
    answer(fault_server, GOOD | {"result": GOOD["result"] | {"creditScore": 1200}}, KIND)
    page = desk.get(PAGE)
    assert "1,200" not in [gauge.value for gauge in page.context["gauges"]]
    assert "1,200" in page.content.decode()


def test_past_the_normal_time_it_asks_no_more(desk: Client, fault_server: FaultServer) -> None:
    waiting = GOOD | {"result": None, "status": 0}
    answer(fault_server, waiting | {"createdAt": now_text(seconds=20)}, KIND)
    assert "data-poll hx-get" in desk.get(PAGE).content.decode()
    answer(fault_server, waiting | {"createdAt": now_text(seconds=100)}, KIND)
    page = desk.get(PAGE).content.decode()
    assert 'data-finding="overdue"' in page
    assert "data-poll hx-get" not in page
    assert f'class="button" href="{PAGE}"' in page


def test_without_a_time_of_creation_the_polls_tell_how_long(
    desk: Client, fault_server: FaultServer
) -> None:
    answer(fault_server, GOOD | {"result": None, "status": 0, "createdAt": None}, KIND)
    assert "data-poll hx-get" in desk.get(f"{PAGE}status?polls=3").content.decode()
    assert "overdue" in list_marks(desk.get(f"{PAGE}status?polls=20"), "finding")


def test_with_errors_and_no_result_it_is_over(desk: Client, fault_server: FaultServer) -> None:
    answer(fault_server, GOOD | {"result": None, "status": 2}, KIND)
    page = desk.get(PAGE).content.decode()
    assert list_marks(page, "finding") == ["no-result"]
    assert "data-poll hx-get" not in page


def test_a_fault_while_it_waits_is_shown_and_asked_past(
    desk: Client, fault_server: FaultServer
) -> None:
    fault_server.on(ONE, refusal(500, "broken"))
    fragment = desk.get(f"{PAGE}status?polls=1")
    assert fragment.status_code == 200
    assert list_marks(fragment, "finding") == ["lending-error", "running"]
    assert "?polls=2" in fragment.content.decode()


def test_the_page_stands_without_the_types(desk: Client, fault_server: FaultServer) -> None:
    fault_server.on("GET /v1/assessmentTypes", refusal(403, "no"))
    assert desk.get(PAGE).status_code == 200
    form = desk.get("/apps/kenya/assessments/new")
    assert list_marks(form, "finding") == ["not-allowed"]
    assert form.context["types_card"].tone == "warn"
    assert 'type="text" name="assessmentType"' in form.content.decode()


def test_where_a_filter_is_ignored_what_does_not_belong_is_left_out(
    desk: Client, fault_server: FaultServer
) -> None:
    mine = GOOD | {"result": None, "status": 0}
    other = mine | {"assessmentId": "A-9", "accountId": "borrower:someone"}
    listed = {"assessments": [mine, other], "nextPageToken": "more"}
    fault_server.on(LIST, reply(simplejson.dumps(listed)))
    page = desk.get("/apps/kenya/assessments/new?accountId=borrower:B-1").content.decode()
    assert "Open A-1" in page
    assert "A-9" not in page
    assert list_marks(page, "finding") == ["already-running", "partial-list"]


def test_a_filter_that_is_refused_is_left_off(desk: Client, fault_server: FaultServer) -> None:
    mine = GOOD | {"result": None, "status": 0}
    plain = {"assessments": [mine], "nextPageToken": None}
    whole = reply(simplejson.dumps(plain))
    fault_server.on(LIST.rstrip("?"), refusal(400, "no filter here"), whole)
    page = desk.get("/apps/kenya/assessments/new?accountId=borrower:B-1").content.decode()
    assert "Open A-1" in page


def test_when_it_cant_be_checked_the_form_says_so(desk: Client, fault_server: FaultServer) -> None:
    fault_server.on(LIST, refusal(500, "broken"))
    page = desk.get("/apps/kenya/assessments/new?accountId=borrower:B-1")
    assert list_marks(page, "finding") == ["lending-error"]
    assert page.context["card"].tone == "warn"
    assert '<button class="main" type="submit">' in page.content.decode()


def test_an_answer_that_is_lost_is_not_known_and_leads_to_its_own_page(
    desk: Client, fault_server: FaultServer
) -> None:
    fault_server.on("POST /v1/projects/demo/apps/kenya/assessments", refusal(500, "broken"))
    form = desk.get("/apps/kenya/assessments/new")
    body = {
        "token": filled(form)["token"],
        "accountId": "borrower:B-1",
        "assessmentType": "assessmentTypes/credit",
        "timestamp": "2026-01-01T10:00",
    }
    page = desk.post("/apps/kenya/assessments/new", body, follow=True).content.decode()
    assert "<strong>Not known yet.</strong>" in page
    assert Check.objects.get().found == WriteFound.NOT_SEEN


def test_a_running_one_without_an_id_does_not_stop_the_form_for_ever(
    desk: Client, fault_server: FaultServer
) -> None:
    nameless = GOOD | {"assessmentId": None, "uid": None, "result": None, "status": 0}
    fault_server.on(LIST, reply({"assessments": [nameless], "nextPageToken": None}))
    fault_server.on("POST /v1/projects/demo/apps/kenya/assessments", reply(GOOD))
    where = "/apps/kenya/assessments/new"
    form = desk.get(f"{where}?accountId=borrower:B-1")
    assert list_marks(form, "finding") == ["already-running"]
    body = {
        "accountId": "borrower:B-1",
        "assessmentType": "assessmentTypes/credit",
        "timestamp": "2026-01-01T03:00:00",
        "token": filled(form)["token"],
        "seen": form.context["seen"],
    }
    assert desk.post(where, body).headers.get("Location") == PAGE

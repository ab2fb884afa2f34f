"""The assessments on a borrower's page: his, whatever stands on the first page of everybody's."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from lendingadmin.core.worker import walks
from lendingadmin.lending.errors import NotAllowed
from lendingadmin.lending.values import Assessment
from lendingadmin.records.assessments import known, tasks
from lendingadmin.records.assessments.models import AssessmentIndex, KnownAssessment
from lendingadmin.records.assessments.walk import AssessmentWalk
from lendingadmin.records.borrowers.panels import LIST_NOT_READ
from lendingadmin.web.display import statuses
from tests.faults.behaviours import refusal, reply
from tests.plans import scans_of, watched_queries
from tests.web.marks import list_marks

from .conftest import APP, walked
from .service import LIST, ONE, AssessmentService, assessment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("only_kenya")]
ROLE = "viewer"
PANEL = "/apps/kenya/borrowers/B-1/panels/assessments"


@pytest.fixture
def his(service: AssessmentService) -> AssessmentService:
    """Eight of B-1, the newest last, behind those of others."""
    service.people = [assessment(number, "B-0") for number in range(4)]
    service.people += [assessment(number) for number in range(10, 18)]
    return service


def panel(desk: Client, address: str = PANEL) -> tuple[list[str], str]:
    """The ids that the panel shows, and what a person reads in it."""
    answer = desk.get(address)
    assert answer.status_code == 200
    html = answer.content.decode()
    html = html[html.index('id="panel-assessments"') :]
    words = " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
    return re.findall(r'class="stretch id"[^>]*>([^<]+)<', html), words


def test_his_are_listed_six_a_page_newest_first(desk: Client, his: AssessmentService) -> None:
    index = walked()
    lists = his.pages
    shown, words = panel(desk)
    assert shown == [f"A-{number}" for number in (17, 16, 15, 14, 13, 12)]
    assert list_marks(desk.get(PANEL), "count") == ["8"] and f"{index.complete_at:%Y}" in words
    (following,) = set(re.findall(r"pageToken=(\d+)", desk.get(PANEL).content.decode()))
    assert panel(desk, f"{PANEL}?pageToken={following}")[0] == ["A-11", "A-10"]
    assert his.pages == lists


def test_status_and_outcome_are_those_of_now(desk: Client, his: AssessmentService) -> None:
    his.people[-1] = assessment(17, status=0, result=None)
    walked()
    assert statuses.processing(0).word in panel(desk)[1]
    his.people[-1] = assessment(17, result={"type": "invalid", "reason": "no_data"})
    _, words = panel(desk)
    assert "invalid" in words and statuses.processing(0).word not in words
    assert KnownAssessment.objects.get(assessment_id="A-17").status == "1"


@pytest.mark.parametrize(
    "answer",
    [
        refusal(503, "down, says Njeri"),
        refusal(404),
        reply(assessment(99)),
        reply(assessment(16, "B-2")),
        reply({"accountId": "borrower:B-1"}),
    ],
    ids=["fault", "gone", "another", "of another", "nobody's"],
)
def test_one_that_cannot_be_read_is_shown_as_it_was_kept(
    desk: Client, his: AssessmentService, answer: Any
) -> None:
    walked()
    his.server.on(f"{ONE}A-16", answer)
    shown, words = panel(desk)
    assert shown[:3] == ["A-17", "A-16", "A-15"]
    assert list_marks(desk.get(PANEL), "finding") == ["as-kept"]
    assert "Njeri" not in words
    assert KnownAssessment.objects.get(assessment_id="A-16").account_id == "borrower:B-1"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="make bench reads PostgreSQL's plans")
def test_the_table_is_not_read_whole(desk: Client, his: AssessmentService) -> None:
    walked()
    behind = KnownAssessment.objects.get(assessment_id="A-14").pk
    with watched_queries() as queries:
        assert panel(desk)[0][0] == "A-17"
        assert panel(desk, f"{PANEL}?pageToken={behind}")[0][0] == "A-13"
    assert any("assessments_knownassessment" in sql for sql, _ in queries)
    assert scans_of(queries) == []


def test_the_whole_page_has_them_too(desk: Client, his: AssessmentService) -> None:
    walked()
    his.server.on("GET /v1/projects/demo/apps/kenya/borrowers/B-1", reply({"borrowerId": "B-1"}))
    assert len(panel(desk, "/apps/kenya/borrowers/B-1/?whole=1")[0]) == 6


def test_a_borrower_without_any(desk: Client, his: AssessmentService) -> None:
    walked()
    calls = len(his.server.arrived)
    page = desk.get(PANEL.replace("B-1", "B-9"))
    assert list_marks(page, "count") == ["0"] and "<table" not in page.content.decode()
    assert "may-be-more" not in list_marks(page, "finding")
    assert len(his.server.arrived) == calls


class TestBeforeAWalkIsWhole:
    def test_none_was_begun(self, desk: Client, his: AssessmentService) -> None:
        assert panel(desk)[0] == []
        page = desk.get(PANEL)
        assert list_marks(page, "state") == ["unread"]
        assert list_marks(page, "finding") == ["may-be-more"]
        assert not AssessmentIndex.objects.exists()

    def test_what_is_known_is_shown_beside_a_page_of_the_list(
        self, desk: Client, his: AssessmentService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known.keep(APP, Assessment(assessment(17)))
        his.people[:0] = [assessment(17), assessment(18)]
        assert panel(desk)[0] == ["A-18", "A-17"]
        index = tasks.start(APP)
        assert index is not None
        monkeypatch.setattr(walks, "SLICE", 0.0)
        AssessmentWalk.run_slice(index.pk)
        assert "2 so far" in panel(desk)[1]

    def test_a_service_that_does_not_list_them(self, desk: Client, his: AssessmentService) -> None:
        his.server.on(LIST, refusal(403, "Forbidden"))
        walked()
        assert list_marks(desk.get(PANEL), "finding") == ["not-allowed"]
        known.keep(APP, Assessment(assessment(17)))
        shown, words = panel(desk)
        assert shown == ["A-17"]
        assert list_marks(desk.get(PANEL), "finding") == ["index-failed"]
        assert LIST_NOT_READ % {"why": NotAllowed.default_message} in words


def test_a_later_walk_that_failed_is_told(desk: Client, his: AssessmentService) -> None:
    walked()
    AssessmentIndex.objects.update(state="failed", why="down at noon")
    shown, words = panel(desk)
    assert len(shown) == 6
    assert list_marks(desk.get(PANEL), "finding") == ["index-refresh-failed"]
    assert "down at noon" in words

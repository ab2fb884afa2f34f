"""The walk through the assessments: which there are, whatever the service does meanwhile."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, transaction
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.caching import shared
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.worker import duties, walks
from lendingadmin.core.worker.worker import Worker
from lendingadmin.lending.values import Assessment
from lendingadmin.records.assessments import known, tasks
from lendingadmin.records.assessments.models import AssessmentIndex, KnownAssessment
from lendingadmin.records.assessments.walk import AssessmentWalk
from tests.assessments.conftest import APP, walked
from tests.assessments.service import LIST, ONE, AssessmentService, assessment
from tests.faults.behaviours import refusal, reply
from tests.sandbox.calling import Caller, new_assessment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("only_kenya")]
State = AssessmentIndex.State
ALL = {f"A-{number}" for number in range(5)}


def ids() -> set[str]:
    return set(KnownAssessment.objects.values_list("assessment_id", flat=True))


def test_what_is_kept_of_each(service: AssessmentService) -> None:
    index = walked()
    assert (index.state, index.seen, index.known, index.unreadable) == (State.IDLE, 5, 5, 0)
    assert ids() == ALL
    row = KnownAssessment.objects.get(assessment_id="A-2")
    assert (row.account_id, row.status) == ("borrower:B-2", "1")
    assert row.assessment_type == "assessmentTypes/credit-90-days"
    assert f"{row.made_at:%d %H}" == "03 08"
    stored = str([*KnownAssessment.objects.values(), *AssessmentIndex.objects.values()])
    assert "Wanjiru" not in stored and "authorized" not in stored


def test_against_the_sandbox(app: LendingApp, book: Caller) -> None:
    made = book.post("/assessments", new_assessment()).body["assessmentId"]
    tasks.start(app.app_id)
    Worker(once=True).run()
    row = KnownAssessment.objects.get()
    assert (row.assessment_id, row.account_id) == (made, "borrower:b")


def test_a_worker_does_it_by_the_clock_of_people(service: AssessmentService, settings: Any) -> None:
    Worker(once=True).run()
    assert service.pages == 0
    settings.PEOPLE_EVERY = timedelta(hours=6)
    Worker(once=True).run()
    assert ids() == ALL and service.pages == 3
    Worker(once=True).run()
    assert service.pages == 3
    AssessmentIndex.objects.update(began_at=timezone.now() - timedelta(hours=7))
    Worker(once=True).run()
    assert service.pages == 6


def test_a_worker_killed_in_the_middle_loses_at_most_a_page(
    service: AssessmentService, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(walks, "SLICE", 0.0)
    index = tasks.start(APP)
    assert index is not None
    AssessmentWalk.run_slice(index.pk)
    DBTaskResult.objects.all().delete()
    AssessmentIndex.objects.update(heartbeat_at=timezone.now() - duties.LOST)
    Worker(once=True).run()
    assert ids() == ALL and service.pages == 3


def test_pages_that_repeat_and_reorder_count_each_once(service: AssessmentService) -> None:
    service.before = lambda place: service.people.reverse() if place == 2 else None
    assert walked().seen == KnownAssessment.objects.count()
    service.before = lambda place: None
    assert walked().seen == 5
    assert ids() == ALL


def test_what_is_gone_goes_and_what_a_page_left_out_is_asked_for_and_stays(
    service: AssessmentService,
) -> None:
    walked()
    del service.people[3]
    service.hidden = {"A-1"}
    service.people[1] = assessment(1, "B-1", status=2)
    assert walked().state == State.IDLE
    assert ids() == ALL - {"A-3"}
    assert KnownAssessment.objects.get(assessment_id="A-1").status == "2"


def test_one_that_goes_by_another_id_by_now_is_not_asked_for_for_ever(
    service: AssessmentService,
) -> None:
    service.people = [assessment(0) | {"assessmentId": None, "uid": "u-0"}]
    walked()
    service.people = [assessment(0) | {"uid": "u-0"}]
    service.server.on(f"{ONE}u-0", reply(service.people[0]))
    assert walked().state == State.IDLE
    assert ids() == {"A-0"}


def test_a_status_that_changed_and_a_page_that_was_read_before(service: AssessmentService) -> None:
    walked()
    service.people[0] = assessment(0, "B-0", status=2)
    index = walked()
    row = KnownAssessment.objects.get(assessment_id="A-0")
    assert row.status == "2"
    old = known.make_assessment(row)
    before = row.read_at - timedelta(seconds=1)
    service.people[0] = assessment(0, "B-0", status=0)
    known.keep(APP, Assessment(service.people[0]))
    with transaction.atomic():
        known.put_assessments(index, [old], before, index.walk)
    assert KnownAssessment.objects.get(assessment_id="A-0").status == "0"


def test_items_that_are_none_are_counted(service: AssessmentService) -> None:
    service.people += ["none", {"accountId": "borrower:x"}, {"assessmentId": "a\x00b"}]
    index = walked()
    assert (index.seen, index.unreadable) == (5, 3)


def test_a_service_that_does_not_list_them_says_why(service: AssessmentService) -> None:
    service.server.on(LIST, refusal(403, "Wanjiru is forbidden"))
    index = walked()
    assert (index.state, index.complete_at) == (State.FAILED, None)
    assert index.why and "Wanjiru" not in index.why


def test_what_is_read_on_its_page_is_kept(desk: Client, service: AssessmentService) -> None:
    for status in (0, 1):
        shared.clear()
        service.people[4] = assessment(4, status=status, result=None)
        assert desk.get("/apps/kenya/assessments/A-4/status").status_code == 200
        assert KnownAssessment.objects.get().status == str(status)
    assert KnownAssessment.objects.get().account_id == "borrower:B-1"


def test_what_is_kept_already_is_not_written_again(
    desk: Client, service: AssessmentService
) -> None:
    walked()
    before = KnownAssessment.objects.get(assessment_id="A-4").read_at
    assert desk.get("/apps/kenya/assessments/A-4/").status_code == 200
    assert KnownAssessment.objects.get(assessment_id="A-4").read_at == before


def test_a_database_that_is_locked_hides_nothing(
    desk: Client, service: AssessmentService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(known, "put_assessments", locked)
    assert desk.get("/apps/kenya/assessments/A-4/").status_code == 200
    assert not KnownAssessment.objects.exists()

"""Papers in bulk: one for each borrower of a list, once a day, whatever dies in between."""

import json
import re
import signal
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.erasure import erase_borrower
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MAKE_PAPERS
from lendingadmin.core.worker import duties, walks
from lendingadmin.desk.assignments.services import assign
from lendingadmin.desk.collections import queues
from lendingadmin.desk.collections.models import Call
from lendingadmin.desk.collections.services import add_stop
from lendingadmin.desk.collections.states import StopKind
from lendingadmin.desk.papers import bulk, services, tasks
from lendingadmin.desk.papers.figures import REASONS
from lendingadmin.desk.papers.models import BulkPapers, BulkRow, Paper, PaperKind
from lendingadmin.web.exports import EXPORT
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal
from tests.papers.conftest import PaperService
from tests.plans import scans_of, watched_queries
from tests.policies.setting import ALWAYS, set_calling
from tests.portfolio.conftest import counted
from tests.repayments.threads import at_once
from tests.repayments.workers import soon, worker
from tests.roles import hold_only

pytestmark = pytest.mark.django_db(transaction=True)
NEW = "/apps/kenya/papers/bulk/new"
BEGIN = "/apps/kenya/papers/bulk/begin"
State = BulkPapers.State
POLLS = "data-poll hx-get"


@pytest.fixture(autouse=True)
def hours(db: None) -> None:
    """Contacts are allowed at any hour."""
    set_calling(hours=ALWAYS, has_holidays=False)


@pytest.fixture
def listed(service: PaperService) -> None:
    """Five borrowers, of whom B-1 has two loans, and of whom B-2 is not late."""
    for number in range(5):
        add_loan(service, number, overdue="0" if number == 2 else "50")
    add_loan(service, 5, "B-1")
    counted()


def add_loan(service: PaperService, number: int, borrower: str = "", **fields: Any) -> None:
    borrower = borrower or f"B-{number}"
    service.people[borrower] = (f"KAMAU {borrower}", "")
    usual = {"startDate": "2026-10-01T00:00:00.000Z", "total": Decimal(1_000 + number)}
    service.add(f"L-{number}", borrower, **usual | fields)


def read_form(desk: Client, query: str = "") -> tuple[str, dict[str, str]]:
    """The address of the form, and what it sends."""
    page = desk.get(f"{NEW}?{query}").content.decode()
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found
    return f"{BEGIN}?{query}", {"token": found[1], "language": "en"}


def begin(
    desk: Client, kind: PaperKind = PaperKind.STATEMENT, query: str = "", **days: str
) -> BulkPapers:
    address, given = read_form(desk, query)
    answer = desk.post(address, given | days | {"kind": kind.value})
    assert answer.status_code == 302
    found = BulkPapers.objects.latest("pk")
    assert answer.headers["Location"] == found.get_absolute_url()
    return found


def work(found: BulkPapers) -> timedelta | None:
    """Work until the end, or until a wait."""
    pause: timedelta | None = timedelta(0)
    while pause == timedelta(0):
        pause = bulk.run_slice(found.pk)
    found.refresh_from_db()
    return pause


def save(by: User, count: int, kind: PaperKind = PaperKind.STATEMENT, key: str = "k") -> BulkPapers:
    choice = bulk.Choice(kind, "en", None, None)
    return bulk.begin("kenya", "", [f"B-{number}" for number in range(count)], choice, by, key)


def list_codes(found: BulkPapers) -> dict[str, str]:
    return dict(found.rows.values_list("borrower_id", "code"))


def list_numbers() -> list[int]:
    return list(Paper.objects.order_by("number").values_list("number", flat=True))


# --- the form, the progress and the print ------------------------------------------------------


def test_each_borrower_of_a_list_gets_one_statement_of_all_loans(
    listed: None, desk: Client, officer: User
) -> None:
    found = begin(desk, firstDay="2026-10-01")
    page = desk.get(found.get_absolute_url()).content.decode()
    assert 'data-state="running"' in page and 'data-made="0"' in page and POLLS in page
    assert found.get_absolute_url() in desk.get(NEW).content.decode()
    assert duties.list_enqueued(tasks.make_papers) == {found.pk}
    assert work(found) is None and found.state == State.DONE
    assert list_codes(found) == {f"B-{number}": "" for number in range(5)}
    assert list_numbers() == [1, 2, 3, 4, 5]
    own = Paper.objects.get(borrower_id="B-1")
    assert len(json.loads(own.content)["sections"]) == 2 and own.account_id == ""
    assert (own.once_on, str(own.first_day)) == (found.day, "2026-10-01")
    page = desk.get(f"{found.get_absolute_url()}progress").content.decode()
    assert 'data-made="5"' in page and POLLS not in page
    trail = Entry.objects.filter(action=MAKE_PAPERS).values_list("outcome", flat=True)
    assert Counter(trail) == {"started in bulk": 1, "made": 5}
    timeline = desk.get("/apps/kenya/borrowers/B-1/timeline/").content.decode()
    assert own.get_absolute_url() in timeline


def test_all_papers_are_printed_together_and_say_when_they_are_reprints(
    listed: None, desk: Client, service: PaperService
) -> None:
    found = begin(desk)
    work(found)
    desk.get(Paper.objects.get(borrower_id="B-3").get_absolute_url())
    erase_borrower("kenya", "B-4")
    address = f"{found.get_absolute_url()}print"
    page = desk.post(address).content.decode()
    assert re.findall(r"KAMAU (B-\d)", page) == [f"B-{row.borrower_id[2:]}" for row in rows(found)]
    assert page.count('data-sheet="statement"') == 4
    # One was opened before.
    assert page.count('data-finding="reprint"') == 1 and "style=" not in page
    assert len(set(re.findall(r'id="(loan-[^"]+)"', page))) == page.count('<h2 id="loan-')
    assert desk.post(address).content.decode().count('data-finding="reprint"') == 4
    trail = Entry.objects.filter(subject=str(found)).order_by("pk")
    assert [(one.outcome, one.detail) for one in trail][1:] == [
        ("opened for printing", "4"),
        ("opened for reprinting", "4"),
    ]


def rows(found: BulkPapers) -> list[BulkRow]:
    return list(found.rows.order_by("id"))


def test_notices_in_bulk_obey_the_calling_rules_of_each_borrower(
    listed: None, desk: Client, service: PaperService, officer: User
) -> None:
    add_stop("kenya", "B-3", "", StopKind.DO_NOT_CALL, officer)
    add_stop("kenya", "B-4", "L-4", StopKind.HARDSHIP, officer)
    found = begin(desk, PaperKind.NOTICE)
    work(found)
    codes = {"B-2": "not-overdue", "B-3": "stopped", "B-4": "loan-stopped"}
    assert list_codes(found) == {"B-0": "", "B-1": "", **codes}
    assert set(Call.objects.values_list("borrower_id", flat=True)) == {"B-0", "B-1"}
    page = desk.get(found.get_absolute_url()).content.decode()
    assert dict(re.findall(r'data-code="([^"]+)".*?title="([^"]+)"', page, re.S)) == {
        code: borrower for borrower, code in codes.items()
    }
    assert 'data-refused="3"' in page


def test_an_overdue_list_has_only_its_borrowers(listed: None, desk: Client) -> None:
    found = begin(desk, query="show=overdue")
    assert set(list_codes(found)) == {"B-0", "B-1", "B-3", "B-4"}
    assert desk.get(f"{NEW}?late=nonsense").status_code == 404
    empty = desk.get(f"{NEW}?late=61-90").content.decode()
    assert 'data-finding="empty"' in empty and 'name="token"' not in empty


def test_a_list_of_borrowers_and_an_officer_s_borrowers_have_papers_too(
    listed: None, desk: Client, officer: User
) -> None:
    for number in (1, 2):
        assert assign("kenya", f"B-{number}", officer, officer, None)
    page = desk.get("/apps/kenya/borrowers/lists/?officer=mine").content.decode()
    found = re.search(r'data-papers-of-list href="[^"?]+\?([^"]+)"', page)
    assert found
    mine = begin(desk, query=unescape(found[1]))
    assert list(list_codes(mine)) == ["B-1", "B-2"]
    shown = desk.get(mine.get_absolute_url()).content.decode()
    assert "/apps/kenya/borrowers/lists/?officer=mine" in shown
    overdue = begin(desk, query="of=borrowers&show=overdue&officer=mine")
    assert list(list_codes(overdue)) == ["B-1"]
    assert desk.get(f"{NEW}?of=borrowers&show=nonsense").status_code == 404


def test_a_queue_of_calls_has_papers_too(
    listed: None,
    desk: Client,
    service: PaperService,
    client_of: ClientOf,
    viewer: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = {"overdue": "90", "schedule": {"daysLate": 40}}
    add_loan(service, 8, **late)
    add_loan(service, 9, "B-7", **late)
    add_loan(service, 10, "B-8", **late)
    counted()
    queue = "/apps/kenya/collections/late-31/"
    page = desk.get(queue)
    shown = [row.borrower_id for row in page.context["rows"]]
    assert len(shown) == 3
    found = re.search(r'data-papers-of-list href="[^"?]+\?([^"]+)"', page.content.decode())
    assert found
    of_queue = begin(desk, query=unescape(found[1]))
    assert list(list_codes(of_queue)) == list(dict.fromkeys(shown)) and "B-8" in shown
    assert queue in desk.get(of_queue.get_absolute_url()).content.decode()
    # Pages of a queue end after some rows; its papers do not.
    monkeypatch.setattr(queues, "MOST", 1)
    assert desk.get(f"{NEW}?of=calls&queue=late-31").context["found"].borrowers == ["B-8", "B-7"]
    for query in ("of=calls&queue=none", "of=calls", "of=calls&queue=list-99"):
        assert desk.get(f"{NEW}?{query}").status_code == 404
    # The right to papers of lists is not enough for the queues.
    hold_only(viewer, *bulk.RIGHTS)
    assert client_of(viewer).get(f"{NEW}?of=calls&queue=mine").status_code == 404


def test_more_than_the_most_is_refused(
    listed: None, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, given = read_form(desk)
    monkeypatch.setattr(bulk, "MOST", 4)
    answer = desk.post(address, given | {"kind": "statement"})
    assert 'data-finding="too-many"' in answer.content.decode()
    assert not BulkPapers.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"token": "made up"},
        {"kind": "discharge"},
        {"firstDay": "2999-01-01"},
        {"language": "xx"},
    ],
)
def test_a_form_that_makes_no_sense_begins_nothing(
    listed: None, desk: Client, wrong: dict[str, str]
) -> None:
    address, given = read_form(desk)
    answer = desk.post(address, {**given, "kind": "statement", **wrong})
    assert answer.status_code == 200 and not BulkPapers.objects.exists()


# --- once --------------------------------------------------------------------------------------


def test_two_presses_of_the_button_make_each_paper_once(listed: None, desk: Client) -> None:
    address, given = read_form(desk)
    places = {
        desk.post(address, given | {"kind": "statement"}).headers["Location"] for _ in range(2)
    }
    assert len(places) == BulkPapers.objects.count() == 1


def test_a_second_list_of_the_day_makes_no_second_paper(
    listed: None, desk: Client, officer: User
) -> None:
    work(begin(desk, query="show=overdue"))
    again = begin(desk)
    work(again)
    codes = dict.fromkeys(("B-0", "B-1", "B-3", "B-4"), "once")
    assert list_codes(again) == {"B-2": "", **codes}
    # The next day there are others, and a paper of one person may be made at any time.
    tomorrow = save(officer, 5, key="tomorrow")
    BulkPapers.objects.filter(pk=tomorrow.pk).update(day=tomorrow.day + timedelta(days=1))
    work(tomorrow)
    assert set(list_codes(tomorrow).values()) == {""}
    assert list_numbers() == [*range(1, 11)]


def test_the_database_allows_one_paper_of_a_kind_and_day(listed: None, desk: Client) -> None:
    work(begin(desk))
    one = Paper.objects.get(borrower_id="B-0")
    one.pk, one.number, one.idempotency_key, one.content = None, 99, "another", ""
    with pytest.raises(IntegrityError):
        one.save(force_insert=True)


def test_numbers_have_no_gaps_though_several_workers_and_lists_run_at_once(
    service: PaperService, officer: User
) -> None:
    """Two workers at each of two lists, of which the second has half of the first's borrowers."""
    for number in range(12):
        add_loan(service, number)
    both = [save(officer, 8, key="one"), save(officer, 12, key="two")]

    def act(number: int) -> object:
        return bulk.run_slice(both[number % 2].pk)

    assert not [one for one in at_once(4, act) if isinstance(one, Exception)]
    for one in both:
        work(one)
        assert one.state == State.DONE
    assert list_numbers() == [*range(1, 13)]
    papers = Counter(Paper.objects.values_list("borrower_id", flat=True))
    assert papers == dict.fromkeys((f"B-{number}" for number in range(12)), 1)
    made = BulkRow.objects.exclude(paper=None)
    assert made.count() == 12 and BulkRow.objects.filter(code="once").count() == 8


def test_a_worker_that_dies_after_a_paper_makes_it_once(
    service: PaperService, officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        add_loan(service, number)
    found = save(officer, 3)
    original = BulkPapers.step

    def die(job: BulkPapers, **changes: Any) -> bool:
        if changes.get("tries") == 0 and Paper.objects.count() == 2:
            raise KeyboardInterrupt
        return original(job, **changes)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(BulkPapers, "step", die)
        bulk.run_slice(found.pk)
    work(found)
    assert (found.state, list_numbers()) == (State.DONE, [1, 2, 3])
    assert BulkRow.objects.exclude(paper=None).count() == 3


def test_papers_whose_task_is_gone_are_taken_up_again(service: PaperService, officer: User) -> None:
    found = save(officer, 3)
    tasks.beat()
    assert not DBTaskResult.objects.exists()
    BulkPapers.objects.update(heartbeat_at=timezone.now() - duties.LOST)
    tasks.beat()
    tasks.beat()
    assert DBTaskResult.objects.count() == 1
    assert duties.list_enqueued(tasks.make_papers) == {found.pk}


def survive_a_kill(
    service: PaperService, officer: User, folder: Path, count: int, seconds: float
) -> None:
    """Kill the worker in the middle of so many statements, and let another one continue."""
    for number in range(count):
        add_loan(service, number)
    found = save(officer, count)
    tasks.make_papers.enqueue(found.pk)
    with worker(service.server.url, folder / "one") as first:
        assert soon(lambda: Paper.objects.count() >= count // 3, seconds)
        first.send_signal(signal.SIGKILL)
        first.wait(10)
    assert Paper.objects.count() < count
    DBTaskResult.objects.update(started_at=timezone.now() - duties.LOST)
    with worker(service.server.url, folder / "two"):
        assert soon(lambda: BulkPapers.objects.filter(state=State.DONE).exists(), seconds)
    assert list_numbers() == [*range(1, count + 1)]
    papers = Counter(Paper.objects.values_list("borrower_id", flat=True))
    assert papers == dict.fromkeys((f"B-{number}" for number in range(count)), 1)
    assert found.rows.exclude(paper=None).count() == count
    assert Entry.objects.filter(action=MAKE_PAPERS, outcome="made").count() == count
    log = (folder / "two").read_text()
    assert "KAMAU" not in log and "L-1" not in log


@pytest.mark.drill
def test_60_statements_survive_a_killed_worker(
    service: PaperService, officer: User, tmp_path: Path
) -> None:
    survive_a_kill(service, officer, tmp_path, 60, 60)


@pytest.mark.exhaustive
def test_1000_statements_survive_a_killed_worker(
    service: PaperService, officer: User, tmp_path: Path
) -> None:
    survive_a_kill(service, officer, tmp_path, 1_000, 600)


# --- faults ------------------------------------------------------------------------------------


def test_a_service_that_is_gone_is_waited_for_and_the_page_says_so(
    listed: None, desk: Client, service: PaperService
) -> None:
    found = begin(desk)
    service.server.once("GET ", *[refusal(503, "Anne is down")] * 3)
    assert work(found) == walks.PAUSES[0]
    assert found.state == State.RUNNING and "Anne" not in found.why
    page = desk.get(found.get_absolute_url()).content.decode()
    assert 'data-finding="waits"' in page and POLLS in page
    assert work(found) is None and (found.state, found.why) == (State.DONE, "")
    assert list_numbers() == [1, 2, 3, 4, 5]


def test_a_service_that_stays_away_pauses_the_papers_until_a_person_continues(
    listed: None, desk: Client, service: PaperService, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = begin(desk)
    answer, is_gone = service._list, [True]
    service.server.on(
        "GET /v1/projects/demo/apps/kenya/loans",
        lambda wire: refusal(500, "gone")(wire) if is_gone[0] else answer(wire),
    )
    assert [work(found) for _ in range(walks.TRIES)] == [*walks.PAUSES, None]
    assert found.state == State.PAUSED and not Paper.objects.exists()
    page = desk.get(found.get_absolute_url()).content.decode()
    assert 'data-finding="waits"' in page and POLLS not in page
    is_gone[0] = False
    address = f"{found.get_absolute_url()}resume"
    for _ in range(2):
        assert desk.post(address).headers["Location"] == found.get_absolute_url()
    work(found)
    assert found.state == State.DONE and list_numbers() == [1, 2, 3, 4, 5]


def test_a_borrower_whose_figures_do_not_add_up_is_refused_and_the_others_get_theirs(
    listed: None, desk: Client, service: PaperService
) -> None:
    service.loans["L-0"]["odd"] = {"repayment": {"paid": 1, "total": 1_000, "unpaid": 1_000}}
    service.loans["L-3"]["odd"] = {"repayment": None}
    service.people["B-4"] = ("", "")
    del service.people["B-2"]
    found = begin(desk)
    work(found)
    codes = {"B-0": "unbalanced", "B-2": "refused", "B-3": "unreadable", "B-4": "unnamed"}
    assert list_codes(found) == {"B-1": "", **codes} and list_numbers() == [1]
    page = desk.get(found.get_absolute_url()).content.decode()
    assert set(re.findall(r'data-code="([^"]+)"', page)) == set(codes.values())
    # In the words of a single paper, with the loan.
    assert str(REASONS["unbalanced"]) % {"account": "L-0"} in page


def test_a_borrower_at_whom_the_worker_always_dies_does_not_hold_it_for_ever(
    service: PaperService, officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = save(officer, 2)

    def fail(*_args: object, **_fields: object) -> None:
        raise RuntimeError("a defect of ours")

    monkeypatch.setattr(services, "make_paper", fail)
    for _ in range(walks.TRIES):
        with pytest.raises(RuntimeError):
            bulk.run_slice(found.pk)
    assert work(found) is None and found.state == State.PAUSED and found.why


def test_a_person_who_may_no_longer_make_papers_makes_none(
    listed: None, desk: Client, officer: User
) -> None:
    found = begin(desk)
    hold_only(officer, MAKE_PAPERS)
    assert work(found) is None
    assert found.state == State.PAUSED and not Paper.objects.exists()


# --- who may -----------------------------------------------------------------------------------


def test_only_people_who_may_make_papers_and_export_see_papers_in_bulk(
    listed: None, desk: Client, client_of: ClientOf, viewer: User, support: User
) -> None:
    found = begin(desk)
    work(found)
    place = found.get_absolute_url()
    pages, commands = (NEW, place, f"{place}progress"), (BEGIN, f"{place}resume", f"{place}print")
    button = "data-papers-of-list"
    assert button in desk.get("/apps/kenya/loans/lists/").content.decode()
    without_export = tuple(name for name in bulk.RIGHTS if name != EXPORT)
    for person in (viewer, hold_only(support, *without_export) or support):
        client = client_of(person)
        assert {client.get(one).status_code for one in pages} == {403}
        assert {client.post(one).status_code for one in commands} == {403}
        assert button not in client.get("/apps/kenya/loans/lists/").content.decode()
    assert desk.get(f"/apps/ghana/papers/bulk/{found.pk}/").status_code in (403, 404)


def test_the_content_is_encrypted_and_goes_with_the_borrower(listed: None, desk: Client) -> None:
    found = begin(desk)
    work(found)
    with connection.cursor() as cursor:
        cursor.execute("SELECT content FROM papers_paper")
        assert all("KAMAU" not in stored.upper() for (stored,) in cursor.fetchall())
    erase_borrower("kenya", "B-1")
    assert "B-1" not in list_codes(found)
    assert Paper.objects.get(borrower_id="B-1").content == ""


@pytest.mark.skipif(connection.vendor != "sqlite", reason="make bench reads the plans there")
def test_each_query_is_served_by_an_index(
    listed: None, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "make_papers", SimpleNamespace(enqueue=lambda number: None))
    with watched_queries() as queries:
        found = begin(desk, PaperKind.NOTICE)
        work(found)
        desk.get(found.get_absolute_url())
        desk.post(f"{found.get_absolute_url()}print")
    assert scans_of(queries) == [] and len(queries) > 10

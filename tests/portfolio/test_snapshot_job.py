"""Counting the book, page after page: by the clock, by a person, with memory that stays."""

import tracemalloc
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import simplejson
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import walks
from lendingadmin.core.worker.worker import Worker
from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import find_next_due
from lendingadmin.lending.pages import LED_BACK
from lendingadmin.money.repayments import tasks as ledger_tasks
from lendingadmin.people.index.models import BorrowerIndex
from tests.conftest import ClientOf
from tests.faults.behaviours import reply
from tests.faults.server import FaultServer, Wire
from tests.portfolio.conftest import counted, outstanding
from tests.portfolio.service import LIST, BookService, loan, paid
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)
State = Snapshot.State


def one_page_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "SLICE", 0.0)


# --- the way through -----------------------------------------------------------------------


def test_every_page_is_read_once_with_little_of_each_loan(service: BookService) -> None:
    row = counted()
    assert (row.state, row.loans_read, row.expected, row.unreadable) == (State.DONE, 5, None, 0)
    assert outstanding(row) == [300, 5]
    assert service.places == ["", "2", "4"]
    assert row.loans.count() == 5
    assert (row.page_token, row.asked_by) == ("", None)


def test_against_the_sandbox(app: LendingApp, book: Caller) -> None:
    book.loan("m", loanAmount=Decimal("800.50"))
    row = tasks.start(app.app_id, None)
    Worker(once=True).run()
    assert row is not None
    row.refresh_from_db()
    assert (row.state, row.loans_read) == (State.DONE, 2)
    there = [book.get(f"/loans/{key}").body["balances"]["repayment"]["unpaid"] for key in "lm"]
    assert outstanding(row) == [sum(there), 2]


def test_what_is_kept_names_nobody(service: BookService) -> None:
    """Of a borrower the id is kept, and nothing else of what a service may send with a loan."""
    private = {"name": "Achieng", "phoneNumber": "+254700186215", "individual": {"surname": "Ouma"}}
    service.loans = [loan(0, **private, borrower=private, labels={"of": "Achieng"})]
    row = counted()
    fields = {field.name for field in SnapshotLoan._meta.get_fields()}
    assert {one for one in fields if "borrower" in one} == {"borrower_id"}
    assert not {one for one in fields if "name" in one or "phone" in one}
    kept = str([*SnapshotLoan.objects.values(), *Snapshot.objects.values()])
    assert row.loans_read == 1 and "B-1" in kept
    for word in ("Achieng", "Ouma", "186215"):
        assert word not in kept


def test_a_slice_goes_on_where_the_last_one_ended(
    service: BookService, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_page_a_slice(monkeypatch)
    row = tasks.start("kenya", None)
    assert row is not None
    pauses = [snapshot_job.CountWalk.run_slice(row.pk) for _ in range(4)]
    assert pauses == [timedelta(0), timedelta(0), None, None]
    assert service.places == ["", "2", "4"]
    row.refresh_from_db()
    assert row.state == State.DONE


def test_the_worker_enqueues_slice_after_slice_and_looks_come_first(
    service: BookService, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_page_a_slice(monkeypatch)
    done: list[str] = []
    run = Worker.run_task

    def note(self: Worker, task: DBTaskResult) -> None:
        if "count" in task.task_path and "check" not in done:
            ledger_tasks.check.enqueue(4711)
        done.append(task.task_path.rpartition(".")[2])
        run(self, task)

    monkeypatch.setattr(Worker, "run_task", note)
    row = tasks.start("kenya", None)
    Worker(once=True).run()
    assert [name for name in done if name in ("count", "check")] == [
        "count",
        "check",
        *["count"] * 2,
    ]
    assert row is not None
    row.refresh_from_db()
    assert row.state == State.DONE


def test_payments_are_reckoned_from_the_count_before(service: BookService) -> None:
    first = counted()
    assert first.figures["untold"]["paid"] == 5
    now = (timezone.now() + timedelta(minutes=1)).isoformat().replace("+00:00", "Z")
    service.loans = [
        paid(0, "65.25"),
        paid(1, "40.00"),
        paid(2, "30.00"),  # taken back
        {**paid(7, "15.00"), "createdAt": now},  # made since
        paid(8, "99.00"),  # left out by the count before
    ]
    row = counted()
    assert row.previous == first
    assert row.expected == 5
    changes = dict(row.loans.values_list("account_id", "paid_since_last"))
    assert changes == {
        "L-000": Decimal("25.25"),
        "L-001": Decimal("0.00"),
        "L-002": Decimal("-10.00"),
        "L-007": Decimal("15.00"),
        "L-008": None,
    }
    assert row.figures["sums"]["paid"] == ["30.25", 3]


def test_a_list_that_shifts_gives_no_loan_twice(service: BookService) -> None:
    def somebody_makes_a_loan(place: int) -> None:
        if place == 2:
            service.loans.insert(0, loan(99))

    service.before = somebody_makes_a_loan
    row = counted()
    assert (row.state, row.loans_read, outstanding(row)) == (State.DONE, 5, [300, 5])


def test_a_last_page_of_known_loans_is_not_called_the_end(service: BookService) -> None:
    service.loans = [loan(0), loan(1), loan(1)]
    row = counted()
    assert (row.state, row.loans_read) == (State.FAILED, 2)
    assert LED_BACK in row.why


@pytest.mark.parametrize(
    "answer",
    [
        {"loans": [loan(0)], "nextPageToken": "again"},
        {"loans": [], "nextPageToken": "again"},
    ],
    ids=["loans", "nothing"],
)
def test_a_service_that_turns_in_a_circle_fails_with_words(
    service: BookService, answer: dict[str, Any]
) -> None:
    service.server.on(LIST, reply(simplejson.dumps(answer, use_decimal=True).encode()))
    row = counted()
    assert row.state == State.FAILED
    assert LED_BACK in row.why
    assert service.pages <= 3


def test_a_service_that_goes_on_for_ever_with_new_tokens_fails(service: BookService) -> None:
    def endless(wire: Wire) -> bool:
        answer = {"loans": [loan(0), loan(1)], "nextPageToken": f"p{service.pages}"}
        return reply(simplejson.dumps(answer, use_decimal=True).encode())(wire)

    service.server.on(LIST, endless)
    row = counted()
    assert (row.state, service.pages) == (State.FAILED, 2)


# --- when it is due ------------------------------------------------------------------------


def test_by_the_clock(service: BookService, settings: Any) -> None:
    tasks.beat()
    assert not Snapshot.objects.exists()
    settings.SNAPSHOT_EVERY = timedelta(hours=6)
    tasks.beat()
    tasks.beat()
    assert {row.app_id for row in Snapshot.objects.all()} == {"kenya", "ghana"}
    Snapshot.objects.update(state=State.STOPPED)
    tasks.beat()
    assert Snapshot.objects.count() == 2
    Snapshot.objects.update(began_at=timezone.now() - timedelta(hours=6))
    tasks.beat()
    assert Snapshot.objects.count() == 4


def test_what_failed_is_tried_again_within_the_hour(service: BookService, settings: Any) -> None:
    settings.SNAPSHOT_EVERY = timedelta(hours=6)
    tasks.beat()
    Snapshot.objects.update(state=State.FAILED, began_at=timezone.now() - timedelta(minutes=59))
    tasks.beat()
    assert Snapshot.objects.count() == 2
    Snapshot.objects.update(began_at=timezone.now() - timedelta(minutes=60))
    tasks.beat()
    assert Snapshot.objects.count() == 4
    # Whoever wants it more often than that has it so.
    settings.SNAPSHOT_EVERY = timedelta(minutes=5)
    Snapshot.objects.update(state=State.FAILED, began_at=timezone.now() - timedelta(minutes=5))
    tasks.beat()
    assert Snapshot.objects.count() == 6


@pytest.mark.parametrize(
    ("setting", "loans", "hours"),
    [
        (None, 0, 6),
        (None, 600_000, 6),
        (None, 1_000_000, 10),
        (None, 2_000_000, 20),
        (None, 2_400_000, 24),
        (None, 9_000_000, 24),
        (timedelta(hours=6), 9_000_000, 6),
        (timedelta(hours=48), 0, 48),
    ],
)
def test_a_large_book_is_counted_less_often_unless_the_interval_is_set(
    setting: timedelta | None, loans: int, hours: int, settings: Any
) -> None:
    settings.SNAPSHOT_EVERY = settings.PEOPLE_EVERY = setting
    began = timezone.now()
    of_last = {"began_at": began, "loans_read": loans, "state": State.DONE}
    due = began + timedelta(hours=hours)
    assert find_next_due(Snapshot(**of_last)) == due
    # One that was stopped says nothing of how many there are, but what it expected.
    stopped = {"state": State.STOPPED, "loans_read": 3, "expected": loans}
    assert find_next_due(Snapshot(**of_last | stopped)) == due
    failed = Snapshot(**of_last | {"state": State.FAILED})
    assert find_next_due(failed) == began + timedelta(hours=1)
    index = BorrowerIndex(began_at=began, state="idle", known=loans)
    assert walks.find_next_due(index) == due
    index.state = "running"
    assert walks.find_next_due(index) is None


@pytest.mark.parametrize("loans", [0, 9_000_000])
def test_without_an_interval_nothing_is_counted_by_itself(loans: int, settings: Any) -> None:
    settings.SNAPSHOT_EVERY = timedelta(0)
    last = Snapshot(began_at=timezone.now(), loans_read=loans, state=State.DONE)
    assert find_next_due(last) is None


def test_with_the_interval_of_the_book_it_is_counted(service: BookService, settings: Any) -> None:
    settings.SNAPSHOT_EVERY = None
    tasks.beat()
    assert {row.app_id for row in Snapshot.objects.all()} == {"kenya", "ghana"}


def test_old_ones_are_thinned_by_the_worker(service: BookService) -> None:
    old = counted()
    Snapshot.objects.update(ended_at=timezone.now() - timedelta(days=1000))
    counted(), counted()
    Worker(once=True).run()
    assert not Snapshot.objects.filter(pk=old.pk).exists()
    assert Snapshot.objects.count() == 2


# --- by a person ---------------------------------------------------------------------------


def test_who_may_have_it_counted(
    service: BookService, people: dict[str, User], client_of: ClientOf
) -> None:
    for name, may in (("viewer", False), ("officer", True), ("support", True), ("manager", True)):
        client = client_of(people[name])
        assert client.get("/apps/kenya/book/count").status_code == (405 if may else 403)
        asked = client.post("/apps/kenya/book/count")
        assert asked.status_code == (302 if may else 403)
        assert Snapshot.objects.filter(state=State.RUNNING).count() == may
        assert client.post("/apps/kenya/book/stop").status_code == (302 if may else 403)
        assert not Snapshot.objects.filter(state=State.RUNNING).exists()
    last = Snapshot.objects.last()
    assert last is not None and last.asked_by == people["manager"]
    told = Entry.objects.filter(action="dashboard.portfolio.count", username="support")
    assert [entry.outcome for entry in told.order_by("id")] == ["started", "stopped"]


def test_pressing_twice_counts_once(
    service: BookService, client_of: ClientOf, officer: User
) -> None:
    client = client_of(officer)
    client.post("/apps/kenya/book/count")
    page = client.post("/apps/kenya/book/count", follow=True).content.decode()
    assert 'data-finding="already-running"' in page
    assert Snapshot.objects.count() == 1
    snapshot_job.stop("kenya", officer)
    page = client.post("/apps/kenya/book/stop", follow=True).content.decode()
    assert 'data-finding="had-ended"' in page


# --- memory --------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_memory_does_not_grow_with_the_book(fault_server: FaultServer, settings: Any) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    service = BookService(fault_server, [loan(number) for number in range(200)], size=200)
    counted()
    peaks = []
    for loans in (400, 4000):
        service.loans = [loan(number) for number in range(loans)]
        SnapshotLoan.objects.all().delete()
        Snapshot.objects.all().delete()
        tracemalloc.start()
        row = counted()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert row.loans_read == loans
    # The server stands in the same process, and what it is asked is kept: a page is the yardstick.
    assert peaks[1] < peaks[0] * 1.5

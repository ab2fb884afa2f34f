"""“My borrowers”, and queues that managers make of lists."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments import services as assignments
from lendingadmin.desk.assignments.models import Assignment, Basis
from lendingadmin.desk.collections import made_queues, services
from lendingadmin.desk.collections.models import Call, CallQueue, Lease, PaidLoan
from lendingadmin.desk.collections.queues import MOST, Queue, open_queue
from lendingadmin.desk.collections.states import StopKind
from tests.conftest import ClientOf
from tests.policies.setting import NEVER, set_calling
from tests.repayments.rows import row
from tests.roles import give_roles, take_roles

from .desk import COLLECTIONS, counted, note_call, press_next, read_page, words
from .service import CallService

pytestmark = pytest.mark.django_db
MINE = f"{COLLECTIONS}mine/"
NEW = f"{COLLECTIONS}queues/new"


def get_today() -> Any:
    return timezone.localdate(timezone=lending_app("kenya").zone)


def give(person: User, *numbers: int) -> None:
    Assignment.objects.bulk_create(
        Assignment(app_id="kenya", borrower_id=f"B-{number}", officer=person, basis=Basis.HAND)
        for number in numbers
    )


def add_due(service: CallService, number: int) -> None:
    coming = {"dueDate": f"{get_today()}T23:59:59.999Z", "amounts": {"repayment": 100}}
    service.add(number, overdue="0", schedule={"daysLate": 0, "nextInstallment": coming})


def list_loans(key: str, person: User) -> list[str]:
    queue = open_queue(lending_app("kenya"), key, timezone.now(), person)
    assert queue is not None
    return [one.account_id for one in queue.read_rows(0, MOST)]


def make_queue(boss: Client, name: str = "Big ones", query: str = "", **fields: Any) -> CallQueue:
    answer = boss.post(f"{NEW}?{query}", {"name": name, **fields})
    assert answer.status_code == 302, words(answer.content.decode())
    return CallQueue.objects.get(name=name, retired_at=None)


def test_mine_is_what_is_late_and_then_what_is_due(service: CallService, officer: User) -> None:
    for number, late in enumerate([3, 0, 40, 9]):
        service.add(number, late, "500" if late else "0")
    add_due(service, 4)
    add_due(service, 5)
    counted()
    give(officer, 0, 1, 2, 4)
    assert list_loans("mine", officer) == ["L-2", "L-0", "L-4"]


@pytest.mark.parametrize("many", [0, 20_000])
def test_however_it_is_read_the_rows_are_the_same(
    service: CallService, officer: User, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lendingadmin.desk.collections.queues.MANY", many)
    for number in range(12):
        service.add(number, number)
    for number in range(12, 15):
        add_due(service, number)
    counted()
    give(officer, *range(0, 15, 2))
    expected = ["L-10", "L-8", "L-6", "L-4", "L-2", "L-12", "L-14"]
    queue = open_queue(lending_app("kenya"), "mine", timezone.now(), officer)
    assert queue is not None and queue.count() == len(expected)
    for first in range(len(expected) + 1):
        for last in range(first, len(expected) + 2):
            found = [one.account_id for one in queue.read_rows(first, last)]
            assert found == expected[first:last], (first, last)


def test_nobody_else_s_and_nobody_quiet_is_mine(
    service: CallService, officer: User, support: User
) -> None:
    for number in range(5):
        service.add(number, 9 - number)
    counted()
    give(officer, 0, 1, 2)
    give(support, 3)
    services.add_stop("kenya", "B-0", "", StopKind.DO_NOT_CALL, officer)
    later = timezone.now() + timedelta(seconds=1)
    row(support, account_id="L-1", borrower_id="B-1", amount="500", created_at=later)
    queue = Queue(lending_app("kenya"), "mine", timezone.now(), person=officer)
    assert [one.account_id for one in queue.list_free()] == ["L-2"]
    assert list_loans("mine", support) == ["L-3"]


def test_a_stand_in_is_told_for_whom(
    service: CallService, desk: Client, officer: User, support: User
) -> None:
    for number in range(3):
        service.add(number, 9 - number)
    counted()
    give(officer, 0)
    give(support, 1)
    today = get_today()
    held = assignments.hand_over("kenya", support, officer, today, today, support)
    assert held is not None
    shown = words(read_page(desk, MINE))
    assert "2 to call" in shown and shown.count("you cover for support") == 1
    assert press_next(desk, "mine") == "B-0"
    note_call(desk, "B-0", "no_answer")
    assert Call.objects.get().queue == "mine"
    assert Lease.objects.get().borrower_id == "B-1"
    assignments.end_hand_over(held, support)
    assert list_loans("mine", officer) == []


def test_the_day_of_a_hand_over_is_the_lender_s(
    service: CallService, officer: User, support: User
) -> None:
    """At 22:30 UTC it is the next day in Nairobi, and there the hand-over has begun."""
    service.add(0)
    counted()
    give(support, 0)
    today = get_today()
    assignments.hand_over("kenya", support, officer, today, today, support)
    app = lending_app("kenya")
    midnight = timezone.datetime(today.year, today.month, today.day, tzinfo=app.zone)
    begins = [midnight - timedelta(seconds=1), midnight]
    ends = [midnight + timedelta(hours=23, minutes=59), midnight + timedelta(days=1)]
    held = [len(Queue(app, "mine", at, person=officer).read_rows(0, 9)) for at in begins + ends]
    assert held == [0, 1, 1, 0]


def test_next_of_mine_passes_over_who_paid_elsewhere(
    service: CallService, desk: Client, officer: User
) -> None:
    for number in range(2):
        service.add(number, 9 - number)
    add_due(service, 2)
    counted()
    give(officer, 0, 1, 2)
    service.pay("L-0", "500")
    service.loans["L-1"]["balances"]["repayment"]["overdue"] = 0
    # What is due today is called about while anything is unpaid.
    assert press_next(desk, "mine") == "B-2"
    assert set(PaidLoan.objects.values_list("account_id", flat=True)) == {"L-0", "L-1"}


def test_a_queue_is_in_the_order_of_its_list(
    service: CallService, boss: Client, manager: User
) -> None:
    for number, (late, overdue) in enumerate([(3, "10"), (9, "70"), (0, "0"), (40, "40")]):
        service.add(number, late, overdue)
    counted()
    made = make_queue(boss, query="show=overdue&sort=-overdue")
    assert list_loans(made.key, manager) == ["L-1", "L-3", "L-0"]
    rising = make_queue(boss, "Small ones", "show=overdue&sort=overdue&late=8-30")
    assert list_loans(rising.key, manager) == ["L-1"]
    every = make_queue(boss, "Everybody")
    assert set(list_loans(every.key, manager)) == {"L-0", "L-1", "L-2", "L-3"}


def test_the_people_of_a_queue_work_on_it_as_on_the_others(
    service: CallService, boss: Client, desk: Client, client_of: ClientOf, support: User
) -> None:
    for number in range(3):
        service.add(number, 9 - number)
    counted()
    made = make_queue(boss, query="show=overdue", people=[support.pk])
    clerk, address = client_of(support), f"{COLLECTIONS}{made.key}/"
    assert "Big ones" in read_page(clerk, COLLECTIONS) and "Big ones" in read_page(
        boss, COLLECTIONS
    )
    assert "Big ones" not in read_page(desk, COLLECTIONS)
    assert desk.get(address).status_code == 404
    assert desk.post(f"{address}next").status_code == 404
    assert "3 to call, in the order of the list" in words(read_page(clerk, address))
    first = press_next(clerk, made.key)
    assert Lease.objects.get().queue == made.key and "Big ones" in read_page(
        clerk, f"{COLLECTIONS}calls/{first}/"
    )
    note_call(clerk, first, "no_answer")
    assert f"{made.name} 1 0 0 0" in words(read_page(boss, COLLECTIONS))
    assert Lease.objects.get().borrower_id != first


def test_a_list_of_loans_that_are_not_late_is_called_about_until_they_are_paid(
    service: CallService, boss: Client
) -> None:
    add_due(service, 0)
    service.add(1, 0, "0")
    service.loans["L-1"]["balances"]["repayment"].update(unpaid=0)
    service.loans["L-1"]["schedule"]["daysLate"] = None
    counted()
    made = make_queue(boss)
    assert press_next(boss, made.key) == "B-0"
    note_call(boss, "B-0", "no_answer", leave="1")
    assert press_next(boss, made.key) == f"{COLLECTIONS}{made.key}/"


def test_a_change_of_a_queue_that_somebody_retired_meanwhile_is_none(
    service: CallService, boss: Client, manager: User
) -> None:
    counted()
    made = make_queue(boss, query="show=overdue")
    seen = CallQueue.objects.get(pk=made.pk)
    assert made_queues.retire_queue(made, manager)
    assert not made_queues.change_queue(seen, {"name": "Again", "people": []}, manager)
    seen.refresh_from_db()
    assert seen.retired_at is not None and seen.name != "Again"


def test_a_retired_queue_is_nowhere_and_its_calls_stay(
    service: CallService, boss: Client, manager: User
) -> None:
    for number in range(2):
        service.add(number)
    counted()
    made = make_queue(boss, query="show=overdue")
    first = press_next(boss, made.key)
    assert boss.post(f"{COLLECTIONS}queues/{made.pk}/retire").status_code == 302
    assert boss.get(made.get_absolute_url()).status_code == 404
    # Whom somebody has from it they may finish; there is no next one.
    answer = note_call(boss, first, "reached")
    assert answer["Location"] == COLLECTIONS
    shown = read_page(boss, COLLECTIONS)
    assert f"{made.name} 1 1 0 0" in words(shown) and made.get_absolute_url() not in shown
    # Its name is free again.
    assert make_queue(boss).pk != made.pk


def test_names_are_taken_once_and_people_must_be_able_to_call(
    service: CallService, boss: Client, viewer: User, officer: User
) -> None:
    service.add(0)
    counted()
    made = make_queue(boss)
    again = boss.post(NEW, {"name": "Big ones"})
    assert str(made_queues.NAME_TAKEN) in again.content.decode()
    wrong = boss.post(NEW, {"name": "Others", "people": [viewer.pk]})
    assert wrong.status_code == 200 and not CallQueue.objects.filter(name="Others").exists()
    address = f"{COLLECTIONS}queues/{made.pk}/edit"
    assert 'value="Big ones"' in read_page(boss, address)
    boss.post(address, {"name": "Bigger ones", "people": [officer.pk]})
    made.refresh_from_db()
    assert made.name == "Bigger ones" and not made.is_for_all
    assert boss.get(f"{NEW}?late=9").status_code == 404


def test_its_form_names_nobody_who_has_no_role_in_the_app(
    service: CallService, boss: Client, officer: User, support: User
) -> None:
    service.add(0)
    counted()
    made = make_queue(boss, people=[officer.pk, support.pk])
    take_roles(support)
    give_roles(support, "support", apps=["ghana"])
    form = read_page(boss, f"{COLLECTIONS}queues/{made.pk}/edit")
    assert f'name="people" value="{officer.pk}"' in form
    assert f'name="people" value="{support.pk}"' not in form and ">support<" not in form


def test_outside_of_the_hours_nobody_is_next(
    service: CallService, boss: Client, desk: Client, officer: User
) -> None:
    service.add(0)
    counted()
    give(officer, 0)
    made = make_queue(boss)
    set_calling(hours=NEVER)
    for key in ("mine", made.key):
        assert press_next(desk, key) == f"{COLLECTIONS}{key}/"
    assert not Lease.objects.exists()

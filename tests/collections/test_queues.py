"""Who stands in which queue, in which order, and who leaves it."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections import leases, services
from lendingadmin.desk.collections.models import Lease
from lendingadmin.desk.collections.queues import MOST, QUEUES, Queue, QueueKind
from lendingadmin.desk.collections.states import StopKind
from lendingadmin.desk.collections.views.queues import NOBODY_LEFT
from tests.conftest import ClientOf
from tests.repayments.rows import row

from .desk import COLLECTIONS, counted, press_next, read_page, words
from .service import CallService

pytestmark = pytest.mark.django_db


def list_loans(key: str) -> list[str]:
    queue = Queue(lending_app("kenya"), key, timezone.now())
    return [one.account_id for one in queue.read_rows(0, MOST)]


def test_each_queue_has_its_loans_in_its_order(service: CallService) -> None:
    for number, late in enumerate([0, 1, 7, 3, 8, 30, 31, 400, 60]):
        service.add(number, late, "500" if late else "0")
    service.loans["L-8"]["balances"]["repayment"]["paid"] = Decimal(0)
    service.loans["L-7"]["status"] = 3
    counted()
    assert list_loans("late-1-7") == ["L-2", "L-3", "L-1"]
    assert list_loans("late-8-30") == ["L-5", "L-4"]
    assert list_loans("late-31") == ["L-6", "L-8"]
    assert list_loans("first-missed") == ["L-8"]
    assert list_loans("due-today") == list_loans("promised") == list_loans("broken") == []


def test_a_row_of_the_table_is_a_queue(
    service: CallService, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, late in enumerate((4, 5, 6, 9)):
        service.add(number, late)
    counted()
    monkeypatch.setitem(
        QUEUES, ("late-5-8"), QueueKind("Five to eight", "most days late first", 5, 8)
    )
    monkeypatch.setitem(QUEUES, "late", QueueKind("Late", "most days late first"))
    assert list_loans("late-5-8") == ["L-2", "L-1"]
    assert list_loans("late") == ["L-3", "L-2", "L-1", "L-0"]
    assert press_next(desk, "late-5-8") == "B-2"


def test_what_is_due_today_or_fell_due_since_the_count(service: CallService) -> None:
    for number, days in enumerate((-1, 0, 1)):
        day = timezone.localdate(timezone=lending_app("kenya").zone) + timedelta(days=days)
        coming = {"dueDate": f"{day}T23:59:59.999Z", "amounts": {"repayment": 100}}
        schedule = {"daysLate": 0, "nextInstallment": coming}
        service.add(number, overdue="0", schedule=schedule)
    counted()
    assert list_loans("due-today") == ["L-1"]


def test_who_must_not_be_called_is_in_no_queue(service: CallService, officer: User) -> None:
    for number in range(4):
        service.add(number)
    # The second loan of a borrower whose first is disputed is called about.
    service.add(10, borrowerId="B-0")
    counted()
    services.add_stop("kenya", "B-0", "L-0", StopKind.DISPUTE, officer)
    services.add_stop("kenya", "B-1", "L-1", StopKind.DO_NOT_CALL, officer)
    services.add_stop("ghana", "B-2", "", StopKind.DIED, officer)
    assert set(list_loans("late-1-7")) == {"L-10", "L-2", "L-3"}


def test_who_paid_here_since_the_count_is_not_next(
    service: CallService, desk: Client, support: User
) -> None:
    for number in range(2):
        service.add(number, 7 - number)
    counted()
    later = timezone.now() + timedelta(seconds=1)
    row(support, account_id="L-0", borrower_id="B-0", amount="500", created_at=later)
    assert read_page(desk, f"{COLLECTIONS}late-1-7/").count('data-finding="paid"') == 1
    assert press_next(desk) == "B-1"


def test_who_paid_elsewhere_leaves_when_it_is_seen(service: CallService, desk: Client) -> None:
    for number in range(3):
        service.add(number, 7 - number)
    counted()
    service.pay("L-0", "500")
    del service.loans["L-1"]
    assert press_next(desk) == "B-2"
    assert list_loans("late-1-7") == ["L-2"]
    # The next count decides anew.
    service.add(0, 2)
    counted()
    assert "L-0" in list_loans("late-1-7")


def test_a_service_that_is_down_keeps_nobody_from_calling(
    service: CallService, desk: Client
) -> None:
    service.add(0)
    counted()
    service.down = {"L-0", "B-0"}
    assert press_next(desk) == "B-0"
    shown = read_page(desk, f"{COLLECTIONS}calls/B-0/")
    assert "down for maintenance" in shown and 'name="outcome"' in shown


def test_two_people_get_two_borrowers_and_the_third_nobody(
    service: CallService, desk: Client, boss: Client, client_of: ClientOf, support: User
) -> None:
    for number in range(2):
        service.add(number, 7 - number)
    counted()
    third = client_of(support)
    assert press_next(desk) == "B-0"
    assert press_next(boss) == "B-1"
    assert press_next(third) == f"{COLLECTIONS}late-1-7/"
    assert NOBODY_LEFT in read_page(third, f"{COLLECTIONS}late-1-7/")
    # Nobody else is free, so each keeps whom they have.
    assert press_next(desk) == "B-0"
    assert sorted(Lease.objects.values_list("borrower_id", flat=True)) == ["B-0", "B-1"]


def test_a_lease_that_ran_out_is_anybody_s(officer: User, manager: User) -> None:
    now = timezone.now()
    held = {"account_id": "L-0", "queue": "late-1-7"}
    assert leases.take("kenya", "B-0", officer, now, **held)
    assert not leases.take("kenya", "B-0", manager, now + leases.LASTS / 2, **held)
    assert leases.take("kenya", "B-0", officer, now + leases.LASTS / 2, **held)
    assert not leases.take("kenya", "B-0", manager, now + leases.LASTS, **held)
    assert leases.take("kenya", "B-0", manager, now + leases.LASTS * 3 / 2, **held)
    lease = leases.find_lease("kenya", "B-0", now + leases.LASTS * 3 / 2)
    assert lease is not None and lease.person == manager
    assert leases.find_lease("ghana", "B-0", now) is None


def test_who_fails_to_take_another_keeps_whom_they_had(officer: User, manager: User) -> None:
    now = timezone.now()
    assert leases.take("kenya", "B-0", officer, now, account_id="", queue="")
    assert leases.take("kenya", "B-1", manager, now, account_id="", queue="")
    assert not leases.take("kenya", "B-1", officer, now, account_id="", queue="")
    assert leases.find_lease("kenya", "B-0", now) is not None


def test_the_pages_say_what_there_is(service: CallService, desk: Client) -> None:
    assert 'data-finding="not-counted"' in read_page(desk, COLLECTIONS)
    for number in range(30):
        service.add(number, 1 + number % 7)
    counted()
    shown = words(read_page(desk, COLLECTIONS))
    assert "1 to 7 days late 30" in shown and "8 to 30 days late 0" in shown
    first = read_page(desk, f"{COLLECTIONS}late-1-7/")
    assert "30 to call, most days late first" in words(first)
    # Days are told as days late, and amounts have their currency.
    head, body = first.partition("</thead>")[0], first.partition("</thead>")[2]
    assert "(KES)" in head and body.count(" days late") + body.count(" day late") >= 25
    rest = read_page(desk, f"{COLLECTIONS}late-1-7/?after=25")
    ids = {f">L-{number}<" for number in range(30)}
    assert sum(one in first for one in ids) == 25 and sum(one in rest for one in ids) == 5
    assert 'data-finding="empty"' in read_page(desk, f"{COLLECTIONS}late-31/")
    assert desk.get(f"{COLLECTIONS}late-9/").status_code == 404
    assert set(QUEUES) == {
        *(
            "mine",
            "due-today",
            "late-1-7",
            "late-8-30",
            "late-31",
            "first-missed",
            "promised",
            "broken",
        )
    }


def test_one_who_was_called_meanwhile_costs_nobody_whom_they_had(
    service: CallService, desk: Client, manager: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody calls the other one between the list and the lease, as a host dies."""
    service.add(0, 5)
    service.add(1, 3)
    counted()
    assert press_next(desk) == "B-0"
    holds = Queue.holds

    def stop_first(queue: Queue, row: Any) -> bool:
        if row.borrower_id == "B-1":
            services.add_stop("kenya", "B-1", "L-1", StopKind.DO_NOT_CALL, manager)
        return holds(queue, row)

    monkeypatch.setattr(Queue, "holds", stop_first)
    assert press_next(desk) == "B-0"
    assert [one.borrower_id for one in Lease.objects.all()] == ["B-0"]


def test_who_got_no_answer_has_the_last_one_still(
    service: CallService, client_of: ClientOf, officer: User, support: User
) -> None:
    """A host may die between the lease and its answer: that borrower is not lost until it ends."""
    service.add(0)
    counted()
    one, other = client_of(officer), client_of(support)
    assert press_next(one) == press_next(one) == "B-0"
    assert press_next(other) == f"{COLLECTIONS}late-1-7/"
    service.add(1)
    counted()
    # While there is somebody else, Next goes on.
    assert press_next(one) == "B-1"
    assert press_next(other) == "B-0"

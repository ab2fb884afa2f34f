"""A list to one officer: preview, once, per-row outcome, nobody's change lost, undo for a day."""

import re
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from lendingadmin.assignments import bulk, services, tasks
from lendingadmin.assignments.models import Assignment, BulkAssignment, BulkRow
from lendingadmin.staff.models import User
from tests.collections.desk import counted, page, words
from tests.collections.service import CallService

pytestmark = pytest.mark.django_db
NEW = "/apps/kenya/collections/assignments/lists/new"
Outcome = BulkRow.Outcome


def read_all() -> dict[str, str]:
    rows = Assignment.objects.filter(app_id="kenya").order_by("borrower_id")
    return dict(rows.values_list("borrower_id", "officer__username"))


def assign(borrower_id: str, person: User, by: User) -> None:
    row = services.find_assignment("kenya", borrower_id)
    seen = services.Seen(row.officer_id, row.assigned_at) if row else None
    assert services.assign("kenya", borrower_id, person, by, seen)


def prepare(boss: Client, person: User, query: str = "show=overdue") -> BulkAssignment:
    form = page(boss, f"{NEW}?{query}")
    token = re.search(r'name="token" value="([^"]+)"', form)
    assert token
    given = {"officer": person.pk, "token": token[1]}
    first, again = (boss.post(f"{NEW}?{query}", given) for _ in range(2))
    assert first.status_code == 302 and first["Location"] == again["Location"]
    return BulkAssignment.objects.latest("pk")


def send(boss: Client, found: BulkAssignment, step: str) -> BulkAssignment:
    assert boss.post(f"{found.get_absolute_url()}{step}").status_code == 302
    found.refresh_from_db()
    return found


def work(found: BulkAssignment) -> None:
    while bulk.run_slice(found.pk) is not None:
        pass
    found.refresh_from_db()


@pytest.fixture
def listed(service: CallService, manager: User, officer: User) -> None:
    """Five borrowers who are late, one with two loans; B-0 is the manager's, B-1 the officer's."""
    for number in range(5):
        service.add(number)
    service.add(5, borrowerId="B-4")
    service.add(6, 0, "0")
    counted()
    assign("B-0", manager, manager)
    assign("B-1", officer, manager)


def test_a_list_goes_to_an_officer_once_it_is_confirmed(
    listed: None, boss: Client, manager: User, support: User, officer: User
) -> None:
    before = read_all()
    found = prepare(boss, officer)
    shown = words(page(boss, found.get_absolute_url()))
    assert "5 borrowers, now of nobody 3" in shown and "manager 1" in shown
    assert "officer: theirs already, stay so 1" in shown and read_all() == before
    assign("B-2", support, manager)
    send(boss, found, "confirm")
    send(boss, found, "confirm")
    assert found.state == BulkAssignment.State.DONE
    assert bulk.count_outcomes(found) == {
        Outcome.ASSIGNED: 3,
        Outcome.ALREADY: 1,
        Outcome.CHANGED: 1,
    }
    assert read_all() == dict.fromkeys(("B-0", "B-1", "B-3", "B-4"), "officer") | {"B-2": "support"}
    changed = page(boss, f"{found.get_absolute_url()}?outcome=changed")
    assert "B-2" in changed and "B-3" not in changed


def test_undo_puts_back_what_stands_as_it_was_left(
    listed: None, boss: Client, manager: User, support: User, officer: User
) -> None:
    before = read_all()
    found = send(boss, prepare(boss, support), "confirm")
    assign("B-3", officer, manager)
    # To the same officer by hand is a person's word, which stays.
    assign("B-2", support, manager)
    send(boss, found, "undo")
    assert found.state == BulkAssignment.State.UNDONE
    assert read_all() == before | {"B-2": "support", "B-3": "officer"}
    assert bulk.count_outcomes(found) == {Outcome.RESTORED: 3, Outcome.KEPT: 2}
    send(boss, found, "undo")
    assert "can&#x27;t be undone any more" in page(boss, found.get_absolute_url())


def test_lists_are_undone_one_after_the_other(
    listed: None, boss: Client, manager: User, support: User, officer: User
) -> None:
    before = read_all()
    first = send(boss, prepare(boss, support), "confirm")
    second = send(boss, prepare(boss, officer), "confirm")
    send(boss, second, "undo")
    assert set(read_all().values()) == {"support"}
    send(boss, first, "undo")
    assert read_all() == before


def test_after_a_day_it_stands(listed: None, boss: Client, officer: User, manager: User) -> None:
    found = send(boss, prepare(boss, officer), "confirm")
    at = found.confirmed_at
    assert at is not None
    assert bulk.may_undo(found, at + timedelta(hours=23, minutes=59))
    assert not bulk.may_undo(found, at + timedelta(hours=24))
    BulkAssignment.objects.update(confirmed_at=timezone.now() - timedelta(hours=25))
    after = read_all()
    send(boss, found, "undo")
    assert found.state == BulkAssignment.State.DONE and read_all() == after


def test_a_long_list_is_the_worker_s(
    listed: None, boss: Client, support: User, monkeypatch: Any
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    monkeypatch.setattr(bulk, "_STEP", 2)
    monkeypatch.setattr(tasks, "enqueue_bulk", lambda row: None)
    found = prepare(boss, support)
    assert found.state == BulkAssignment.State.PREPARING
    assert "Nothing is changed yet" in page(boss, f"{found.get_absolute_url()}progress")
    work(found)
    send(boss, found, "confirm")
    assert found.state == BulkAssignment.State.ASSIGNING
    # A worker that dies after a step leaves the others to the next one; what is done stays done.
    assert bulk._assign_some(found)
    assert "2 of 5 borrowers" in page(boss, found.get_absolute_url())
    work(found)
    assert bulk.count_outcomes(found) == {Outcome.ASSIGNED: 5}
    send(boss, found, "undo")
    work(found)
    assert bulk.count_outcomes(found) == {Outcome.RESTORED: 5}


def test_who_may_have_none_any_more_gets_none(listed: None, boss: Client, support: User) -> None:
    before, found = read_all(), prepare(boss, support)
    support.is_active = False
    support.save()
    send(boss, found, "confirm")
    assert bulk.count_outcomes(found) == {Outcome.NOT_ALLOWED: 5} and read_all() == before


def test_more_than_the_most_is_refused(
    listed: None, boss: Client, support: User, monkeypatch: Any
) -> None:
    monkeypatch.setattr(bulk, "MOST", 4)
    found = prepare(boss, support)
    assert found.state == BulkAssignment.State.TOO_LARGE and not found.rows.exists()
    send(boss, found, "confirm")
    assert found.confirmed_at is None


def test_what_nobody_confirms_is_forgotten(
    listed: None, boss: Client, support: User, officer: User
) -> None:
    kept = send(boss, prepare(boss, officer), "confirm")
    prepare(boss, support)
    bulk.forget_unconfirmed(timezone.now() + timedelta(hours=25))
    assert BulkAssignment.objects.get() == kept


@pytest.mark.django_db(transaction=True)
def test_a_list_and_a_hand_at_once_lose_nothing(
    listed: None, boss: Client, manager: User, support: User, officer: User, monkeypatch: Any
) -> None:
    """However they fall together: a row that says assigned is the list's, any other the hand's."""
    monkeypatch.setattr(bulk, "AT_ONCE", 0)
    monkeypatch.setattr(bulk, "_STEP", 1)
    monkeypatch.setattr(tasks, "enqueue_bulk", lambda row: None)
    found = prepare(boss, support)
    work(found)
    send(boss, found, "confirm")
    said: dict[str, bool] = {}

    def act_by_hand() -> None:
        try:
            for key in ("B-4", "B-3", "B-2"):
                said[key] = services.assign("kenya", key, officer, manager, None)
        finally:
            connection.close()

    def act_with_list() -> None:
        try:
            work(BulkAssignment.objects.get(pk=found.pk))
        finally:
            connection.close()

    threads = [Thread(target=one) for one in (act_by_hand, act_with_list)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    outcomes = dict(found.rows.values_list("borrower_id", "outcome"))
    after = read_all()
    assert len(said) == 3
    for key, is_done in said.items():
        assert after[key] == ("officer" if is_done else "support"), (key, outcomes)
        assert outcomes[key] == (Outcome.CHANGED if is_done else Outcome.ASSIGNED)

"""A list to one officer: saved once and as counted, an outcome for each row, nothing is lost."""

import re
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments import bulk, services, tasks
from lendingadmin.desk.assignments.models import Assignment, BulkAssignment, BulkRow
from lendingadmin.desk.portfolio.loan_lists import open_list
from tests.collections.desk import counted, read_page, words
from tests.collections.service import CallService

pytestmark = pytest.mark.django_db
NEW = "/apps/kenya/collections/assignments/lists/new"
COUNTED_AGAIN = 'data-finding="counted-again"'
Outcome = BulkRow.Outcome


def read_all() -> dict[str, str]:
    rows = Assignment.objects.filter(app_id="kenya").order_by("borrower_id")
    return dict(rows.values_list("borrower_id", "officer__username"))


def assign(borrower_id: str, person: User, by: User) -> None:
    row = services.find_assignment("kenya", borrower_id)
    seen = services.Seen(row.officer_id, row.assigned_at) if row else None
    assert services.assign("kenya", borrower_id, person, by, seen)


def count(boss: Client, person: User, query: str = "show=overdue") -> tuple[str, dict[str, str]]:
    """The address of the count, and what its form sends."""
    address = f"{NEW}?{query}&officer={person.pk}"
    fields = re.findall(r'name="(token|shown)" value="([^"]+)"', read_page(boss, address))
    assert len(fields) == 2
    return address, dict(fields)


def confirm(boss: Client, person: User) -> BulkAssignment:
    address, given = count(boss, person)
    first, again = (boss.post(address, given) for _ in range(2))
    assert first.status_code == 302 and first["Location"] == again["Location"]
    return BulkAssignment.objects.latest("pk")


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


@pytest.fixture
def waiting(monkeypatch: Any) -> None:
    """Lists wait for the worker, whatever their length."""
    monkeypatch.setattr(bulk, "AT_ONCE", 0)
    monkeypatch.setattr(tasks, "assign_list", SimpleNamespace(enqueue=lambda number: None))


def test_a_list_goes_to_an_officer_once_it_is_confirmed(
    listed: None, boss: Client, manager: User, officer: User
) -> None:
    before = read_all()
    address, _given = count(boss, officer)
    shown = words(read_page(boss, address))
    assert (
        "4 borrowers will be assigned to officer. 1 of these borrowers gets another officer."
        in shown
    )
    assert "1 borrower already has this officer." in shown and read_all() == before
    found = confirm(boss, officer)
    assert found.state == BulkAssignment.State.DONE and found.created_by == manager
    assert bulk.count_outcomes(found) == {Outcome.ASSIGNED: 4, Outcome.ALREADY: 1}
    assert read_all() == dict.fromkeys((f"B-{number}" for number in range(5)), "officer")
    entry = Entry.objects.latest("pk")
    assert (entry.outcome, entry.detail) == ("confirmed", "5 → officer")
    already = read_page(boss, f"{found.get_absolute_url()}?outcome=already")
    assert "B-1" in already and "B-3" not in already
    assert 'name="shown"' not in read_page(boss, address)


def test_what_changed_after_the_count_is_counted_again(
    listed: None, service: CallService, boss: Client, manager: User, support: User, officer: User
) -> None:
    address, given = count(boss, officer)
    assign("B-2", support, manager)
    before, answer = read_all(), boss.post(address, given)
    assert answer.status_code == 200 and COUNTED_AGAIN in answer.content.decode()
    shown = words(answer.content.decode())
    assert (
        "4 borrowers will be assigned to officer. 2 of these borrowers get another officer."
        in shown
    )
    assert read_all() == before and not BulkAssignment.objects.exists()
    # As many borrowers as before, of whom one is another.
    address, given = count(boss, officer)
    service.loans["L-3"]["borrowerId"] = "B-9"
    service.add(3, borrowerId="B-9")
    counted()
    assert COUNTED_AGAIN in boss.post(address, given).content.decode()
    old = given | {"token": "x"}
    assert 'data-finding="stale"' in boss.post(address, old).content.decode()
    assert not BulkAssignment.objects.exists()
    assert confirm(boss, officer).rows.filter(borrower_id="B-9").exists()


def test_a_count_is_one_query(listed: None, officer: User, django_assert_num_queries: Any) -> None:
    found = open_list(lending_app("kenya"), {"show": "overdue"})
    assert found is not None and found.rows.query
    with django_assert_num_queries(1):
        counted = bulk.count_borrowers(found, "kenya", officer)
    assert (counted.given, counted.moved, counted.already) == (4, 1, 1)


def test_a_long_list_is_the_worker_s(
    listed: None, waiting: None, boss: Client, support: User, monkeypatch: Any
) -> None:
    monkeypatch.setattr(bulk, "ROWS_OF_A_STEP", 2)
    found = confirm(boss, support)
    assert found.state == BulkAssignment.State.ASSIGNING
    # A worker that dies after a step leaves the others to the next one; what is done stays done.
    assert bulk._assign_some(found)
    shown = read_page(boss, found.get_absolute_url())
    assert 'data-finding="assigning"' in shown
    assert f"{Outcome.ASSIGNED.label} 2" in words(shown)
    work(found)
    assert bulk.count_outcomes(found) == {Outcome.ASSIGNED: 5}


def test_what_a_person_changes_after_the_confirmation_stays(
    listed: None, waiting: None, boss: Client, manager: User, support: User, officer: User
) -> None:
    found = confirm(boss, officer)
    assign("B-2", support, manager)
    work(found)
    assert bulk.count_outcomes(found) == {
        Outcome.ASSIGNED: 3,
        Outcome.ALREADY: 1,
        Outcome.CHANGED: 1,
    }
    assert read_all() == dict.fromkeys(("B-0", "B-1", "B-3", "B-4"), "officer") | {"B-2": "support"}
    changed = read_page(boss, f"{found.get_absolute_url()}?outcome=changed")
    assert "B-2" in changed and "B-3" not in changed


def test_who_may_have_none_any_more_gets_none(
    listed: None, waiting: None, boss: Client, support: User
) -> None:
    before, found = read_all(), confirm(boss, support)
    address, given = count(boss, support)
    support.is_active = False
    support.save()
    work(found)
    assert bulk.count_outcomes(found) == {Outcome.NOT_ALLOWED: 5} and read_all() == before
    assert boss.post(address, given).status_code == 200
    assert BulkAssignment.objects.get() == found


def test_more_than_the_most_is_refused(
    listed: None, boss: Client, support: User, monkeypatch: Any
) -> None:
    address, given = count(boss, support)
    monkeypatch.setattr(bulk, "MOST", 4)
    shown = read_page(boss, address)
    assert "more than 4 borrowers" in shown and 'name="shown"' not in shown
    app = open_list(lending_app("kenya"), {"show": "overdue"})
    assert app is not None
    seen = bulk.count_borrowers(app, "kenya", support).fingerprint
    assert boss.post(address, given | {"shown": seen}).status_code == 200
    assert not BulkAssignment.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_list_and_a_hand_at_once_lose_nothing(
    listed: None,
    waiting: None,
    boss: Client,
    manager: User,
    support: User,
    officer: User,
    monkeypatch: Any,
) -> None:
    """However they fall together: a row that says assigned is the list's, any other the hand's."""
    monkeypatch.setattr(bulk, "ROWS_OF_A_STEP", 1)
    found = confirm(boss, support)
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

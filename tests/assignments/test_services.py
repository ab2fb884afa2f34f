"""Who has a borrower: by hand, seen or changed meanwhile; who stands in for whom on which day."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments import services
from lendingadmin.desk.assignments.models import Assignment, Basis, HandOver
from lendingadmin.desk.assignments.permissions import list_officers
from lendingadmin.desk.assignments.services import Seen
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db
DAY = date(2026, 5, 1)


def list_ids(person: User, day: date = DAY, app_id: str = "kenya") -> set[str]:
    return set(Assignment.objects.list_borrower_ids(app_id, person.pk, day))


def see(borrower_id: str) -> Seen:
    row = services.find_assignment("kenya", borrower_id)
    assert row is not None
    return Seen(row.officer_id, row.assigned_at)


def test_a_borrower_has_one_officer_by_hand(manager: User, officer: User, support: User) -> None:
    assert services.assign("kenya", "B-1", officer, manager, None)
    assert not services.assign("kenya", "B-1", support, manager, None)
    assert list_ids(officer) == {"B-1"} and not list_ids(support)
    assert services.assign("kenya", "B-1", support, manager, see("B-1"))
    row = services.find_assignment("kenya", "B-1")
    assert row is not None and row.officer == support
    assert row.basis == Basis.HAND and row.assigned_by == manager
    assert services.assign("kenya", "B-1", None, manager, see("B-1"))
    assert services.find_assignment("kenya", "B-1") is None
    assert [one.outcome for one in Entry.objects.order_by("pk")] == [
        *("assigned", "assigned", "taken_away")
    ]


def test_what_changed_meanwhile_stays(manager: User, officer: User, support: User) -> None:
    assert services.assign("kenya", "B-1", officer, manager, None)
    seen = see("B-1")
    assert services.assign("kenya", "B-1", support, manager, seen)
    # Back to the same officer is a change all the same.
    assert services.assign("kenya", "B-1", officer, manager, see("B-1"))
    assert not services.assign("kenya", "B-1", support, manager, seen)
    assert not services.assign("kenya", "B-1", None, manager, seen)
    assert not services.assign("kenya", "B-1", None, manager, None)
    assert list_ids(officer) == {"B-1"}


def test_a_stand_in_has_them_from_day_to_day(manager: User, officer: User, support: User) -> None:
    services.assign("kenya", "B-1", officer, manager, None)
    services.assign("kenya", "B-2", support, manager, None)
    last = DAY + timedelta(days=2)
    row = services.hand_over("kenya", officer, support, DAY, last, officer)
    assert row is not None
    before, after = DAY - timedelta(days=1), last + timedelta(days=1)
    assert [list_ids(support, day) for day in (before, DAY, last, after)] == [
        *({"B-2"}, {"B-1", "B-2"}, {"B-1", "B-2"}, {"B-2"})
    ]
    # They stay the officer's, and are the stand-in's in no other app.
    assert list_ids(officer) == {"B-1"} and not list_ids(support, app_id="ghana")
    assert Assignment.objects.list_stood_in("kenya", support.pk, DAY) == {officer.pk: "officer"}
    assert services.end_hand_over(row, manager) and not services.end_hand_over(row, manager)
    assert list_ids(support) == {"B-2"}


def test_no_two_hand_overs_of_an_officer_hold_on_a_day(
    manager: User, officer: User, support: User
) -> None:
    last = DAY + timedelta(days=2)
    assert services.hand_over("kenya", officer, support, DAY, last, officer)
    assert services.hand_over("kenya", officer, manager, last, last, officer) is None
    later = last + timedelta(days=1)
    assert services.hand_over("kenya", officer, manager, later, later, officer)
    assert HandOver.objects.in_effect("kenya", last).count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_hand_overs_made_at_once_one_holds(
    manager: User, officer: User, support: User
) -> None:
    def make(number: int) -> bool:
        first = DAY + timedelta(days=number)
        last = DAY + timedelta(days=9)
        return services.hand_over("kenya", officer, support, first, last, manager) is not None

    assert sorted(map(str, at_once(6, make))) == [*["False"] * 5, "True"]
    assert HandOver.objects.count() == 1


def test_a_stand_in_hands_nothing_further(manager: User, officer: User, support: User) -> None:
    services.assign("kenya", "B-1", officer, manager, None)
    services.hand_over("kenya", officer, support, DAY, DAY, officer)
    services.hand_over("kenya", support, manager, DAY, DAY, support)
    assert list_ids(support) == {"B-1"} and not list_ids(manager)


def test_officers_are_those_who_may_call_there(
    viewer: User, officer: User, support: User, manager: User
) -> None:
    support.is_active = False
    support.save()
    assert list(list_officers("kenya")) == [manager, officer]


def test_erasing_takes_it_along(manager: User, officer: User) -> None:
    from lendingadmin.core.staff.erasure import erase_borrower

    services.assign("kenya", "B-1", officer, manager, None)
    services.assign("ghana", "B-1", officer, manager, None)
    before = timezone.now()
    erase_borrower("kenya", "B-1")
    assert services.find_assignment("kenya", "B-1") is None
    kept = services.find_assignment("ghana", "B-1")
    assert kept is not None and kept.assigned_at < before

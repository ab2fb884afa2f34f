"""Whoever changed an account is no second person for what that account enters."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.totp.internal import auth as totp
from django.db import connection
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.independence import (
    CHANGED_WITHIN,
    find_dependence,
    has_changed_account,
    list_account_changers,
    list_changed_accounts,
    list_dependent,
)
from lendingadmin.core.staff.models import PersonChange, User
from tests.conftest import ClientOf
from tests.plans import explain, scans_of, watched_queries
from tests.policies.setting import set_second_manager
from tests.roles import choose, chosen_for, give_roles

pytestmark = pytest.mark.django_db

Deed = Callable[[Client, User], Any]


def save(**fields: Any) -> Deed:
    """What saves a person with some fields changed."""

    def deed(boss: Client, person: User) -> Any:
        form = {"first_name": "", "last_name": "", "email": "", "roles": chosen_for(person)}
        return boss.post(f"/people/{person.pk}/", form | fields)

    return deed


def press(button: str) -> Deed:
    """What presses a button on a person's page."""
    return lambda boss, person: boss.post(f"/people/{person.pk}/{button}")


def remove_factor(boss: Client, person: User) -> Any:
    totp.TOTP.activate(person, totp.generate_totp_secret())
    return press("two-step/remove")(boss, person)


@pytest.mark.parametrize(
    ("deed", "counts"),
    [
        (press("set-up-link"), True),
        (remove_factor, True),
        (save(email="asha@example.org"), True),
        (lambda boss, person: save(roles=choose("officer"))(boss, person), True),
        (lambda boss, person: save(roles=[])(boss, person), True),
        (save(first_name="Asha"), False),
        (save(first_name="Asha", last_name="Juma"), False),
        (save(first_name="Asha", email="asha@example.org"), True),
        (save(), False),
        (press("sessions/end"), False),
        (press("password/require"), False),
    ],
)
def test_which_changes_count(
    boss: Client, manager: User, support: User, deed: Deed, counts: bool
) -> None:
    assert deed(boss, support).status_code in (200, 302)
    assert has_changed_account(manager, support) is counts
    assert list(list_account_changers(support)) == ([manager] if counts else [])
    assert list(list_changed_accounts(manager)) == ([support] if counts else [])
    assert not has_changed_account(support, manager)
    # Neither is a second person for the other.
    for one, other in ((manager, support), (support, manager)):
        assert bool(find_dependence(one, other)) is counts
        assert list(list_dependent(one)) == ([other] if counts else [])


def test_a_person_who_was_added_counts(boss: Client, manager: User) -> None:
    boss.post("/people/new", {"username": "asha", "roles": choose("support")})
    assert has_changed_account(manager, User.objects.get(username="asha"))


def test_one_s_own_account_and_another_s_do_not(
    boss: Client, manager: User, support: User, officer: User
) -> None:
    save(email="own@example.org", roles=chosen_for(manager))(boss, manager)
    press("set-up-link")(boss, officer)
    assert not has_changed_account(manager, manager)
    assert not has_changed_account(manager, support)


def test_it_counts_for_thirty_days(
    boss: Client, manager: User, support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    press("set-up-link")(boss, support)
    made_at = Entry.objects.latest("pk").at
    for passed, counts in ((timedelta(0), True), (timedelta(minutes=1), False)):
        now = made_at + CHANGED_WITHIN + passed
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        assert has_changed_account(manager, support) is counts


@pytest.mark.parametrize("deed", ["approve", "decline"])
def test_of_a_change_by_two_both_made_it(
    boss: Client, manager: User, support: User, client_of: ClientOf, deed: str, settings: Any
) -> None:
    set_second_manager()
    second = User.objects.create_user("second")
    give_roles(second, "manager")
    save(roles=choose("support", "officer"))(boss, support)
    assert not has_changed_account(manager, support)  # nothing is changed yet
    change = PersonChange.objects.get()
    client_of(second).post(f"/people/{support.pk}/changes/{change.pk}/{deed}")
    is_done = deed == "approve"
    assert [has_changed_account(one, support) for one in (manager, second)] == [is_done] * 2
    assert set(list_account_changers(support)) == ({manager, second} if is_done else set())
    assert set(list_changed_accounts(second)) == ({support} if is_done else set())


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_the_trail_is_read_by_its_indexes(manager: User, support: User) -> None:
    with watched_queries() as queries:
        find_dependence(manager, support)
        list(list_dependent(manager))
    assert queries and scans_of(queries) == []
    read = [step for one in queries for step in explain(*one) if "audit_" in step]
    of_subject, of_action = "(subject=? AND at>?)", "(action=? AND at>?)"
    assert read and all(step.endswith((of_subject, of_action)) for step in read), read

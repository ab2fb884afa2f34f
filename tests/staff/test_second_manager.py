"""What no manager changes about a person alone: it waits for a second one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.contrib.auth.models import Group, Permission
from django.core import mail
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from django.utils.text import capfirst

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import deciding, second_manager, tasks
from lendingadmin.core.staff.deciding import ANOTHER_MUST_APPROVE
from lendingadmin.core.staff.models import PersonChange, User
from lendingadmin.core.staff.second_manager import describe_change
from lendingadmin.core.staff.services import REACTIVATE_FIRST
from lendingadmin.office.staff.views.deciding import APPROVED, NOT_DONE
from lendingadmin.office.staff.views.people import SAVED_BUT_ROLES, WAITS
from tests.conftest import PASSWORD, ClientOf, cast
from tests.policies.setting import set_second_manager
from tests.roles import change_account, choose, give_roles, group_of, take_roles
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def switched_on(settings: Any) -> None:
    set_second_manager()


@pytest.fixture
def second(manager: User) -> User:
    person = User.objects.create_user("second", email="second@example.org")
    give_roles(person, "manager")
    return person


@pytest.fixture
def third(db: None) -> User:
    person = User.objects.create_user("third")
    give_roles(person, "manager")
    return person


def page_of(person: User) -> str:
    return f"/people/{person.pk}/"


def decide(client: Client, change: PersonChange, deed: str = "approve") -> Any:
    return client.post(f"{page_of(change.person)}changes/{change.pk}/{deed}", follow=True)


def choose_roles(client: Client, person: User, *roles: str, **more: Any) -> Any:
    form = {"first_name": person.first_name, "last_name": person.last_name, "email": person.email}
    return client.post(page_of(person), form | {"roles": choose(*roles, **more)}, follow=True)


def waiting() -> PersonChange:
    return PersonChange.objects.get(state="waiting")


def held(person: User) -> list[str]:
    return sorted(f"{one.role.name} in {one.app_id}" for one in person.app_roles.all())


def told(answer: Any) -> str:
    return " ".join(str(message) for message in answer.context["messages"])


class TestRoles:
    def test_a_role_that_is_given_waits_and_the_second_manager_gives_it(
        self, boss: Client, second: User, support: User, client_of: ClientOf
    ) -> None:
        assert list_marks(boss.get(page_of(support)), "finding") == ["needs-second"]
        page = choose_roles(boss, support, "support", "officer", apps=["kenya", "ghana"])
        assert told(page) == str(WAITS)
        assert held(support) == ["support in ghana", "support in kenya"]
        words = "roles (+officer in ghana, +officer in kenya)"
        assert words.capitalize() in page.content.decode()
        page = decide(client_of(second), waiting())
        assert told(page) == APPROVED % {"change": words}
        assert "officer in kenya" in held(support)
        entries = Entry.objects.filter(action="people").order_by("pk")
        assert [(one.username, one.outcome, one.detail) for one in entries] == [
            ("manager", "asked", words),
            ("second", "approved", f"{words}, requested by manager"),
        ]

    def test_somebody_without_one_is_told_that_one_waits(
        self, boss: Client, second: User, client_of: ClientOf
    ) -> None:
        newcomer = User.objects.create_user("newcomer")
        start, waits = client_of(newcomer), 'data-finding="role-asked"'
        assert waits not in start.get("/").content.decode()
        choose_roles(boss, newcomer, "viewer")
        assert waits in start.get("/").content.decode()
        PersonChange.objects.update(asked_at=timezone.now() - timedelta(days=4))
        assert waits not in start.get("/").content.decode()

    def test_what_is_taken_from_somebody_who_manages_nobody_is_taken_at_once(
        self, boss: Client, second: User, support: User
    ) -> None:
        assert "Saved" in told(choose_roles(boss, support))
        assert held(support) == []
        assert not PersonChange.objects.exists()

    def test_what_is_taken_from_a_manager_waits(
        self, boss: Client, second: User, third: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, second, "viewer")
        assert held(second) == ["manager in ghana", "manager in kenya"]
        decide(client_of(third), waiting())
        assert held(second) == ["viewer in ghana", "viewer in kenya"]

    def test_other_fields_are_saved_meanwhile(
        self, boss: Client, second: User, support: User
    ) -> None:
        form = {"first_name": "Asha", "roles": choose("support", "officer")}
        page = boss.post(page_of(support), form, follow=True)
        assert told(page) == SAVED_BUT_ROLES % {"waits": WAITS}
        support.refresh_from_db()
        assert support.first_name == "Asha"

    def test_a_new_person_begins_without_the_roles(
        self, boss: Client, second: User, client_of: ClientOf
    ) -> None:
        assert list_marks(boss.get("/people/new"), "finding") == ["needs-second"]
        page = boss.post("/people/new", {"username": "asha", "roles": choose("officer")})
        assert "/accounts/set-up/" in page.content.decode()
        assert "needs-second" in list_marks(page, "finding")
        asha = User.objects.get(username="asha")
        assert held(asha) == []
        decide(client_of(second), waiting())
        assert held(asha) == ["officer in ghana", "officer in kenya"]

    def test_asked_again_the_newer_wish_counts_alone(
        self, boss: Client, second: User, support: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, support, "support", "manager")
        first = waiting()
        choose_roles(boss, support, "support", "viewer", apps=["kenya"])
        page = decide(client_of(second), first)
        assert told(page) == deciding.NOTHING_TO_DECIDE
        decide(client_of(second), waiting())
        assert "manager in kenya" not in held(support)

    def test_with_nobody_to_approve_the_form_says_so_and_keeps_what_was_typed(
        self, boss: Client, support: User
    ) -> None:
        form = {"first_name": "Typed", "roles": choose("support", "officer")}
        page = boss.post(page_of(support), form)
        assert str(second_manager.NO_OTHER_MANAGER) in page.content.decode()
        assert 'value="Typed"' in page.content.decode()
        support.refresh_from_db()
        assert support.first_name == ""
        assert not PersonChange.objects.exists()

    def test_switched_off_one_manager_gives_roles_alone(
        self, boss: Client, support: User, settings: Any
    ) -> None:
        set_second_manager(False)
        choose_roles(boss, support, "support", "officer")
        assert "officer in kenya" in held(support)


class TestWhoDecides:
    def test_not_who_asked_and_not_whom_it_is_about(
        self, boss: Client, second: User, third: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, second, "manager", "officer")
        for client in (boss, client_of(second)):
            page = decide(client, waiting())
            assert told(page) == str(ANOTHER_MUST_APPROVE)
            assert "Approve</button>" not in page.content.decode()
        assert "officer in kenya" not in held(second)

    def test_not_who_changed_the_account_of_who_asked(
        self, boss: Client, manager: User, second: User, third: User, support: User,
        client_of: ClientOf,
    ) -> None:  # fmt: skip
        change_account(second, manager)
        choose_roles(boss, support, "support", "officer")
        page = decide(client_of(second), waiting()).content.decode()
        assert "data-not-independent" in page and "officer in kenya" not in held(support)
        decide(client_of(third), waiting())
        assert "officer in kenya" in held(support)

    def test_not_a_manager_of_another_app(
        self, boss: Client, second: User, support: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, support, "support", "officer")
        take_roles(second)
        give_roles(second, "manager", apps=["kenya"])
        assert decide(client_of(second), waiting()).status_code == 404

    def test_not_for_a_manager_who_may_no_longer_ask(
        self, boss: Client, manager: User, second: User, support: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, support, "support", "officer")
        User.objects.filter(pk=manager.pk).update(is_active=False)
        assert told(decide(client_of(second), waiting())) == deciding.NO_RIGHT_ANY_MORE
        assert "officer in kenya" not in held(support)

    def test_not_days_later(
        self, boss: Client, second: User, support: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, support, "support", "officer")
        PersonChange.objects.update(asked_at=timezone.now() - timedelta(days=3, minutes=1))
        page = decide(client_of(second), PersonChange.objects.get())
        assert told(page) == deciding.NOTHING_TO_DECIDE
        assert "officer in kenya" not in held(support)

    @pytest.mark.parametrize("client", ["boss", "second"])
    def test_declined_or_withdrawn_nothing_is_done(
        self, client: str, boss: Client, second: User, support: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, support, "support", "officer")
        change = waiting()
        one = boss if client == "boss" else client_of(second)
        page = decide(one, change, "decline")
        change.refresh_from_db()
        assert told(page) == NOT_DONE % {"state": change.get_state_display()}
        assert change.state == ("withdrawn" if client == "boss" else "declined")
        assert told(decide(client_of(second), change)) == deciding.NOTHING_TO_DECIDE
        assert "officer in kenya" not in held(support)

    def test_the_database_itself_refuses_an_approval_by_who_asked(
        self, manager: User, support: User
    ) -> None:
        change = support.changes.create(kind="roles", asked_by=manager, asked_at=timezone.now())
        for decider in (manager, None):
            with pytest.raises(IntegrityError), transaction.atomic():
                PersonChange.objects.update(state="approved", decided_by=decider)
        assert change.state == "waiting"

    def test_others_who_may_approve_get_a_mail(
        self, boss: Client, second: User, support: User, settings: Any
    ) -> None:
        settings.DASHBOARD_URL = "https://dashboard.example"
        User.objects.filter(pk=cast("officer").pk).update(email="officer@example.org")
        choose_roles(boss, support, "support", "officer")
        tasks.tell_managers.call(waiting().pk)
        (letter,) = mail.outbox
        assert letter.bcc == ["second@example.org"]
        assert f"https://dashboard.example{page_of(support)}" in letter.body

    def test_the_list_of_people_shows_what_waits(
        self, boss: Client, second: User, support: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, support, "support", "officer")
        page = client_of(second).get("/people/").content.decode()
        assert 'aria-labelledby="changes"' in page
        assert capfirst(describe_change(waiting())) in page


class TestTheAccountOfAManager:
    def test_the_second_factor_is_removed_by_two(
        self, boss: Client, second: User, third: User, client_of: ClientOf
    ) -> None:
        totp.TOTP.activate(second, totp.generate_totp_secret())
        page = boss.post(f"{page_of(second)}two-step/remove", follow=True)
        assert told(page) == str(WAITS)
        assert Authenticator.objects.filter(user=second).exists()
        decide(client_of(third), waiting())
        assert not Authenticator.objects.filter(user=second).exists()

    def test_a_set_up_link_is_shown_to_who_approves_it_and_mailed_to_nobody(
        self, boss: Client, second: User, third: User, client_of: ClientOf
    ) -> None:
        User.objects.filter(pk=second.pk).update(last_login=timezone.now())
        page = boss.post(f"{page_of(second)}set-up-link", follow=True)
        assert "/accounts/set-up/" not in page.content.decode()
        mail.outbox.clear()
        page = decide(client_of(third), waiting())
        assert "/accounts/set-up/" in page.content.decode()
        assert not [one for one in mail.outbox if "/accounts/set-up/" in one.body]

    def test_a_link_is_not_made_for_an_account_that_was_closed_meanwhile(
        self, boss: Client, second: User, third: User, client_of: ClientOf
    ) -> None:
        boss.post(f"{page_of(second)}set-up-link")
        boss.post(f"{page_of(second)}deactivate")
        page = decide(client_of(third), waiting())
        assert told(page) == str(REACTIVATE_FIRST)
        second.refresh_from_db()
        assert second.setup_link_at is None and waiting().decided_by is None

    def test_of_somebody_who_manages_nobody_one_is_enough(
        self, boss: Client, second: User, support: User
    ) -> None:
        totp.TOTP.activate(support, totp.generate_totp_secret())
        boss.post(f"{page_of(support)}two-step/remove")
        assert not Authenticator.objects.filter(user=support).exists()
        page = boss.post(f"{page_of(support)}set-up-link")
        assert "/accounts/set-up/" in page.content.decode()

    def test_with_nobody_to_approve_it_says_so(self, boss: Client, second: User) -> None:
        page = boss.post(f"{page_of(second)}set-up-link", follow=True)
        assert told(page) == second_manager.NO_OTHER_MANAGER
        assert not PersonChange.objects.exists()

    def test_a_role_that_people_made_counts_and_so_does_one_of_a_closed_account(
        self, boss: Client, second: User
    ) -> None:
        group = group_of(second)
        group.name = "head"
        group.save()
        totp.TOTP.activate(second, totp.generate_totp_secret())
        User.objects.filter(pk=second.pk).update(is_active=False)
        page = boss.post(f"{page_of(second)}two-step/remove", follow=True)
        assert told(page) == second_manager.NO_OTHER_MANAGER
        assert Authenticator.objects.filter(user=second).exists()


LINK = re.compile(r"/accounts/set-up/[\w-]+/[\w-]+/")
CHOSEN = "seven green kettles whistle"


def follow_link(page: str) -> None:
    """Choose a password, in a browser of its own, on the link that a page shows."""
    found = LINK.search(page)
    assert found, "the page shows no link"
    stranger = Client()
    form: Any = stranger.get(found[0], follow=True)
    address = form.redirect_chain[-1][0]
    stranger.post(address, {"new_password1": CHOSEN, "new_password2": CHOSEN})


def sign_in(person: User, password: str = CHOSEN) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": person.username, "password": password})
    return client


def is_in(client: Client) -> bool:
    return client.get("/accounts/profile/").status_code == 200


@pytest.fixture
def officer_by_link(boss: Client, officer: User) -> User:
    """Somebody whose password a manager chose, on a link that this manager made alone."""
    follow_link(boss.post(f"{page_of(officer)}set-up-link").content.decode())
    return officer


class TestWhatOneManagerOpenedBefore:
    def test_no_link_is_made_while_a_managing_role_waits(
        self, boss: Client, second: User, officer: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, officer, "officer", "support")
        assert LINK.search(boss.post(f"{page_of(officer)}set-up-link").content.decode())
        choose_roles(boss, officer, "officer", "manager")
        for client in (boss, client_of(second)):
            page = client.post(f"{page_of(officer)}set-up-link", follow=True).content.decode()
            assert not LINK.search(page)
        boss.post("/people/new", {"username": "asha", "roles": choose("manager")})
        asha = User.objects.get(username="asha")
        assert asha.setup_link_at is None
        assert asha.changes.filter(state="waiting", kind="roles").exists()

    def test_a_link_that_is_open_when_the_role_is_given_opens_nothing(
        self, boss: Client, second: User, officer: User, client_of: ClientOf
    ) -> None:
        page = boss.post(f"{page_of(officer)}set-up-link").content.decode()
        choose_roles(boss, officer, "officer", "manager")
        decide(client_of(second), waiting())
        found = LINK.search(page)
        assert found and Client().get(found[0], follow=True).status_code == 410
        # Their own password stays: no link of one manager set it.
        assert is_in(sign_in(officer, PASSWORD))

    def test_the_password_sessions_and_factors_of_such_a_link_are_cancelled(
        self, boss: Client, second: User, officer_by_link: User, client_of: ClientOf
    ) -> None:
        person = officer_by_link
        intruder = sign_in(person)
        assert is_in(intruder)
        totp.TOTP.activate(person, totp.generate_totp_secret())
        choose_roles(boss, person, "officer", "manager")
        decide(client_of(second), waiting())
        assert "manager in kenya" in held(person)
        assert not is_in(intruder) and not is_in(sign_in(person))
        person.refresh_from_db()
        assert not person.has_usable_password() and person.setup_link_at is None
        assert not Authenticator.objects.filter(user=person).exists()

    def test_a_password_that_was_changed_with_it_is_cancelled_too(
        self, boss: Client, second: User, officer_by_link: User, client_of: ClientOf
    ) -> None:
        person, newer = officer_by_link, "nine quiet ferries depart"
        form = {"oldpassword": CHOSEN, "password1": newer, "password2": newer}
        sign_in(person).post("/accounts/password/change/", form)
        assert is_in(sign_in(person, newer))
        choose_roles(boss, person, "officer", "manager")
        decide(client_of(second), waiting())
        assert not is_in(sign_in(person, newer))

    def test_what_two_managers_opened_stays(
        self, boss: Client, second: User, officer_by_link: User, client_of: ClientOf
    ) -> None:
        person = officer_by_link
        choose_roles(boss, person, "manager", apps=["kenya"])
        decide(client_of(second), waiting())
        boss.post(f"{page_of(person)}set-up-link")
        follow_link(decide(client_of(second), waiting()).content.decode())
        assert is_in(sign_in(person))
        choose_roles(boss, person, "manager")
        decide(client_of(second), waiting())
        assert is_in(sign_in(person))

    def test_a_role_that_manages_nobody_leaves_all_of_it(
        self, boss: Client, second: User, officer_by_link: User, client_of: ClientOf
    ) -> None:
        choose_roles(boss, officer_by_link, "officer", "support")
        decide(client_of(second), waiting())
        assert is_in(sign_in(officer_by_link))

    def test_a_right_that_a_role_is_given_at_the_server_counts(self, officer_by_link: User) -> None:
        role = Group.objects.create(name="head")
        role.permissions.add(Permission.objects.get(codename="loans.list"))
        give_roles(officer_by_link, role)
        call_command("role", "head", "--give", "dashboard.export")
        assert is_in(sign_in(officer_by_link))
        call_command("role", "head", "--give", "dashboard.people.manage")
        assert not is_in(sign_in(officer_by_link))

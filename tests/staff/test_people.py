"""The pages of people: what a manager can do there and cannot; above all, become a superuser."""

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from django.contrib.auth.models import Group, Permission
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import services
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.sessions import describe_browser, list_sessions
from tests.conftest import PASSWORD, ClientOf, cast
from tests.roles import choose, chosen_for, give_roles, take_roles
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db

PEOPLE = "/people/"
BEYOND = {"is_superuser": "on", "is_staff": "on", "is_active": "", "password": "x", "pk": "1"}
DEEDS = (
    *("set-up-link", "password/require", "sessions/end"),
    *("two-step/remove", "deactivate", "reactivate"),
)


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password="the old one")


def page_of(person: User) -> str:
    return f"{PEOPLE}{person.pk}/"


def form_of(person: User, **changes: object) -> dict[str, object]:
    """The form of a person as it is, with changes."""
    held = {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "email": person.email,
        "roles": chosen_for(person),
    }
    return held | changes


def last() -> tuple[str, str, str, str, str]:
    entry = Entry.objects.latest("id")
    return entry.username, entry.action, entry.subject, entry.outcome, entry.detail


def again(person: User) -> User:
    return User.objects.get(pk=person.pk)


def told(answer: Any) -> str:
    """The messages of the page that an answer leads to."""
    return " ".join(str(message) for message in answer.context["messages"])


class TestTheList:
    def test_it_says_who_may_what_and_how_they_sign_in(self, boss: Client, support: User) -> None:
        User.objects.filter(pk=support.pk).update(
            first_name="Asha", last_name="Odhiambo", email="asha@example.org"
        )
        give_roles(support, "officer")
        totp.TOTP.activate(support, totp.generate_totp_secret())
        page = boss.get(PEOPLE).content.decode()
        (row,) = re.findall(r'<tr class="link">(?:(?!</tr>).)*Asha Odhiambo.*?</tr>', page, re.S)
        cells = [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)
        ]
        person, roles = "Asha Odhiambo support", "Officer, support"
        assert cells == [person, roles, "asha@example.org", "Never", "Yes"]

    def test_recovery_codes_alone_are_no_second_step(self, boss: Client, support: User) -> None:
        RecoveryCodes.activate(support)
        (person,) = [one for one in boss.get(PEOPLE).context["people"] if one == support]
        assert person.has_two_step is False

    def test_who_can_not_sign_in_stands_last_and_is_marked(
        self, boss: Client, officer: User, viewer: User
    ) -> None:
        User.objects.filter(pk=officer.pk).update(is_active=False)
        assert [str(one) for one in boss.get(PEOPLE).context["people"]] == [
            "manager",
            "viewer",
            "officer",
        ]
        assert boss.get(PEOPLE).content.decode().count("Deactivated</span>") == 1

    def test_it_is_filtered_by_name_and_account(
        self, boss: Client, officer: User, viewer: User
    ) -> None:
        User.objects.filter(pk=officer.pk).update(first_name="Asha", last_name="Odhiambo")
        User.objects.filter(pk=viewer.pk).update(is_active=False, email="v@example.org")

        def found(**query: str) -> list[str]:
            return [str(one) for one in boss.get(PEOPLE, query).context["people"]]

        assert found(name="odh ASHA") == ["officer"]
        assert found(name="v@example") == ["viewer"]
        assert found(state="inactive") == ["viewer"]
        assert found(state="active") == ["manager", "officer"]
        assert found(name="nobody") == []
        page = boss.get(PEOPLE, {"name": "nobody"})
        assert list_marks(page, "finding") == ["no-match"]

    def test_more_than_a_page_goes_on(self, boss: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lendingadmin.office.staff.views.people.PAGE", 2)
        for name in ("ann", "bob"):
            User.objects.create_user(name)
        first = boss.get(PEOPLE)
        assert [str(one) for one in first.context["people"]] == ["ann", "bob"]
        second = boss.get(first.context["pager"]["next_url"])
        assert [str(one) for one in second.context["people"]] == ["manager"]
        assert second.context["pager"]["next_url"] == ""

    def test_its_queries_do_not_grow_with_it(
        self, boss: Client, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(12):
            cast_one = User.objects.create_user(f"p{number}")
            give_roles(cast_one, "officer")
        boss.get(PEOPLE)
        with django_assert_max_num_queries(16):
            boss.get(PEOPLE)

    def test_the_sidebar_leads_there(self, boss: Client) -> None:
        page = boss.get("/glossary/").content.decode()
        assert '<a href="/people/"' in page.replace("\n", " ").replace("  ", "")


class TestAPerson:
    def test_the_page_shows_what_the_role_may_do(self, boss: Client, support: User) -> None:
        page = boss.get(page_of(support)).content.decode()
        assert "Record repayments" in page
        assert "lending.loans" not in page and "dashboard." not in page

    def test_a_manager_changes_a_role_and_the_trail_says_from_what_to_what(
        self, boss: Client, viewer: User
    ) -> None:
        form = form_of(viewer, roles=choose("support"), first_name="Vi")
        assert boss.post(page_of(viewer), form)["Location"] == page_of(viewer)
        assert again(viewer).role == "support"
        assert last() == (
            "manager",
            "people",
            "viewer",
            "changed",
            "first name, roles (+support in ghana, +support in kenya, "
            "-viewer in ghana, -viewer in kenya)",
        )
        assert Entry.objects.latest("id").url == page_of(viewer)

    def test_nothing_changed_is_nothing_recorded(self, boss: Client, viewer: User) -> None:
        boss.post(page_of(viewer), form_of(viewer))
        assert not Entry.objects.exists()

    def test_bad_input_is_kept_with_its_message(self, boss: Client, viewer: User) -> None:
        answer = boss.post(page_of(viewer), form_of(viewer, email="no mail", first_name="Vi"))
        page = answer.content.decode()
        assert answer.status_code == 200
        (refusal,) = answer.context["form"].errors.as_data()["email"]
        assert refusal.code == "invalid" and str(refusal.message) in page
        assert 'value="no mail"' in page
        assert "<h1><bdi>viewer</bdi></h1>" in page, "not as typed"
        assert again(viewer).first_name == ""

    def test_saving_leaves_a_password_alone_that_was_chosen_meanwhile(
        self, boss: Client, viewer: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = services.save_person

        def save_late(*given: Any) -> Any:
            other = again(viewer)
            other.set_password("chosen meanwhile")
            other.save()
            return real(*given)

        monkeypatch.setattr(services, "save_person", save_late)
        boss.post(page_of(viewer), form_of(viewer, first_name="Vi"))
        assert again(viewer).first_name == "Vi"
        assert again(viewer).check_password("chosen meanwhile")

    def test_deactivated_they_are_signed_out_for_good(
        self, boss: Client, viewer: User, client_of: ClientOf
    ) -> None:
        theirs = client_of(viewer)
        boss.post(f"{page_of(viewer)}deactivate")
        assert not again(viewer).is_active
        assert last() == ("manager", "people", "viewer", "deactivated", "")
        boss.post(f"{page_of(viewer)}reactivate")
        assert again(viewer).is_active
        assert last() == ("manager", "people", "viewer", "reactivated", "")
        assert theirs.get("/accounts/profile/").status_code == 302

    def test_doing_it_twice_is_recorded_once(self, boss: Client, viewer: User) -> None:
        for _ in range(2):
            boss.post(f"{page_of(viewer)}deactivate")
        assert Entry.objects.filter(outcome="deactivated").count() == 1

    def test_two_step_sign_in_is_removed_with_its_recovery_codes(
        self, boss: Client, support: User
    ) -> None:
        totp.TOTP.activate(support, totp.generate_totp_secret())
        RecoveryCodes.activate(support)
        deed = f"{page_of(support)}two-step/remove"
        assert deed in boss.get(page_of(support)).content.decode()
        answer = boss.post(deed, follow=True)
        assert [one.level_tag for one in answer.context["messages"]] == ["success"]
        assert not Authenticator.objects.filter(user=support).exists()
        assert last() == ("manager", "people.secondFactor", "support", "removed", "")
        assert deed not in boss.get(page_of(support)).content.decode()

    def test_removing_nothing_is_not_recorded(self, boss: Client, support: User) -> None:
        boss.post(f"{page_of(support)}two-step/remove")
        assert not Entry.objects.exists()


class TestSessions:
    FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"

    def test_the_page_says_where_and_since_when(self, boss: Client, support: User) -> None:
        theirs = Client(headers={"User-Agent": self.FIREFOX}, REMOTE_ADDR="10.1.2.3")
        theirs.post("/accounts/login/", {"login": "support", "password": PASSWORD})
        (one,) = list_sessions(again(support))
        assert (one.browser, one.address) == (describe_browser(self.FIREFOX), "10.1.2.3")
        assert one.began_at and abs(timezone.now() - one.began_at) < timedelta(minutes=1)
        page = boss.get(page_of(support)).content.decode()
        assert one.browser in page and "10.1.2.3" in page
        assert one.key not in page

    def test_all_are_ended_and_nobody_elses(
        self, boss: Client, support: User, officer: User, client_of: ClientOf
    ) -> None:
        theirs, others = [client_of(support), client_of(support)], client_of(officer)
        answer = boss.post(f"{page_of(support)}sessions/end", follow=True)
        assert "2 sessions ended." in told(answer)
        assert [one.get("/accounts/profile/").status_code for one in theirs] == [302, 302]
        assert others.get("/accounts/profile/").status_code == 200
        assert last() == ("manager", "people.sessions", "support", "ended", "2")

    def test_ones_own_end_but_for_the_one_that_asks(
        self, boss: Client, manager: User, client_of: ClientOf
    ) -> None:
        other = client_of(manager)
        boss.post(f"{page_of(manager)}sessions/end")
        assert other.get("/accounts/profile/").status_code == 302
        assert boss.get(page_of(manager)).status_code == 200

    def test_what_is_over_is_not_shown(self, support: User, client_of: ClientOf) -> None:
        client_of(support)
        Session.objects.update(expire_date=timezone.now() - timedelta(minutes=1))
        assert list_sessions(support) == []
        client_of(support)
        support.set_password("another one")
        support.save()
        assert list_sessions(support) == []

    @pytest.mark.parametrize(
        ("agent", "words"),
        [
            (FIREFOX, "Firefox on Windows"),
            ("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36", "Chrome on Linux"),
            ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140", "Edge on Windows"),
            ("Mozilla/5.0 (Linux; Android 14) Chrome/140 Mobile Safari/537", "Chrome on Android"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604",
                "Safari on iPhone",
            ),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Safari/605", "Safari on Mac"),
            ("<script>alert(1)</script>", ""),
            ("", ""),
        ],
    )
    def test_browsers_in_words(self, agent: str, words: str) -> None:
        assert describe_browser(agent) == words


class TestEscalation:
    """Everything here must leave no new superuser, and no permission beyond the dashboard's."""

    @pytest.mark.parametrize("whom", ["manager", "viewer"])
    def test_a_manager_makes_nobody_a_superuser(
        self, whom: str, boss: Client, people: dict[str, User]
    ) -> None:
        person, before = people[whom], again(people[whom])
        every = list(Permission.objects.values_list("pk", flat=True))
        form = form_of(person, **BEYOND, permissions=every, username="root2")
        assert boss.post(page_of(person), form).status_code == 302
        after = again(person)
        assert (after.is_superuser, after.is_staff, after.is_active) == (False, False, True)
        assert after.held_roles == before.held_roles
        assert (after.username, after.password) == (before.username, before.password)

    def test_nor_while_entering_them(self, boss: Client) -> None:
        form = {"username": "ann", "password1": "orange fjord 71"} | BEYOND
        assert boss.post(f"{PEOPLE}new", form).status_code == 200
        ann = User.objects.get(username="ann")
        assert (ann.is_superuser, ann.is_staff, ann.has_usable_password()) == (False, False, False)

    @pytest.mark.parametrize("through", ["superuser", "role", "app"])
    def test_who_holds_more_is_out_of_sight_and_out_of_reach(
        self, through: str, boss: Client, manager: User, viewer: User, root: User
    ) -> None:
        more = Permission.objects.get(codename="change_permission")
        person = root if through == "superuser" else viewer
        if through == "role":
            strong = Group.objects.create(name="vault")
            strong.permissions.add(more)
            give_roles(viewer, strong)
        elif through == "app":
            manager.app_roles.filter(app_id="ghana").delete()
        totp.TOTP.activate(person, totp.generate_totp_secret())
        before = again(person)
        assert f'href="{page_of(person)}"' not in boss.get(PEOPLE).content.decode()
        assert boss.get(page_of(person)).status_code == 404
        assert boss.post(page_of(person), form_of(person, first_name="Mine")).status_code == 404
        for deed in DEEDS:
            assert boss.post(f"{page_of(person)}{deed}").status_code == 404, deed
        after = again(person)
        names = ("password", "first_name", "is_active", "setup_link_at", "must_choose_password")
        for name in names:
            assert getattr(after, name) == getattr(before, name)
        assert Authenticator.objects.filter(user=person).exists()
        assert not Entry.objects.exists()

    def test_superusers_are_known_by_name(
        self, boss: Client, root: User, client_of: ClientOf
    ) -> None:
        page = boss.get(PEOPLE)
        assert list_marks(page, "finding") == ["superusers"]
        assert "<bdi>root</bdi>" in page.content.decode()
        assert list_marks(client_of(root).get(PEOPLE), "finding") == []
        User.objects.filter(pk=root.pk).update(is_active=False)
        assert list_marks(boss.get(PEOPLE), "finding") == []

    def test_a_superuser_reaches_everybody(self, client_of: ClientOf, root: User) -> None:
        other = User.objects.create_superuser("other")
        page = client_of(root).get(page_of(other))
        assert list_marks(page, "finding") == ["superuser"]

    def test_a_group_with_more_than_the_dashboards_rights_cannot_be_given(
        self, boss: Client, manager: User
    ) -> None:
        strong = Group.objects.create(name="vault")
        strong.permissions.add(Permission.objects.get(codename="change_permission"))
        form = form_of(manager, roles=choose("manager", strong))
        assert boss.post(page_of(manager), form).status_code == 200
        assert not strong.app_roles.exists()
        assert "vault" not in boss.get(page_of(manager)).content.decode().lower()

    @pytest.mark.parametrize("deed", DEEDS)
    def test_nothing_is_done_by_looking(self, deed: str, boss: Client, viewer: User) -> None:
        assert boss.get(f"{page_of(viewer)}{deed}").status_code == 405

    @pytest.mark.parametrize("deed", DEEDS)
    def test_nor_from_another_site(self, deed: str, manager: User, viewer: User) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(manager)
        assert client.post(f"{page_of(viewer)}{deed}").status_code == 403
        assert not Entry.objects.exists()


class TestOnesOwnAccount:
    def test_a_manager_cannot_give_up_the_role(self, boss: Client, manager: User) -> None:
        answer = boss.post(page_of(manager), form_of(manager, roles=choose("viewer")))
        assert str(services.ANOTHER_MUST_TAKE_ROLE) in answer.content.decode()
        assert again(manager).role == "manager"

    def test_nor_deactivate_it(self, boss: Client, manager: User) -> None:
        answer = boss.post(f"{page_of(manager)}deactivate", follow=True)
        assert told(answer) == str(services.ANOTHER_MUST_DEACTIVATE)
        assert again(manager).is_active
        assert "Deactivate</button>" not in boss.get(page_of(manager)).content.decode()

    def test_nor_get_round_the_old_password_or_the_factor(
        self, boss: Client, manager: User
    ) -> None:
        totp.TOTP.activate(manager, totp.generate_totp_secret())
        own = {"set-up-link": services.OWN_PASSWORD, "two-step/remove": services.OWN_TWO_STEP}
        for deed, words in own.items():
            assert told(boss.post(f"{page_of(manager)}{deed}", follow=True)) == words
        assert Authenticator.objects.filter(user=manager).exists()
        assert again(manager).setup_link_at is None
        assert not Entry.objects.exists()

    def test_a_manager_may_change_their_own_name(self, boss: Client, manager: User) -> None:
        boss.post(page_of(manager), form_of(manager, first_name="Mo"))
        assert again(manager).first_name == "Mo"

    def test_of_two_managers_who_deactivate_each_other_one_is_left(
        self, manager: User, rf: Any
    ) -> None:
        """The second one acts on what was so when the page was opened."""
        other = User.objects.create_user("other")
        give_roles(other, "manager")
        request = rf.post("/")
        request.user = manager
        services.deactivate(request, manager, other.pk)
        request.user = other
        for change in (services.deactivate, services.end_all_sessions, services.make_setup_link):
            with pytest.raises(services.ChangeRefused, match=str(services.NO_LONGER_MANAGES)):
                change(request, other, manager.pk)
        assert again(manager).is_active

    def test_who_lost_the_role_meanwhile_changes_nobody(
        self, manager: User, viewer: User, rf: Any
    ) -> None:
        request = rf.post("/")
        request.user = manager
        take_roles(manager)
        with pytest.raises(services.ChangeRefused):
            services.deactivate(request, manager, viewer.pk)
        assert again(viewer).is_active


def test_each_role_but_managers_is_refused(client_of: ClientOf, viewer: User) -> None:
    for role in ("officer", "support"):
        client = client_of(cast(role))
        assert client.get(PEOPLE).status_code == 403
        assert client.post(f"{page_of(viewer)}deactivate").status_code == 403
    assert again(viewer).is_active

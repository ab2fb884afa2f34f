"""Whose password somebody else may know chooses another one before anything else."""

import getpass
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import services, tasks
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.sessions import list_sessions
from lendingadmin.core.staff.setup_links import setup_tokens
from tests.conftest import PASSWORD, ClientOf
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db

HOME, CHOOSE = "/apps/kenya/", "/accounts/password/change/"
OTHER = "orange fjord 71"


def require(person: User) -> None:
    User.objects.filter(pk=person.pk).update(must_choose_password=True)


def again(person: User) -> User:
    return User.objects.get(pk=person.pk)


def sign_in(name: str, password: str = PASSWORD) -> tuple[Client, str]:
    """A browser in which somebody signs in, and the page that they come to."""
    client = Client()
    form = {"login": name, "password": password}
    return client, client.post("/accounts/login/", form, follow=True).content.decode()


def choose(client: Client, password: str, old: str = PASSWORD) -> Any:
    form = {"oldpassword": old, "password1": password, "password2": password, "next": HOME}
    return client.post(CHOOSE, form)


def is_same_password(page: Any, field: str) -> bool:
    """Whether a form refuses the password because it is the one before, and says so."""
    form = page.context["form"]
    (refusal,) = form.errors.as_data()[field]
    return refusal.code == "same_password" and form.errors[field][0] in page.content.decode()


class TestThePerson:
    def test_reaches_nothing_but_the_page_for_it(self, manager: User) -> None:
        require(manager)
        client, page = sign_in("manager")
        assert "choose-password" in list_marks(page, "finding")
        assert 'name="password1"' in page and 'class="sidebar"' not in page
        for path in (HOME, "/people/", "/accounts/profile/", "/accounts/2fa/"):
            assert client.get(path)["Location"] == f"{CHOOSE}?next={path}"
        for path in ("/accounts/2fa/totp/activate/", f"/people/{manager.pk}/"):
            assert client.post(path)["Location"].startswith(CHOOSE), path
        assert client.get(HOME, headers={"HX-Request": "true"})["HX-Redirect"].startswith(CHOOSE)
        assert client.get("/accounts/logout/").status_code == 200
        assert client.get("/healthz").status_code == 200

    def test_chooses_another_one_and_works_on(self, officer: User) -> None:
        require(officer)
        elsewhere, client = sign_in("officer")[0], sign_in("officer")[0]
        assert choose(client, OTHER)["Location"] == HOME
        assert not again(officer).must_choose_password
        assert client.get(HOME).status_code == 200
        assert elsewhere.get(HOME)["Location"].startswith("/accounts/login/")
        assert 'class="sidebar"' in sign_in("officer", OTHER)[1]

    def test_can_not_choose_the_same_again(self, officer: User) -> None:
        require(officer)
        client, _page = sign_in("officer")
        answer = choose(client, PASSWORD)
        assert is_same_password(answer, "password1")
        assert again(officer).must_choose_password
        assert client.get(HOME)["Location"].startswith(CHOOSE)

    def test_may_use_a_set_up_link_too(self, client: Client, officer: User) -> None:
        require(officer)
        User.objects.filter(pk=officer.pk).update(setup_link_at=timezone.now())
        page: Any = client.get(setup_tokens.build_path(again(officer)), follow=True)
        address = page.redirect_chain[-1][0]
        same = client.post(address, {"new_password1": PASSWORD, "new_password2": PASSWORD})
        assert is_same_password(same, "new_password1")
        assert again(officer).must_choose_password
        client.post(address, {"new_password1": OTHER, "new_password2": OTHER})
        assert again(officer).check_password(OTHER)
        assert not again(officer).must_choose_password

    def test_comes_to_it_before_the_second_factor(self, officer: User, settings: Any) -> None:
        settings.TWO_STEP_ROLES = ["officer"]
        User.objects.filter(pk=officer.pk).update(two_step_due_at=timezone.now())
        require(officer)
        client, _page = sign_in("officer")
        assert client.get(HOME)["Location"].startswith(CHOOSE)
        choose(client, OTHER)
        assert client.get(HOME)["Location"].startswith("/accounts/2fa/")


class TestAManager:
    def test_requires_it_and_the_person_is_told(
        self, boss: Client, officer: User, client_of: ClientOf
    ) -> None:
        User.objects.filter(pk=officer.pk).update(email="of@example.org", last_login=timezone.now())
        theirs = sign_in("officer")[0]
        page, deed = f"/people/{officer.pk}/", f"/people/{officer.pk}/password/require"
        assert deed in boss.get(page).content.decode()
        answer: Any = boss.post(deed, follow=True)
        text = answer.content.decode()
        assert "officer was signed out and must choose a new password at the next sign-in." in text
        assert list_marks(answer, "state") == ["must-choose-password"] and deed not in text
        assert again(officer).must_choose_password and list_sessions(again(officer)) == []
        assert theirs.get(HOME)["Location"].startswith("/accounts/login/")
        entry = Entry.objects.latest("id")
        assert (entry.username, entry.action, entry.subject, entry.outcome, entry.url) == (
            *("manager", "people.password", "officer", "required"),
            page,
        )
        tasks.tell_person.call(DBTaskResult.objects.latest("enqueued_at").args_kwargs["args"][0])
        assert "manager: Required a new password from a person" in mail.outbox[-1].body
        assert "manager: Required a new password from a person" in sign_in("officer")[1]

    def test_requires_it_once(self, boss: Client, officer: User) -> None:
        for _ in range(2):
            boss.post(f"/people/{officer.pk}/password/require")
        assert Entry.objects.filter(action="people.password").count() == 1

    @pytest.mark.parametrize("whose", ["own", "none"])
    def test_is_refused_where_there_is_none_to_replace(
        self, boss: Client, manager: User, whose: str
    ) -> None:
        person = manager if whose == "own" else User.objects.create_user("new-here")
        page = f"/people/{person.pk}/"
        assert f"{page}password/require" not in boss.get(page).content.decode()
        text = boss.post(f"{page}password/require", follow=True).content.decode()
        words = {"own": services.OWN_PASSWORD, "none": services.NO_PASSWORD}
        assert str(words[whose]) in text
        assert not again(person).must_choose_password and not Entry.objects.exists()


class TestCommands:
    def test_a_superuser_made_with_a_password(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
        arguments = ("--no-input", "--username", "root", "--email", "root@example.org")
        call_command("createsuperuser", *arguments, verbosity=0)
        assert User.objects.get(username="root").must_choose_password
        entry = Entry.objects.get()
        assert (entry.username, entry.action, entry.subject, entry.outcome, entry.detail) == (
            *("system", "people", "root", "added"),
            f"createsuperuser, by {getpass.getuser()}",
        )
        assert 'name="password1"' in sign_in("root")[1]

    def test_a_superuser_made_without_one(self) -> None:
        arguments = ("--no-input", "--username", "root", "--email", "root@example.org")
        call_command("createsuperuser", *arguments, verbosity=0)
        assert not User.objects.get(username="root").must_choose_password
        assert Entry.objects.get().subject == "root"

    def test_a_password_that_is_set_there(
        self, officer: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sign_in("officer")
        monkeypatch.setattr(getpass, "getpass", lambda **_prompt: OTHER)
        call_command("changepassword", "officer", verbosity=0)
        assert again(officer).check_password(OTHER) and again(officer).must_choose_password
        entry = Entry.objects.latest("id")
        assert (entry.username, entry.action, entry.subject, entry.outcome) == (
            *("system", "people.password", "officer"),
            "set",
        )
        assert "system: Set a person&#x27;s password on the server" in sign_in("officer", OTHER)[1]

    def test_one_that_is_refused_leaves_no_trace(
        self, officer: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(getpass, "getpass", lambda **_prompt: "short")
        with pytest.raises(CommandError):
            call_command("changepassword", "officer", verbosity=0)
        assert not again(officer).must_choose_password and not Entry.objects.exists()
        # Saved after it, nobody is taken for one whose password was given.
        User.objects.create_user("ann", password=OTHER)
        assert not User.objects.get(username="ann").must_choose_password

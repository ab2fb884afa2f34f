"""Set-up links: a person chooses their own password, once, and nobody else learns of it."""

import logging
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.mfa.totp.internal import auth as totp
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages import get_messages
from django.core import mail
from django.core.cache import cache
from django.db import connection
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import services
from lendingadmin.core.staff.models import User
from lendingadmin.office.staff.views.setup import PASSWORD_SET
from lendingadmin.web.logs import NoAddress
from tests import roles
from tests.conftest import PASSWORD, ClientOf
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db

CHOSEN = "orange fjord 71"


@pytest.fixture(autouse=True)
def fresh_throttle(db: None) -> None:
    cache.clear()


def make_link(boss: Client, person: User) -> str:
    """The path of a new link, as its page shows it to the manager."""
    return read_link(boss.post(f"/people/{person.pk}/set-up-link"))


def read_link(answer: Any) -> str:
    assert answer.status_code == 200
    (address,) = re.findall(r"<code[^>]*>(.*?)</code>", answer.content.decode())
    return str(address).removeprefix("http://testserver")


def open_link(link: str) -> tuple[Client, Any]:
    """A stranger's browser at the form behind a link, or at what is there instead."""
    client = Client()
    return client, client.get(link, follow=True)


def choose(client: Client, answer: Any, password: str = CHOSEN) -> Any:
    here = answer.request["PATH_INFO"]
    return client.post(here, {"new_password1": password, "new_password2": password})


def can_sign_in(name: str, password: str) -> bool:
    client = Client()
    client.post("/accounts/login/", {"login": name, "password": password})
    return "_auth_user_id" in client.session


def works(link: str) -> bool:
    _, answer = open_link(link)
    assert answer.status_code in (200, 410)
    return bool(answer.status_code == 200)


UNUSED = 'data-state="link-open"'


class TestTheWay:
    def test_a_new_person_has_no_password_until_they_choose_one(self, boss: Client) -> None:
        link = read_link(
            boss.post("/people/new", {"username": "ann", "roles": roles.choose("officer")})
        )
        ann = User.objects.get(username="ann")
        assert not ann.has_usable_password()
        assert ann.role == "officer"
        client, answer = open_link(link)
        done = choose(client, answer)
        assert done["Location"] == "/accounts/login/"
        assert list(map(str, get_messages(done.wsgi_request))) == [str(PASSWORD_SET)]
        assert "_auth_user_id" not in client.session, "the link signs nobody in"
        assert can_sign_in("ann", CHOSEN)

    def test_the_trail_says_who_made_it_and_that_it_was_used(
        self, boss: Client, support: User
    ) -> None:
        choose(*open_link(make_link(boss, support)))
        columns = ("username", "action", "subject", "outcome", "detail", "url")
        url = f"/people/{support.pk}/"
        assert list(Entry.objects.order_by("id").values_list(*columns)) == [
            ("manager", "people.setupLink", "support", "made", "", url),
            ("", "password", "support", "set by link", "", url),
        ]

    def test_the_old_password_works_until_then_and_no_longer(
        self, boss: Client, support: User, client_of: ClientOf
    ) -> None:
        session = client_of(support)
        link = make_link(boss, support)
        assert support.check_password(PASSWORD)
        choose(*open_link(link))
        assert not can_sign_in("support", PASSWORD)
        assert session.get("/accounts/profile/").status_code == 302, "its sessions are over too"

    def test_two_step_sign_in_stays(self, boss: Client, support: User) -> None:
        totp.TOTP.activate(support, totp.generate_totp_secret())
        choose(*open_link(make_link(boss, support)))
        answer = Client().post("/accounts/login/", {"login": "support", "password": CHOSEN})
        assert answer["Location"] == "/accounts/2fa/authenticate/"

    @pytest.mark.parametrize(
        ("first", "second", "words"),
        [
            ("12345678", "12345678", "too common"),
            ("fjord", "fjord", "too short"),
            ("support-1", "support-1", "too similar to the user name"),
            (CHOSEN, "another one 72", "match"),
        ],
    )
    def test_the_rules_of_passwords_hold_and_the_link_goes_on_working(
        self, boss: Client, support: User, first: str, second: str, words: str
    ) -> None:
        link = make_link(boss, support)
        client, answer = open_link(link)
        here = answer.request["PATH_INFO"]
        again = client.post(here, {"new_password1": first, "new_password2": second})
        assert again.status_code == 200
        field = "new_password1" if first == second else "new_password2"
        assert words in " ".join(again.context["form"].errors[field])
        assert f'value="{first}"' not in again.content.decode()
        assert choose(client, answer).status_code == 302

    def test_the_manager_sees_that_it_was_not_used_yet(self, boss: Client, support: User) -> None:
        link = make_link(boss, support)
        page = boss.get(f"/people/{support.pk}/").content.decode()
        assert UNUSED in page
        assert link not in page, "shown once"
        choose(*open_link(link))
        assert UNUSED not in boss.get(f"/people/{support.pk}/").content.decode()


class TestVoid:
    def test_used_twice(self, boss: Client, support: User) -> None:
        link = make_link(boss, support)
        choose(*open_link(link))
        assert not works(link)

    def test_used_in_two_browsers_at_the_same_time(self, boss: Client, support: User) -> None:
        link = make_link(boss, support)
        one, other = open_link(link), open_link(link)
        choose(*one)
        late = choose(*other, password="another fjord 72")
        assert late.status_code == 410
        assert can_sign_in("support", CHOSEN)

    def test_used_while_another_answer_was_under_way(
        self, boss: Client, support: User, rf: Any
    ) -> None:
        """It is asked again under the lock: both had passed the page's own question."""
        token = make_link(boss, support).split("/")[-2]
        request = rf.post("/")
        request.user = AnonymousUser()
        given = (request, support.pk, token)
        assert services.set_password_by_link(*given, CHOSEN)
        assert not services.set_password_by_link(*given, "another fjord 72")
        assert can_sign_in("support", CHOSEN)
        assert Entry.objects.filter(outcome="set by link").count() == 1

    def test_too_old(
        self, boss: Client, support: User, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        link = make_link(boss, support)

        def later(seconds: int) -> None:
            class Clock(datetime):
                @classmethod
                def now(cls, tz: Any = None) -> datetime:
                    return datetime.now(tz) + timedelta(seconds=seconds)

            monkeypatch.setattr("django.contrib.auth.tokens.datetime", Clock)

        later(settings.PASSWORD_RESET_TIMEOUT - 60)
        assert works(link)
        form = open_link(link)
        later(settings.PASSWORD_RESET_TIMEOUT + 60)
        assert not works(link)
        assert choose(*form).status_code == 410
        assert can_sign_in("support", PASSWORD)

    def test_a_newer_one_was_made(self, boss: Client, support: User) -> None:
        first = make_link(boss, support)
        second = make_link(boss, support)
        assert (works(first), works(second)) == (False, True)

    def test_the_person_is_deactivated_and_also_once_they_are_back(
        self, boss: Client, support: User
    ) -> None:
        link = make_link(boss, support)
        boss.post(f"/people/{support.pk}/deactivate")
        assert not works(link)
        boss.post(f"/people/{support.pk}/reactivate")
        assert not works(link)

    def test_none_is_made_for_somebody_deactivated(self, boss: Client, support: User) -> None:
        User.objects.filter(pk=support.pk).update(is_active=False)
        answer = boss.post(f"/people/{support.pk}/set-up-link", follow=True)
        assert str(services.REACTIVATE_FIRST) in answer.content.decode()
        assert User.objects.get(pk=support.pk).setup_link_at is None

    def test_the_password_was_changed_another_way(self, boss: Client, support: User) -> None:
        link = make_link(boss, support)
        support.refresh_from_db()
        support.set_password("chosen meanwhile")
        support.save()
        assert not works(link)

    def test_the_person_signed_in(self, boss: Client, support: User) -> None:
        link = make_link(boss, support)
        assert can_sign_in("support", PASSWORD)
        assert not works(link)

    def test_the_person_became_a_superuser(self, boss: Client, support: User) -> None:
        link = make_link(boss, support)
        User.objects.filter(pk=support.pk).update(is_superuser=True)
        assert not works(link)

    @pytest.mark.parametrize("change", ["another person", "token", "no such person", "nonsense"])
    def test_it_was_made_up(self, change: str, boss: Client, support: User, officer: User) -> None:
        *start, uid, token, end = make_link(boss, support).split("/")
        others = make_link(boss, officer).split("/")[-3]
        forged = {
            "another person": (others, token),
            "token": (uid, token[:-1] + ("0" if token[-1] != "0" else "1")),
            "no such person": ("OTk5OTk5", token),
            "nonsense": ("%00", "set-password"),
        }
        assert not works("/".join([*start, *forged[change], end]))

    def test_no_link_was_ever_made(self, support: User) -> None:
        from lendingadmin.core.staff.setup_links import setup_tokens

        assert not works(setup_tokens.build_path(support))


class TestSecrecy:
    def test_neither_link_nor_password_is_in_the_database_or_the_log(
        self, boss: Client, support: User, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.handler.addFilter(NoAddress())
        caplog.set_level(logging.DEBUG)
        support.email = "asha@example.org"
        support.save()
        link = make_link(boss, support)
        token = link.split("/")[-2]
        client, answer = open_link(link)
        choose(client, answer, "short")
        choose(client, answer)
        open_link(link)
        choose(client, answer)
        with connection.cursor() as cursor:
            for table in ("audit_entry", "staff_user", "django_session"):
                cursor.execute(f"SELECT * FROM {table}")
                rows = str(cursor.fetchall())
                assert token not in rows and CHOSEN not in rows, table
        kept = [record.getMessage() for record in caplog.records]
        assert "set-up/<uidb64>/<token>/" in caplog.text, "a void link is logged by its route"
        assert not [one for one in kept if token in one or CHOSEN in one]
        assert token not in caplog.text and CHOSEN not in caplog.text

    @pytest.mark.parametrize("which", ["manager's", "form", "void"])
    def test_its_pages_are_kept_in_no_cache_and_named_to_no_other_site(
        self, which: str, boss: Client, support: User
    ) -> None:
        shown = boss.post(f"/people/{support.pk}/set-up-link")
        answer = {
            "manager's": lambda: shown,
            "form": lambda: open_link(read_link(shown))[1],
            "void": lambda: open_link("/accounts/set-up/MQ/no/")[1],
        }[which]()
        assert "no-store" in answer["Cache-Control"]
        assert answer["Referrer-Policy"] == "same-origin"

    def test_the_address_of_the_form_does_not_carry_the_token(
        self, boss: Client, support: User
    ) -> None:
        link = make_link(boss, support)
        _, answer = open_link(link)
        assert answer.request["PATH_INFO"].endswith("/set-password/")
        assert link.split("/")[-2] not in answer.content.decode()


class TestMail:
    @pytest.fixture
    def asha(self, support: User) -> User:
        support.email = "asha@example.org"
        support.save()
        return support

    def test_it_is_mailed_where_there_is_an_address(self, boss: Client, asha: User) -> None:
        link = make_link(boss, asha)
        (sent,) = mail.outbox
        assert sent.to == ["asha@example.org"]
        assert f"http://testserver{link}" in sent.body
        assert "user name is support" in sent.body and "for 24 hours" in sent.body

    def test_nobody_is_mailed_without_one(self, boss: Client, support: User) -> None:
        make_link(boss, support)
        assert mail.outbox == []

    def test_mail_that_would_be_printed_is_not_sent(
        self, boss: Client, asha: User, settings: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
        answer = boss.post(f"/people/{asha.pk}/set-up-link")
        token = read_link(answer).split("/")[-2]
        assert token not in "".join(capsys.readouterr())
        assert 'data-finding="mailed"' not in answer.content.decode()

    def test_a_mail_that_fails_leaves_the_link_and_no_trace_of_it(
        self,
        boss: Client,
        asha: User,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        def fail(self: Any) -> None:
            raise OSError(f"refused: {self.body}")

        monkeypatch.setattr("django.core.mail.EmailMessage.send", fail)
        answer = boss.post(f"/people/{asha.pk}/set-up-link")
        link = read_link(answer)
        assert list_marks(answer, "finding") == ["mail-failed"]
        assert "could not be mailed: OSError" in caplog.text
        assert link.split("/")[-2] not in caplog.text
        assert works(link)

    def test_its_address_is_the_one_that_people_open(
        self, boss: Client, asha: User, settings: Any
    ) -> None:
        settings.DASHBOARD_URL = "https://desk.example.com"
        boss.post(f"/people/{asha.pk}/set-up-link")
        assert "https://desk.example.com/accounts/set-up/" in mail.outbox[0].body


class TestANewPerson:
    @pytest.mark.parametrize("name", ["", "Support", "a b", "x" * 151])
    def test_a_bad_name_is_refused_beside_its_field(
        self, name: str, boss: Client, support: User
    ) -> None:
        answer = boss.post("/people/new", {"username": name, "first_name": "Asha"})
        assert list(answer.context["form"].errors) == ["username"]
        assert 'value="Asha"' in answer.content.decode()
        assert User.objects.count() == 2
        assert not Entry.objects.exists()

    def test_the_trail_names_the_roles(self, boss: Client) -> None:
        boss.post("/people/new", {"username": "ann", "roles": roles.choose("officer")})
        entries = Entry.objects.order_by("id").values_list("action", "outcome", "detail")
        assert list(entries) == [
            ("people", "added", "user name, roles (+officer in ghana, +officer in kenya)"),
            ("people.setupLink", "made", ""),
        ]

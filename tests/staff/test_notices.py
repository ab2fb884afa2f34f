"""What others change about an account is told to its person: by mail, and at the next sign-in."""

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import tasks
from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD
from tests.roles import choose
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db


def sign_in(client: Client, name: str) -> str:
    form = {"login": name, "password": PASSWORD}
    return client.post("/accounts/login/", form, follow=True).content.decode()


def test_at_the_next_sign_in_once(client: Client, boss: Client, viewer: User) -> None:
    assert "account-changed" not in list_marks(sign_in(client, "viewer"), "finding")
    client.post("/accounts/logout/")
    boss.post(f"/people/{viewer.pk}/", {"roles": choose("officer", apps=["kenya"])})
    page = sign_in(client, "viewer")
    assert list_marks(page, "finding").count("account-changed") == 1
    assert "manager: " in page and "+officer in kenya" in page
    client.post("/accounts/logout/")
    assert "account-changed" not in list_marks(sign_in(client, "viewer"), "finding")


def test_one_s_own_changes_are_no_news(client: Client, boss: Client, manager: User) -> None:
    sign_in(client, "manager")
    boss.post(f"/people/{manager.pk}/", {"first_name": "Mo", "roles": choose("manager")})
    assert Entry.objects.latest("id").outcome == "changed"
    assert "account-changed" not in list_marks(sign_in(Client(), "manager"), "finding")


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("set-up-link", "Made a set-up link"),
        ("deactivate", "Deactivated"),
    ],
)
def test_by_mail(boss: Client, viewer: User, deed: str, words: str) -> None:
    User.objects.filter(pk=viewer.pk).update(email="vi@example.org", last_login=timezone.now())
    boss.post(f"/people/{viewer.pk}/{deed}")
    entry = Entry.objects.filter(subject="viewer").latest("id")
    mail.outbox.clear()
    tasks.tell_person.call(entry.pk)
    (message,) = mail.outbox
    assert message.to == ["vi@example.org"]
    assert message.body.startswith(f"manager: {words}")


def test_a_new_person_hears_nothing_of_being_entered(boss: Client, viewer: User) -> None:
    User.objects.filter(pk=viewer.pk).update(email="vi@example.org")
    boss.post(f"/people/{viewer.pk}/set-up-link")
    mail.outbox.clear()
    tasks.tell_person.call(Entry.objects.latest("id").pk)
    assert mail.outbox == []


def test_nobody_is_written_to_without_an_address(boss: Client, viewer: User) -> None:
    boss.post(f"/people/{viewer.pk}/deactivate")
    tasks.tell_person.call(Entry.objects.latest("id").pk)
    assert mail.outbox == []


def test_the_worker_is_asked_to_write_of_others_changes(
    boss: Client, manager: User, viewer: User
) -> None:
    boss.post(f"/people/{manager.pk}/", {"first_name": "Mo", "roles": choose("manager")})
    boss.post(f"/people/{viewer.pk}/deactivate")
    asked = [one.args_kwargs["args"] for one in DBTaskResult.objects.all()]
    assert asked == [[Entry.objects.latest("id").pk]]

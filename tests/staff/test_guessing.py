"""Who guesses passwords or codes waits, whatever else is asked of the dashboard meanwhile."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.adapter import get_adapter
from allauth.mfa.totp.internal import auth as totp
from django.conf import settings as configured
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.caching import shared
from lendingadmin.core.staff import tasks
from lendingadmin.core.staff.adapter import FROM_MANY, FROM_ONE
from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD
from tests.totp import make_code

LOGIN = "/accounts/login/"
STORED = configured.CACHES["default"]


@pytest.fixture(autouse=True)
def fresh_counters(db: None, settings: Any) -> Iterator[None]:
    """Counters in memory, which is quicker; a test of what pushes them out asks for `stored`."""
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = settings.CACHES | {"default": {"BACKEND": backend}}
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def stored(fresh_counters: None, settings: Any) -> None:
    """Counters as the product keeps them."""
    settings.CACHES = settings.CACHES | {"default": STORED}
    cache.clear()


def sign_in(username: str, password: str, address: str) -> Client:
    client = Client(REMOTE_ADDR=address)
    client.post(LOGIN, {"login": username, "password": password})
    return client


def gets_in(username: str, address: str) -> bool:
    return "_auth_user_id" in sign_in(username, PASSWORD, address).session


def flood() -> None:
    """What others do: sign in from many addresses, and fill the caches with their exports."""
    for number in range(40):
        sign_in(f"nobody{number}", "wrong", f"10.1.0.{number}")
    for number in range(400):
        shared.set(f"export:{number}", ["x" * 200], timeout=3600)
        cache.add(f"other:{number}", "x", timeout=3600)


def test_a_flood_does_not_empty_the_counters(stored: None, support: User) -> None:
    for _ in range(5):
        sign_in("support", "wrong", "10.0.0.1")
    assert not gets_in("support", "10.0.0.1")
    flood()
    assert not gets_in("support", "10.0.0.1")


def test_nobody_locks_the_right_person_out_from_elsewhere(support: User) -> None:
    for _ in range(6):
        sign_in("support", "wrong", "10.0.0.1")
    assert gets_in("support", "10.0.0.2")


def test_many_wrong_passwords_from_many_addresses_hold_back_the_name(support: User) -> None:
    for number in range(50):
        sign_in("SUPPORT" if number % 2 else "support", "wrong", f"10.0.{number % 13}.1")
    assert not gets_in("support", "10.0.99.1")
    assert Entry.objects.filter(detail=FROM_MANY, subject="support").count() == 1


def test_the_addresses_of_one_network_of_ipv6_count_as_one(support: User) -> None:
    for number in range(5):
        sign_in("support", "wrong", f"2001:db8:1:2::{number:x}")
    assert not gets_in("support", "2001:db8:1:2:ffff::1")
    assert gets_in("support", "2001:db8:1:3::1")
    assert Entry.objects.filter(outcome="held back").count() == 1


def test_an_ipv4_address_counts_by_itself_however_it_is_written(support: User) -> None:
    for number in range(5):
        sign_in("support", "wrong", ("::ffff:10.0.0.1", "10.0.0.1")[number % 2])
    assert not gets_in("support", "10.0.0.1") and not gets_in("support", "::ffff:10.0.0.1")
    assert gets_in("support", "::ffff:10.0.0.2")


class TestABrowserThatSignedInBefore:
    @pytest.fixture
    def known(self, support: User) -> Client:
        client = sign_in("support", PASSWORD, "10.0.0.1")
        client.post("/accounts/logout/")
        assert "_auth_user_id" not in client.session
        return client

    def tries(self, client: Client, name: str = "support", password: str = PASSWORD) -> bool:
        client.post(LOGIN, {"login": name, "password": password})
        return "_auth_user_id" in client.session

    def test_is_not_locked_out_by_strangers(self, known: Client) -> None:
        for number in range(50):
            sign_in("support", "wrong", f"10.0.{number % 13}.1")
        assert not gets_in("support", "10.0.99.1")
        assert self.tries(known)

    def test_nor_by_strangers_at_its_address(self, known: Client) -> None:
        for _ in range(6):
            sign_in("support", "wrong", "10.0.0.1")
        assert not gets_in("support", "10.0.0.1")
        assert self.tries(known)

    def test_waits_for_its_own_wrong_passwords(self, known: Client) -> None:
        for _ in range(5):
            self.tries(known, password="wrong")
        known.defaults["REMOTE_ADDR"] = "10.0.0.7"
        assert not self.tries(known)
        assert gets_in("support", "10.0.0.1")  # the name is not held back for others

    def test_is_one_for_its_people_alone(self, known: Client, officer: User) -> None:
        for _ in range(5):
            sign_in("officer", "wrong", "10.0.0.1")
        assert not self.tries(known, "officer")

    def test_can_not_be_made_up(self, known: Client, officer: User) -> None:
        stranger = Client(REMOTE_ADDR="10.0.0.1")
        said = known.cookies["known"].value
        stranger.cookies["known"] = f"{said[:-2]}xx"
        for _ in range(5):
            sign_in("support", "wrong", "10.0.0.1")
        assert not self.tries(stranger)


def test_an_office_behind_one_address_signs_in_within_a_minute(db: None) -> None:
    names = [f"clerk{number}" for number in range(100)]
    for name in names:
        User.objects.create_user(name, password=PASSWORD)
    assert [name for name in names if not gets_in(name, "10.0.0.1")] == []


def test_passwords_that_are_being_compared_are_no_guesses(rf: RequestFactory) -> None:
    """Each counts as wrong until it is found right, which takes a busy host seconds."""
    request = rf.post(LOGIN, REMOTE_ADDR="10.0.0.1")
    for number in range(45):
        get_adapter().pre_authenticate(request, username=f"clerk{number}")


def test_signing_in_does_not_count_as_guessing(support: User) -> None:
    for number in range(60):
        assert gets_in("support", f"10.0.{number}.1")


def test_what_is_held_back_is_noted_once_an_hour_and_names_nobody_unknown(support: User) -> None:
    for name in ("support", "hunter2"):
        for _ in range(9):
            sign_in(name, "wrong", f"10.0.{len(name)}.1")
    held = Entry.objects.filter(action="sign-in", outcome="held back").order_by("id")
    assert list(held.values_list("subject", "detail")) == [
        ("support", FROM_ONE),
        ("", FROM_ONE),
    ]


def test_managers_are_told_once_that_a_password_is_guessed(support: User, manager: User) -> None:
    manager.email = "boss@example.com"
    manager.save()
    for number in range(60):
        sign_in("support", "wrong", f"10.0.{number}.1")
    (task,) = DBTaskResult.objects.filter(task_path=tasks.tell_of_guessing.module_path)
    tasks.tell_of_guessing.call(*task.args_kwargs["args"])
    (message,) = mail.outbox
    assert message.bcc == ["boss@example.com"]
    assert f"/people/{support.pk}/" in message.body
    assert "support" not in message.subject + message.body


def test_a_code_works_once_whatever_happens_in_between(stored: None, support: User) -> None:
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(support, secret)
    code = make_code(secret)
    first = sign_in("support", PASSWORD, "10.0.0.1")
    first.post("/accounts/2fa/authenticate/", {"code": code})
    assert "_auth_user_id" in first.session
    flood()
    second = sign_in("support", PASSWORD, "10.0.0.1")
    second.post("/accounts/2fa/authenticate/", {"code": code})
    assert "_auth_user_id" not in second.session


def test_wrong_codes_hold_back_whatever_happens_in_between(stored: None, support: User) -> None:
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(support, secret)
    client = sign_in("support", PASSWORD, "10.0.0.1")
    for _ in range(5):
        client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    flood()
    code = make_code(secret)
    client.post("/accounts/2fa/authenticate/", {"code": code})
    assert "_auth_user_id" not in client.session

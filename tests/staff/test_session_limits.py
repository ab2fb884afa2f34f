"""A session ends half an hour after a person last did something, and after twelve hours anyhow."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import sessions
from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD
from tests.totp import make_code
from tests.web.marks import list_marks

PAGE = "/accounts/profile/"
HTMX = {"HX-Request": "true"}
Wait = Callable[..., None]


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Wait:
    """Let time pass."""
    passed, now = timedelta(), timezone.now

    def pass_by(**time: float) -> None:
        nonlocal passed
        passed += timedelta(**time)

    monkeypatch.setattr(timezone, "now", lambda: now() + passed)
    return pass_by


@pytest.fixture
def clerk(support: User) -> Client:
    cache.clear()
    client = Client()
    client.post("/accounts/login/", {"login": "support", "password": PASSWORD})
    return client


def is_in(client: Client, path: str = PAGE, **headers: str) -> bool:
    answer = client.get(path, headers=headers)
    return answer.status_code == 200 and "HX-Redirect" not in answer.headers


def test_who_does_something_stays_in(clerk: Client, wait: Wait) -> None:
    for _ in range(20):
        wait(minutes=29)
        assert is_in(clerk)


def test_a_page_that_is_left_open_leaves_when_the_session_is_over(
    clerk: Client, wait: Wait
) -> None:
    page = clerk.get(PAGE).content.decode()
    asks = re.search(r'hx-get="([^"]+)" hx-trigger="every 5m" hx-swap="none"', page)
    assert asks
    there = HTMX | {"HX-Current-URL": f"http://testserver{PAGE}"}
    for _ in range(2):
        wait(minutes=14)
        assert clerk.get(asks[1], headers=there).status_code == 204
    wait(minutes=3)
    answer = clerk.get(asks[1], headers=there)
    assert answer.headers["HX-Redirect"] == f"/accounts/login/?next={PAGE}"


def test_who_does_nothing_for_half_an_hour_is_signed_out_and_told(
    clerk: Client, wait: Wait
) -> None:
    wait(minutes=31)
    page = clerk.get(PAGE, follow=True)
    assert page.redirect_chain[0][0] == f"/accounts/login/?next={PAGE}"
    assert list_marks(page, "finding") == ["signed-out-idle", "forgotten"]
    assert list(Entry.objects.filter(action="sign-out").values_list("username", "outcome")) == [
        ("support", "idle")
    ]
    assert not Session.objects.filter(expire_date__gt=timezone.now()).exists()


def test_polling_is_no_persons_doing(clerk: Client, wait: Wait) -> None:
    for minutes in (20, 9):
        wait(minutes=minutes)
        assert is_in(clerk, f"{PAGE}?polls=3", **HTMX)
    wait(minutes=2)
    assert not is_in(clerk, f"{PAGE}?polls=3", **HTMX)


def test_after_twelve_hours_it_ends_whatever_was_done(clerk: Client, wait: Wait) -> None:
    for _ in range(29):
        wait(minutes=25)
        session = clerk.session
        session["touched"] = timezone.now().isoformat()
        session.save()
        in_time = is_in(clerk)
    assert not in_time
    assert Entry.objects.filter(action="sign-out", outcome="over").count() == 1


@pytest.mark.parametrize(("hours", "said"), [(1, "an hour after"), (3, "3 hours after")])
def test_its_longest_time_is_a_setting(
    hours: int, said: str, clerk: Client, wait: Wait, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SESSION_HOURS = hours
    monkeypatch.setattr(sessions, "LONGEST", timedelta(hours=hours))
    for _ in range(hours * 60 // 20):
        assert is_in(clerk)
        wait(minutes=20)
    wait(minutes=1)
    page = clerk.get(PAGE, follow=True).content.decode()
    assert list_marks(page, "finding") == ["signed-out-over", "forgotten"] and said in page


@pytest.mark.parametrize("cookie", ["", "2999-01-01T00:00:00+00:00", "x:y"])
def test_a_cookie_that_was_made_up_keeps_nobody_in(cookie: str, clerk: Client, wait: Wait) -> None:
    wait(minutes=29)
    assert is_in(clerk)
    clerk.cookies["active"] = cookie
    wait(minutes=2)
    assert not is_in(clerk)


def test_the_cookie_of_another_session_keeps_nobody_in(clerk: Client, wait: Wait) -> None:
    wait(minutes=29)
    other = Client()
    other.post("/accounts/login/", {"login": "support", "password": PASSWORD})
    clerk.cookies["active"] = other.cookies["active"].value
    wait(minutes=2)
    assert is_in(other)
    assert not is_in(clerk)


def test_opening_a_page_writes_nothing(clerk: Client, wait: Wait) -> None:
    wait(minutes=5)
    with CaptureQueriesContext(connection) as asked:
        assert is_in(clerk, "/apps/kenya/repayments/")
    assert not [one for one in asked if not one["sql"].startswith("SELECT")]


def test_the_cookie_is_not_written_for_each_page(clerk: Client, wait: Wait) -> None:
    assert "active" not in clerk.get(PAGE).cookies
    wait(minutes=2)
    assert clerk.get(PAGE).cookies["active"]["httponly"]


@pytest.mark.django_db(transaction=True)
def test_a_second_factor_ends_the_other_sessions(clerk: Client, support: User) -> None:
    other = Client()
    other.post("/accounts/login/", {"login": "support", "password": PASSWORD})
    clerk.post("/accounts/reauthenticate/", {"password": PASSWORD})
    secret = clerk.get("/accounts/2fa/totp/activate/").context["form"].secret
    code = make_code(secret)
    clerk.post("/accounts/2fa/totp/activate/", {"code": code})
    assert is_in(clerk)
    assert not is_in(other)


def test_a_confirmation_changes_the_key_and_nothing_else(clerk: Client, wait: Wait) -> None:
    for _ in range(2):
        wait(minutes=20)
        assert is_in(clerk)
    before = clerk.session.session_key
    stolen = Client()
    stolen.cookies.update(clerk.cookies)
    form = {"password": PASSWORD, "next": PAGE}
    assert clerk.post("/accounts/reauthenticate/", form)["Location"] == PAGE
    assert clerk.session.session_key != before
    assert is_in(clerk) and not is_in(stolen)
    wait(minutes=29)
    assert is_in(clerk)
    # Twelve hours count from the sign-in: what confirms who one is prolongs nothing.
    for _ in range(24):
        wait(minutes=29)
        is_in(clerk)
    assert not is_in(clerk)


def test_a_new_password_ends_the_other_sessions(clerk: Client, support: User) -> None:
    other = Client()
    other.post("/accounts/login/", {"login": "support", "password": PASSWORD})
    assert is_in(other)
    new = {"password1": "orange fjord 71", "password2": "orange fjord 71"}
    clerk.post("/accounts/password/change/", {"oldpassword": PASSWORD, **new})
    assert is_in(clerk)
    assert not is_in(other)

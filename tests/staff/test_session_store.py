"""A copy of the database signs nobody in; everything else about sessions is as Django has it."""

import math
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff import tasks
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.sessions import SessionStore
from tests.conftest import PASSWORD, ClientOf


def get_in(cookie: str) -> bool:
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = cookie
    return client.get("/people/").status_code == 200


def test_no_row_holds_a_key_that_signs_in(client_of: ClientOf, manager: User) -> None:
    key = client_of(manager).session.session_key or ""
    assert get_in(key)
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_key, session_data FROM django_session")
        (row,) = cursor.fetchall()
    assert key not in "".join(row)
    assert not get_in(row[0])


def test_a_session_is_read_changed_and_ended(db: None) -> None:
    session = SessionStore()
    session["a"] = 1
    session.save()
    again = SessionStore(session.session_key)
    assert again["a"] == 1
    again["a"] = 2
    again.save()
    assert (SessionStore(session.session_key)["a"], Session.objects.count()) == (2, 1)
    again.cycle_key()
    assert again.session_key != session.session_key
    assert not SessionStore(session.session_key).load()
    assert SessionStore().exists(again.session_key or "")
    again.flush()
    assert not Session.objects.exists()


def test_a_key_that_nobody_has_begins_a_new_session(db: None) -> None:
    session = SessionStore("0" * 32)
    session["a"] = 1
    session.save()
    assert session.session_key != "0" * 32


@pytest.mark.parametrize("clear", [tasks.prune.call, lambda: call_command("clearsessions")])
def test_expired_sessions_are_cleared(
    clear: object, client_of: ClientOf, manager: User, support: User
) -> None:
    client_of(manager)
    Session.objects.update(expire_date=timezone.now() - timedelta(minutes=1))
    client_of(support)
    assert callable(clear)
    clear()
    assert Session.objects.count() == 1


@pytest.mark.parametrize(("fallbacks", "status"), [(["tests-only"], 200), ([], 302)])
def test_a_new_secret_key_ends_sessions_unless_the_old_one_is_kept_beside_it(
    client_of: ClientOf, support: User, settings: Any, fallbacks: list[str], status: int
) -> None:
    desk = client_of(support)
    assert desk.get("/accounts/2fa/").status_code == 200
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", fallbacks
    assert desk.get("/accounts/2fa/").status_code == status


def test_a_key_can_not_be_guessed(db: None) -> None:
    keys = {SessionStore()._get_new_session_key() for _ in range(50)}
    assert len(keys) == 50
    # Of 26 letters and 10 digits.
    assert min(map(len, keys)) * math.log2(36) >= 128


def test_signing_in_begins_another_session_and_signing_out_ends_it(support: User) -> None:
    client, thief = Client(), Client()
    login = {"login": "support", "password": PASSWORD}
    client.session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = before = client.session.session_key or ""
    client.post("/accounts/login/", login)
    after = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert before and after != before
    assert not SessionStore().exists(before)
    thief.cookies[settings.SESSION_COOKIE_NAME] = after
    assert thief.get("/accounts/profile/").status_code == 200
    client.post("/accounts/logout/")
    assert thief.get("/accounts/profile/").status_code == 302

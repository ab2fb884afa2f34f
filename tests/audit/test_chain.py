"""Entries are chained: what is changed, removed or put in behind the dashboard's back is seen."""

import secrets
from base64 import urlsafe_b64encode
from io import StringIO
from threading import Event
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from lendingadmin.core.audit import record, triggers, verification
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.audit.verification import CHANGED, INSERTED, MISSING, NO_MAC, Verifier
from lendingadmin.core.staff import services
from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db


def forge(sql: str, *params: object) -> None:
    """Do to the trail what only the owner of the database can."""
    triggers.drop_triggers(connection)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, params)
    triggers.create_triggers(connection)


def find_breaks() -> list[tuple[int, str]]:
    return [(found.entry_id, found.what) for found in Verifier().find_breaks()]


def verify() -> str:
    told = StringIO()
    call_command("audit", "verify", stdout=told)
    return told.getvalue()


@pytest.fixture
def entries() -> list[Entry]:
    return [record(None, "x", subject=f"L-{number}", outcome="done") for number in range(5)]


def test_a_trail_that_nobody_touched_is_whole(
    entries: list[Entry], support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(support, "x", subject="Łódź 👍", outcome="done", detail="d" * 5000)
    Entry.objects.create(action="x", outcome="done")
    Entry.objects.bulk_create(Entry(action="x", outcome=str(number)) for number in range(3))
    record(None, "x", outcome="done")
    for size in (1, 2, 11, 2_000):
        monkeypatch.setattr(verification, "SLICE", size)
        assert find_breaks() == []
    assert f"11 entries were compared, up to {Entry.objects.latest('pk').pk} of" in verify()


@pytest.mark.parametrize(
    "change",
    ["outcome = 'forged'", "at = '2020-01-01 00:00:00+00:00'", "username = ''", "detail = 'more'"],
)
def test_a_changed_entry(entries: list[Entry], change: str) -> None:
    forge(f"UPDATE audit_entry SET {change} WHERE id = %s", entries[2].pk)
    assert find_breaks() == [(entries[2].pk, CHANGED)]


def test_a_removed_entry(entries: list[Entry]) -> None:
    forge("DELETE FROM audit_entry WHERE id = %s", entries[2].pk)
    assert find_breaks() == [(entries[3].pk, MISSING)]


def test_the_removed_beginning(entries: list[Entry]) -> None:
    forge("DELETE FROM audit_entry WHERE id <= %s", entries[1].pk)
    assert find_breaks() == [(entries[2].pk, MISSING)]


def test_an_entry_that_was_put_in(entries: list[Entry]) -> None:
    columns = "at, username, role, action, app_id, subject, outcome, saved, request_id, detail"
    columns += ", url, address, browser, mac"
    copied = f"SELECT {columns} FROM audit_entry WHERE id = %s"
    place = entries[4].pk
    forge("UPDATE audit_entry SET id = id + 10 WHERE id = %s", place)
    assert find_breaks() == []
    forge(f"INSERT INTO audit_entry (id, {columns}) SELECT %s, {columns} FROM ({copied}) AS one",
          place, entries[1].pk)  # fmt: skip
    assert find_breaks() == [(place, INSERTED)]


def test_entries_in_another_order(entries: list[Entry]) -> None:
    forge("UPDATE audit_entry SET id = -id WHERE id = %s", entries[3].pk)
    assert find_breaks()


def test_a_mac_that_was_taken_away(entries: list[Entry]) -> None:
    forge("UPDATE audit_entry SET mac = '' WHERE id = %s", entries[2].pk)
    assert find_breaks()[0] == (entries[2].pk, NO_MAC)


def test_the_command_names_the_first_break(entries: list[Entry]) -> None:
    forged = "UPDATE audit_entry SET outcome = 'forged' WHERE id IN (%s, %s)"
    forge(forged, entries[1].pk, entries[3].pk)
    first = rf"broken at entry {entries[1].pk} of 20.*: the entry was changed\. 1 more"
    with pytest.raises(CommandError, match=first):
        verify()


def test_a_key_that_is_not_the_first_any_more_still_verifies(
    entries: list[Entry], settings: Any
) -> None:
    old = settings.AUDIT_KEYS
    new = urlsafe_b64encode(secrets.token_bytes(32)).decode()
    settings.AUDIT_KEYS = (new, *old)
    record(None, "x", outcome="done")
    assert find_breaks() == []
    settings.AUDIT_KEYS = (new,)
    assert find_breaks()[0] == (entries[0].pk, CHANGED)


def test_guard_makes_the_triggers_again() -> None:
    triggers.drop_triggers(connection)
    call_command("audit", "guard", stdout=StringIO())
    assert triggers.list_missing(connection) == []
    assert Entry.objects.get().subject == "audit guard"


def test_recording_takes_one_read_more_and_on_postgresql_a_lock(support: User) -> None:
    support.role  # noqa: B018
    with CaptureQueriesContext(connection) as made:
        record(support, "x", outcome="done")
    said = [query["sql"] for query in made]
    ours = [sql for sql in said if "audit_entry" in sql or "pg_advisory" in sql]
    assert len(ours) == (3 if connection.vendor == "postgresql" else 2)
    assert not any("SAVEPOINT" in sql for sql in said)


@pytest.mark.django_db(transaction=True)
def test_many_at_once_make_one_chain() -> None:
    at_once(16, lambda number: record(None, "x", subject=str(number), outcome="done").pk)
    assert Entry.objects.count() == 16
    assert find_breaks() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("pk", [0, 1])
def test_a_change_to_a_person_and_what_they_do_meanwhile_do_not_wait_for_each_other(
    manager: User, viewer: User, pk: int
) -> None:
    changing, acted = Event(), Event()

    def act(number: int) -> None:
        if number:
            assert changing.wait(10)
            record((manager, viewer)[pk], "x", outcome="done")
            acted.set()
        else:
            with services.change_person(manager, viewer.pk):
                changing.set()
                # On SQLite the other one waits until this transaction ends.
                acted.wait(5 if connection.vendor == "postgresql" else 0.1)
                record(manager, "x", outcome="done")

    at_once(2, act)
    assert Entry.objects.count() == 2
    assert find_breaks() == []


class TestFromWhere:
    def test_a_request_says_it(self, support: User) -> None:
        request = RequestFactory().get("/", REMOTE_ADDR="203.0.113.7", HTTP_USER_AGENT="b" * 500)
        request.user = support
        entry = record(request, "x", outcome="done")
        assert (entry.address, entry.browser) == ("203.0.113.7", "b" * 200)

    def test_a_proxy_is_believed_only_where_it_is_trusted(
        self, support: User, settings: Any
    ) -> None:
        given = {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": "198.51.100.9"}
        request = RequestFactory().get("/", **given)
        request.user = support
        assert record(request, "x", outcome="done").address == "10.0.0.1"
        settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
        assert record(request, "x", outcome="done").address == "198.51.100.9"
        settings.ALLAUTH_TRUSTED_PROXY_COUNT = 2
        assert record(request, "x", outcome="done").address == ""

    def test_a_person_acts_in_the_request_in_hand(self, client: Client, support: User) -> None:
        form = {"login": "support", "password": PASSWORD}
        client.post("/accounts/login/", form, REMOTE_ADDR="203.0.113.7", HTTP_USER_AGENT="Firefox")
        entry = Entry.objects.get(action="sign-in", outcome="done")
        assert (entry.address, entry.browser) == ("203.0.113.7", "Firefox")

    def test_the_system_and_others_do_not(self, support: User) -> None:
        for actor in (None, support):
            entry = record(actor, "x", outcome="done")
            assert (entry.address, entry.browser) == ("", "")


def test_a_mac_has_128_bits_for_the_entry_and_128_for_its_place(support: User) -> None:
    first, second = record(support, "x", outcome="done"), record(support, "x", outcome="done")
    assert len(first.mac) == len(second.mac) == 2 * 128 // 4
    assert {*first.mac, *second.mac} <= set("0123456789abcdef")

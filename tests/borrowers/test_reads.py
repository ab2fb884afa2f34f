"""Who was shown a borrower: in the trail once an hour, and mailed where somebody opens many."""

from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import mail
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_tasks_db.models import DBTaskResult

from lendingadmin.core import audit
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.caching.models import Kept
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff import tasks
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_CONTACT
from lendingadmin.records.borrowers import history
from lendingadmin.web import quotas
from lendingadmin.web.quotas import QUOTAS
from tests.conftest import ClientOf
from tests.policies.setting import set_policy
from tests.roles import hold_only
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db
READ, ALARM = "lending.borrowers.get", "dashboard.borrowers.massReading"
HTMX = {"HX-Request": "true"}
# Everything of a borrower's that a person opens by its address, and whether it shows the person.
PAGES = [
    ("?whole=1", True),
    ("panels/record", True),
    ("edit", True),
    ("name?with=phone", True),
    ("name", False),
    ("", True),
    ("panels/loans", False),
    ("panels/events", False),
]


@pytest.fixture
def there(app: LendingApp, book: Caller) -> str:
    return f"/apps/{app.app_id}/borrowers/b/"


def list_reads() -> list[tuple[str, ...]]:
    rows = Entry.objects.filter(action=READ).order_by("pk")
    return list(rows.values_list("username", "subject", "outcome", "detail"))


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
@pytest.mark.parametrize(("page", "shows"), PAGES)
def test_what_shows_a_person_is_in_the_trail(
    desk: Client, there: str, page: str, shows: bool, headers: dict[str, str]
) -> None:
    assert desk.get(there + page, headers=headers).status_code == 200
    entry = ("officer", "borrower:b", "read", "names, contact, identity")
    assert list_reads() == [entry] * shows
    assert [one.app_id for one in Entry.objects.all()] == [there.split("/")[2]] * shows


def test_once_an_hour_for_each_person_and_borrower(
    desk: Client, boss: Client, there: str, book: Caller
) -> None:
    book.borrower("c", individual={"surname": "Otieno", "phoneNumber": "+254700000002"})
    for browser in (desk, boss, desk):
        for page in ("", "?whole=1", "panels/record", "edit"):
            browser.get(there + page)
    desk.get(there.replace("/b/", "/c/?whole=1"))
    read = [(who, what) for who, what, *_rest in list_reads()]
    assert read == [("officer", "borrower:b"), ("manager", "borrower:b"), ("officer", "borrower:c")]
    Kept.objects.filter(key__startswith=cache.make_key("read:")).update(expires_at="2026-01-01T00Z")
    desk.get(f"{there}?whole=1")
    assert len(list_reads()) == 4


def test_what_is_masked_is_not_read(
    client_of: ClientOf, viewer: User, support: User, there: str
) -> None:
    client_of(viewer).get(f"{there}?whole=1")
    assert list_reads() == []
    hold_only(support, "lending.borrowers.get", SEE_CONTACT)
    client_of(support).get(f"{there}?whole=1")
    assert [detail for *_rest, detail in list_reads()] == ["contact"]


@pytest.mark.parametrize("page", ["?whole=1", "panels/record", "edit", "name?with=phone"])
def test_what_was_not_shown_is_not_read(desk: Client, there: str, page: str) -> None:
    desk.get(there.replace("/b/", "/gone/") + page)
    assert list_reads() == []


def test_a_further_read_in_the_hour_costs_two_queries(desk: Client, there: str) -> None:
    page = f"{there}name?with=phone"
    for _ in range(2):
        desk.get(page, headers=HTMX)
    with CaptureQueriesContext(connection) as queries:
        desk.get(page, headers=HTMX)
    kept = [one["sql"] for one in queries if "counters" in one["sql"]]
    # Whether it is counted, and whether it is written.
    assert len(kept) == 2, kept
    assert not [one for one in queries if "audit_entry" in one["sql"]]


def test_a_database_that_takes_no_writes_stops_no_page(
    desk: Client, there: str, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*kinds: str, table: str = "") -> Any:
        def execute(run: Any, sql: str, *rest: Any) -> Any:
            if sql.startswith(kinds) and table in sql:
                raise OperationalError("attempt to write a readonly database")
            return run(sql, *rest)

        return connection.execute_wrapper(execute)

    with refuse("INSERT", "UPDATE", "DELETE"):
        page = desk.get(f"{there}panels/record", headers=HTMX)
    assert (page.status_code, b"+254700000001" in page.content) == (200, True)
    assert list_reads() == []
    # Where only the trail takes none, the read is written the next time.
    with refuse("INSERT", table="audit_entry"):
        assert desk.get(f"{there}panels/record", headers=HTMX).status_code == 200
    assert "an opened borrower could not be added to the trail: OperationalError" in caplog.text
    assert "borrower:b" not in caplog.text
    desk.get(f"{there}panels/record", headers=HTMX)
    assert len(list_reads()) == 1


def test_reads_stand_in_the_trail_and_not_in_the_record_s_own_history(
    boss: Client, manager: User, app: LendingApp, there: str
) -> None:
    audit.record(manager, "borrowers.patch", app_id=app.app_id, subject="b", outcome="saved")
    boss.get(f"{there}?whole=1")
    assert len(list_reads()) == 1
    done = history.of_borrower(User.objects.get(pk=manager.pk), app.app_id, "b").entries or []
    assert [entry.action for entry in done] == ["borrowers.patch"]
    trail = boss.get("/audit/", {"record": "b"})
    assert "lending.borrowers.get" in [entry.action for entry in trail.context["entries"]]


class TestMassReading:
    @pytest.fixture(autouse=True)
    def many(self, app: LendingApp, book: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        set_policy(QUOTAS, app.app_id, opened=3)
        # No hour ends meanwhile.
        monkeypatch.setattr(quotas, "time", SimpleNamespace(time=lambda: 1_800_000_000))
        for number in range(5):
            person = {"surname": f"Otieno{number}", "phoneNumber": f"+25470000010{number}"}
            book.borrower(f"m{number}", individual=person)

    def open_some(self, browser: Client, app: LendingApp, numbers: range) -> None:
        for number in numbers:
            page = f"/apps/{app.app_id}/borrowers/m{number}/panels/record"
            for _ in range(2):
                assert browser.get(page, headers=HTMX).status_code == 200

    def send(self) -> list[Any]:
        mail.outbox.clear()
        path = tasks.tell_of_mass_reading.module_path
        for task in DBTaskResult.objects.filter(task_path=path):
            tasks.tell_of_mass_reading.call(*task.args_kwargs["args"])
        return list(mail.outbox)

    def test_it_is_told_once_a_day_to_those_who_see_the_trail(
        self, desk: Client, app: LendingApp, people: dict[str, User], settings: Any
    ) -> None:
        for person in people.values():
            User.objects.filter(pk=person.pk).update(email=f"{person.username}@example.org")
        stranger = User.objects.create_user("elsewhere", email="elsewhere@example.org")
        settings.LENDING_APPS = (app, LendingApp("ghana", "GHS", ZoneInfo("Africa/Accra")))
        hold_only(stranger, "dashboard.audit.view", apps=["ghana"])
        self.open_some(desk, app, range(2))
        assert not Entry.objects.filter(action=ALARM).exists()
        self.open_some(desk, app, range(5))
        entry = Entry.objects.get(action=ALARM)
        assert (entry.username, entry.app_id, entry.subject) == ("officer", app.app_id, "officer")
        assert (entry.outcome, entry.detail) == ("noticed", "3 borrowers within an hour")
        (message,) = self.send()
        assert message.bcc == ["manager@example.org"]
        text = message.subject + message.body
        assert f"officer opened 3 borrowers within an hour in {app.app_id}." in text
        assert "Otieno" not in text and "borrower:" not in text and "m1" not in text
        assert f"/audit/?app={app.app_id}&person=officer" in text

    def test_another_person_is_told_of_by_itself(
        self, desk: Client, boss: Client, app: LendingApp
    ) -> None:
        self.open_some(desk, app, range(4))
        self.open_some(boss, app, range(4))
        found = Entry.objects.filter(action=ALARM).order_by("pk")
        assert [one.username for one in found] == ["officer", "manager"]

    def test_nought_switches_it_off(self, desk: Client, app: LendingApp) -> None:
        set_policy(QUOTAS, app.app_id, opened=0)
        self.open_some(desk, app, range(5))
        assert not Entry.objects.filter(action=ALARM).exists()

    def test_nobody_is_mailed_where_nobody_has_an_address(
        self, desk: Client, app: LendingApp, manager: User
    ) -> None:
        self.open_some(desk, app, range(4))
        assert self.send() == []

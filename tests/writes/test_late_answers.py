"""An answer that comes after others concluded: it touches what it may, and says so once."""

import pytest
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import reconciliation, services
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteFound, WriteResolution, WriteState
from tests.conftest import ClientOf
from tests.faults.server import FaultServer
from tests.roles import give_roles
from tests.sandbox.calling import Caller
from tests.web.acts import REGISTER, lost, pass_time, text_of

pytestmark = pytest.mark.django_db(transaction=True)
State, Resolution = WriteState, WriteResolution
REASON = "The operator looked."


@pytest.fixture
def write(desk: Client, app: LendingApp, book: Caller, proxy: FaultServer) -> Write:
    return lost(REGISTER, desk, app, book, proxy)


def late(write: Write, state: WriteState, url: str = "") -> Write:
    """The sender, taken for dead, brings its answer after all."""
    services._finish(write, state, [], url=url)
    return Write.objects.get()


@pytest.mark.parametrize("answer", [State.NOT_SAVED, State.UNKNOWN])
@pytest.mark.parametrize("reached", [State.SAVED, State.NOT_SAVED])
def test_an_answer_that_changes_nothing_is_not_in_the_trail(
    write: Write, reached: WriteState, answer: WriteState
) -> None:
    late(write, reached)
    entries = list(Entry.objects.values_list("id", "outcome"))
    assert late(write, answer).state == reached
    assert list(Entry.objects.values_list("id", "outcome")) == entries


def test_a_late_unknown_leaves_what_a_person_said(write: Write, manager: User) -> None:
    reconciliation.resolve(write, Resolution.SAVED, "It stands in the list.", manager)
    entries = Entry.objects.count()
    assert late(write, State.UNKNOWN).state == State.RESOLVED
    assert Entry.objects.count() == entries


@pytest.mark.parametrize(
    ("resolution", "answer"),
    [(Resolution.NOT_SAVED, State.SAVED), (Resolution.SAVED, State.NOT_SAVED)],
)
def test_an_answer_against_what_a_person_said_raises_an_alarm(
    resolution: WriteResolution, answer: WriteState,
    write: Write, manager: User, desk: Client, boss: Client, app: LendingApp,
) -> None:  # fmt: skip
    reconciliation.resolve(write, resolution, REASON, manager)
    found = late(write, answer)
    assert (found.state, found.alarm_seen_at) == (answer, None)
    assert found.alarm and found.alarm_at is not None
    entry = Entry.objects.latest("id")
    assert (entry.outcome, entry.detail) == (answer.label, found.alarm)
    page = text_of(boss.get(write.get_absolute_url()))
    assert found.alarm in page and REASON in page
    for home in (f"/apps/{app.app_id}/", f"/apps/{app.app_id}/repayments/unknown/"):
        for browser in (boss, desk):
            assert f'href="{write.get_absolute_url()}"' in text_of(browser.get(home)), home


def test_an_answer_that_a_person_foresaw_raises_none(write: Write, manager: User) -> None:
    reconciliation.resolve(write, Resolution.SAVED, "It stands in the list.", manager)
    found = late(write, State.SAVED, "/there/")
    assert (found.state, found.alarm, found.url) == (State.SAVED, "", "/there/")


@pytest.mark.parametrize(
    ("named", "answered", "is_alarm"),
    [
        ("/there/", "/there/", False),
        ("", "/there/", False),
        ("/there/", "", False),
        ("/elsewhere/", "/there/", True),
    ],
)
def test_an_answer_that_names_another_record_than_the_person_raises_an_alarm(
    named: str, answered: str, is_alarm: bool, write: Write, manager: User
) -> None:
    reconciliation.resolve(write, Resolution.SAVED, "It stands in the list.", manager, named)
    found = late(write, State.SAVED, answered or write.get_absolute_url())
    assert (found.state, bool(found.alarm)) == (State.SAVED, is_alarm)


def test_a_success_after_it_was_not_found_raises_an_alarm(write: Write) -> None:
    """It may have been entered again meanwhile: the page offered that."""
    Write.objects.update(found=WriteFound.NOT_SEEN)
    assert WriteFound.NOT_SEEN.label in late(write, State.SAVED, "/there/").alarm


def test_a_success_that_nobody_doubted_raises_none(write: Write) -> None:
    assert late(write, State.SAVED, "/there/").alarm == ""


class TestSeen:
    @pytest.fixture
    def alarmed(self, write: Write, manager: User) -> Write:
        reconciliation.resolve(write, Resolution.NOT_SAVED, REASON, manager)
        return late(write, State.SAVED, "/there/")

    def test_a_manager_sees_it_and_it_leaves_home(
        self, alarmed: Write, boss: Client, desk: Client, app: LendingApp
    ) -> None:
        there, home = alarmed.get_absolute_url(), f"/apps/{app.app_id}/"
        action = f'action="{there}alarm"'
        assert action in text_of(boss.get(there)) and action not in text_of(desk.get(there))
        assert desk.post(f"{there}alarm").status_code == 403
        assert Write.objects.get().alarm_seen_at is None
        assert boss.post(f"{there}alarm").headers["Location"] == there
        entry, entries = Entry.objects.latest("id"), Entry.objects.count()
        assert entry.username == "manager" and entry.url == there
        assert Write.objects.get().alarm_seen_at is not None
        assert f'href="{there}"' not in text_of(boss.get(home))
        page = text_of(boss.get(there))
        assert alarmed.alarm in page and action not in page
        boss.post(f"{there}alarm")
        assert Entry.objects.count() == entries

    def test_the_rail_counts_it_for_managers(
        self, alarmed: Write, boss: Client, desk: Client, app: LendingApp
    ) -> None:
        page = f"/apps/{app.app_id}/repayments/"
        badge = '<span class="chip odd">1</span>'
        assert badge in text_of(boss.get(page)) and badge not in text_of(desk.get(page))
        boss.post(f"{alarmed.get_absolute_url()}alarm")
        assert badge not in text_of(boss.get(page))

    def test_nobody_else_is_told(
        self, alarmed: Write, client_of: ClientOf, app: LendingApp
    ) -> None:
        other = User.objects.create_user("other")
        give_roles(other, "officer")
        for home in (f"/apps/{app.app_id}/", f"/apps/{app.app_id}/repayments/unknown/"):
            page = text_of(client_of(other).get(home))
            assert alarmed.get_absolute_url() not in page and alarmed.alarm not in page


def test_a_process_that_was_paused_raises_it_by_itself(
    desk: Client, manager: User, app: LendingApp, book: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While its sender slept, the write was swept up and resolved as not saved."""
    address = services.find_address

    def sleeps(write: Write, *rest: object) -> str:
        pass_time(seconds=91)
        reconciliation.mark_lost_unknown()
        reconciliation.resolve(
            Write.objects.get(), Resolution.NOT_SAVED, "Nothing was there.", manager
        )
        return address(write, *rest)  # type: ignore[arg-type]

    url, form = REGISTER.prepare(desk, app, book)
    monkeypatch.setattr(services, "find_address", sleeps)
    desk.post(url, form)
    found = Write.objects.get()
    assert found.state == State.SAVED and found.alarm
    assert REGISTER.there(book)

"""The worker's part: it sweeps up what dead senders left and looks at what is unknown."""

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import reconciliation
from lendingadmin.money.writes.models import Check, Write
from lendingadmin.money.writes.states import WriteFound, WriteState
from tests.faults.behaviours import refusal
from tests.faults.server import FaultServer
from tests.repayments.threads import at_once
from tests.sandbox.calling import Caller
from tests.web.acts import MAKE_LOAN, REGISTER, dies, lost, pass_time, text_of

pytestmark = pytest.mark.django_db(transaction=True)
State, Found = WriteState, WriteFound


def test_the_worker_sweeps_and_looks_without_a_request(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    url, form = REGISTER.prepare(desk, app, book)
    dies(lambda: desk.post(url, form), monkeypatch, "find_address")
    assert reconciliation.check_due_writes() == 0 and Write.objects.get().state == State.SENT
    pass_time(seconds=91)
    assert reconciliation.check_due_writes() == 1
    write = Write.objects.get()
    assert (write.state, write.found) == (State.UNKNOWN, Found.THERE)
    swept = Entry.objects.get(outcome="needs checking")
    assert (swept.username, swept.saved) == ("system", "unknown")
    assert reconciliation.check_due_writes() == 0
    assert proxy.hits(REGISTER.match(book)) == 1


def test_many_at_once_take_one_look(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    lost(REGISTER, desk, app, book, proxy)
    results = at_once(6, lambda _: reconciliation.check_due_writes())
    assert sorted(results) == [0, 0, 0, 0, 0, 1]  # type: ignore[type-var]
    assert Check.objects.count() == 1


def test_of_two_that_saw_it_due_one_looks(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    lost(REGISTER, desk, app, book, proxy)
    one, other = Write.objects.get(), Write.objects.get()
    assert [reconciliation.check_if_due(one), reconciliation.check_if_due(other)] == [True, False]
    Write.objects.update(next_check_at=timezone.now())
    late = Write.objects.get()
    late.attempts = 0
    assert not reconciliation.check_if_due(late)
    assert Check.objects.count() == 1


def test_after_a_day_only_a_person_looks(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    def ends(*_: object) -> None:
        raise SystemExit

    write = lost(REGISTER, desk, app, book, proxy)
    pass_time(hours=25)
    assert reconciliation.check_due_writes() == 1
    pass_time(hours=10)
    assert reconciliation.check_due_writes() == 0
    page = text_of(desk.get(write.get_absolute_url()))
    assert 'data-finding="checks-ended"' in page
    desk.post(f"{write.get_absolute_url()}check")
    assert Check.objects.count() == 2


def test_one_that_cannot_be_looked_at_does_not_stop_the_others(
    desk: Client, officer: User, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    fields = {"person": officer, "state": State.UNKNOWN, "next_check_at": timezone.now()}
    Write.objects.create(
        idempotency_key="a", app_id="closed", operation="borrowers.delete", **fields
    )
    Write.objects.create(idempotency_key="b", app_id=app.app_id, operation="unheard.of", **fields)
    lost(REGISTER, desk, app, book, proxy)
    assert reconciliation.check_due_writes() == 3
    assert Check.objects.filter(found="").count() == 2


def test_what_has_no_use_any_more_is_forgotten(
    boss: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = REGISTER.prepare(boss, app, book)
    proxy.once(REGISTER.match(book), refusal(400, "no"))
    boss.post(url, form)
    unknown = lost(MAKE_LOAN, boss, app, book, proxy)
    reconciliation.prune_submitted()
    assert Write.objects.exclude(submitted="").count() == 2
    pass_time(hours=13)
    reconciliation.prune_submitted()
    assert Write.objects.exclude(submitted="").get() == unknown


def test_whoever_dies_at_the_last_look_leaves_it_to_be_taken_again(
    desk: Client,
    app: LendingApp,
    book: Caller,
    proxy: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ends(*_: object) -> None:
        raise SystemExit

    write = lost(REGISTER, desk, app, book, proxy)
    pass_time(hours=25)
    with monkeypatch.context() as patched, pytest.raises(SystemExit):
        patched.setattr(reconciliation, "read_outcome", ends)
        reconciliation.check_due_writes()
    write.refresh_from_db()
    assert write.next_check_at is not None
    pass_time(minutes=5)
    assert reconciliation.check_due_writes() == 1
    write.refresh_from_db()
    assert write.next_check_at is None

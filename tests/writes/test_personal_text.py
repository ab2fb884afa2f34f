"""What people type, and what the service says of it, stands readable in no table, log or cache."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteResolution
from tests.faults.behaviours import refusal
from tests.faults.server import FaultServer
from tests.personal import find_kept
from tests.sandbox.calling import Caller
from tests.web.acts import ALL, REGISTER, REPORT, Act, lost, text_of

pytestmark = pytest.mark.django_db(transaction=True)
# A word that nothing else holds, a name of the forms, a phone number's digits.
REASON, NAME, PHONE = "Zebrafink", "Otieno", "712345678"
WORDS = (REASON, NAME, PHONE)
SAID = f"{REASON}: 0{PHONE} belongs to {NAME} already"


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Which of the words the log has."""
    caplog.set_level(logging.INFO)
    return lambda: [word for word in WORDS if word in caplog.text]


@pytest.mark.parametrize("act", ALL, ids=str)
def test_what_a_write_was_refused_with(
    act: Act, boss: Client, app: LendingApp, book: Caller, proxy: FaultServer, log: Any
) -> None:
    url, form = act.prepare(boss, app, book)
    proxy.once(act.match(book), refusal(400, SAID))
    page = boss.post(url, form, follow=True)
    assert REASON in text_of(page)
    assert Entry.objects.filter(action=act.operation).exists()
    assert find_kept(WORDS) == [] == log()


@pytest.mark.parametrize("act", ALL, ids=str)
def test_what_a_write_saved(
    act: Act, boss: Client, app: LendingApp, book: Caller, proxy: FaultServer, log: Any
) -> None:
    url, form = act.prepare(boss, app, book)
    there = boss.post(url, form)
    assert there.status_code == 302
    assert find_kept(WORDS) == []
    assert boss.get(there.headers["Location"], follow=True).status_code == 200
    assert find_kept(WORDS) == [] == log()


@pytest.mark.parametrize("act", [REGISTER, REPORT], ids=str)
def test_the_reason_that_a_write_is_resolved_with(
    act: Act,
    desk: Client,
    boss: Client,
    app: LendingApp,
    book: Caller,
    proxy: FaultServer,
    log: Any,
) -> None:
    write = lost(act, desk, app, book, proxy)
    body = {"resolution": "no", "reason": SAID}
    boss.post(f"{write.get_absolute_url()}resolve", body)
    write = Write.objects.get(pk=write.pk)
    assert write.resolution_reason == SAID
    entry = Entry.objects.latest("id")
    assert str(WriteResolution.NOT_SAVED.label) in entry.outcome and SAID not in entry.detail
    assert find_kept(WORDS) == [] == log()


def test_what_is_searched_for(desk: Client, app: LendingApp, log: Any) -> None:
    found = desk.post(f"/apps/{app.app_id}/find", {"q": f"{NAME} 0{PHONE}"}, follow=True)
    assert found.status_code == 200
    assert find_kept(WORDS) == [] == log()


def test_the_search_finds_what_stands_somewhere(desk: Client, app: LendingApp) -> None:
    """Else the tests above would prove nothing."""
    session = desk.session
    session["note"] = f"{NAME} " * 100
    session.save()
    Write.objects.create(
        idempotency_key="k", person_id=session["_auth_user_id"], again_at=f"/?q={PHONE}"
    )
    assert find_kept(WORDS) == [
        f"{PHONE} in writes_write.again_at",
        f"{NAME} in django_session.session_data",
    ]

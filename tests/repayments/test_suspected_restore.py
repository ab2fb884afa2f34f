"""A database that was put back and nobody said so: nothing is sent until somebody does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.forms.models import model_to_dict
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit import record, restores, tasks
from lendingadmin.core.audit.anchor import read_anchor
from lendingadmin.core.audit.models import Entry, SuspectedRestore
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import sending, services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.models import Write
from lendingadmin.web.models import Draft
from tests.audit.test_chain import forge
from tests.faults.server import FaultServer
from tests.proof.desk import InProcess, fill_in, form_url, open_confirm
from tests.repayments.rows import row
from tests.repayments.service import LoanService
from tests.sandbox.calling import Caller
from tests.web import acts

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]
RESTORED = "/apps/kenya/repayments/restored/"


@pytest.fixture(autouse=True)
def anchor(settings: Any, tmp_path: Path) -> Path:
    settings.AUDIT_ANCHOR = str(tmp_path / "anchor.json")
    return Path(settings.AUDIT_ANCHOR)


def put_back(entry: Entry) -> None:
    """The database as it was when this entry was the newest."""
    forge("DELETE FROM audit_entry WHERE id > %s", entry.pk)
    Repayment.objects.all().delete()


@pytest.fixture
def copy(support: User) -> Entry:
    """When the copy was made."""
    return record(support, "x", outcome="done")


@pytest.fixture
def restored(copy: Entry, service: LoanService, support: User, asked: Asked) -> Request:
    """A repayment that was sent after the copy was made, which is the database now."""
    request = asked(external_id="FORGOTTEN")
    assert sending.record(request, support, "sent").state == RepaymentState.RECORDED
    assert len(service.posted) == 1
    put_back(copy)
    return request


def test_a_draft_of_before_is_not_sent_again(
    copy: Entry, service: LoanService, desk: Client, boss: Client
) -> None:
    browser = InProcess(desk)
    address = fill_in(browser, form_url("kenya", "L-1"), "FORGOTTEN", "500.00")
    confirm = open_confirm(browser, address or "")
    assert confirm is not None
    kept = model_to_dict(Draft.objects.get())
    person = Draft.objects.get().person
    assert browser.post(confirm.url, confirm.fields).receipt
    put_back(copy)
    Draft.objects.create(**kept | {"person": person, "created_at": timezone.now()})
    page = browser.post(confirm.url, confirm.fields)
    assert (page.status, page.receipt) == (503, None)
    assert len(service.posted) == 1 and not Repayment.objects.exists()
    assert "data-suspected" in desk.get("/apps/kenya/repayments/unknown/").content.decode()
    # Once somebody said that nothing was put back, the draft is still there.
    assert boss.post(RESTORED, {"not_restored": "yes"}).status_code == 302
    assert browser.post(confirm.url, confirm.fields).receipt


def test_nothing_of_the_ledger_is_sent(
    restored: Request, service: LoanService, support: User, manager: User
) -> None:
    with pytest.raises(restores.MayBeRestored):
        sending.record(restored, support, "again", agreed=True, checked=True)
    with pytest.raises(restores.MayBeRestored):
        sending.record_all([services.Intent(restored, "group", checked=True)], support)
    waiting = row(support, RepaymentState.AWAITING, account_id="L-1")
    with pytest.raises(restores.MayBeRestored):
        services.approve(waiting, manager, agreed=True, checked=True)
    assert len(service.posted) == 1 and Repayment.objects.count() == 1
    assert Entry.objects.filter(action="dashboard.restored", outcome="suspected").count() == 1


def test_a_host_that_knows_of_nothing_sends_nothing_either(
    restored: Request, settings: Any, support: User, tmp_path: Path
) -> None:
    assert restores.check_for_restore()
    settings.AUDIT_ANCHOR = str(tmp_path / "another" / "anchor.json")
    with pytest.raises(restores.MayBeRestored):
        sending.record(restored, support, "again")


def test_the_anchor_of_the_worker_is_compared_too(copy: Entry) -> None:
    record(None, "x", outcome="done")
    tasks.watch.func()
    assert restores.check_for_restore() is None
    put_back(copy)
    assert restores.check_for_restore()


def test_readiness_and_the_worker_find_it(restored: Request, client: Client) -> None:
    said = client.get("/readyz")
    assert said.status_code == 200
    assert "manage.py restored" in said.content.decode()
    assert SuspectedRestore.objects.filter(resolved_at=None).count() == 1


def test_the_command_ends_it_for_all_hosts(
    restored: Request, service: LoanService, settings: Any, support: User, tmp_path: Path
) -> None:
    assert restores.check_for_restore()
    other = tmp_path / "other" / "anchor.json"
    other.parent.mkdir()
    for file in tmp_path.glob("anchor*"):
        (other.parent / file.name).write_bytes(file.read_bytes())
    call_command("restored", since="2026-03-10T02:00Z")
    assert restores.check_for_restore() is None
    settings.AUDIT_ANCHOR = str(other)
    assert restores.check_for_restore() is None
    with pytest.raises(services.MayBeForgotten):
        sending.record(restored, support, "again")
    assert sending.record(restored, support, "again", checked=True)
    assert restores.check_for_restore() is None


def test_the_command_that_nothing_was_put_back(restored: Request, support: User) -> None:
    call_command("restored", "--not-restored")
    assert not SuspectedRestore.objects.exists()
    assert restores.check_for_restore()
    call_command("restored", "--not-restored")
    assert restores.check_for_restore() is None
    kept = read_anchor()
    assert kept and kept.newest.entry_id == Entry.objects.latest("pk").pk
    assert Entry.objects.filter(action="dashboard.restored", outcome="not restored").exists()


def test_only_who_resolves_may_deny_it(restored: Request, desk: Client) -> None:
    assert restores.check_for_restore()
    assert desk.post(RESTORED, {"not_restored": "yes"}).status_code == 403
    assert restores.check_for_restore()


def test_an_answer_that_comes_second_says_that_nothing_changed(
    restored: Request, boss: Client
) -> None:
    assert restores.check_for_restore()
    first, second = (
        boss.post(RESTORED, {"not_restored": "yes"}, follow=True).content.decode()
        for _one in range(2)
    )
    assert 'data-finding="sending-again"' in first and "not-suspected" not in first
    assert 'data-finding="not-suspected"' in second and "sending-again" not in second
    assert Entry.objects.filter(action="dashboard.restored", outcome="not restored").count() == 1


@pytest.mark.parametrize("act", [acts.MAKE_LOAN, acts.CHANGE, acts.DELETE_LOAN], ids=str)
def test_other_writes_are_not_sent_either(
    act: acts.Act, boss: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = act.prepare(boss, app, book)
    SuspectedRestore.objects.create()
    before = proxy.hits(act.match(book))
    assert boss.post(url, form).context["card"].saved == "no"
    assert proxy.hits(act.match(book)) == before
    assert not Write.objects.exists()
    restores.resolve(by=None)
    boss.post(url, form)
    assert act.there(book)


@pytest.mark.parametrize("is_broken", [True, False])
def test_files_that_cannot_be_used_stop_nobody(
    service: LoanService,
    settings: Any,
    support: User,
    asked: Asked,
    tmp_path: Path,
    is_broken: bool,
    client: Client,
) -> None:
    if is_broken:
        (tmp_path / "anchor.json").write_text("{")
        (tmp_path / "anchor.sent.json").write_text("{")
    else:
        (tmp_path / "file").write_text("no folder")
        settings.AUDIT_ANCHOR = str(tmp_path / "file" / "anchor.json")
    assert "AUDIT_ANCHOR" in client.get("/readyz").content.decode()
    assert sending.record(asked(), support, "one").state == RepaymentState.RECORDED


def test_without_an_anchor_nothing_is_suspected(
    restored: Request, settings: Any, support: User
) -> None:
    settings.AUDIT_ANCHOR = ""
    assert restores.check_for_restore() is None

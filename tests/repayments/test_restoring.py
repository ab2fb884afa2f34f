"""A journal with a gap: what is unknown now, what forms ask, and how it ends."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags
from redis.exceptions import RedisError

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements.models import StatementFile
from lendingadmin.money.repayments import restoration, sending, services
from lendingadmin.money.repayments.lookalikes import look_alikes
from lendingadmin.money.repayments.management.commands import restored
from lendingadmin.money.repayments.messages import get_message
from lendingadmin.money.repayments.models import Reading, ReceiptCounter, Repayment, Restoration
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.web.models import Draft
from tests.conftest import ClientOf
from tests.faults.behaviours import html, refusal, reply, reset
from tests.faults.server import Behaviour
from tests.proof.desk import InProcess, fill_in, form_url, open_confirm
from tests.repayments.rows import row
from tests.repayments.service import LoanService

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]
SINCE = datetime(2026, 3, 10, 2, tzinfo=UTC)


@pytest.fixture
def gap() -> Restoration:
    now = timezone.now()
    return Restoration.objects.create(app_id="kenya", since=now - timedelta(days=1), until=now)


def test_what_may_have_been_sent_since_is_unknown(support: User) -> None:
    made = {state: row(support, state, account_id=f"L-{state}") for state in RepaymentState}
    write = Write.objects.create(
        idempotency_key="w", person=support, app_id="kenya", operation="borrowers.patch"
    )
    undone = restoration.begin_gap(["kenya"], SINCE)
    assert (undone.repayments, undone.writes, undone.unapproved) == (2, 1, 1)
    for state, repayment in made.items():
        repayment.refresh_from_db()
        is_moved = state in (RepaymentState.PENDING, RepaymentState.SENT)
        expected = RepaymentState.UNKNOWN if is_moved else state
        if state == RepaymentState.AWAITING:
            expected = RepaymentState.DECLINED
        assert repayment.state == expected
        # It may own a rise of its loan. Only of what was sent a reading was taken before.
        assert not is_moved or repayment.sent_at
        assert bool(repayment.next_check_at) == (state == RepaymentState.SENT)
    write.refresh_from_db()
    assert write.state == WriteState.UNKNOWN and write.next_check_at is not None


@pytest.mark.parametrize(
    ("last", "next_number"), [(0, 200_001), (99_999, 200_001), (100_000, 300_001)]
)
def test_numbers_leave_out_what_was_forgotten(support: User, last: int, next_number: int) -> None:
    if last:
        Repayment.objects.filter(pk=row(support).pk).update(id=last)
    ReceiptCounter.objects.create(app_id="kenya", year=2026, last=last)
    assert restoration.begin_gap(["kenya"], SINCE).next_number == next_number
    assert row(support).pk == next_number
    assert ReceiptCounter.objects.get(year=2026).last == next_number - 1


def test_a_second_restore_widens_the_gap() -> None:
    restoration.begin_gap(["kenya", "ghana"], SINCE)
    restoration.begin_gap(["kenya"], SINCE - timedelta(days=1))
    assert Restoration.objects.count() == 2
    found = services.find_gap("kenya")
    assert found and found.since == SINCE - timedelta(days=1)


def test_the_command_signs_everybody_out_and_drops_drafts(support: User, desk: Client) -> None:
    Draft.objects.create(token="t", person=support, purpose="p", entered="x")
    call_command("restored", since="2026-03-10T02:00Z")
    assert not Draft.objects.exists()
    assert desk.get("/apps/kenya/").status_code == 302
    assert Entry.objects.filter(action="command", subject="restored").exists()


def test_an_anchor_that_cannot_be_written_is_told_and_all_else_is_done(
    settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.AUDIT_ANCHOR = tmp_path / "none" / "anchor"
    (tmp_path / "none").write_text("no folder")
    with pytest.raises(CommandError, match="audit anchor"):
        call_command("restored", since="2026-03-10T02:00Z")
    assert "rp-" in capsys.readouterr().out
    assert services.find_gap("kenya")


@pytest.mark.parametrize(
    "since", ["yesterday", "2026-03-10T02:00", "2026-13-10T02:00Z", "2999-01-01T00:00Z"]
)
def test_a_moment_that_is_none_changes_nothing(since: str) -> None:
    with pytest.raises(CommandError, match="--since"):
        call_command("restored", since=since)
    assert not Restoration.objects.exists()


def test_the_ledger_takes_nothing_that_nobody_checked(
    gap: Restoration, service: LoanService, support: User, manager: User, asked: Asked
) -> None:
    with pytest.raises(services.MayBeForgotten):
        sending.record(asked(), support, "one", checked=False)
    intents = [services.Intent(asked(), "two", checked=False)]
    [refused] = sending.record_all(intents, support)
    assert isinstance(refused, services.MayBeForgotten)
    waiting = row(support, RepaymentState.AWAITING, account_id="L-1")
    with pytest.raises(services.MayBeForgotten):
        services.approve(waiting, manager, checked=False)
    assert not service.posted and Repayment.objects.count() == 1
    assert sending.record(asked(), support, "three", checked=True).state == RepaymentState.RECORDED
    # Another app's journal is whole.
    assert services.create_intent(asked(app_id="ghana"), support, "four", checked=False)[1]


@pytest.mark.parametrize(
    ("paid", "rise"),
    [("1000", "-500"), ("999", "-501"), ("1500", "0"), ("1500.01", "0.01"), ("1800", "300")],
)
def test_what_no_repayment_accounts_for_is_told(support: User, paid: str, rise: str) -> None:
    """1,000 stood as paid when it was read, and 500 were recorded since."""
    at = timezone.now() - timedelta(hours=2)
    read = row(support, account_id="L-1", sent_at=at)
    Reading.objects.create(repayment=read, kind="after", taken_at=at, paid="1000")
    Reading.objects.create(repayment=read, kind="check", taken_at=timezone.now(), fault="gone")
    row(support, account_id="L-1", amount="500", sent_at=at + timedelta(hours=1))
    row(support, RepaymentState.REFUSED, account_id="L-1", sent_at=at + timedelta(hours=1))
    row(support, account_id="L-1", currency_code="USD", sent_at=at + timedelta(hours=1))
    Reading.objects.create(repayment=read, kind="check", taken_at=timezone.now(), paid=paid)
    gap = Restoration(app_id="kenya", since=at + timedelta(minutes=1), until=timezone.now())
    found = restoration.find_rise(gap, "L-1", Decimal(paid))
    assert found and found.amount == Decimal(rise)
    assert restoration.find_rise(gap, "L-2", Decimal(paid)) is None


@pytest.mark.parametrize(
    ("before", "finding", "rise"),
    [(None, "not-read", ""), ("-100", "not-risen", ""), ("-100.01", "risen", "KES 0.01")],
)
def test_the_form_says_what_paid_tells(
    gap: Restoration,
    service: LoanService,
    desk: Client,
    support: User,
    before: str | None,
    finding: str,
    rise: str,
) -> None:
    if before:
        paid = service.paid + Decimal(before)
        at = gap.since - timedelta(minutes=1)
        known = row(support, account_id="L-1", amount="100", sent_at=at + timedelta(seconds=9))
        Reading.objects.create(repayment=known, kind="before", taken_at=at, paid=f"{paid}")
    browser = InProcess(desk)
    confirm = open_confirm(
        browser, fill_in(browser, form_url("kenya", "L-1"), "TX", "500.00") or ""
    )
    assert confirm is not None
    page = " ".join(browser.get(confirm.url).text.split())
    told = page.partition(f'<p data-finding="{finding}">')[2].partition("</p>")[0]
    assert told and rise in told


def test_the_form_asks_and_keeps_what_was_entered(
    gap: Restoration, service: LoanService, desk: Client
) -> None:
    browser = InProcess(desk)
    url = fill_in(browser, form_url("kenya", "L-1"), "TX", "500.00")
    confirm = open_confirm(browser, url or "")
    assert confirm is not None
    assert 'name="not_there"' in browser.get(confirm.url).text
    page = browser.post(confirm.url, confirm.fields)
    assert page.status == 200 and 'data-obstacle="forgotten"' in page.text
    assert not service.posted and not Repayment.objects.exists()
    page = browser.post(confirm.url, confirm.fields | {"not_there": "yes"})
    assert page.receipt and len(service.posted) == 1


@pytest.mark.parametrize(
    "fault",
    [refusal(503), reset(), html(), reply(b"{}")],
    ids=["refused", "broken", "a gateway's", "of nobody"],
)
def test_a_form_in_a_gap_outlives_a_service_that_does_not_answer(
    gap: Restoration, service: LoanService, desk: Client, fault: Behaviour
) -> None:
    browser = InProcess(desk)
    url = fill_in(browser, form_url("kenya", "L-1"), "TX", "500.00")
    confirm = open_confirm(browser, url or "")
    assert confirm is not None
    service.loan_answer = fault
    for page in (browser.get(confirm.url), browser.post(confirm.url, confirm.fields)):
        assert page.status in (502, 503) and 'data-saved="no"' in page.text
    assert not service.posted and not Repayment.objects.exists()
    service.loan_answer = None
    kept = Draft.objects.get()
    assert 'value="TX"' in browser.get(f"{form_url('kenya', 'L-1')}?form={kept.token}").text
    assert browser.post(confirm.url, confirm.fields | {"not_there": "yes"}).receipt
    assert len(service.posted) == 1


def test_an_approver_is_asked_too(
    gap: Restoration,
    service: LoanService,
    client_of: ClientOf,
    support: User,
    manager: User,
) -> None:
    waiting = row(support, RepaymentState.AWAITING, account_id="L-1", amount="500")
    boss = InProcess(client_of(manager), manager)
    address = f"/apps/kenya/repayments/{waiting.pk}/approve"
    confirm = open_confirm(boss, address)
    assert confirm is not None
    page = boss.post(address, confirm.fields)
    assert page.status == 200 and 'data-obstacle="forgotten"' in page.text
    assert not service.posted
    assert boss.post(address, confirm.fields | {"not_there": "yes"}).status == 302
    assert len(service.posted) == 1


def test_who_answers_for_it_ends_it_once(
    gap: Restoration, service: LoanService, client_of: ClientOf, manager: User, support: User
) -> None:
    address, boss = "/apps/kenya/repayments/restored/", client_of(manager)
    assert client_of(support).get(address).status_code == 403
    page = boss.get("/apps/kenya/repayments/unknown/").content.decode()
    assert address in page and 'data-finding="restored"' in page
    # Without its tick nothing changes.
    boss.post(address)
    assert services.find_gap("kenya")
    answer: Any = boss.post(address, {"gone_through": "yes"}, follow=True)
    assert 'data-finding="gap-ended"' in answer.content.decode()
    assert services.find_gap("kenya") is None
    assert Entry.objects.filter(action=restoration.ACTION, outcome="checked").count() == 1
    assert not restoration.end_gap(gap, manager)
    assert 'data-finding="no-gap"' in boss.get(address).text


def test_a_gap_waits_for_those_who_may_end_it(
    gap: Restoration, manager: User, support: User
) -> None:
    assert list(restoration.list_waiting("kenya", manager)) == [gap]
    assert not restoration.list_waiting("ghana", manager)
    assert not restoration.list_waiting("kenya", support)


def test_what_waited_for_approval_may_have_been_sent(
    service: LoanService, support: User, asked: Asked
) -> None:
    request = asked()
    waiting = row(
        support,
        RepaymentState.AWAITING,
        account_id="L-1",
        external_id=request.external_id,
        approval_reasons="amount",
    )
    restoration.begin_gap(["kenya"], SINCE)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.ended_by_sweep) == (RepaymentState.DECLINED, True)
    assert waiting.message == get_message(RepaymentState.NOT_SENT, ended_by_sweep=True)
    assert Entry.objects.filter(subject=f"L-1 {waiting}").latest("pk").saved == "unknown"
    assert waiting in look_alikes(request, "another")
    with pytest.raises(services.MayDouble):
        sending.record(request, support, "one", checked=True)


def test_an_app_whose_first_receipt_was_forgotten_gives_none_twice() -> None:
    restoration.begin_gap(["kenya", "ghana"], datetime(2025, 12, 31, 20, tzinfo=UTC))
    kept = ReceiptCounter.objects.filter(app_id="ghana")
    assert {2025, 2026} <= {one.year for one in kept if one.last >= 100_000}


@pytest.mark.parametrize(("hours", "days"), [(10, 2), (1, 1)])
def test_the_days_are_those_of_the_calendar(boss: Client, hours: int, days: int) -> None:
    """From ten in the evening on, in the lender's zone."""
    since = datetime(2026, 3, 10, 19, tzinfo=UTC)
    Restoration.objects.create(app_id="kenya", since=since, until=since + timedelta(hours=hours))
    assert f'data-count="{days}"' in boss.get("/apps/kenya/repayments/restored/").text


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        (9, 12, ""),
        (9, 11, "12 Mar 2026"),
        (11, 11, "10 Mar 2026, 12 Mar 2026"),
        (1, 5, "10 Mar 2026 – 12 Mar 2026"),
    ],
)
def test_the_page_says_which_days_no_statement_covers(
    boss: Client, manager: User, first: int, last: int, days: str
) -> None:
    StatementFile.objects.create(
        app_id="kenya",
        created_by=manager,
        network="M-PESA",
        account="600000",
        covers_from=date(2026, 3, first),
        covers_to=date(2026, 3, last),
        proof={"has_ends": True},
    )
    since = datetime(2026, 3, 10, 9, tzinfo=UTC)
    Restoration.objects.create(app_id="kenya", since=since, until=since + timedelta(days=2))
    page = boss.get("/apps/kenya/repayments/restored/").text
    cell = page.partition('<td data-field="missing"')[2].partition(">")[2].partition("</td>")[0]
    assert ('data-finding="all-covered"' in cell) == (days == "")
    assert not days or " ".join(strip_tags(cell).split()) == days


def test_without_statements_no_day_is_covered(boss: Client, gap: Restoration) -> None:
    page = boss.get("/apps/kenya/repayments/restored/").text
    assert 'data-finding="not-covered"' in page


def test_without_the_cache_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        def clear(self) -> None:
            raise RedisError

    monkeypatch.setattr(restored, "shared", Gone())
    with pytest.raises(CommandError, match="cache does not answer"):
        call_command("restored", since="2026-03-10T02:00Z")
    assert not Restoration.objects.exists()

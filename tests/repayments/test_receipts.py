"""The receipt on the clerk's page and on paper: what it says, to whom, and when it is none."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings as configured
from django.db import transaction
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.policies.lender import LENDER
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.messages import get_message
from lendingadmin.money.repayments.models import Reading, Repayment
from lendingadmin.money.repayments.receipts import find_remainder
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.people.index import cards
from lendingadmin.people.index.models import BorrowerIndex
from lendingadmin.people.index.tokens import name_key
from tests.conftest import ClientOf
from tests.people_index.conftest import make_borrower
from tests.policies.setting import set_policy
from tests.repayments.rows import acknowledge, row
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
NAIROBI = ZoneInfo("Africa/Nairobi")
DUE = "2026-12-21T23:59:59.999000+00:00"
PAID_AT = datetime(2026, 11, 21, 21, 30, tzinfo=UTC)
REPRINT = 'data-finding="reprint"'


@pytest.fixture(autouse=True)
def lender(db: None) -> None:
    set_policy(LENDER, "kenya", name="Umoja Credit")
    set_policy(LENDER, "ghana", language="fr")


def read(repayment: Repayment, kind: str, paid: str, unpaid: str, **fields: Any) -> Reading:
    usual = {"taken_at": timezone.now(), "next_amount": "843.06", "next_due": DUE}
    return repayment.readings.create(kind=kind, paid=paid, unpaid=unpaid, **usual | fields)


def recorded(by: User, after: str = "4500", unpaid: str = "3703.98", **fields: Any) -> Repayment:
    """3,500 of TX on L-K1, recorded; before it 1,000 were paid."""
    usual = {"account_id": "L-K1", "borrower_id": "B-1", "external_id": "QK7X42ABCD"}
    usual |= {"amount": "3500", "transaction_date": PAID_AT}
    repayment = row(by, RepaymentState.SENT, **usual | fields)
    read(repayment, Reading.Kind.BASELINE, "1000", "7203.98")
    acknowledge(repayment, by)
    read(repayment, Reading.Kind.AFTER, after, unpaid)
    return repayment


def print_sheet(desk: Client, repayment: Repayment, **fields: str) -> str:
    answer = desk.post(f"{repayment.get_absolute_url()}print", fields)
    assert answer.status_code == 200
    return answer.content.decode()


def write_balance(repayment: Repayment) -> str:
    """The balance of 3,703.98 with the lender's time at which it was read."""
    assert repayment.latest is not None
    at = repayment.latest.taken_at.astimezone(NAIROBI)
    return f"Balance at {at:%H:%M} on {at.day} {at:%b %Y}: KES 3,703.98."


def words(page: str) -> str:
    """What a page says, without its tags."""
    body = page.partition("<body")[2].partition(">")[2]
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


def sheet(page: str) -> str:
    """What stands on the paper."""
    return words("<body>" + page.partition('<article class="sheet">')[2])


def test_the_page_leads_with_what_the_clerk_says(desk: Client, support: User) -> None:
    mine = recorded(support)
    page = desk.get(mine.get_absolute_url()).content.decode()
    said = words(page)
    assert f"<h2>Recorded. {write_balance(mine)}</h2>" in page
    assert 'data-announce="Recorded"' in page
    following = words("<body>" + page.partition("<p data-next-due>")[2].partition("</p>")[0])
    assert "KES 843.06" in following and "21 Dec 2026" in following
    number = f"KENYA-{timezone.localdate(timezone=NAIROBI).year}-000001"
    for part in ("Umoja Credit: KES 3,500.00", f"Receipt {number}", "QK7X42ABCD", "Received by"):
        assert part in said
    sentence = re.escape(get_message(RepaymentState.RECORDED).sentence)
    assert re.search(rf"<details>\s*<summary>[^<]*</summary>\s*<p>{sentence}", page)
    assert page.index('<details data-part="details">') < page.index('id="evidence"')


def test_a_receipt_takes_few_queries(
    desk: Client, support: User, django_assert_max_num_queries: Any
) -> None:
    mine = recorded(support)
    desk.get(mine.get_absolute_url())
    with django_assert_max_num_queries(15):
        desk.get(mine.get_absolute_url())


def test_a_balance_is_told_with_the_time_at_which_it_was_so(desk: Client, support: User) -> None:
    mine = recorded(support)
    mine.readings.update(taken_at=timezone.now() - timedelta(hours=27))
    page = desk.get(mine.get_absolute_url()).content.decode()
    assert f"<h2>Recorded. {write_balance(mine)}</h2>" in page
    assert write_balance(mine) in sheet(print_sheet(desk, mine))


@pytest.mark.parametrize(
    ("overdue", "unpaid", "due_in", "currency", "told"),
    [
        ("1506.44", "3703.98", 30, "", ("1,506.44", "843.06")),
        ("1506.44", "3703.98", 30, "KES", ("1,506.44", "843.06")),
        ("1506.44", "3703.98", -1, "", ("1,506.44",)),
        ("1506.44", "3703.98", 30, "USD", ()),
        ("0", "3703.98", 30, "", ("843.06",)),
        ("", "3703.98", 30, "", ("843.06",)),
        ("?", "3703.98", 30, "", ("843.06",)),
        ("5", "0", 30, "", ()),
    ],
)
def test_what_is_still_overdue_is_told_before_what_is_next(
    desk: Client,
    support: User,
    overdue: str,
    unpaid: str,
    due_in: int,
    currency: str,
    told: tuple[str, ...],
) -> None:
    mine = recorded(support, unpaid=unpaid, currency_code=currency)
    due = timezone.now() + timedelta(days=due_in)
    mine.readings.update(overdue=overdue, next_due=due.isoformat())
    found = find_remainder(mine, mine.baseline, mine.latest)
    known, next_known = "1,506.44" in told, "843.06" in told
    assert found is not None
    assert (found.overdue is not None, found.next_due is not None) == (known, next_known)
    page, paper = desk.get(mine.get_absolute_url()).content.decode(), print_sheet(desk, mine)
    assert (page.count("data-overdue"), paper.count("data-overdue")) == (2 * known, known)
    for text in (sheet(paper), sheet(print_sheet(desk, mine, paper="80mm"))):
        assert tuple(re.findall(r"1,506\.44|843\.06", text)) == told


@pytest.mark.parametrize(
    ("language", "first"),
    [("en", "Still overdue"), ("fr", "Reste impayé"), ("sw", "Bado kimechelewa")],
)
def test_the_overdue_rest_is_told_in_each_language(
    desk: Client, support: User, language: str, first: str
) -> None:
    mine = recorded(support)
    mine.readings.update(overdue="1506.44")
    assert f"{first} KES" in sheet(print_sheet(desk, mine, language=language))


@pytest.mark.parametrize(
    ("before", "after", "unpaid", "currency", "known"),
    [
        ("1000", "4500", "3703.98", "", True),
        ("1000", "4500", "3703.98", "KES", True),
        ("1000", "9000", "100", "", True),
        ("1000", "1000", "7203.98", "", False),
        ("1000", "4499.99", "3703.99", "", False),
        ("1000", "1200", "0", "", True),
        ("1000", "1200", "0.00", "", True),
        ("", "4500", "3703.98", "", False),
        ("1000", "", "3703.98", "", False),
        ("1000", "4500", "", "", False),
        ("1000", "1027", "7000", "USD", True),
        ("1000", "1000", "7000", "USD", False),
    ],
)
def test_a_remainder_is_told_only_where_it_counts_the_payment(
    support: User, before: str, after: str, unpaid: str, currency: str, known: bool
) -> None:
    mine = row(support, amount="3500", currency_code=currency)
    first = read(mine, Reading.Kind.BASELINE, before, "7203.98")
    last = read(mine, Reading.Kind.AFTER, after, unpaid)
    found = find_remainder(mine, first, last)
    assert (found is not None) == known
    if found:
        assert found.amount == Decimal(unpaid)
        assert (found.next_due is None) == (found.amount == 0)
    assert find_remainder(mine, None, None) is None


@pytest.mark.parametrize(
    ("stood", "before", "after", "known"),
    [
        ("1000", "1000", "4500", False),
        ("1000", "1000", "7999.99", False),
        ("1000", "1000", "8000", True),
        ("1000", "4500", "8000", True),
        ("1000", "4500", "7999.99", False),
        ("", "1000", "4500", False),
    ],
)
def test_a_rise_that_another_repayment_accounts_for_tells_no_remainder(
    support: User, stood: str, before: str, after: str, known: bool
) -> None:
    """Another of 3,500 was recorded a minute earlier, when this much stood as paid."""
    at = timezone.now() - timedelta(minutes=1)
    other = row(support, account_id="L-K1", amount="3500", sent_at=at)
    read(other, Reading.Kind.BASELINE, stood, "9000", taken_at=at)
    mine = row(support, account_id="L-K1", amount="3500")
    first = read(mine, Reading.Kind.BASELINE, before, "7203.98")
    found = find_remainder(mine, first, read(mine, Reading.Kind.AFTER, after, "3703.98"))
    assert (found is not None) == known


@pytest.mark.parametrize(
    "unread", [{"next_amount": ""}, {"next_due": ""}, {"next_amount": "0"}, {"next_amount": "?"}]
)
def test_what_is_next_is_told_whole_or_not(support: User, unread: dict[str, str]) -> None:
    mine = row(support, amount="3500")
    first = read(mine, Reading.Kind.BASELINE, "1000", "7203.98")
    found = find_remainder(mine, first, read(mine, Reading.Kind.AFTER, "4500", "3703.98", **unread))
    assert found is not None and (found.next_amount, found.next_due) == (None, None)


def test_the_sheet_says_what_was_entered(desk: Client, support: User) -> None:
    support.first_name, support.last_name = "Grace", "Achieng"
    support.save()
    mine = recorded(support)
    said = sheet(print_sheet(desk, mine))
    assert said == (
        f"Umoja Credit Receipt {mine.receipt_number} Received from B-1 Amount KES 3,500.00 "
        "Code QK7X42ABCD Date 22 Nov 2026, 00:30 Loan L-K1 Received by Grace Achieng "
        f"Next KES 843.06 on 21 Dec 2026 . {write_balance(mine)}"
    )


def test_names_stand_by_right(client_of: ClientOf, people: dict[str, User]) -> None:
    now = timezone.now()
    index = BorrowerIndex.objects.create(
        app_id="kenya", key_name=name_key(configured.PEOPLE_KEYS[0]), complete_at=now
    )
    with transaction.atomic():
        anne = make_borrower("B-1", surname="Wanjiku", othernames="Anne")
        cards.put_borrowers(index, [anne], now)
    mine = recorded(people["support"])
    for role, name in (("support", "Wanjiku Anne"), ("viewer", "W. A.")):
        desk = client_of(people[role])
        page = desk.get(mine.get_absolute_url()).content.decode()
        for text in (page, print_sheet(desk, mine)):
            assert f'data-field="received-from"><bdi>{name}</bdi>' in text, role
            assert role == "support" or "Wanjiku" not in words(text)


def test_the_second_time_it_is_a_reprint(desk: Client, boss: Client, support: User) -> None:
    mine = recorded(support)
    assert REPRINT not in print_sheet(desk, mine)
    again = print_sheet(boss, mine, paper="80mm")
    assert REPRINT in again and mine.receipt_number in sheet(again)
    entries = Entry.objects.filter(action="receipt").order_by("pk")
    assert list(entries.values_list("username", "outcome", "detail")) == [
        ("support", "opened for printing", mine.receipt_number),
        ("manager", "opened for reprinting", mine.receipt_number),
    ]
    assert 'data-finding="not-printed"' not in desk.get(mine.get_absolute_url()).text


def test_of_many_who_print_at_once_one_has_the_first(client_of: ClientOf, support: User) -> None:
    mine = recorded(support)
    desks = [client_of(support) for _ in range(8)]
    pages = at_once(8, lambda number: print_sheet(desks[number], mine))
    assert sum(REPRINT in str(page) for page in pages) == 7


@pytest.mark.parametrize(
    ("state", "resolution", "finding"),
    [
        *(
            (state, "", "not-known")
            for state in (
                RepaymentState.PENDING,
                RepaymentState.SENT,
                RepaymentState.UNKNOWN,
                RepaymentState.PRESUMED,
                RepaymentState.NOT_FOUND,
            )
        ),
        (RepaymentState.REFUSED, "", "not-recorded"),
        (RepaymentState.NOT_SENT, "", "not-recorded"),
        (RepaymentState.RESOLVED, Resolution.NOT_RECORDED, "not-recorded"),
    ],
)
def test_what_is_not_known_to_be_recorded_prints_as_a_slip(
    desk: Client, support: User, state: RepaymentState, resolution: str, finding: str
) -> None:
    said_by = {"resolved_by": support, "resolved_at": timezone.now()} if resolution else {}
    mine = row(support, state, resolution=resolution, **said_by)
    for _ in range(2):
        printed = print_sheet(desk, mine)
        assert 'data-sheet="slip"' in printed and f'data-finding="{finding}"' in printed
        assert REPRINT not in printed and 'data-field="received-from"' not in printed
        assert 'data-field="balance"' not in printed and "KENYA-" not in sheet(printed)
    page = desk.get(mine.get_absolute_url()).text
    assert 'data-action="print-slip"' in page and 'data-action="copy-sms"' not in page
    assert not Entry.objects.filter(action="receipt").exists()
    mine.refresh_from_db()
    assert mine.receipt_opened_at is None


def test_a_slip_of_what_a_sweep_ended_does_not_say_no(desk: Client, support: User) -> None:
    mine = row(support, RepaymentState.NOT_SENT, ended_by_sweep=True)
    assert 'data-finding="not-known"' in print_sheet(desk, mine)


def test_what_was_recorded_before_receipts_had_numbers_is_one_without(
    desk: Client, support: User
) -> None:
    mine = row(support, RepaymentState.RECORDED)
    printed = print_sheet(desk, mine)
    assert 'data-sheet="receipt"' in printed and "KENYA-" not in sheet(printed)
    assert 'data-finding="balance-not-known"' in printed
    assert 'data-finding="no-number"' in desk.get(mine.get_absolute_url()).text


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("", ("Receipt", "3,500.00", ": KES 3,703.98.", "21 Dec 2026")),
        ("fr", ("Reçu", "3 500,00", "Solde le ", " : KES 3 703,98.", "21 déc. 2026")),
        ("sw", ("Risiti", "3,500.00", "Salio saa ", ": KES 3,703.98.", "21 Des 2026")),
        ("de", ("Receipt", "3,500.00", ": KES 3,703.98.", "21 Dec 2026")),
    ],
)
def test_it_is_written_in_the_customer_s_language(
    desk: Client, support: User, asked: str, parts: tuple[str, ...]
) -> None:
    page = print_sheet(desk, recorded(support), language=asked)
    assert all(part in sheet(page) for part in parts), sheet(page)
    assert f'<html lang="{asked if asked in ("fr", "sw") else "en"}">' in page


def test_the_lender_s_language_is_the_app_s(desk: Client, support: User) -> None:
    mine = recorded(support, app_id="ghana")
    page = desk.get(mine.get_absolute_url()).content.decode()
    assert "ghana: GHS 3 500,00 recu de B-1" in page or "ghana: GHS 3 500,00 recu le" in page
    assert 'name="language" value="fr"' in page
    english = desk.get(f"{mine.get_absolute_url()}?language=en").content.decode()
    assert "received" in english and 'name="language" value="en"' in english
    assert sheet(print_sheet(desk, mine)).startswith("ghana Reçu GHANA-")


def test_the_page_itself_prints_as_no_receipt(desk: Client, support: User) -> None:
    page = desk.get(recorded(support).get_absolute_url()).content.decode()
    assert '<p class="print-only" data-finding="no-receipt">' in page


def test_only_a_post_opens_it(desk: Client, support: User) -> None:
    mine = recorded(support)
    assert desk.get(f"{mine.get_absolute_url()}print").status_code == 405


def test_the_next_one_is_recorded_from_home(desk: Client, support: User) -> None:
    mine = recorded(support)
    link = re.compile(r'data-action="record-another" href="([^"]*)"')
    page = desk.get(mine.get_absolute_url()).content.decode()
    [address] = link.findall(page)
    assert link.findall(print_sheet(desk, mine)) == [address]
    # By HTML: it has the focus before any script has loaded.
    fields = re.findall(r"<input[^>]* autofocus[^>]*>", desk.get(address).content.decode())
    assert [re.findall(r' name="([^"]+)"', field) for field in fields] == [["who"]]


def test_who_may_not_record_is_offered_no_other(
    client_of: ClientOf, viewer: User, support: User
) -> None:
    mine, desk = recorded(support), client_of(viewer)
    assert "record-another" not in desk.get(mine.get_absolute_url()).content.decode()
    assert "record-another" not in print_sheet(desk, mine)

"""What happens to a payment between its check and its recording, and money that is not here."""

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import allocating, checking, keeping, places
from lendingadmin.desk.statements.lines import PUT, Place
from lendingadmin.desk.statements.models import Allocation, StatementLine
from tests.repayments.rows import row
from tests.statements import making
from tests.statements.desk import DeskService
from tests.statements.making import Event

from .steps import BASE, bring_in, check, check_now, decide, list_rows, pay, record, submit

pytestmark = pytest.mark.django_db(transaction=True)

NOON, HOUR = datetime(2026, 10, 1, 12, tzinfo=making.NAIROBI), timedelta(hours=1)
PAID = Event("payment", "SJAA000000", NOON, Decimal(100), Decimal(1100), reference="L-1")
BACK = Event(
    "reversal", "SJZZ000009", NOON + 2 * HOUR, Decimal(-100), Decimal(1000), reverses="sjaa000000"
)


def write_statement(*events: making.Event, closing: str = "") -> bytes:
    """A statement of the network that holds these, whole unless another closing balance is told."""
    table = making.write_mpesa(events)
    table[5][1] = closing or table[5][1]
    return making.pack_csv(table)


def test_a_payment_that_its_statement_takes_back_is_not_recorded(
    clerk: Client, service: DeskService
) -> None:
    service.add("L-1")
    other = Event(
        "payment", "SJAA000001", NOON + HOUR, Decimal(101), Decimal(1201), reference="L-1"
    )
    batch = check(clerk, write_statement(PAID, other, replace(BACK, balance=Decimal(1101))))
    assert [one[2:] for one in list_rows(batch)] == [("fine", "accepted"), ("taken-back", "open")]
    decide(clerk, batch, 2, action="accept", reason="why not")
    record(clerk, batch)
    assert [one[1] for one in service.posted] == ["SJAA000001"]


@pytest.mark.parametrize("when", ["before the check", "after it"])
def test_a_payment_that_another_statement_takes_back_is_not_recorded(
    clerk: Client, service: DeskService, when: str
) -> None:
    service.add("L-1")
    taken = write_statement(replace(BACK, balance=Decimal(900)))
    if when == "before the check":
        bring_in(clerk, taken)
    batch = check(clerk, pay("L-1", "L-1"))
    if when == "after it":
        assert [one[2] for one in list_rows(batch)] == ["fine", "fine"]
        bring_in(clerk, taken)
    record(clerk, batch)
    assert [one[2] for one in list_rows(batch)] == ["taken-back", "fine"]
    assert [one[1] for one in service.posted] == ["SJAA000001"]
    answer = clerk.get(f"{BASE}{batch.file_id}/rows/1/record")
    assert answer.headers["Location"] == batch.file.get_absolute_url()


def test_a_statement_that_is_not_whole_takes_nothing_back(
    clerk: Client, service: DeskService
) -> None:
    service.add("L-1")
    part = bring_in(clerk, write_statement(replace(BACK, balance=Decimal(900)), closing="7.00"))
    assert part.proof["found"]
    batch = check(clerk, pay("L-1"))
    assert [one[2] for one in list_rows(batch)] == ["fine"]


@pytest.mark.parametrize("place", PUT)
@pytest.mark.parametrize("when", ["before the check", "after it", "in another file"])
def test_what_a_person_put_elsewhere_is_not_recorded(
    clerk: Client, service: DeskService, manager: User, place: Place, when: str
) -> None:
    service.add("L-1")
    content = pay("L-1")
    if when == "in another file":
        first = bring_in(clerk, pay("L-1", "L-1"))
        assert places.put(first.lines.get(receipt="SJAA000000"), place, "said so", manager)
    file = bring_in(clerk, content)
    if when == "before the check":
        assert places.put(file.lines.get(), place, "said so", manager)
    clerk.post(f"{BASE}{file.pk}/batch/begin")
    batch = check_now(file.batch)
    if when == "after it":
        assert places.put(file.lines.get(), place, "said so", manager)
    record(clerk, batch)
    assert [one[2:] for one in list_rows(batch)] == [("put", "open")]
    assert not service.posted
    page = clerk.get(f"{BASE}{file.pk}/rows/1/record", follow=True).text
    assert 'data-finding="not-recorded"' in page


@pytest.mark.parametrize(
    ("fields", "finding"),
    [
        ({"account_id": "L-2", "external_id": "SJAA000000"}, "recorded"),
        ({"account_id": "L-1", "external_id": "CASH-1", "external_id_minted": True}, "alike"),
    ],
    ids=["on another loan", "typed without its id"],
)
def test_what_a_colleague_recorded_since_the_check_is_shown_again(
    clerk: Client, service: DeskService, support: User, fields: dict[str, Any], finding: str
) -> None:
    service.add("L-1")
    batch = check(clerk, pay("L-1"))
    at = StatementLine.objects.get().moment
    submit(clerk, batch)
    row(support, amount="100", transaction_date=at, value_date=at, **fields)
    record(clerk, batch)
    assert [one[2:] for one in list_rows(batch)] == [(finding, "open")]
    assert not service.posted


def test_two_who_split_at_once_make_no_money(
    clerk: Client, service: DeskService, support: User
) -> None:
    service.add("L-1")
    batch = check(clerk, pay("L-1"))
    one, other = (Allocation.objects.select_related("batch__file", "line").get() for _ in "ab")
    assert allocating.split(one, Decimal(60), support)
    assert allocating.split(other, Decimal(40), support)
    amounts = batch.allocations.values_list("amount", flat=True)
    assert sorted(amounts) == [Decimal(20), Decimal(40), Decimal(40)]


def test_what_a_colleague_changed_is_not_accepted_unseen(
    clerk: Client, service: DeskService, support: User
) -> None:
    service.add("L-1")
    check(clerk, pay("L-1"))
    seen = Allocation.objects.select_related("batch__file", "line").get()
    Allocation.objects.update(finding="no-loan", account_id="", decision="open")
    assert not allocating.accept(seen, "", support)
    assert Allocation.objects.get().decision == "open"


def test_an_amount_too_large_for_the_ledger_holds_no_batch_up(
    clerk: Client, service: DeskService
) -> None:
    service.add("L-1")
    file = bring_in(clerk, pay("L-1", "L-1"))
    file.lines.filter(position=1).update(amount=Decimal(10) ** 14)
    clerk.post(f"{BASE}{file.pk}/batch/begin")
    batch = check_now(file.batch)
    assert batch.state == "ready"
    assert [one[2] for one in list_rows(batch)] == ["unusable", "fine"]


def test_a_day_without_a_time_is_recorded_at_its_noon(clerk: Client, service: DeskService) -> None:
    service.add("L-1")
    zone = lending_app("kenya").zone
    file = bring_in(clerk, pay("L-1"))
    midnight = datetime(2026, 10, 1, tzinfo=zone)
    file.lines.update(has_time=False, moment=midnight)
    clerk.post(f"{BASE}{file.pk}/batch/begin")
    check_now(file.batch)
    asked = checking.build_request(Allocation.objects.get())
    assert asked.transaction_date == asked.value_date == midnight + timedelta(hours=12)


def test_a_day_that_is_not_over_is_never_still_to_come() -> None:
    zone = lending_app("kenya").zone
    today = timezone.now().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    found = checking.find_moment(StatementLine(has_time=False), today, zone)
    assert found.date() == today.date() and found <= timezone.now()


def test_a_row_in_another_currency_is_recorded_in_that(clerk: Client, service: DeskService) -> None:
    file = bring_in(clerk, pay("L-1"))
    file.lines.update(currency="USD")
    page = clerk.get(f"{BASE}{file.pk}/rows/1/record").content.decode()
    assert "Amount (USD)" in page


def test_days_are_not_read_again_once_somebody_said_where_money_is(
    clerk: Client, manager: User
) -> None:
    file = bring_in(clerk, pay("L-1"))
    assert places.put(file.lines.get(), Place.RETURNED, "said so", manager)
    assert not keeping.answer_days(file, day_first=False, by=manager)
    assert file.lines.get().place == Place.RETURNED

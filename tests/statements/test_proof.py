"""Both sides of a day add up, what came in has one place, and pages say what confirms a payment."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import coverage, keeping, places, proof
from lendingadmin.desk.statements.coverage import Cover, is_covered
from lendingadmin.desk.statements.lines import Kind, Line, Place, Statement
from lendingadmin.desk.statements.models import (
    COUNTED_CASH,
    Allocation,
    Batch,
    StatementFile,
    StatementLine,
)
from lendingadmin.desk.statements.proof import EntryPart, sort_all
from lendingadmin.desk.statements.standings import Recorded
from lendingadmin.money.repayments.confirmations import AccountCover
from lendingadmin.money.repayments.managers import CASH
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.repayments.rows import row

from . import making

pytestmark = pytest.mark.django_db
BASE = "/apps/kenya/statements/"
CONFIRMED = 'data-finding="confirmed"'
EVENTS = making.make_events(120)
PAID = [one for one in EVENTS if one.kind == "payment"]
KEYS = ["", "a", "b", "c"]
AMOUNTS = st.decimals("0.01", "999", places=2)
DAY, LATER = date(2026, 10, 1), date(2026, 11, 20)


def bring_in(by: User, events: list[making.Event] = EVENTS, **shape: Any) -> StatementFile:
    content = making.pack_csv(making.write_mpesa(events, **shape))
    return keeping.take_in(lending_app("kenya"), content, by)[0]


def enter(by: User, one: making.Event, **fields: Any) -> Repayment:
    usual = {"external_id": one.receipt, "amount": one.amount, "network": "M-PESA"}
    return row(by, **usual | {"transaction_date": one.at} | fields)


ENTRIES = st.lists(
    st.builds(
        Recorded,
        pk=st.integers(1, 10_000),
        external_id_key=st.sampled_from(KEYS),
        account_id=st.just("L-1"),
        amount=AMOUNTS,
        currency_code=st.sampled_from(["KES", "USD"]),
        network=st.sampled_from(["", "M-PESA", "MTN", CASH]),
        transaction_date=st.just(EVENTS[0].at),
        state=st.just(RepaymentState.RECORDED),
        resolution=st.just(""),
    ),
    max_size=12,
)


@given(
    entries=ENTRIES,
    confirmed=st.dictionaries(st.sampled_from(KEYS[1:]), AMOUNTS),
    listed=st.dictionaries(st.sampled_from(KEYS[1:]), AMOUNTS),
    covered=st.sets(st.sampled_from(["M-PESA", "MTN"])),
    is_late=st.booleans(),
)
def test_the_parts_of_a_day_add_up_to_it(
    entries: list[Recorded],
    confirmed: dict[str, Decimal],
    listed: dict[str, Decimal],
    covered: set[str],
    is_late: bool,
) -> None:
    totals: dict[str, Decimal] = {}
    for one in entries:
        totals[one.external_id_key] = totals.get(one.external_id_key, Decimal(0)) + one.amount
    parts = sort_all(entries, confirmed, listed, totals, covered, is_late=is_late)
    assert sorted(n for part in parts.values() for n in part.numbers) == sorted(
        one.pk for one in entries
    )
    for code in ("KES", "USD"):
        whole = sum((one.amount for one in entries if one.currency_code == code), Decimal(0))
        assert sum(part.sums.get(code, Decimal(0)) for part in parts.values()) == whole
    assert not (parts[EntryPart.NOT_FOUND].numbers if not is_late else ())
    assert not (parts[EntryPart.MAY_COME].numbers if is_late else ())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(st.data())
def test_each_credit_is_in_one_place(support: User, data: st.DataObject) -> None:
    StatementFile.objects.all().delete()
    Repayment.objects.all().delete()
    events = making.make_events(30, seed=data.draw(st.integers(0, 999)))
    paid = [one for one in events if one.kind == "payment"]
    for one in data.draw(st.lists(st.sampled_from(paid), unique_by=lambda x: x.receipt)):
        enter(support, one)
    file = bring_in(support, events)
    found = proof.read_day(lending_app("kenya"), DAY, timezone.now())
    of_day = [one for one in paid if one.at.date() == DAY]
    assert sum(len(part.numbers) for part in found.credits.values()) == len(of_day)
    assert found.arrived.get("KES", Decimal(0)) == sum(one.amount for one in of_day)
    assert file.lines.exclude(place="").count() == len(paid)


def test_a_day_is_shown_from_both_sides(
    clerk: Client, support: User, django_assert_max_num_queries: Any
) -> None:
    enter(support, PAID[0])
    enter(support, PAID[1], amount=PAID[1].amount + 5)
    invented = enter(support, PAID[2], external_id="SJINVENTED")
    minted = {"external_id": "CASH-1", "external_id_minted": True}
    cash = enter(support, PAID[3], network="Cash", **minted)
    bring_in(support)
    with django_assert_max_num_queries(20):
        page = clerk.get(f"{BASE}covered/{DAY}/").content.decode()
    assert 'data-state="complete"' in page
    assert f"rp-{invented.pk}" in page and f"rp-{cash.pk}" in page
    found = proof.read_day(lending_app("kenya"), DAY, timezone.now())
    assert {name: len(part.numbers) for name, part in found.entries.items()} == {
        "confirmed": 1,
        "other-amount": 1,
        "not-found": 1,
        "listed": 0,
        "may-come": 0,
        "cash": 1,
        "unchecked": 0,
    }
    on_day = [one for one in PAID if one.at.date() == DAY]
    assert len(found.credits["recorded"].numbers) == 2
    assert len(found.credits["unallocated"].numbers) == len(on_day) - 2


@pytest.mark.parametrize("has_head", [True, False])
def test_a_day_that_is_not_over_says_what_is_known_so_far(
    clerk: Client, support: User, django_assert_max_num_queries: Any, has_head: bool
) -> None:
    """The file was uploaded on its last day, so it does not cover that day."""
    on_day = [one for one in PAID if one.at.date() == DAY]
    for one in on_day[:20]:
        enter(support, one)
    file = bring_in(support)
    uploaded = {"covers_from": None, "covers_to": None, "created_at": on_day[-1].at}
    uploaded |= {} if has_head else {"begins": None, "ends": None}
    StatementFile.objects.filter(pk=file.pk).update(**uploaded)
    found = proof.read_day(lending_app("kenya"), DAY, timezone.now())
    assert (found.covered, found.files) == ([], [])
    assert [(one.pk, until) for one, until in found.so_far] == [(file.pk, on_day[-1].at)]
    assert len(found.entries["confirmed"].numbers) == 20
    assert found.arrived == {"KES": sum(one.amount for one in on_day)}
    with django_assert_max_num_queries(20):
        page = clerk.get(f"{BASE}covered/{DAY}/").content.decode()
    assert "data-so-far" in page


def test_a_covered_day_and_an_empty_one_are_known_whole_or_not_at_all(
    clerk: Client, support: User
) -> None:
    file = bring_in(support)
    assert "data-so-far" not in clerk.get(f"{BASE}covered/{DAY}/").content.decode()
    StatementFile.objects.filter(pk=file.pk).update(covers_from=None, covers_to=None)
    empty = clerk.get(f"{BASE}covered/2026-10-29/").content.decode()
    assert "data-so-far" not in empty


def test_a_statement_with_rows_missing_is_known_of_nothing(clerk: Client, support: User) -> None:
    table = making.write_mpesa(EVENTS)
    keeping.take_in(lending_app("kenya"), making.pack_csv([*table[:20], *table[21:]]), support)
    StatementFile.objects.update(created_at=PAID[0].at)
    assert "data-so-far" not in clerk.get(f"{BASE}covered/{DAY}/").content.decode()


def test_the_end_of_a_day_leads_to_it(clerk: Client) -> None:
    page = clerk.get(f"/apps/kenya/repayments/day/?date={DAY}").content.decode()
    assert f'href="{BASE}covered/{DAY}/"' in page


@pytest.mark.parametrize("day", ["2026-13-40", "x", "0001-01-01", "9999-12-31"])
def test_a_day_of_no_calendar_is_no_page(clerk: Client, day: str) -> None:
    assert clerk.get(f"{BASE}covered/{day}/").status_code == 404
    assert clerk.get(f"{BASE}covered/?month={day}").status_code == 200


def test_the_calendar_says_which_days_have_a_statement(clerk: Client, support: User) -> None:
    bring_in(support)
    page = clerk.get(f"{BASE}covered/?month=2026-10").content.decode()
    assert page.count("<small>complete</small>") == 31 and "123456" in page
    page = clerk.get(f"{BASE}covered/?month=2026-11").content.decode()
    assert "<small>complete</small>" not in page and page.count("<small>none</small>") == 30


def test_a_file_that_names_no_days_covers_none() -> None:
    at = EVENTS[0].at
    lines = [
        Line(number=1, kind=Kind.PAYMENT, amount=Decimal(1), currency="", moment=at),
        Line(number=2, kind=Kind.PAYMENT, amount=Decimal(1), currency="", moment=at + timedelta(7)),
    ]
    bare = Statement(layout="x", network="", account="", currency="", lines=lines)
    assert coverage.find_days(bare, LATER) == (None, None)


@pytest.mark.parametrize(
    ("today", "covered"),
    [(5, (date(2026, 10, 1), date(2026, 10, 4))), (1, (None, None)), (31, None)],
)
def test_a_head_covers_no_day_that_was_not_over(
    today: int, covered: tuple[date | None, date | None] | None
) -> None:
    whole = date(2026, 10, 1), date(2026, 10, 30)
    head = Statement(
        layout="x", network="", account="", currency="", lines=[], begins=whole[0], ends=whole[1]
    )
    assert coverage.find_days(head, date(2026, 10, today)) == (covered or whole)


def test_an_account_whose_files_cover_no_day_lacks_all(support: User) -> None:
    fields = {"app_id": "kenya", "created_by": support, "network": "Bank"}
    StatementFile.objects.create(digest="1", token="1", account="KE1", layout="mt940", **fields)
    StatementFile.objects.create(
        digest="2", token="2", account="C-1", layout=COUNTED_CASH, **fields
    )
    first, last = timezone.localdate() - timedelta(days=3), timezone.localdate()
    assert coverage.find_missing("kenya", first, last) == [
        AccountCover("Bank", "KE1", [(first, last)])
    ]


def test_a_day_is_covered_where_each_account_is() -> None:
    covers = [
        Cover(1, "M", "one", date(2026, 1, 1), date(2026, 1, 31)),
        Cover(2, "M", "two", date(2026, 1, 10), date(2026, 1, 31)),
    ]
    assert is_covered(date(2026, 1, 10), ["one", "two"], covers)
    assert not is_covered(date(2026, 1, 9), ["one", "two"], covers)
    assert not is_covered(date(2026, 1, 9), [], covers)


class TestUnallocated:
    """Money that is nowhere: it leaves through the ledger, or by a person's word."""

    def test_the_tray_has_what_is_nowhere_and_loses_what_is_recorded(
        self, clerk: Client, support: User
    ) -> None:
        enter(support, PAID[0])
        bring_in(support)
        page = clerk.get(f"{BASE}unallocated/").content.decode()
        assert PAID[1].receipt in page and PAID[0].receipt not in page
        enter(support, PAID[1])
        assert PAID[1].receipt not in clerk.get(f"{BASE}unallocated/").content.decode()
        assert places.place_recorded() == 1
        assert StatementLine.objects.filter(place=Place.RECORDED).count() == 2

    def test_what_is_presumed_is_back_when_that_falls(self, support: User) -> None:
        presumed = enter(support, PAID[0], state=RepaymentState.PRESUMED)
        bring_in(support)
        [line] = StatementLine.objects.filter(receipt=PAID[0].receipt)
        nowhere = places.list_unallocated("kenya")
        assert not places.place_recorded() and line not in nowhere
        Repayment.objects.filter(pk=presumed.pk).update(state=RepaymentState.UNKNOWN)
        assert line in nowhere.all()
        Repayment.objects.filter(pk=presumed.pk).update(state=RepaymentState.RECORDED)
        assert places.place_recorded() == 1 and line not in nowhere.all()

    def test_what_is_split_leaves_it_with_its_last_part(self, support: User) -> None:
        file = bring_in(support)
        [line] = file.lines.filter(receipt=PAID[0].receipt)
        batch = Batch.objects.create(file=file, created_by=support)
        one, other = (
            Allocation.objects.create(
                batch=batch, line=line, position=line.position, part=part, amount=1, finding="fine"
            )
            for part in (1, 2)
        )
        nowhere = places.list_unallocated("kenya")
        for part in (one, other):
            assert line in nowhere.all() and not places.place_recorded()
            part.repayment = enter(support, PAID[0], account_id=f"L-{part.part}", amount=1)
            part.save()
        assert line not in nowhere.all() and places.place_recorded() == 1

    def test_somebody_takes_it_and_says_where_it_went(self, clerk: Client, support: User) -> None:
        bring_in(support)
        line = StatementLine.objects.get(receipt=PAID[1].receipt)
        clerk.post(f"{BASE}unallocated/{line.pk}/take")
        line.refresh_from_db()
        assert line.owner == support
        address = f"{BASE}unallocated/{line.pk}/place"
        answer = clerk.post(address, {"place": "returned", "reason": ""})
        assert answer.context["form"].has_error("reason", "required")
        assert 'id="id_reason_error"' in answer.content.decode()
        clerk.post(address, {"place": "returned", "reason": "sent back on 3 Oct"})
        line.refresh_from_db()
        assert (line.place, line.place_reason, line.placed_by) == (
            "returned",
            "sent back on 3 Oct",
            support,
        )
        assert clerk.get(address).status_code == 404
        assert PAID[1].receipt not in clerk.get(f"{BASE}unallocated/").content.decode()

    def test_the_same_money_in_another_file_is_there_once(self, support: User) -> None:
        bring_in(support)
        again = bring_in(support, newest_first=False)
        assert set(again.lines.filter(kind="payment").values_list("place", flat=True)) == {"copy"}
        nowhere = places.list_unallocated("kenya")
        assert nowhere.count() == len(PAID)


class TestConfirmed:
    """What a statement says stands on the repayment, and changes nothing about its state."""

    def open_page(self, clerk: Client, repayment: Repayment) -> str:
        return clerk.get(repayment.get_absolute_url()).content.decode()

    def test_a_repayment_says_which_row_confirms_it(self, clerk: Client, support: User) -> None:
        repayment = enter(support, PAID[0])
        file = bring_in(support)
        line = StatementLine.objects.get(receipt=PAID[0].receipt)
        page = self.open_page(clerk, repayment)
        assert CONFIRMED in page
        assert f"statement of 31 Oct 2026, row {line.number}" in page
        assert f'{file.get_absolute_url()}?after={line.position - 1}"' in page

    def test_another_amount_is_told(self, clerk: Client, support: User) -> None:
        repayment = enter(support, PAID[0], amount=PAID[0].amount + 1)
        bring_in(support)
        page = self.open_page(clerk, repayment)
        assert CONFIRMED not in page and f"this row shows KES {PAID[0].amount:,}" in page.replace(
            "\xa0", " "
        )

    def test_a_statement_decides_nothing_that_is_unknown(
        self, clerk: Client, support: User
    ) -> None:
        repayment = enter(support, PAID[0], state=RepaymentState.UNKNOWN)
        bring_in(support)
        page = self.open_page(clerk, repayment)
        assert 'data-finding="reached"' in page and CONFIRMED not in page
        repayment.refresh_from_db()
        assert repayment.state == RepaymentState.UNKNOWN

    def test_one_that_is_not_whole_confirms_nothing(self, clerk: Client, support: User) -> None:
        repayment = enter(support, PAID[0])
        table = making.write_mpesa(EVENTS)
        content = making.pack_csv([*table[:20], *table[21:]])
        keeping.take_in(lending_app("kenya"), content, support)
        assert CONFIRMED not in self.open_page(clerk, repayment)

    @pytest.mark.parametrize("is_in_two", [False, True])
    @pytest.mark.parametrize("form", ["running balances", "callbacks", "no ends", "aggregator"])
    def test_one_that_is_not_complete_confirms_nothing_and_says_that_it_has_it(
        self, clerk: Client, support: User, form: str, is_in_two: bool
    ) -> None:
        repayment = enter(support, PAID[0])
        table = making.write_mpesa(EVENTS)
        tables = {
            "running balances": [table[3], *table[8:]],
            "callbacks": making.write_callbacks(EVENTS),
            "no ends": [row for row in table if row[:1] != ["Opening Balance"]],
            "aggregator": making.write_pawapay(EVENTS),
        }
        content = making.pack_csv(tables[form])
        file = keeping.take_in(lending_app("kenya"), content, support)[0]
        assert file.is_certain and not file.is_complete
        if is_in_two:
            assert bring_in(support).is_complete
        page = self.open_page(clerk, repayment)
        assert (CONFIRMED in page) is is_in_two and 'data-finding="listed"' in page
        found = proof.read_day(lending_app("kenya"), DAY, timezone.now())
        parts = {name for name, part in found.entries.items() if part.numbers}
        assert parts == {"confirmed" if is_in_two else "listed"}

    def test_the_customer_s_paper_names_no_statement(self, clerk: Client, support: User) -> None:
        repayment = enter(support, PAID[0])
        bring_in(support)
        assert CONFIRMED in self.open_page(clerk, repayment)
        for language, word in (("en", "statement"), ("fr", "relevé"), ("sw", "taarifa")):
            paper = clerk.post(f"{repayment.get_absolute_url()}print", {"language": language})
            assert 'data-sheet="receipt"' in paper.content.decode()
            said = paper.content.decode().partition('<article class="sheet">')[2]
            assert CONFIRMED not in said and word not in said.casefold()

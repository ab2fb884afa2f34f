"""A sheet that came back: the sum rule, what the ledger makes of it, and the same sheet again."""

import re
import threading
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.desk.sheets import outcomes, services
from lendingadmin.desk.sheets.models import Sheet, SheetReturn
from lendingadmin.desk.statements import alarms, coverage, keeping, places, proof
from lendingadmin.desk.statements.models import Batch, StatementFile, StatementLine
from lendingadmin.money.repayments import cash
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reset
from tests.policies.setting import set_limits
from tests.portfolio.conftest import counted
from tests.repayments.rows import row as entry
from tests.sheets.service import VisitService
from tests.sheets.steps import SHEETS, give_back, make, read_page, record_sheet, type_sheet, words
from tests.statements.batches.steps import (
    approve,
    bring_in,
    check_now,
    list_rows,
    pay,
    record,
    record_now,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sheet(desk: Client, service: VisitService) -> Sheet:
    """Four loans, each 500 overdue."""
    for number in range(1, 5):
        service.owe(number)
    counted()
    return make(desk)[0]


def read_recorded(client: Client, sheet: Sheet) -> Any:
    """The amount of the sheet that is recorded, as its page has it."""
    return client.get(f"{SHEETS}{sheet.code}/").context["recorded"]


def read_sheet(client: Client, sheet: Sheet) -> str:
    return words(read_page(client, f"{SHEETS}{sheet.code}/"))


def read_tone(client: Client, sheet: Sheet) -> str:
    """The tone of the chip that the page of the sheet shows."""
    answer = client.get(f"{SHEETS}{sheet.code}/")
    chip = answer.context["standing"].chip
    assert chip.word in words(answer.content.decode())
    return str(chip.tone)


class TestKeeping:
    """What is kept of a sheet, and what is refused with all that was typed."""

    def test_the_amounts_become_rows_of_counted_cash_that_name_their_loans(
        self, clerk: Client, sheet: Sheet, support: User
    ) -> None:
        batch = give_back(clerk, sheet, {1: "100.50", 2: "", 4: "1,200"})
        file = batch.file
        assert (file.layout, file.network, file.account) == ("collection-sheet", "", sheet.code)
        columns = ("number", "receipt", "amount", "place", "kind")
        assert list(file.lines.order_by("position").values_list(*columns)) == [
            (1, f"CASH-{sheet.code}-001", Decimal("100.50"), "", "payment"),
            (4, f"CASH-{sheet.code}-004", Decimal(1200), "", "payment"),
        ]
        assert list_rows(batch) == [
            ("L-001", "loan", "fine", "accepted"),
            ("L-004", "loan", "fine", "accepted"),
        ]
        [kept] = SheetReturn.objects.all()
        assert (kept.counted, kept.created_by) == (Decimal("1300.50"), support)
        page = clerk.get(f"{SHEETS}{sheet.code}/")
        chips = [one.chip for one in page.context["rows"] if one.chip]
        assert [one.tone for one in chips] == ["info", "info"]
        assert chips[0].word in words(page.content.decode())
        typed = Entry.objects.get(action="dashboard.sheets.return")
        assert (typed.outcome, typed.detail) == ("typed", "2 amounts, 1300.50 KES")

    @pytest.mark.parametrize(
        ("counted_cash", "code", "difference"),
        [
            ("599.99", "less", "KES 0.01"),
            ("600.01", "more", "KES 0.01"),
            ("", "required", None),
            ("about 600", "unreadable", None),
        ],
    )
    def test_cash_that_is_not_the_sum_saves_nothing_and_keeps_what_was_typed(
        self, clerk: Client, sheet: Sheet, counted_cash: str, code: str, difference: str | None
    ) -> None:
        answer = type_sheet(clerk, sheet, {1: "100", 3: "500"}, counted=counted_cash)
        text = answer.content.decode()
        [error] = answer.context["form"].errors.as_data()["counted"]
        assert answer.status_code == 200 and error.code == code
        assert 'id="id_counted_error"' in text
        assert difference is None or difference in words(text)
        assert 'name="row-1" value="100"' in text and 'name="row-3" value="500"' in text
        assert not SheetReturn.objects.exists() and not StatementFile.objects.exists()

    def test_an_amount_that_can_not_be_read_is_told_beside_its_row(
        self, clerk: Client, sheet: Sheet
    ) -> None:
        amounts = {1: "100", 2: "5oo", 3: "1.234,5.6", 4: "0.005"}
        answer = type_sheet(clerk, sheet, amounts, counted="100")
        text = answer.content.decode()
        assert text.count('class="field wrong"') == 3
        assert 'data-finding="wrong-rows"' in text
        assert re.findall(r'href="#id_row-(\d+)"', text) == ["2", "3", "4"]
        assert 'value="5oo"' in text and not StatementFile.objects.exists()

    def test_a_day_on_which_it_was_not_out_is_refused(self, clerk: Client, sheet: Sheet) -> None:
        for days in (-1, 1):
            zone = gateway.lending_app("kenya").zone
            day = timezone.localdate(timezone=zone) + timedelta(days=days)
            answer = type_sheet(clerk, sheet, {1: "5"}, day=day.isoformat())
            assert answer.context["form"].has_error("day", "outside")
            assert 'id="id_day_error"' in answer.content.decode()
        assert not StatementFile.objects.exists()

    def test_a_sheet_with_nothing_collected_is_returned_too(
        self, clerk: Client, sheet: Sheet
    ) -> None:
        type_sheet(clerk, sheet, {1: "0"}, counted="0")
        sheet.refresh_from_db()
        assert sheet.state == "returned" and not StatementFile.objects.exists()
        # Not “partly recorded”, though nothing is recorded.
        assert read_tone(clerk, sheet) == ""

    def test_nothing_comes_back_with_a_cancelled_one(self, clerk: Client, sheet: Sheet) -> None:
        address = f"{SHEETS}{sheet.code}/return"
        read_page(clerk, address)
        services.cancel(sheet, "made by mistake", sheet.created_by)
        assert clerk.post(address, {"row-1": "5", "counted": "5"}).status_code == 302
        with pytest.raises(services.NotReturnable):
            services.take_back(
                sheet, {1: Decimal(5)}, Decimal(5), timezone.localdate(), sheet.created_by
            )
        assert not StatementFile.objects.exists()


class TestRecording:
    """Through the engine of the statement desk, as counted cash."""

    def test_each_row_is_recorded_once_as_cash_of_who_typed_it(
        self, clerk: Client, service: VisitService, sheet: Sheet, support: User
    ) -> None:
        batch = record_sheet(clerk, sheet, {1: "100.50", 3: "500", 4: "49.50"})
        assert batch.state == "done"
        assert sorted(service.posted) == [
            ("L-001", f"CASH-{sheet.code}-001", Decimal("100.50")),
            ("L-003", f"CASH-{sheet.code}-003", Decimal(500)),
            ("L-004", f"CASH-{sheet.code}-004", Decimal("49.50")),
        ]
        one = Repayment.objects.get(account_id="L-001")
        assert one.external_id_minted and (one.network, one.channel) == ("", "physical")
        app = gateway.lending_app("kenya")
        today = timezone.localdate(timezone=app.zone)
        assert one.transaction_date.astimezone(app.zone).date() == today
        assert one.transaction_date <= one.created_at
        [till] = cash.list_tills(app, today)
        assert (till.person, till.recorded) == ("support", Decimal(650))
        text = read_sheet(clerk, sheet)
        assert one.receipt_number in text and "KES 650.00" in text
        assert read_recorded(clerk, sheet) == 650
        [(_, standing)] = outcomes.read_standings([sheet]).items()
        assert (standing.chip.word, standing.recorded) == ("recorded", Decimal(650))

    def test_the_checks_of_the_desk_hold(
        self, clerk: Client, service: VisitService, sheet: Sheet
    ) -> None:
        service.loans["L-001"]["status"] = 3
        del service.loans["L-002"]
        batch = give_back(clerk, sheet, {1: "100", 2: "100", 3: "100000.01", 4: "100"})
        assert [one[2] for one in list_rows(batch)] == ["closed", "no-loan", "overpaid", "fine"]
        record(clerk, batch)
        assert [one[0] for one in service.posted] == ["L-004"]
        assert read_tone(clerk, sheet) == "warn" and read_recorded(clerk, sheet) == 100

    def test_a_loan_that_is_gone_is_no_other_of_its_number(
        self, clerk: Client, service: VisitService, desk: Client
    ) -> None:
        service.owe(1, accountNo=12)
        service.loans["12"] = service.loans["L-001"] | {"accountId": "12"}
        counted()
        [sheet] = make(desk)
        del service.loans["12"]
        batch = give_back(clerk, sheet, {1: "5"})
        assert [one[2] for one in list_rows(batch)] == ["no-loan"]
        # Nor when it is checked again.
        clerk.post(f"{batch.get_absolute_url()}begin")
        assert [one[:3] for one in list_rows(check_now(batch))] == [("", "", "no-loan")]

    def test_a_payment_that_was_recorded_meanwhile_is_seen(
        self, clerk: Client, sheet: Sheet, support: User
    ) -> None:
        entry(
            support,
            account_id="L-001",
            amount="500",
            state=RepaymentState.RECORDED,
            transaction_date=timezone.now(),
        )
        batch = give_back(clerk, sheet, {1: "500", 2: "500"})
        assert [one[2] for one in list_rows(batch)] == ["alike", "fine"]

    def test_a_payment_that_is_recorded_at_the_same_moment_makes_its_row_wait(
        self, clerk: Client, service: VisitService, sheet: Sheet, support: User
    ) -> None:
        batch = give_back(clerk, sheet, {1: "500", 2: "500"})
        entry(support, account_id="L-001", amount="20", state=RepaymentState.UNKNOWN)
        record(clerk, batch)
        assert batch.state == "paused" and [one[0] for one in service.posted] == ["L-002"]

    def test_what_the_service_refuses_stands_on_the_sheet(
        self, clerk: Client, service: VisitService, sheet: Sheet
    ) -> None:
        service.answer = lambda loan_id, record: (
            refusal(400, "not today") if loan_id == "L-001" else service.keep_word(loan_id, record)
        )
        record_sheet(clerk, sheet, {1: "5", 2: "7"})
        refused, recorded = Repayment.objects.order_by("account_id")
        assert refused.state == RepaymentState.REFUSED
        text = read_sheet(clerk, sheet)
        assert refused.message.chip.word in text and str(refused) in text
        assert read_tone(clerk, sheet) == "warn" and read_recorded(clerk, sheet) == 7
        assert recorded.state == RepaymentState.RECORDED

    def test_an_outcome_that_is_not_known_is_not_counted_as_recorded(
        self, clerk: Client, service: VisitService, sheet: Sheet
    ) -> None:
        service.answer = lambda loan_id, record: reset()
        record_sheet(clerk, sheet, {1: "5"})
        assert read_recorded(clerk, sheet) == 0 and "KES 0.00" in read_sheet(clerk, sheet)

    def test_above_the_limits_it_waits_for_a_second_person(
        self,
        clerk: Client,
        boss: Client,
        service: VisitService,
        sheet: Sheet,
    ) -> None:
        set_limits(day="900")
        batch = record_sheet(clerk, sheet, {1: "500", 2: "500"})
        assert batch.state == "awaiting" and not service.posted
        approve(boss, batch)
        batch.refresh_from_db()
        assert record_now(batch).state == "done" and len(service.posted) == 2


class TestAgain:
    """The same sheet a second time."""

    def test_the_same_amounts_add_nothing(
        self, clerk: Client, boss: Client, service: VisitService, sheet: Sheet
    ) -> None:
        record_sheet(clerk, sheet, {1: "5", 2: "7"})
        answer = type_sheet(boss, sheet, {1: "5", 2: "7"})
        assert answer.status_code == 302 and SheetReturn.objects.count() == 1
        text = read_page(boss, f"{SHEETS}{sheet.code}/")
        said = text.partition('data-finding="same-amounts"')[2].partition("</li>")[0]
        assert "support" in said
        assert len(service.posted) == 2

    def test_other_amounts_show_each_row_that_differs_and_record_what_was_missing(
        self, clerk: Client, service: VisitService, sheet: Sheet
    ) -> None:
        record_sheet(clerk, sheet, {1: "5", 2: "7", 3: "9"})
        amounts = {1: "5", 2: "70", 4: "11"}
        answer = type_sheet(clerk, sheet, amounts)
        text = answer.content.decode()
        assert answer.status_code == 200 and SheetReturn.objects.count() == 1
        assert answer.context["page"].differences == [(2, 7, 70), (3, 9, None), (4, None, 11)]
        for amounts_shown in (
            "7.00 before, 70.00 now",
            "9.00 before, — now",
            "— before, 11.00 now",
        ):
            assert amounts_shown in words(text), words(text)
        assert 'data-finding="differs"' in text and 'name="row-2" value="70"' in text
        compared = text.partition('name="compared" value="')[2].partition('"')[0]
        batch = give_back(clerk, sheet, amounts, compared=compared)
        assert [one[2] for one in list_rows(batch)] == ["recorded", "recorded", "fine"]
        record(clerk, batch)
        assert sorted(service.posted) == [
            ("L-001", f"CASH-{sheet.code}-001", Decimal(5)),
            ("L-002", f"CASH-{sheet.code}-002", Decimal(7)),
            ("L-003", f"CASH-{sheet.code}-003", Decimal(9)),
            ("L-004", f"CASH-{sheet.code}-004", Decimal(11)),
        ]
        page = clerk.get(f"{SHEETS}{sheet.code}/")
        assert [one.row.number for one in page.context["differing"]] == [2, 3, 4]
        assert 'data-finding="differing" data-count="3"' in page.content.decode()
        [second] = [one for one in page.context["rows"] if one.row.number == 2]
        assert list(second.amounts) == [7, 70] and "7.00" in words(page.content.decode())
        assert read_tone(clerk, sheet) == "warn"

    def test_more_recorded_than_was_counted_the_second_time_is_told(
        self, clerk: Client, service: VisitService, sheet: Sheet
    ) -> None:
        record_sheet(clerk, sheet, {1: "500"})
        assert read_tone(clerk, sheet) == "good"
        answer = type_sheet(clerk, sheet, {1: "300"})
        compared = answer.content.decode().partition('name="compared" value="')[2].partition('"')[0]
        give_back(clerk, sheet, {1: "300"}, compared=compared)
        assert read_tone(clerk, sheet) == "bad"

    def test_it_waits_until_what_was_typed_before_is_in_the_ledger(
        self, clerk: Client, sheet: Sheet
    ) -> None:
        give_back(clerk, sheet, {1: "5"})
        answer = type_sheet(clerk, sheet, {1: "6"})
        text = words(answer.content.decode())
        assert answer.context["form"].has_error("__all__", "unfinished")
        [said] = answer.context["form"].non_field_errors()
        assert said in text and "5.00" in text and "6.00" in text
        assert answer.context["page"].differences == [(1, 5, 6)]
        assert SheetReturn.objects.count() == 1

    def test_another_file_with_the_same_ids_records_nothing_either(
        self, clerk: Client, sheet: Sheet, support: User
    ) -> None:
        record_sheet(clerk, sheet, {1: "100"})
        app, today = gateway.lending_app("kenya"), timezone.localdate()
        lines = services._build_lines(app, sheet, {1: Decimal(100), 2: Decimal(3)}, today)
        file = keeping.keep_counted_cash(app, "other", sheet.code, today, lines, support)
        clerk.post(f"/apps/kenya/statements/{file.pk}/batch/begin")
        batch = check_now(Batch.objects.get(file=file))
        assert [one[2] for one in list_rows(batch)] == ["recorded", "fine"]

    def test_two_people_who_type_it_at_once_record_it_once(
        self,
        clerk: Client,
        client_of: ClientOf,
        manager: User,
        service: VisitService,
        sheet: Sheet,
    ) -> None:
        both, barrier, answers = [clerk, client_of(manager)], threading.Barrier(2), list[int]()
        forms = [read_page(one, f"{SHEETS}{sheet.code}/return") for one in both]
        day = forms[0].partition('name="day" value="')[2].partition('"')[0]
        data = {"row-1": "5", "row-2": "7", "counted": "12", "day": day}

        def send(client: Client) -> None:
            barrier.wait(20)
            answers.append(client.post(f"{SHEETS}{sheet.code}/return", data).status_code)
            connection.close()

        threads = [threading.Thread(target=send, args=(one,)) for one in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sorted(answers) in ([302, 302], [200, 302])
        assert SheetReturn.objects.count() == StatementFile.objects.count() == 1
        record(clerk, check_now(Batch.objects.get()))
        assert len(service.posted) == 2


class TestNoStatement:
    """Counted cash is no network's statement, whatever asks about statements."""

    def test_it_covers_no_day_confirms_nothing_and_is_nowhere_in_the_tray(
        self, clerk: Client, sheet: Sheet
    ) -> None:
        app = gateway.lending_app("kenya")
        today = timezone.localdate(timezone=app.zone)
        batch = record_sheet(clerk, sheet, {1: "5", 2: "7"})
        batch.file.refresh_from_db()
        assert coverage.list_covers("kenya", today - timedelta(days=9), today) == []
        assert not places.list_unallocated("kenya").exists()
        day = proof.read_day(app, today, timezone.now())
        assert len(day.entries["cash"].numbers) == 2 and not day.covered
        assert not any(one.numbers for one in day.credits.values())
        repayment = read_page(clerk, Repayment.objects.all()[0].get_absolute_url())
        assert not re.search(r'data-finding="(confirmed|listed|reached)"', repayment)
        Repayment.objects.update(created_at=timezone.now() - timedelta(days=9))
        alarms.search_covered_days(timezone.now() + timedelta(days=30))
        assert not Repayment.objects.exclude(alarm="").exists()
        assert set(StatementLine.objects.values_list("place", flat=True)) == {""}

    def test_a_network_with_statements_is_not_told_of_it(
        self, clerk: Client, service: VisitService, sheet: Sheet
    ) -> None:
        record_sheet(clerk, sheet, {1: "100"})
        batch = give_back_statement(clerk)
        # Another payment of the same amount and loan: the cash was counted under its own id.
        assert [one[2] for one in list_rows(batch)] == ["near-loan"]

    def test_its_pages_say_what_it_is_and_record_no_single_row(
        self, clerk: Client, sheet: Sheet
    ) -> None:
        batch = give_back(clerk, sheet, {1: "5"})
        assert 'data-state="counted-cash"' in read_page(clerk, "/apps/kenya/statements/")
        text = read_page(clerk, batch.file.get_absolute_url())
        assert 'data-finding="counted-cash"' in text
        address = f"{batch.file.get_absolute_url()}rows/1/record"
        assert address not in text and clerk.get(address).status_code == 404
        assert sheet.get_absolute_url() in read_page(clerk, batch.get_absolute_url())


def give_back_statement(clerk: Client) -> Batch:
    file = bring_in(clerk, pay("L-001"))
    clerk.post(f"/apps/kenya/statements/{file.pk}/batch/begin")
    return check_now(Batch.objects.get(file=file))

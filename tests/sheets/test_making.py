"""Which loans stand on a sheet, and that it stays as it was made."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.services import assign
from lendingadmin.desk.collections.services import add_stop
from lendingadmin.desk.collections.states import StopKind
from lendingadmin.desk.sheets import choosing, services
from lendingadmin.desk.sheets.codes import is_code
from lendingadmin.desk.sheets.models import Sheet, SheetRow
from lendingadmin.money.repayments.states import RepaymentState
from tests.portfolio.conftest import counted
from tests.repayments.rows import row as entry
from tests.sheets.service import VisitService
from tests.sheets.steps import SHEETS, make, read_page, words

pytestmark = pytest.mark.django_db


def today(days: int = 0) -> str:
    day = timezone.localdate(timezone=gateway.lending_app("kenya").zone) + timedelta(days=days)
    return day.isoformat()


def list_rows(sheet: Sheet) -> list[tuple[int, str, Decimal | None, Decimal | None]]:
    return list(sheet.rows.order_by("number").values_list("number", "account_id", "due", "overdue"))


def test_what_is_overdue_or_due_by_the_day_stands_on_it_once(
    desk: Client, service: VisitService, officer: User
) -> None:
    service.owe(3, "500", due="120.50", due_in=1)
    service.owe(1, "0", due="80", due_in=0)
    service.owe(2, "0", due="99", due_in=2)
    service.owe(4, "0")
    service.owe(5, "700", status=3)
    counted()
    answer = desk.get(f"{SHEETS}new?day={today(1)}&choice=all")
    found, text = answer.context["found"], words(answer.content.decode())
    assert (found.overdue, found.due) == (Decimal(500), Decimal("200.50"))
    assert "2 loans" in text and "KES 500.00" in text and "KES 200.50" in text
    [sheet] = make(desk, day=today(1), choice="all")
    assert list_rows(sheet) == [
        (1, "L-001", Decimal(80), Decimal(0)),
        (2, "L-003", Decimal("120.50"), Decimal(500)),
    ]
    assert is_code(sheet.code) and sheet.created_by == officer and sheet.row_count == 2
    assert (sheet.due, sheet.overdue, sheet.state) == (Decimal("200.50"), Decimal(500), "open")
    made = Entry.objects.get(action="dashboard.sheets.make")
    assert (
        made.subject == str(sheet)
        and made.outcome == "made"
        and made.detail == f"2 rows for {today(1)}"
    )


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("due", ["L-001"]), ("overdue", ["L-003"]), ("all", ["L-001", "L-003"])],
)
def test_a_choice_of_loans(
    desk: Client, service: VisitService, choice: str, expected: list[str]
) -> None:
    service.owe(1, "0", due="80")
    service.owe(3, "500")
    counted()
    [sheet] = make(desk, day=today(), choice=choice)
    assert [one[1] for one in list_rows(sheet)] == expected


def test_what_was_recorded_since_the_count_is_taken_off(
    desk: Client, service: VisitService, support: User
) -> None:
    service.owe(1, "500")
    service.owe(2, "500", due="100")
    counted()
    recorded = {"state": RepaymentState.RECORDED}
    entry(support, account_id="L-001", amount="500", **recorded)
    entry(support, account_id="L-002", amount="530.25", **recorded)
    assert 'data-finding="paid" data-count="1"' in read_page(desk, f"{SHEETS}new")
    [sheet] = make(desk)
    assert list_rows(sheet) == [(1, "L-002", Decimal("69.75"), Decimal(0))]


def test_nobody_collects_where_a_stop_holds_but_a_wrong_number_is_none(
    desk: Client, service: VisitService, officer: User
) -> None:
    for number in range(1, 6):
        service.owe(number)
    counted()
    add_stop("kenya", "B-001", "L-001", StopKind.DISPUTE, officer)
    add_stop("kenya", "B-002", "L-999", StopKind.HARDSHIP, officer)
    add_stop("kenya", "B-003", "", StopKind.DIED, officer)
    add_stop("kenya", "B-004", "", StopKind.WRONG_NUMBER, officer)
    add_stop("kenya", "B-005", "", StopKind.DO_NOT_CALL, officer)
    assert 'data-finding="stopped" data-count="3"' in read_page(desk, f"{SHEETS}new")
    [sheet] = make(desk)
    assert [one[1] for one in list_rows(sheet)] == ["L-002", "L-004"]


def test_a_loan_stands_on_one_sheet_of_a_day_that_is_out(
    desk: Client, service: VisitService
) -> None:
    service.owe(1)
    counted()
    [first] = make(desk)
    text = read_page(desk, f"{SHEETS}new")
    assert 'data-finding="on-others" data-count="1"' in text and 'data-finding="empty"' in text
    [_tomorrow] = make(desk, day=today(1))
    services.cancel(first, "made too early", first.created_by)
    assert len(make(desk)) == 1


def test_a_form_that_was_seen_before_another_sheet_was_made_makes_none(
    desk: Client, service: VisitService, officer: User
) -> None:
    service.owe(1)
    counted()
    app, wanted = gateway.lending_app("kenya"), choosing.Wanted(timezone.localdate())
    found = choosing.choose(app, wanted)
    assert found is not None
    services.make_sheets(app, wanted, found, "first", officer)
    with pytest.raises(services.OnOtherSheet):
        services.make_sheets(app, wanted, found, "second", officer)
    assert Sheet.objects.count() == 1


def test_product_and_officer_narrow_it(
    desk: Client, service: VisitService, officer: User, manager: User
) -> None:
    service.owe(1, productId="farm")
    service.owe(2, productId="farm")
    service.owe(3, productId="shop")
    counted()
    assign("kenya", "B-002", officer, manager, None)
    assign("kenya", "B-003", officer, manager, None)
    [sheet] = make(desk, product="farm", officer="officer")
    assert [one[1] for one in list_rows(sheet)] == ["L-002"]
    assert (sheet.officer, sheet.product_id) == (officer, "farm")


def test_more_than_a_sheet_holds_are_several(
    desk: Client, service: VisitService, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (choosing, services):
        monkeypatch.setattr(module, "LONGEST", 2)
    for number in range(1, 6):
        service.owe(number)
    counted()
    sheets = make(desk)
    assert [one.row_count for one in sheets] == [2, 2, 1]
    assert len({one.code for one in sheets}) == 3
    assert [one[1] for one in list_rows(sheets[2])] == ["L-005"]
    assert sum(one.overdue or 0 for one in sheets) == 2500


def test_more_than_fit_at_once_are_not_made(
    desk: Client, service: VisitService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "MOST", 2)
    for number in range(1, 5):
        service.owe(number)
    counted()
    text = read_page(desk, f"{SHEETS}new")
    assert 'data-finding="too-many"' in text and 'name="shown"' not in text


def test_a_double_click_makes_one(desk: Client, service: VisitService) -> None:
    service.owe(1)
    counted()
    form = read_page(desk, f"{SHEETS}new")
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    found = choosing.choose(gateway.lending_app("kenya"), choosing.Wanted(timezone.localdate()))
    assert desk.post(f"{SHEETS}new", hidden).status_code == 302
    desk.post(f"{SHEETS}new", hidden)
    [sheet] = Sheet.objects.all()
    # Also where both had seen the loans before either made one.
    assert found is not None
    wanted = choosing.Wanted(sheet.day)
    again = services.make_sheets(
        gateway.lending_app("kenya"), wanted, found, sheet.idempotency_key, sheet.created_by
    )
    assert again == [sheet] and SheetRow.objects.count() == 1


def test_what_changed_since_it_was_shown_is_shown_again(
    desk: Client, service: VisitService, support: User
) -> None:
    service.owe(1)
    service.owe(2)
    counted()
    form = read_page(desk, f"{SHEETS}new")
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    entry(support, account_id="L-001", amount="100", state=RepaymentState.RECORDED)
    answer = desk.post(f"{SHEETS}new", hidden)
    # Loans are left, and not too many: the change is the only obstacle.
    found, obstacle = answer.context["found"], answer.context["obstacle"]
    assert found.chosen and not found.has_more
    assert obstacle and obstacle in answer.content.decode()
    assert answer.status_code == 200 and not Sheet.objects.exists()


@pytest.mark.parametrize("day", ["2020-01-01", "2199-01-01", "tomorrow"])
def test_a_day_that_can_not_be_is_told_beside_its_field(
    desk: Client, service: VisitService, day: str
) -> None:
    service.owe(1)
    counted()
    text = read_page(desk, f"{SHEETS}new?day={day}")
    assert f'value="{day}"' in text and "errorlist" in text and 'name="shown"' not in text


def test_before_the_first_count_there_is_none(desk: Client, service: VisitService) -> None:
    assert 'data-finding="not-counted"' in read_page(desk, f"{SHEETS}new")


def test_a_sheet_stays_as_it_was_made(desk: Client, service: VisitService, support: User) -> None:
    service.owe(1)
    counted()
    [sheet] = make(desk)
    entry(support, account_id="L-001", amount="500", state=RepaymentState.RECORDED)
    counted()
    assert list_rows(sheet) == [(1, "L-001", Decimal(0), Decimal(500))]
    assert "500.00" in read_page(desk, f"{SHEETS}{sheet.code}/")


def test_cancelling_takes_a_manager_once_it_is_printed(
    desk: Client, boss: Client, service: VisitService
) -> None:
    service.owe(1)
    counted()
    [sheet] = make(desk)
    assert f"{SHEETS}{sheet.code}/cancel" in read_page(desk, f"{SHEETS}{sheet.code}/")
    desk.post(f"{SHEETS}{sheet.code}/print")
    assert f"{SHEETS}{sheet.code}/cancel" not in read_page(desk, f"{SHEETS}{sheet.code}/")
    data: dict[str, Any] = {"reason": "the market was closed"}
    desk.post(f"{SHEETS}{sheet.code}/cancel", data)
    sheet.refresh_from_db()
    assert sheet.state == "open"
    assert (
        "errorlist" in boss.post(f"{SHEETS}{sheet.code}/cancel", {"reason": "no"}).content.decode()
    )
    boss.post(f"{SHEETS}{sheet.code}/cancel", data)
    sheet.refresh_from_db()
    assert sheet.state == "cancelled" and sheet.reason == "the market was closed"
    assert "the market was closed" in read_page(boss, f"{SHEETS}{sheet.code}/")
    assert boss.post(f"{SHEETS}{sheet.code}/print").status_code == 302

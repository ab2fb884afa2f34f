"""The pages of sheets: who sees what of them, the list and its states, and how a sheet is found."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_NAMES, list_role_rights
from lendingadmin.desk.sheets import outcomes
from lendingadmin.desk.sheets.models import Sheet
from lendingadmin.desk.sheets.permissions import MAKE
from lendingadmin.desk.sheets.policies import read_days
from lendingadmin.desk.sheets.services import find_sheets
from tests.conftest import ClientOf
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.personal import find_kept
from tests.roles import hold_only
from tests.sheets.service import VisitService
from tests.sheets.steps import SHEETS, read_page, record_sheet, type_sheet, words

pytestmark = pytest.mark.django_db(transaction=True)
NO_MATCH = 'data-finding="no-match"'


def test_each_role_reaches_what_is_its_work(
    people: dict[str, User], client_of: ClientOf, sheet: Sheet
) -> None:
    own = f"{SHEETS}{sheet.code}/"
    expected = {
        "viewer": (403, 403, 403, 403),
        "officer": (200, 200, 200, 403),
        "support": (200, 200, 200, 200),
        "manager": (200, 200, 200, 200),
    }
    for role, answers in expected.items():
        client = client_of(people[role])
        addresses = (SHEETS, f"{SHEETS}new", own, f"{own}return")
        assert tuple(client.get(one).status_code for one in addresses) == answers, role
        is_offered = f'href="{own}return"' in client.get(own).content.decode()
        assert is_offered == (role in ("support", "manager"))
        assert client.post(f"{own}print").status_code == (403 if role == "viewer" else 200)


@pytest.mark.parametrize("may_see", [True, False])
def test_names_are_drawn_by_right_on_every_page(
    sheet: Sheet,
    support: User,
    client_of: ClientOf,
    put: Put,  # noqa: F811
    may_see: bool,
) -> None:
    put("B-001", surname="KAMAU", othernames="ANN", phoneNumber="+254700000001")
    if not may_see:
        hold_only(support, *(list_role_rights("support") - {SEE_NAMES}))
    client, own = client_of(support), f"{SHEETS}{sheet.code}/"
    pages = [read_page(client, own), read_page(client, f"{own}return")]
    pages.append(client.post(f"{own}print").content.decode())
    for text in pages:
        assert ("KAMAU" in text) == may_see
        assert "254700000001" not in text and "700 000 001" not in text


def test_a_code_leads_to_its_sheet_and_a_mistyped_one_is_told(desk: Client, sheet: Sheet) -> None:
    for typed in (sheet.code, sheet.shown_code.lower(), f"CASH-{sheet.code}-002"):
        answer = desk.get(SHEETS, {"code": typed})
        assert answer.status_code == 302 and answer["Location"] == sheet.get_absolute_url()
    swapped = sheet.code[1] + sheet.code[0] + sheet.code[2:]
    if swapped != sheet.code:
        answer = desk.get(SHEETS, {"code": swapped})
        text = answer.content.decode()
        assert answer.context["code_form"].has_error("code", "mistyped")
        assert 'id="id_code_error"' in text and swapped in text
    answer = desk.get(SHEETS, {"code": "one"})
    assert answer.context["code_form"].has_error("code", "invalid")
    assert 'id="id_code_error"' in answer.content.decode()
    assert desk.get(f"{SHEETS}{swapped}x/").status_code == 404


@pytest.mark.parametrize(
    ("role", "state", "page"),
    [
        ("support", "open", "return"),
        ("support", "returned", ""),
        ("support", "cancelled", ""),
        ("officer", "open", ""),
    ],
)
def test_a_code_leads_to_the_amounts_where_they_may_be_entered(
    people: dict[str, User], client_of: ClientOf, sheet: Sheet, role: str, state: str, page: str
) -> None:
    Sheet.objects.update(state=state)
    answer = client_of(people[role]).get(SHEETS, {"code": sheet.code})
    assert answer["Location"] == f"{sheet.get_absolute_url()}{page}"


def test_the_find_box_finds_it(desk: Client, sheet: Sheet) -> None:
    for wanted in (sheet.shown_code, f"CASH-{sheet.code}-002"):
        [match] = find_sheets("kenya", wanted)
        assert (match.kind.url("kenya", match.key), match.about) == (
            sheet.get_absolute_url(),
            f"for {sheet.day}, rows: 2",
        )
    assert find_sheets("ghana", sheet.code) == () == find_sheets("kenya", "L-001")
    answer = desk.post("/apps/kenya/find", {"q": sheet.shown_code}, follow=True)
    assert sheet.get_absolute_url() in (answer.content.decode() + answer.redirect_chain[-1][0])


def test_the_list_tells_what_is_out_returned_and_recorded(
    desk: Client, boss: Client, clerk: Client, service: VisitService, sheet: Sheet
) -> None:
    assert sheet.shown_code in read_page(desk, f"{SHEETS}?state=open")
    assert NO_MATCH in read_page(desk, f"{SHEETS}?state=returned")
    service.loans["L-002"]["status"] = 3
    record_sheet(clerk, sheet, {1: "5", 2: "7"})
    answer = desk.get(f"{SHEETS}?state=partly")
    [(_sheet, standing)] = answer.context["sheets"]
    text = words(answer.content.decode())
    assert standing.chip.tone == "warn" and standing.chip.word in text and "12.00 5.00" in text
    assert NO_MATCH in read_page(desk, f"{SHEETS}?state=open")
    [standing] = outcomes.read_standings([sheet]).values()
    assert (standing.typed, standing.recorded) == (Decimal(12), Decimal(5))
    day = (sheet.day + timedelta(days=1)).isoformat()
    assert NO_MATCH in read_page(desk, f"{SHEETS}?day={day}")
    assert sheet.shown_code in read_page(desk, f"{SHEETS}?day={sheet.day}")


def test_one_that_does_not_come_back_is_shown_to_managers(
    desk: Client, boss: Client, sheet: Sheet
) -> None:
    after = timedelta(days=read_days("kenya"))
    Sheet.objects.update(day=sheet.day - after)
    late = "?state=late"
    assert f'href="{late}"' not in read_page(boss, SHEETS)
    Sheet.objects.update(day=sheet.day - after - timedelta(days=1))
    assert 'data-finding="late" data-count="1"' in read_page(boss, SHEETS)
    assert 'data-finding="late"' not in read_page(desk, SHEETS)
    assert sheet.shown_code in read_page(boss, f"{SHEETS}?state=late")


def test_no_reason_stands_readable_in_the_database(boss: Client, sheet: Sheet) -> None:
    reason = "the officer fell ill in Kisumu"
    boss.post(f"{SHEETS}{sheet.code}/cancel", {"reason": reason})
    assert not find_kept([reason])


def test_a_grid_of_a_stranger_s_app_is_no_page(
    clerk: Client, sheet: Sheet, service: VisitService
) -> None:
    assert clerk.get(f"/apps/ghana/sheets/{sheet.code}/").status_code in (403, 404)
    assert type_sheet(clerk, sheet, {1: "5"}).status_code == 302


@pytest.mark.parametrize("may_make", [True, False])
def test_an_empty_list_offers_a_new_sheet_only_to_a_person_who_may_make_one(
    support: User, client_of: ClientOf, may_make: bool
) -> None:
    if not may_make:
        hold_only(support, *(list_role_rights("support") - {MAKE}))
    page = client_of(support).get(SHEETS).text
    assert 'class="empty"' in page
    assert (f'href="{SHEETS}new"' in page) == may_make

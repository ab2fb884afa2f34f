"""A row that names its loan, and says something else that does not fit: a person decides."""

import pytest
from django.test import Client

from lendingadmin.desk.statements.models import PayerLink
from tests.faults.behaviours import refusal
from tests.portfolio.conftest import counted
from tests.statements import making
from tests.statements.desk import DeskService

from .steps import BASE, check, decide, list_rows, pay, record

pytestmark = pytest.mark.django_db(transaction=True)
OWNER, PAYER = ("Wanjiru Anne", "+254712345678"), ("PETER OTIENO", "25479****111")


@pytest.fixture(autouse=True)
def loan(service: DeskService) -> None:
    service.add("L-100", "B-1")
    service.people["B-1"] = OWNER


def pay_as(name: str, phone: str) -> bytes:
    return pay("L-100", names={0: name}, phones={0: phone})


def pay_by_mpesa(reference: str, details: str) -> bytes:
    """One payment of the operator's portal, from the borrower."""
    head = making.write_mpesa(making.make_events(1))[:9]
    row = [
        "SJAA000001",
        *["22-10-2026 10:00:00"] * 2,
        details,
        "Completed",
        "500.00",
        "",
        "1500.00",
    ]
    party = "25471****678 - ANNE WANJIRU"
    return making.pack_csv([head[8], [*row, "TRUE", "Pay Utility", party, "", reference]])


@pytest.mark.parametrize(
    ("name", "phone", "finding", "decision"),
    [
        ("ANNE", "25471****678", "fine", "accepted"),
        ("ANNE", "", "fine", "accepted"),
        ("", "254712345678", "fine", "accepted"),
        ("PETER", "", "other-payer", "open"),
        ("", "25479****678", "other-payer", "open"),
        ("", "b" * 64, "other-payer", "open"),
        ("ANNE", "25479****678", "other-payer", "open"),
        ("", "", "fine", "accepted"),
    ],
)
def test_a_reference_is_accepted_only_where_the_payer_agrees(
    clerk: Client, name: str, phone: str, finding: str, decision: str
) -> None:
    batch = check(clerk, pay_as(name, phone))
    assert list_rows(batch) == [("L-100", "loan", finding, decision)]


def test_nothing_is_recorded_on_a_stranger_s_loan_until_a_person_says_so(
    clerk: Client, service: DeskService
) -> None:
    batch = check(clerk, pay_as(*PAYER))
    decide(clerk, batch, batch.allocations.get().position, action="accept")
    row = batch.allocations.get()
    assert (row.decision, row.decided_by is not None, service.posted) == ("accepted", True, [])
    record(clerk, batch)
    assert [one[0] for one in service.posted] == ["L-100"]


def test_payments_by_others_are_decided_one_by_one(clerk: Client, service: DeskService) -> None:
    batch = check(clerk, pay_as(*PAYER))
    fields = {"finding": "other-payer", "reason": "all of them"}
    clerk.post(f"{BASE}{batch.file_id}/batch/accept", fields)
    assert batch.allocations.get().decision == "open"
    page = clerk.get(f"{BASE}{batch.file_id}/batch/?finding=other-payer").content.decode()
    assert "batch/accept" not in page


def test_a_payer_who_is_said_to_pay_the_loan_is_no_stranger(
    clerk: Client, service: DeskService
) -> None:
    first = check(clerk, pay_as(*PAYER))
    decide(clerk, first, first.allocations.get().position, action="accept", keep="on")
    assert PayerLink.objects.get().account_id == "L-100"
    second = check(clerk, pay("L-100", "L-100", names={1: PAYER[0]}, phones={1: PAYER[1]}))
    assert [one[2] for one in list_rows(second)][1] == "fine"


def test_a_borrower_who_shows_neither_name_nor_phone_is_asked_about(
    clerk: Client, service: DeskService
) -> None:
    service.people.clear()
    batch = check(clerk, pay_as(*PAYER))
    assert list_rows(batch) == [("L-100", "loan", "proposed", "open")]


def test_a_borrower_who_cannot_be_read_is_no_proof(clerk: Client, service: DeskService) -> None:
    service.add("L-200", "B-2")
    service.server.on("GET /v1/projects/demo/apps/kenya/borrowers/", refusal(500, "broken"))
    batch = check(clerk, pay("L-100", "L-200", names={0: "ANNE"}))
    assert [one[2:] for one in list_rows(batch)] == [("unread", "open"), ("fine", "accepted")]


@pytest.mark.parametrize(
    ("details", "finding", "decision"),
    [
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L-100", "fine", "accepted"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU", "fine", "accepted"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L-101", "two-loans", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU for l-300", "two-loans", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU for L-300 and L-100", "fine", "accepted"),
    ],
)
def test_a_row_that_names_two_loans_was_edited(
    clerk: Client, service: DeskService, details: str, finding: str, decision: str
) -> None:
    service.add("L-300", "B-3")
    counted()
    batch = check(clerk, pay_by_mpesa("L-100", details))
    assert list_rows(batch) == [("L-100", "loan", finding, decision)]


def test_nobody_can_accept_a_row_that_names_two_loans(clerk: Client, service: DeskService) -> None:
    batch = check(clerk, pay_by_mpesa("L-100", "Pay Bill Acc. L-101"))
    position = batch.allocations.get().position
    decide(clerk, batch, position, action="accept", reason="He said so")
    decide(clerk, batch, position, action="choose", loan="L-100")
    row = batch.allocations.get()
    assert (row.finding, row.decision, service.posted) == ("two-loans", "open", [])


@pytest.mark.parametrize(
    ("other", "finding"),
    [
        ("L-101", "near-loan"),
        ("L-010", "near-loan"),
        ("L1-00", "near-loan"),
        ("L-211", "fine"),
        ("L-1000", "fine"),
    ],
)
def test_without_a_payer_another_loan_one_digit_away_is_asked_about(
    clerk: Client, service: DeskService, other: str, finding: str
) -> None:
    service.add(other, "B-9")
    counted()
    batch = check(clerk, pay("L-100"))
    assert list_rows(batch)[0][2] == finding

"""A row that names its loan, and says something else that does not fit: a person decides."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest
from django.test import Client

from lendingadmin.desk.statements.models import PayerLink
from tests.faults.behaviours import refusal
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.portfolio.conftest import counted
from tests.statements import making, making_banks
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


EVENT = making.Event(
    "payment",
    "SJAA000001",
    datetime(2026, 10, 22, 9, tzinfo=making.NAIROBI),
    Decimal(1),
    Decimal(1001),
    name="ANNE WANJIRU",
    phone="254712345678",
)


def write_table(name: str, change: dict[str, str], event: making.Event) -> bytes:
    """A row of a layout, with other values in columns of these headings."""
    *above, header, row = making.LAYOUTS[name]([event])
    header, row = [*header, *(one for one in change if one not in header)], [*row]
    row += [""] * (len(header) - len(row))
    for heading, text in change.items():
        row[header.index(heading)] = text
    # All of it in the currency of the loans.
    rows = [["KES" if cell in ("GHS", "GMD") else cell for cell in one] for one in [header, row]]
    return making.pack_csv([*above, *rows])


def write_bank(reference: str, other: str) -> bytes:
    fields = {"Narrative": f"{other} Acc. {reference}"}
    return write_table("bank-account", fields, EVENT)


def write_camt(reference: str, tag: str) -> bytes:
    """An entry whose end-to-end id is the reference."""
    text = making_banks.write_camt([replace(EVENT, reference=reference)]).decode()
    return text.replace(f"<Ustrd>{reference}</Ustrd>", tag).encode()


def write_mt940(row: str, words: str) -> bytes:
    text = making_banks.write_mt940([EVENT]).decode()
    start = text.index(":86:")
    before = text[:start].replace("NONREF//", row)
    return f"{before}:86:{words}{text[text.index(chr(10), start) :]}".encode()


def name_table(layout: str, main: str, other: str) -> Callable[[str, str], bytes]:
    event = replace(EVENT, receipt="9000000001") if layout in making.OF_DIGITS else EVENT
    return lambda one, two: write_table(layout, {main: one, other: two}, event)


WRITE = [
    pytest.param(name_table("mtn-momo", "To message", "External id"), id="mtn"),
    pytest.param(name_table("airtel-money", "Reference No.", "Remarks"), id="airtel"),
    pytest.param(name_table("mpesa-organisation", "A/C No.", "Invoice Number"), id="mpesa"),
    pytest.param(name_table("wave", "client_reference", "Description"), id="wave"),
    pytest.param(name_table("pawapay", "statement description", "reference"), id="pawapay"),
    pytest.param(write_bank, id="bank"),
    *(
        pytest.param(lambda one, two, tag=tag: write_camt(one, tag.format(two)), id=f"camt{at}")
        for at, tag in enumerate(
            (
                "<Ustrd>for</Ustrd><Ustrd>{}</Ustrd>",
                "<Strd><RfrdDocInf><Nb>{}</Nb></RfrdDocInf></Strd>",
                "<Strd><AddtlRmtInf>{}</AddtlRmtInf></Strd>",
            )
        )
    ),
    *(
        pytest.param(
            lambda one, two, row=row, words=words: write_mt940(
                row.format(one, two), words.format(one, two)
            ),
            id=f"mt940-{at}",
        )
        for at, (row, words) in enumerate(
            (
                ("{0}//", "{1} NAME ANNE"),
                ("{0}//", "/REMI/{1}/"),
                ("{0}//", "166?00CREDIT?20SVWZ+{1}?32ANNE WANJIRU"),
                ("NONREF//", "166?00CREDIT?20EREF+{0}?21KREF+{1}?32ANNE WANJIRU"),
                ("NONREF//", "?20EREF+{0}?21SVWZ+{1}"),
                ("NONREF//", "/EREF/{0}//REMI/{1}"),
                ("NONREF//", "EREF+{0} SVWZ+{1}"),
                ("NONREF//", "EREF: {0} SVWZ: {1}"),
            )
        )
    ),
]


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
        ("Pay Bill from 25471****678 - ANNE WANJIRU for L-300 and L-100", "two-loans", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU for l 0300", "two-loans", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU for L300", "two-loans", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU for b-3", "two-loans", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L-1001", "two-loans", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L-10", "two-loans", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L100", "fine", "accepted"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. 7000", "fine", "accepted"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L-100 for B-1", "fine", "accepted"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L-100 loan 7000", "fine", "accepted"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L-100 loan 7001", "proposed", "open"),
        ("Pay Bill from 25471****678 - ANNE WANJIRU Acc. L-100, L-200", "proposed", "open"),
        ("Pay Bill from 25479****111 - PETER OTIENO Acc. L-100", "other-payer", "open"),
        ("Pay Bill Acc. L-100 " + "thanks " * 500 + "for L-300", "proposed", "open"),
    ],
)
def test_a_row_that_names_two_loans_was_edited(
    clerk: Client, service: DeskService, details: str, finding: str, decision: str
) -> None:
    service.add("L-300", "B-3")
    service.add("L-200", "B-1")
    counted()
    batch = check(clerk, pay_by_mpesa("L-100", details))
    assert list_rows(batch) == [("L-100", "loan", finding, decision)]


@pytest.mark.parametrize("other", ["L-300", "thanks, l 300!", "L-100 and B-3"])
@pytest.mark.parametrize("write", WRITE)
def test_any_other_reference_of_a_row_may_name_another_loan(
    clerk: Client, service: DeskService, write: Callable[[str, str], bytes], other: str
) -> None:
    service.add("L-300", "B-3")
    counted()
    batch = check(clerk, write("L-100", other))
    assert [one[2:] for one in list_rows(batch)] == [("two-loans", "open")]


@pytest.mark.parametrize("other", ["9f1c2d3e-77aa", "FT26110201, l 100", "b-1 5.22"])
@pytest.mark.parametrize("write", WRITE)
def test_a_reference_that_names_no_loan_contradicts_nothing(
    clerk: Client, service: DeskService, write: Callable[[str, str], bytes], other: str
) -> None:
    service.add("L-444", "B-3")
    service.add("22", "B-4")
    service.add("FT", "22")
    counted()
    batch = check(clerk, write("L-100", other))
    assert list_rows(batch) == [("L-100", "loan", "fine", "accepted")]


def test_further_references_cost_no_call_of_the_service(
    clerk: Client, service: DeskService
) -> None:
    service.add("L-444", "B-3")
    counted()
    calls = []
    for other in ("", "9f1c2d3e-77aa L-444 7001"):
        before = service.server.hits()
        check(clerk, write_mt940("L-100//", f"/NAME/ANNE WANJIRU/REMI/{other}"))
        calls.append(service.server.hits() - before)
    assert calls[0] == calls[1] == 2


def test_a_borrower_without_an_open_loan_is_another_too(
    clerk: Client,
    service: DeskService,
    put: Put,  # noqa: F811
) -> None:
    service.add("L-300", "B-3", status=3)
    counted()
    put("B-3", surname="Otieno")
    batch = check(clerk, pay_by_mpesa("L-100", "for B-3"))
    assert [one[2:] for one in list_rows(batch)] == [("two-loans", "open")]


def test_a_payer_who_is_a_borrower_known_by_the_phone_is_another_payer(
    clerk: Client, service: DeskService
) -> None:
    service.add("L-444", "254799999999")
    counted()
    batch = check(clerk, write_bank("L-100", "MPESA 254799999999 PETER OTIENO"))
    assert [one[2:] for one in list_rows(batch)] == [("other-payer", "open")]


def test_the_phone_of_a_bank_s_debtor_is_compared(clerk: Client) -> None:
    phone = "<Dbtr><CtctDtls><MobNb>+254-799999999</MobNb></CtctDtls>"
    content = write_camt("L-100", "").replace(b"<Dbtr>", phone.encode())
    assert [one[2:] for one in list_rows(check(clerk, content))] == [("other-payer", "open")]


def test_who_is_said_to_pay_the_loan_may_not_name_another(
    clerk: Client, service: DeskService
) -> None:
    service.add("L-300", "B-3")
    counted()
    said = "MPESA 254799999999 PETER OTIENO"
    first = check(clerk, write_bank("L-100", said))
    assert list_rows(first) == [("L-100", "loan", "other-payer", "open")]
    decide(clerk, first, first.allocations.get().position, action="accept", keep="on")
    again = [check(clerk, write_bank("L-100", f"{said} {x}")) for x in ("again", "L-300")]
    assert [one[2] for batch in again for one in list_rows(batch)] == ["fine", "two-loans"]


def test_the_loan_of_the_details_cannot_be_chosen_against_the_reference(
    clerk: Client, service: DeskService
) -> None:
    service.add("L-300", "B-3")
    counted()
    batch = check(clerk, pay_by_mpesa("L-100", "for L-300"))
    decide(clerk, batch, batch.allocations.get().position, action="choose", loan="L-300")
    assert batch.allocations.get().finding == "two-loans"


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
        ("l-101", "near-loan"),
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

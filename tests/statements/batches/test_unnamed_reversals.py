"""A reversal that names no payment stops each that it may have reversed, until a person decides."""

from typing import Any

import pytest
from django.test import Client

from lendingadmin.desk.statements.lines import About
from lendingadmin.desk.statements.places import may_name_same
from tests.statements import making
from tests.statements.desk import DeskService

from .steps import bring_in, check, check_now, decide, list_rows, record

pytestmark = pytest.mark.django_db(transaction=True)
ANNE, PETER = ("25471****678 - ANNE WANJIRU", "25479****111 - PETER OTIENO")


@pytest.fixture(autouse=True)
def loan(service: DeskService) -> None:
    service.add("L-100", "B-1")
    service.people["B-1"] = ("Wanjiru Anne", "+254712345678")


def write(*rows: tuple[str, str, str, str]) -> bytes:
    """A portal's statement: id, day of October, amount and party of each row."""
    head = making.write_mpesa(making.make_events(1))[8]
    body = []
    for receipt, day, amount, party in rows:
        at = f"{day}-10-2026 10:00:00"
        is_out = amount.startswith("-")
        paid = ("", amount) if is_out else (amount, "")
        kind = "Payment Reversal" if is_out else "Pay Utility"
        reference = "" if is_out else "L-100"
        cells = [
            receipt,
            at,
            at,
            "Moved",
            "Completed",
            *paid,
            "",
            "TRUE",
            kind,
            party,
            "",
            reference,
        ]
        body.append(cells)
    return making.pack_csv([head, *body])


PAID = ("SJAA000001", "22", "500.00", ANNE)


@pytest.mark.parametrize(
    ("reversal", "finding"),
    [
        (("SJAA000002", "23", "-500.00", ANNE), "may-reversed"),
        (("SJAA000002", "22", "-500.00", ANNE), "may-reversed"),
        (("SJAA000002", "23", "-500.00", ""), "may-reversed"),
        (("SJAA000002", "23", "-500.00", PETER), "fine"),
        (("SJAA000002", "23", "-500.01", ANNE), "fine"),
        (("SJAA000002", "21", "-500.00", ANNE), "fine"),
    ],
)
def test_a_payment_that_it_may_have_reversed_waits(
    clerk: Client, service: DeskService, reversal: Any, finding: str
) -> None:
    batch = check(clerk, write(PAID, reversal))
    assert [one[2] for one in list_rows(batch)] == [finding]


def test_it_is_found_in_a_later_file_too(clerk: Client, service: DeskService) -> None:
    batch = check(clerk, write(PAID))
    assert [one[2:] for one in list_rows(batch)] == [("fine", "accepted")]
    bring_in(clerk, write(("SJAA000002", "23", "-500.00", ANNE)))
    record(clerk, batch)
    assert [one[2:] for one in list_rows(batch)] == [("may-reversed", "open")]
    assert service.posted == []


def test_a_reversal_of_another_account_stops_nothing(clerk: Client, service: DeskService) -> None:
    other = b"Short Code,777777\n" + write(("SJAA000002", "23", "-500.00", ""))
    bring_in(clerk, other)
    batch = check(clerk, b"Short Code,888888\n" + write(PAID))
    assert [one[2] for one in list_rows(batch)] == ["fine"]


def test_a_payment_of_no_account_may_be_of_any(clerk: Client, service: DeskService) -> None:
    bring_in(clerk, b"Short Code,777777\n" + write(("SJAA000002", "23", "-500.00", "")))
    assert [one[2] for one in list_rows(check(clerk, write(PAID)))] == ["may-reversed"]


def test_a_person_may_say_that_it_was_another(clerk: Client, service: DeskService) -> None:
    batch = check(clerk, write(PAID, ("SJAA000002", "23", "-500.00", "")))
    position = batch.allocations.get().position
    decide(clerk, batch, position, action="accept")
    assert batch.allocations.get().decision == "open"  # it asks why
    decide(clerk, batch, position, action="accept", reason="It was the payment of 1 October")
    assert batch.allocations.get().decision == "accepted"
    record(clerk, check_now(batch) if batch.state == "checking" else batch)
    assert [one[0] for one in service.posted] == ["L-100"]


def test_a_row_is_not_recorded_by_itself_either(clerk: Client, service: DeskService) -> None:
    file = bring_in(clerk, write(PAID, ("SJAA000002", "23", "-500.00", ANNE)))
    answer = clerk.get(f"{file.get_absolute_url()}rows/1/record")
    assert answer.status_code == 302 and answer.headers["Location"] == file.get_absolute_url()
    other = bring_in(clerk, write(("SJAA000009", "22", "70.00", ANNE)))
    assert clerk.get(f"{other.get_absolute_url()}rows/1/record").status_code == 200


@pytest.mark.parametrize(
    ("reversal", "payment", "may_be"),
    [
        (About(phone="0712345678"), About(phone="254712345678"), True),
        (About(phone="254712***678"), About(phone="254712345678"), True),
        (About(phone="254712345678"), About(phone="254712***678"), True),
        (About(phone="0712345679"), About(phone="254712345678"), False),
        (About(reference="REV77"), About(reference="L-100"), True),
        (About(reference="REV77", payer="Jane Kamau"), About(payer="Peter Otieno"), False),
        (About(reference="REV77", payer="Peter Otieno"), About(payer="Otieno Peter"), True),
    ],
)
def test_a_reversal_names_the_same_by_any_way_of_writing(
    reversal: About, payment: About, *, may_be: bool
) -> None:
    assert may_name_same(reversal, payment) is may_be

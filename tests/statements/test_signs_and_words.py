"""A sign is never dropped, and what a payer wrote or is called decides nothing."""

import re
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lendingadmin.desk.statements import reading
from lendingadmin.desk.statements.lines import Kind, Statement
from lendingadmin.desk.statements.reading.meanings import fold_word
from tests.statements import making
from tests.statements.test_reading import open_statement

EVENT = making.Event(
    "payment",
    "SJAA000001",
    datetime(2026, 10, 1, 9, 0, tzinfo=making.NAIROBI),
    Decimal("500.00"),
    Decimal("1500.00"),
    name="ANNE WANJIRU",
    phone="254712345678",
    reference="L-100",
)
NUMERIC = {"telecel-cash", "mtn-momo"}
# A sign of less than nothing, in every way that statements write it.
NEGATIVE = (
    *("-500.00", "(500.00)", "500.00-", "500.00 DR", "−500", "-500", "KES -500.00"),
    *("DR 500.00", "500.00 NEG", "(-500.00)", "OD 500", "500.00 DEB", "OUT 500", "500KESDR"),
)
WORDS = (
    *("school fees", "refund please", "settlement", "to bank", "levy", "charge", "payout L-9"),
    *("reversal", "commission", "sweep", "MP", "SCP", "annulation", "frais"),
)


def make_event(layout: str, **fields: object) -> making.Event:
    receipt = "9000000001" if layout in NUMERIC else EVENT.receipt
    return replace(EVENT, receipt=receipt, **fields)  # type: ignore[arg-type]


def read(layout: str, event: making.Event) -> Statement:
    return open_statement(making.pack_csv(making.LAYOUTS[layout]([event])))


@pytest.mark.parametrize("written", NEGATIVE)
@pytest.mark.parametrize("layout", ["mpesa-organisation", "telecel-cash", "bank-account"])
def test_less_than_nothing_in_the_column_of_incoming_money_is_no_payment(
    layout: str, written: str
) -> None:
    rows = making.LAYOUTS[layout]([make_event(layout)])
    amount = rows[-1].index(500) if layout != "bank-account" else rows[-1].index("500.00")
    rows[-1][amount] = written
    (line,) = open_statement(making.pack_csv(rows)).lines
    assert (line.amount, line.kind) == (Decimal(-500), Kind.REVERSAL)


@pytest.mark.parametrize("layout", making.LAYOUTS)
def test_no_word_of_the_payer_makes_a_payment_something_else(layout: str) -> None:
    for words in WORDS:
        for told in ({"reference": words}, {"name": words.upper()}):
            event = make_event(layout, **told)
            (line,) = read(layout, event).lines
            assert (line.kind, line.amount) == (Kind.PAYMENT, event.amount), told


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    layout=st.sampled_from(sorted(making.LAYOUTS)),
    cents=st.integers(1, 90_000_000),
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
)
def test_what_came_in_is_a_payment_of_its_amount(layout: str, cents: int, words: list[str]) -> None:
    amount = Decimal(cents) * making.CR
    told = " ".join(words)
    event = make_event(layout, amount=amount, balance=amount + 1000, name=told, reference=told)
    found = read(layout, event)
    assert sum(line.amount or 0 for line in found.lines) == amount
    assert [line.kind for line in found.lines] == [Kind.PAYMENT]


def test_the_operator_s_type_decides() -> None:
    rows = making.write_wave([EVENT])
    rows[-1][2] = "merchant_payment_refund"
    (line,) = open_statement(making.pack_csv(rows)).lines
    assert line.kind is Kind.REVERSAL


TYPE_COLUMN = {"mpesa-organisation": 9, "mtn-momo": 4, "wave": 2, "orange-money": 4, "pawapay": 7}
TYPE_COLUMN |= {"airtel-money": 7, "wave-french": 2, "telecel-cash": 9}
# Of each type what a row of it is that somebody paid in.
TYPES = [
    *(("Bank Transfer", Kind.PAYMENT), ("School Fee Collection", Kind.PAYMENT)),
    *(("Merchant Payment", Kind.PAYMENT), ("Loan Settlement", Kind.PAYMENT)),
    *(("Virement reçu", Kind.PAYMENT), ("Remboursement de prêt", Kind.PAYMENT)),
    *(("Levy payment", Kind.PAYMENT), ("Funds transfer to", Kind.PAYMENT)),
    *(("Frais de scolarité", Kind.PAYMENT), ("Irreversible deposit", Kind.PAYMENT)),
    *(("Reversal", Kind.REVERSAL), ("customer_refund", Kind.REVERSAL)),
    *(("Annulation", Kind.REVERSAL), ("Payout", Kind.SETTLEMENT), ("Sweep", Kind.SETTLEMENT)),
    *(("Organization Settlement", Kind.SETTLEMENT), ("Cash Out", Kind.SETTLEMENT)),
    *(("Transaction Charge", Kind.CHARGE), ("FEE", Kind.CHARGE), ("Frais", Kind.CHARGE)),
]


@pytest.mark.parametrize(("written", "kind"), TYPES)
@pytest.mark.parametrize("layout", TYPE_COLUMN)
def test_what_a_payer_paid_in_is_a_payment_unless_its_type_means_nothing_else(
    layout: str, written: str, kind: Kind
) -> None:
    rows = making.LAYOUTS[layout]([make_event(layout)])
    rows[-1][TYPE_COLUMN[layout]] = written
    found = open_statement(making.pack_csv(rows))
    (line,) = found.lines
    if layout not in UNSIGNED:
        assert line.kind is kind and not found.unknown_words
    elif kind is Kind.PAYMENT and not KNOWN_IN[layout].search(written):
        # Amounts have no sign, and the type says nothing that is known: a person is asked.
        assert line.kind is Kind.OTHER and found.unknown_words == {"side": [fold_word(written)]}
    else:
        assert (line.amount or 0) < 0 or line.kind in (Kind.PAYMENT, Kind.OTHER)
        assert (line.kind is kind) or (layout == "pawapay" and line.kind is Kind.OTHER)


@pytest.mark.parametrize(
    "words",
    ["UNPAID CHEQUE L-1", "REV-CHQ DEP MARY ATIENO", "RTN CHQ 00012 REFER TO DRAWER", "RVSL L-1"],
)
def test_what_a_bank_took_back_is_a_reversal(words: str) -> None:
    rows = making.LAYOUTS["bank-account"]([replace(EVENT, kind="settlement", amount=-EVENT.amount)])
    rows[-1][2] = words
    (line,) = open_statement(making.pack_csv(rows)).lines
    assert (line.kind, line.amount) == (Kind.REVERSAL, -EVENT.amount)


UNSIGNED = ("airtel-money", "pawapay")
KNOWN_IN = {
    "airtel-money": re.compile("Merchant Payment|Collection|deposit"),
    "pawapay": re.compile("Collection|deposit"),
}


@pytest.mark.parametrize(
    ("layout", "written", "kind"),
    [
        *((name, "Disbursement", Kind.OTHER) for name in UNSIGNED),
        *((name, "B2C", Kind.OTHER) for name in UNSIGNED),
        ("airtel-money", "Merchant to Customer", Kind.OTHER),
        ("airtel-money", "Salary", Kind.OTHER),
        ("airtel-money", "Refund to payer", Kind.REVERSAL),
        ("airtel-money", "MP", Kind.SETTLEMENT),
        ("pawapay", "REMITTANCE", Kind.OTHER),
        ("pawapay", "REFUND", Kind.REVERSAL),
        ("pawapay", "PAYOUT", Kind.SETTLEMENT),
    ],
)
def test_where_amounts_have_no_sign_the_type_says_that_money_went_out(
    layout: str, written: str, kind: Kind
) -> None:
    rows = making.LAYOUTS[layout]([make_event(layout)])
    rows[-1][TYPE_COLUMN[layout]] = written
    found = open_statement(making.pack_csv(rows))
    (line,) = found.lines
    assert (line.kind, line.amount) == (kind, Decimal(-500)) and not found.unknown_words


@pytest.mark.parametrize("answer", [True, False])
def test_a_type_that_is_not_known_is_asked_once(answer: bool) -> None:
    rows = making.LAYOUTS["airtel-money"]([make_event("airtel-money")])
    rows[-1][TYPE_COLUMN["airtel-money"]] = "Mkopo"
    found = reading.read(
        making.pack_csv(rows), zone=making.NAIROBI, answers={"side": {"mkopo": answer}}
    )
    assert isinstance(found, Statement)
    (line,) = found.lines
    assert (line.kind is Kind.PAYMENT) == answer == ((line.amount or 0) > 0)


@pytest.mark.parametrize("party", ["", "SP", making.HOLDER, "123456", "123456 - Invented"])
def test_what_nobody_else_paid_in_is_what_its_type_says(party: str) -> None:
    rows = making.write_mpesa([EVENT])
    rows[-1][3], rows[-1][9], rows[-1][10], rows[-1][12] = "", "Bank Transfer", party, ""
    (line,) = open_statement(making.pack_csv(rows)).lines
    assert line.kind is Kind.SETTLEMENT

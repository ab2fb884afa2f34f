"""What a bank's payment is known by: its reference alone is not its own."""

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import alarms
from lendingadmin.desk.statements.findings import Finding
from lendingadmin.desk.statements.identity import make_ids
from lendingadmin.desk.statements.lines import Kind, Line, Standing
from lendingadmin.desk.statements.models import StatementFile
from lendingadmin.desk.statements.places import list_unallocated
from lendingadmin.money.repayments.models import Mistake, Repayment, normalise_external_id
from lendingadmin.money.repayments.states import RepaymentState
from tests.portfolio.conftest import counted
from tests.repayments.rows import row
from tests.statements import making
from tests.statements.desk import DeskService
from tests.statements.making import NAIROBI
from tests.statements.test_cases import CASES

from .steps import BASE, bring_in, check, decide, list_rows, record

CENTS = st.integers(1, 10**7).map(lambda cents: Decimal(cents) / 100)
LINES = st.builds(
    Line,
    number=st.just(1),
    kind=st.just(Kind.PAYMENT),
    amount=CENTS,
    currency=st.just("KES"),
    moment=st.integers(0, 40).map(lambda days: datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days)),
    receipt=st.sampled_from(["", "SO-4471", "000123", "1"]),
    balance=st.none() | CENTS,
    details=st.sampled_from(["AMINA", "PETER"]),
)


def name(lines: list[Line]) -> list[tuple[Line, str]]:
    return list(zip(lines, make_ids("4410022", lines, NAIROBI), strict=True))


@given(st.lists(LINES, max_size=30), st.randoms())
def test_ids_are_each_rows_own_and_the_same_in_any_order(
    lines: list[Line], chance: random.Random
) -> None:
    found = name(lines)
    assert len({normalise_external_id(one) for _line, one in found}) == len(lines)
    other = [*lines]
    chance.shuffle(other)
    assert Counter(name(other)) == Counter(found)


def test_an_id_can_be_read() -> None:
    at = datetime(2026, 11, 2, tzinfo=NAIROBI)
    line = Line(number=1, kind=Kind.PAYMENT, amount=Decimal("300"), currency="KES", moment=at)
    full = replace(line, receipt="SO-4471", balance=Decimal("700.5"))
    assert [one for _line, one in name([full, line, line])] == [
        "4410022-D20261102-A300.00-B700.50-RSO-4471",
        "4410022-D20261102-A300.00",
        "4410022-D20261102-A300.00-N2",
    ]


def read_case(case: str, file: str) -> bytes:
    return CASES["csv-sep-line"].parents[1].joinpath(case, file).read_bytes()


def answer_days(clerk: Client, file: StatementFile) -> None:
    if file.needs_answer:
        clerk.post(f"{BASE}{file.pk}/days", {"first": "day"})


@pytest.fixture
def loans(service: DeskService) -> None:
    for number in (1, 2, 3):
        service.add(f"L-{number * 137}", f"B-{number}")
        service.people[f"B-{number}"] = "Amina Saidi", "+254712345678"
    counted()


def read_bank(case: str) -> bytes:
    """Return a case with loans that are no digit apart."""
    content = CASES[case].read_bytes()
    for number in (1, 2, 3):
        content = content.replace(f"L-{number}\n".encode(), f"L-{number * 137}\n".encode())
        content = content.replace(f"L-{number} ".encode(), f"L-{number * 137} ".encode())
    return content


@pytest.mark.django_db(transaction=True)
def test_a_standing_order_is_a_payment_each_month(clerk: Client, support: User) -> None:
    typed = {"external_id": "SO-4471", "amount": Decimal(5000), "network": "Bank"}
    october = datetime(2026, 10, 5, 9, tzinfo=UTC)
    row(support, RepaymentState.RECORDED, app_id="kenya", transaction_date=october, **typed)
    file = "csv-standing-order-reference"
    found = {}
    for month in ("october", "november"):
        kept = bring_in(clerk, read_case(file, f"{month}.csv"))
        answer_days(clerk, kept)
        lines = list(kept.lines.order_by("position"))
        page = clerk.get(f"{BASE}{kept.pk}/?standing={Standing.CONFIRMED}").text
        asked = clerk.get(f"{BASE}{kept.pk}/?standing={Standing.SAME_REFERENCE}").text
        found[month] = (lines[0].receipt in page, lines[0].receipt in asked)
    assert found == {"october": (True, False), "november": (False, True)}
    # October's left the tray with what was typed; November's waits there.
    waiting = [line.receipt.partition("-D")[2][:8] for line in list_unallocated("kenya")]
    assert waiting == ["20261006", "20261105", "20261106"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("case", ["mt940-shared-bank-reference", "mt940-without-bank-reference"])
def test_payments_without_a_reference_of_their_own_are_recorded(
    clerk: Client, loans: None, case: str
) -> None:
    batch = check(clerk, read_bank(case))
    rows = list(batch.allocations.select_related("line").order_by("position"))
    known = [one for one in rows if one.account_id]
    assert known and {one.finding for one in known} == {Finding.PROPOSED}
    for one in known:
        decide(clerk, batch, one.position, action="accept")
    record(clerk, batch)
    made = Repayment.objects.order_by("pk")
    assert [one.external_id for one in made] == [one.line.receipt for one in known]
    assert {one.state for one in made} == {RepaymentState.RECORDED}
    left = {line.receipt for line in list_unallocated("kenya")}
    assert left == {one.line.receipt for one in rows} - {one.external_id for one in made}
    # The same payments in another file are the same.
    again = read_bank(case).replace(b":20:STMT1", b":20:OTHER")
    rows = list_rows(check(clerk, again))
    assert [one[2] for one in rows if one[1]] == []
    assert [one[2] for one in rows].count("recorded") == len(known)


BANK = """:20:S
:25:4410022
:28C:1/1
:60F:C261102KES0,00
{rows}
:62F:C261103KES{closing}
"""


def write_bank(*rows: str, closing: str) -> bytes:
    return BANK.format(rows="\n".join(rows), closing=closing).encode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("days", "amount", "is_told"),
    [(0, 300, False), (0, 301, True), (-28, 301, False)],
)
def test_what_was_typed_by_the_banks_reference_is_told_where_its_day_says_another_amount(
    clerk: Client, support: User, days: int, amount: int, is_told: bool
) -> None:
    at = datetime(2026, 11, 2, 9, tzinfo=UTC) + timedelta(days=days)
    typed = {"external_id": "FT1", "amount": Decimal(amount), "transaction_date": at}
    made = row(support, RepaymentState.RECORDED, app_id="kenya", network="Bank", **typed)
    bring_in(clerk, write_bank(":61:2611021102C300,00NTRFX//FT1", closing="300,00"))
    made.refresh_from_db()
    assert bool(made.alarm) is is_told


@pytest.mark.django_db(transaction=True)
def test_a_reversal_by_the_banks_reference_is_of_the_payment_with_its_amount(
    clerk: Client, support: User, loans: None
) -> None:
    file = bring_in(
        clerk,
        making.pack_csv(
            [
                ["Transaction Date", "Value Date", "Narrative", "Reference", "Debit", "Credit"],
                ["22/10/2026", "", "ANN", "SO44710001", "", "300.00"],
                ["22/10/2026", "", "BOB", "SO44710001", "", "400.00"],
                ["23/10/2026", "", "REVERSAL SO44710001", "RV1", "400.00", ""],
            ]
        ),
    )
    first, second = file.lines.filter(kind=Kind.PAYMENT).order_by("position")
    made = [
        row(
            support,
            RepaymentState.RECORDED,
            app_id="kenya",
            external_id=line.receipt,
            amount=line.amount,
            account_id=f"L-{line.position}",
            transaction_date=line.moment,
        )
        for line in (first, second)
    ]
    alarms.raise_alarms(file, support)
    reported = set(Mistake.objects.values_list("repayment", flat=True))
    assert reported == {made[1].pk}


CSV = "Transaction Date,Value Date,Narrative,Reference,Debit,Credit,Running Balance"
ROW = "22/10/2026,22/10/2026,Acc. L-137,{},,500.00,{}"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "again",
    [
        f"{CSV}\n{ROW.format('FT1', '500.00')}\n",
        f"Account Number,0099\n{CSV}\n{ROW.format('FT1', '500.00')}\n",
        f"Account Number,00 4410-022\n{CSV}\n{ROW.format('1E+11', '500.00')}\n",
        f"Account Number,4410022\n{CSV}\n{ROW.format('FT1', '')}\n",
        f"Account Number,4410022\n{CSV}\n{ROW.format('FT1', '800.00')}\n",
    ],
    ids=["no account", "another account", "a damaged reference", "no balance", "another order"],
)
def test_the_same_payment_written_otherwise_is_never_recorded_by_itself_again(
    clerk: Client, service: DeskService, loans: None, again: str
) -> None:
    first = f"Account Number,4410022\n{CSV}\n{ROW.format('FT1', '500.00')}\n"
    batch = check(clerk, first.encode())
    decide(clerk, batch, 1, action="accept")
    record(clerk, batch)
    assert len(service.posted) == 1
    batch = check(clerk, again.encode())
    assert [one[3] for one in list_rows(batch)] == ["open"]
    assert [one[2] for one in list_rows(batch)] in (["alike"], ["recorded"])


@pytest.mark.django_db(transaction=True)
def test_the_zeros_of_an_account_are_no_other_account(clerk: Client, loans: None) -> None:
    rows = f"{CSV}\n{ROW.format('FT1', '500.00')}\n"
    names = [
        bring_in(clerk, f"Account Number,{account}\n{rows}".encode()).lines.get().receipt_key
        for account in ("004410022", "4410022", "44 100 22")
    ]
    assert len(set(names)) == 1
    unnamed = [
        bring_in(clerk, f"{rows}{end}".encode()).lines.get().receipt_key for end in ("", ",")
    ]
    assert len(set(unnamed)) == 2


NO_REFERENCE = Line(
    number=1,
    kind=Kind.PAYMENT,
    amount=Decimal(500),
    currency="KES",
    moment=datetime(2026, 10, 20, tzinfo=UTC),
    receipt="",
)
PETER = replace(NO_REFERENCE, payer="OTIENO PETER", reference="LN1000300")
ABEL = replace(NO_REFERENCE, payer="ABEL MWANGI", reference="LN2000555")


def test_without_a_reference_of_the_bank_the_payers_are_told_apart() -> None:
    (peter,) = name([PETER])
    both = name([ABEL, PETER])
    assert peter in both and len({one for _line, one in both}) == 2
    assert name([replace(PETER, payer="Otieno  Peter")])[0][1] == peter[1]
    # Its id goes to the service: it says nothing of who paid.
    assert not any(word in peter[1] for word in ("OTIENO", "PETER", "1000300"))


def test_a_balance_or_reference_tells_more_than_a_payer() -> None:
    for known in ({"receipt": "000123"}, {"balance": Decimal(900)}):
        assert name([replace(PETER, **known)])[0][1] == name([replace(ABEL, **known)])[0][1]

"""Each layout in each form a statement comes in, its traps, and files that are none."""

import io
from datetime import timedelta
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lendingadmin.desk.statements.lines import Kind, Mapping, Refused, Statement, UnknownTable
from lendingadmin.desk.statements.reading import read
from lendingadmin.desk.statements.reading.days import find_day_order, read_moment
from lendingadmin.desk.statements.reading.figures import read_amount, read_currency, read_id

from . import making
from .making import NAIROBI

EVENTS = making.make_events(90)


def open_statement(content: bytes, **options: Any) -> Statement:
    found = read(content, zone=NAIROBI, **options)
    assert isinstance(found, Statement)
    return found


_NO_REFERENCE = {"wave-french", "pawapay", "orange-money", "telecel-cash", "bank-account"}
_NO_REFERENCE |= {"airtel-money-user"}


@pytest.mark.parametrize("pack", making.PACKS)
@pytest.mark.parametrize("layout", making.LAYOUTS)
def test_each_layout_in_each_form(layout: str, pack: str) -> None:
    events = making.make_events(60, digits=layout in making.OF_DIGITS)
    rows = making.LAYOUTS[layout](events)
    found = open_statement(making.PACKS[pack](rows))
    assert found.layout == layout
    lines = found.lines[::-1] if found.newest_first else found.lines
    shown = [x for x in events if x.receipt in {line.receipt for line in lines}]
    assert [line.receipt for line in lines] == [one.receipt for one in shown]
    assert [line.kind for line in lines] == [one.kind for one in shown]
    assert [line.amount for line in lines] == [one.amount for one in shown]
    assert len(lines) > 20 and all(isinstance(line.kind, Kind) for line in lines)
    assert not any(line.is_damaged for line in lines)
    if layout == "bank-account":
        assert [line.moment.date() for line in lines if line.moment] == [x.at.date() for x in shown]
    else:
        assert [line.moment for line in lines] == [one.at for one in shown]
    paid = [line for line in lines if line.kind is Kind.PAYMENT]
    if layout not in _NO_REFERENCE:
        assert [line.reference for line in paid] == [
            one.reference for one in shown if one.kind == "payment"
        ]


def test_every_column_of_a_reference_is_read() -> None:
    table = (
        "Booked,In,Our ref,Payer,Remarks,Loan No,Branch\n2026-10-22,500,R1,ANNE,for L-3,L-4,L-5\n"
    )
    named = Mapping(moment="Booked", amount="In", reference="Our ref", payer="Payer")
    found = open_statement(table.encode(), mapping=named)
    assert [(x.reference, x.others) for x in found.lines] == [("R1", ["for L-3", "L-4"])]


def test_the_head_says_whose_it_is_and_what_it_covers() -> None:
    found = open_statement(making.pack_csv(making.write_mpesa(EVENTS)))
    assert (found.network, found.account, found.holder) == (
        "M-PESA",
        "123456",
        making.HOLDER,
    )
    assert (str(found.begins), str(found.ends)) == ("2026-10-01", "2026-10-31")
    assert (found.opening, found.closing) == (Decimal("1000.00"), EVENTS[-1].balance)
    assert found.newest_first
    reversals = [line for line in found.lines if line.kind is Kind.REVERSAL]
    assert [line.reverses for line in reversals[::-1]] == [x.reverses for x in EVENTS if x.reverses]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_each_delimiter_and_encoding(delimiter: str, encoding: str) -> None:
    rows = making.write_mpesa(EVENTS)
    content = making.pack_csv(rows, delimiter=delimiter, encoding=encoding)
    assert len(open_statement(content).lines) == 90


def test_what_was_encoded_twice_is_put_right() -> None:
    rows = making.write_wave_french(EVENTS)
    once = making.pack_csv(rows)
    twice = once.decode("cp1252", errors="ignore").encode()
    for content in (once, twice, making.pack_csv(rows, encoding="cp1252")):
        found = open_statement(content)
        assert {line.payer for line in found.lines} & {"LÉA N’GUESSAN"}


@pytest.mark.parametrize("form", ["day", "iso", "short"])
def test_each_form_of_its_moments(form: str) -> None:
    found = open_statement(making.pack_csv(making.write_mpesa(EVENTS, form=form)))
    at = EVENTS[-1].at
    assert found.lines[0].moment == (at.replace(second=0) if form == "short" else at)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        *(("(1,234.50)", "-1234.50"), ("500 DR", "-500"), ("500.00CR", "500.00")),
        *(("KES 1,234.50", "1234.50"), ("Ksh 2 000", "2000"), ("-12.5", "-12.5")),
        *(("1 234,50", "1234.50"), ("1.234,50", "1234.50"), ("12,34,567.00", "1234567.00")),
        *(("−7", "-7"), ("7-", "-7"), ("", None), ("no", None), ("1.2.3", None), ("NaN", None)),
        *(("1.2345", None), ("9" * 16, None), ("0.125", "0.125"), ("9" * 15, "9" * 15)),
        *(("500/=", "500"), ("1,500/-", "1500"), ("Ksh 500/=", "500"), ("-500/=", "-500")),
        *(("1E5", None), ("Infinity", None), (".", None), ("()", None), ("KES", None)),
    ],
)
def test_amounts(text: str, amount: str | None) -> None:
    assert read_amount(text) == (None if amount is None else Decimal(amount))


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [
        *(("25.000", "XOF", "25000"), ("1.250.000", "XOF", "1250000"), ("25,000", "UGX", "25000")),
        *(("25.000", "KWD", "25.000"), ("25.000", "KES", "25.000"), ("25,000", "KES", "25000")),
        *(("-25.000", "XOF", "-25000"), ("1500", "XOF", "1500"), ("F CFA 25.000", "XOF", "25000")),
        *(("25.50", "XOF", None), ("25,5", "UGX", None), ("1 500,25", "XAF", None)),
        *(("25.00", "XOF", "25"), ("1,500.00", "UGX", "1500"), ("25.50", "KES", "25.50")),
    ],
)
def test_a_currency_without_minor_units_has_no_decimals(
    text: str, currency: str, amount: str | None
) -> None:
    assert read_amount(text, currency) == (None if amount is None else Decimal(amount))


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        *(("USD 25.00", "USD"), ("€ 40.00", "EUR"), ("25.00 EUR", "EUR"), ("Ksh 2 000", "KES")),
        *(("1,234.50", ""), ("500 DR", ""), ("KES 500.00CR", "KES"), ("(GHS 7)", "GHS")),
        *(("500/=", ""), ("XYZ 4", ""), ("", "")),
    ],
)
def test_the_currency_that_an_amount_names(text: str, currency: str) -> None:
    assert read_currency(text) == currency


BANK_HEAD = "Transaction Date,Value Date,Narrative,Reference,Debit,Credit,Running Balance\n"
PAID = "02/11/2026,02/11/2026,ANNE L-1,FT1,,100.00,1100.00\n"


@pytest.mark.parametrize(
    "below",
    [
        *(",,TOTAL,,,100.00,\n", "Total,,,,0.00,100.00,1100.00\n", "Totals,,,Total,,100.00,\n"),
        *(",,Grand total,,,100.00,1100.00\n", ",,JUMLA,,,100.00,\n", BANK_HEAD),
        *(",,CARRIED FORWARD,,,,1100.00\n", ",,Balance brought forward,,,,1100.00\n"),
    ],
)
def test_what_adds_up_rows_is_no_row(below: str) -> None:
    found = open_statement(f"{BANK_HEAD}{PAID}{below}".encode())
    assert [(line.kind, line.amount) for line in found.lines] == [(Kind.PAYMENT, 100)]


@pytest.mark.parametrize(
    "row",
    [
        "02/11/2026,02/11/2026,TOTAL ENERGIES,FT2,,100.00,1200.00\n",
        "31/02/2026,31/02/2026,TOTAL ENERGIES,FT2,,100.00,1200.00\n",
        "31/02/2026,,TOTAL ENERGIES,,,100.00,1200.00\n",
        ",,TOTAL ENERGIES,FT2,,100.00,1200.00\n",
    ],
)
def test_a_payer_who_is_called_total_is_a_row(row: str) -> None:
    found = open_statement(f"{BANK_HEAD}{PAID}{row}".encode())
    assert [line.amount for line in found.lines] == [100, 100]


@given(st.from_regex(r"-?[0-9]{1,17}(\.[0-9]{0,4})?", fullmatch=True))
def test_plain_figures_are_read_as_with_their_currency(text: str) -> None:
    assert read_amount(text) == read_amount(f"KES {text}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("850060.0", ("850060", False)), ("85 00 60", ("850060", False))),
        *(("1.42593E+11", ("1.42593E+11", True)), ("1,42593E+11", ("1,42593E+11", True))),
        *(("12345678901234567.0", ("12345678901234567", True)), ("007", ("007", False))),
        *(("SJ12AB34CD", ("SJ12AB34CD", False)), ("", ("", False))),
        ("5E12345678", ("5E12345678", False)),  # pragma: allowlist secret
        ("5E+12", ("5E+12", True)),
    ],
)
def test_ids(text: str, expected: tuple[str, bool]) -> None:
    assert read_id(text) == expected


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        *(("04-01-2020 17:16:40", "2020-01-04T17:16:40"), ("2020-01-04 17:16", "2020-01-04T17:16")),
        *(("21-MAR-2026  19:57:32", "2026-03-21T19:57:32"), ("05-Feb-2026", "2026-02-05T00:00")),
        *(("Mar 3  2025  10:00:00 AM", "2025-03-03T10:00"), ("3 août 2026", "2026-08-03T00:00")),
        *(("20261001060007", "2026-10-01T06:00:07"), ("1/2/26 12:30 PM", "2026-02-01T12:30")),
        *(("31/02/2026", None), ("no date", None), ("", None), ("2026-13-01", None)),
        *(("99999999", None), ("0000-00-00", None), ("2026-10-01 25:00", None)),
    ],
)
def test_moments(text: str, iso: str | None) -> None:
    found = read_moment(text, NAIROBI, day_first=True).at
    assert (found.replace(tzinfo=None).isoformat() if found else None) == (
        iso and (iso if iso.count(":") == 2 else f"{iso}:00")
    )


def test_the_days_are_read_so_that_the_rows_stay_in_order() -> None:
    months = [f"0{month}/05/2026" for month in range(1, 10)]
    order = find_day_order([*months, "10/05/2026"], NAIROBI)
    assert order == (False, True) or order.is_proposed
    ordered = [f"{day:02}/10/2026" for day in range(1, 13)]
    assert find_day_order(ordered, NAIROBI) == (True, True)
    assert find_day_order([*ordered, "13/10/2026"], NAIROBI) == (True, False)
    assert find_day_order(["10/13/2026"], NAIROBI) == (False, False)


def test_a_persons_answer_decides_the_days() -> None:
    events = [one for one in EVENTS if one.at.day < 13 and one.kind != "failed"][:9]
    rows = [["Transaction Date", "Value Date", "Narrative", "Reference", "Debit", "Credit"]]
    rows += [["03/04/2026", "", "x", one.receipt, "", str(abs(one.amount))] for one in events]
    content = making.pack_csv(rows)
    assert open_statement(content).day_is_proposed
    by_month = open_statement(content, day_first=False)
    assert not by_month.day_is_proposed
    assert by_month.lines[0].moment and by_month.lines[0].moment.month == 3


def test_digits_that_a_spreadsheet_took_make_no_key() -> None:
    rows = making.write_airtel(EVENTS)
    rows[8][1] = "1.42593E+11"
    rows[9][1] = 142593000000.0
    found = open_statement(making.pack_csv(rows))
    assert [line.is_damaged for line in found.lines[:5]] == [False, False, True, False, False]
    assert found.lines[2].receipt == "1.42593E+11"


def test_an_unknown_table_is_read_as_a_person_says() -> None:
    rows: making.Rows = [["Tag", "Ref", "Wer", "Summe"]]
    rows += [["2026-10-02", f"R{n}", "Ann", f"{n}.50"] for n in range(1, 30)]
    found = read(making.pack_csv(rows, delimiter=";"), zone=NAIROBI)
    assert isinstance(found, UnknownTable)
    assert (found.header, found.header_row, len(found.sample)) == (rows[0], 1, 20)
    again = read(making.pack_xlsx(rows), zone=NAIROBI)
    assert isinstance(again, UnknownTable) and again.fingerprint == found.fingerprint
    mapping = Mapping(moment="Tag", amount="Summe", receipt="Ref", payer="Wer")
    mapped = open_statement(making.pack_csv(rows, delimiter=";"), mapping=mapping)
    assert (mapped.layout, len(mapped.lines)) == ("mapped", 29)
    assert (mapped.lines[0].receipt, mapped.lines[0].amount) == ("R1", Decimal("1.50"))
    assert mapped.lines[0].payer == "Ann" and mapped.lines[0].kind is Kind.PAYMENT


def test_callbacks_as_json_lines() -> None:
    header, *rows = making.write_callbacks(EVENTS)
    import simplejson

    text = "\n".join(simplejson.dumps(dict(zip(header, row, strict=True))) for row in rows)
    found = open_statement(text.encode())
    assert found.layout == "mpesa-callbacks" and found.account == "123456"
    assert [line.amount for line in found.lines] == [row[3] for row in rows]


@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_no_bytes_are_a_fault(content: bytes) -> None:
    try:
        read(content, zone=NAIROBI)
    except Refused as error:
        assert str(error).endswith(".")


@settings(max_examples=40, deadline=timedelta(seconds=20))
@given(
    st.integers(0, 4000),
    st.binary(min_size=1, max_size=20),
    st.sampled_from(["csv", "xlsx", "xls"]),
)
def test_no_damaged_file_is_a_fault(at: int, noise: bytes, pack: str) -> None:
    content = _PACKED[pack]
    at %= len(content)
    try:
        read(content[:at] + noise + content[at + len(noise) :], zone=NAIROBI)
    except Refused as error:
        assert str(error).endswith(".")


_PACKED = {pack: making.PACKS[pack](making.write_mpesa(EVENTS)) for pack in ("csv", "xlsx", "xls")}


def test_a_spreadsheet_that_asks_for_too_much_memory_ends_its_own_process_only() -> None:
    book = openpyxl.Workbook()
    book.active.cell(row=1_048_576, column=16_384, value="x")
    book.active.cell(row=1, column=1, value="x")
    out = io.BytesIO()
    book.save(out)
    with pytest.raises(Refused) as refused:
        read(out.getvalue(), zone=NAIROBI)
    assert refused.value.code == "cells"

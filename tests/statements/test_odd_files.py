"""Files that say the same in another way, and those that hide what decides."""

import json
from decimal import Decimal

import pytest

from lendingadmin.desk.statements.completeness import prove
from lendingadmin.desk.statements.lines import Kind, Mapping, Refused, Statement, UnknownTable
from lendingadmin.desk.statements.reading import read

from . import making
from .making import NAIROBI

BANK = "Transaction Date,Value Date,Narrative,Reference,Debit,Credit,Running Balance"
AIRTEL = "Record No,Transaction ID,Transaction Date & Time,Transaction Amount,Transaction Status"
WAVE = "timestamp,transaction_id,transaction_type,amount,fee,currency,client_reference"
CALLBACK = {"TransID": "SJAA000001", "TransTime": "20261122060007", "TransAmount": "500.00"}
CALLBACK |= {"BusinessShortCode": "1", "BillRefNumber": "L-1"}


def open_rows(*rows: str, **options: object) -> Statement:
    found = read("\n".join(rows).encode(), zone=NAIROBI, currency="KES", **options)  # type: ignore[arg-type]
    assert isinstance(found, Statement)
    return found


def kinds(found: Statement) -> list[str]:
    return [line.kind.value for line in found.lines]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            [f"{BANK},Status", *(f"22/11/2026,,x,F{n},,500.00,,{word}" for n, word in enumerate(
                ("Posted", "Reversed", "Pending")))],
            ["payment", "failed", "failed"],
        ),
        ([f"{WAVE},status", "2026-11-22T10:00:00,T1,merchant_payment,500,0,XOF,L,failed"],
         ["failed"]),
        ([json.dumps(CALLBACK | {"Status": "Cancelled"})], ["failed"]),
    ],
    ids=["a bank", "Wave", "callbacks"],
)  # fmt: skip
def test_a_known_layout_with_a_status_of_its_own_is_read_with_it(
    rows: list[str], expected: list[str]
) -> None:
    assert kinds(open_rows(*rows)) == expected


@pytest.mark.parametrize(
    ("heading", "cells", "field"),
    [
        ("Type", ("Credit", "Debit", "Fee"), "side"),
        ("Estado", ("Concluido", "Falhado"), "status"),
        ("Txn Status", ("Completed", "Limbo", "Parked", "Odd"), "status"),
        ("Kind", ("Cash In", "Cash Out"), "side"),
        ("Aina", ("Kuingia", "Kutoka"), "side"),
        ("Txn Currency", ("Ksh", "Bob"), "currency"),
        ("Success?", ("Yes", "No"), "status"),
        ("Reversed", ("No", ""), "status"),
        ("isSuccessful", ("true", "false"), "status"),
        ("txn_status", ("A", "B"), "status"),
        ("Response", ("00", "51", "91"), "status"),
        ("RC", ("00", "51"), "status"),
        ("Imeghairiwa", ("ndiyo", "hapana"), "status"),
        ("OK", ("oui", "non"), "status"),
        ("Dr / Cr", ("A", "B"), "side"),
    ],
)
def test_a_column_that_decides_is_seen_by_its_heading_or_half_of_its_words(
    heading: str, cells: tuple[str, ...], field: str
) -> None:
    body = [f"2026-11-22,R{n},Ann,{n}.00,{cell}" for n, cell in enumerate(cells)]
    found = read("\n".join([f"Siku,Kumb,Nani,Kiasi,{heading}", *body]).encode(), zone=NAIROBI)
    assert isinstance(found, UnknownTable) and found.deciding == {field: heading}


@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("Balance Confirmed", ("TRUE", "FALSE")),
        ("Reversal Date", ("2026-11-22", "")),
        ("Completed by", ("Ann", "Eve")),
        ("Branch", ("001", "002")),
        ("Refund amount", ("0.00", "5.00")),
        ("Toka", ("n/a", "")),
    ],
)
def test_a_column_of_days_people_or_sums_decides_nothing(
    heading: str, cells: tuple[str, ...]
) -> None:
    body = [f"2026-11-22,R{n},Ann,{n}.00,{cell}" for n, cell in enumerate(cells)]
    found = read("\n".join([f"Siku,Kumb,Nani,Kiasi,{heading}", *body]).encode(), zone=NAIROBI)
    assert isinstance(found, UnknownTable) and not found.deciding


MAPPED = Mapping(moment="Siku", amount="Kiasi", status="Hali")


@pytest.mark.parametrize(
    ("heading", "cell", "kind", "asks"),
    [
        ("Success?", "Yes", "payment", False),
        ("Success?", "No", "failed", False),
        ("Success?", "1", "payment", False),
        ("Success?", "Perhaps", "other", True),
        ("Reversed", "Yes", "failed", False),
        ("Reversed", "No", "payment", False),
        ("Reversed", "", "payment", False),
        ("Reversed", "reversed", "failed", False),
        ("Reversal Status", "Completed", "other", True),
        ("Annulé", "oui", "failed", False),
        ("isReversed", "true", "failed", False),
        ("Response", "51", "other", True),
        ("Result", "Posted", "payment", False),
        ("Settled", "No", "other", True),
    ],
)
def test_a_second_column_that_decides_is_read_too(
    heading: str, cell: str, kind: str, asks: bool
) -> None:
    found = open_rows(
        f"Siku,Kumb,Kiasi,Hali,{heading}", f"2026-11-22,R1,5.00,Completed,{cell}", mapping=MAPPED
    )
    assert (kinds(found), bool(found.unknown_words)) == ([kind], asks)
    own = Mapping(moment="Siku", amount="Kiasi", status=heading)
    found = open_rows(f"Siku,Kumb,Kiasi,{heading}", f"2026-11-22,R1,5.00,{cell}", mapping=own)
    assert (kinds(found), bool(found.unknown_words)) == ([kind], asks)
    bank = open_rows(f"{BANK},{heading}", f"22/11/2026,,x,F1,,500.00,,{cell}")
    assert (kinds(bank), bool(bank.unknown_words)) == ([kind], asks)
    if asks:
        for is_done, then in ((True, "payment"), (False, "failed")):
            answers = {"status": dict.fromkeys(bank.unknown_words["status"], is_done)}
            again = open_rows(
                f"{BANK},{heading}", f"22/11/2026,,x,F1,,500.00,,{cell}", answers=answers
            )
            assert kinds(again) == [then] and not again.unknown_words


def test_an_answer_about_one_column_says_nothing_of_another() -> None:
    rows = (f"{BANK},Reversal Status,Status", "22/11/2026,,x,F1,,500.00,,Done,Done")
    found = open_rows(*rows)
    assert found.unknown_words == {"status": ["reversal status: done"]}


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (("Completed", ""), ["payment", "other"]),
        (("", ""), ["payment", "payment"]),
        (("Failed", ""), ["failed", "other"]),
    ],
)
def test_an_empty_status_beside_filled_ones_is_asked(
    statuses: tuple[str, str], expected: list[str]
) -> None:
    table = [f"2026-11-22,R{n},5.00,{cell}" for n, cell in enumerate(statuses)]
    parts = write_camt("2026-11-21", "2026-11-22").decode().split("<Sts>BOOK</Sts>")
    one, other = (f"<Sts>{CAMT_WORDS[word]}</Sts>" for word in statuses)
    entries = f"{parts[0]}{one}{parts[1]}{other}{parts[2]}"
    asked = {"status": ["(empty)"]} if "other" in expected else {}
    for rows, options in (
        (["Siku,Kumb,Kiasi,Hali", *table], {"mapping": MAPPED}),
        ([entries], {}),
    ):
        found = open_rows(*rows, **options)
        assert (kinds(found), found.unknown_words) == (expected, asked)
        answered = open_rows(*rows, **options, answers={"status": {"(empty)": False}})
        assert kinds(answered) == [one.replace("other", "failed") for one in expected]
        assert not answered.unknown_words


CAMT_WORDS = {"Completed": "BOOK", "Failed": "PDNG", "": ""}


@pytest.mark.parametrize(
    ("heading", "code"),
    [
        ("Kiasi (USD)", "USD"),
        ("KIASI KES", "KES"),
        ("Kiasi Ksh", "KES"),
        ("Montant FCFA", "XOF"),
        ("All Kiasi", ""),
        ("ALL TOP KIASI", ""),
        ("Kiasi", ""),
    ],
)
def test_the_heading_of_the_amounts_may_name_their_currency(heading: str, code: str) -> None:
    mapping = Mapping(moment="Siku", amount=heading)
    found = open_rows(f"Siku,Kumb,{heading}", "2026-11-22,R1,500", mapping=mapping)
    assert (found.currency, found.lines[0].currency) == (code, code)
    cell = open_rows(f"Siku,Kumb,{heading}", "2026-11-22,R1,EUR 500", mapping=mapping)
    assert cell.lines[0].currency == "EUR"


@pytest.mark.parametrize(
    ("cell", "code"), [("Ksh", "KES"), ("kes", "KES"), ("FCFA", "XOF"), ("Sarafu", "SAR")]
)
def test_a_cell_names_its_currency_as_amounts_do(cell: str, code: str) -> None:
    mapping = Mapping(moment="Siku", amount="Kiasi", currency="Sarafu")
    found = open_rows("Siku,Kumb,Kiasi,Sarafu", f"2026-11-22,R1,500,{cell}", mapping=mapping)
    assert found.lines[0].currency == code


def test_an_empty_side_beside_filled_ones_is_asked() -> None:
    mapping = Mapping(moment="Siku", amount="Kiasi", side="Aina")
    rows = ("Siku,Kumb,Kiasi,Aina", "2026-11-22,R1,5.00,CR", "2026-11-22,R2,6.00,")
    found = open_rows(*rows, mapping=mapping)
    assert found.unknown_words == {"side": ["(empty)"]} and kinds(found) == ["payment", "other"]
    found = open_rows(*rows, mapping=mapping, answers={"side": {"(empty)": False}})
    assert [line.amount for line in found.lines] == [Decimal(5), Decimal(-6)]


@pytest.mark.parametrize(
    "row",
    [
        "3 Machi 2026,3 Machi 2026,Acc. L-274,,,1.500.000,",
        "23/11/2026,,Acc. L-137,X1,,5OO.00,500.00",
        "2026-11-23,,Acc. L-137,X1,,300.00,",
    ],
    ids=["nothing can be read", "its amount can't", "its day is written in another way"],
)
def test_a_row_that_can_not_be_read_is_named(row: str) -> None:
    found = open_rows(BANK, "22/11/2026,,x,F1,,500.00,", row)
    assert found.flaws and len(found.lines) == 2


@pytest.mark.parametrize(
    ("words", "is_total"),
    [
        ("TOTAL", True), ("Grand total:", True), ("Period total", True), ("Solde final", True),
        ("Montant total", True), ("Jumla kuu", True), ("CARRIED FORWARD", True),
        ("Closing balance", True), ("Total Paid In", True), ("TOTAL KES", True),
        ("Total Ksh", True), ("Opening balance", True), ("Balance b/f", True), ("B/F", True),
        ("Balance C/D", True), ("Solde initial", True), ("Solde d’ouverture", True),
        ("Solde au 31/10/2026", True), ("Report à nouveau", True), ("Sous-total", True),
        ("Total des crédits", True), ("Saldo inicial", True), ("Saldo anterior", True),
        ("Total geral", True), ("Salio la awali", True), ("Jumla ndogo", True),
        ("Total for 31 Oct 2026", True), ("Total (25)", True), ("Total: 48221.04", True),
        ("TOTAL ENERGIES LTD L-3", False), ("Sum Ann", False), ("Summary Otieno", False),
        ("Total 20041", False), ("closing payment", False), ("malipo ya mwisho", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("day", ["", "22/11/2026"])
def test_a_total_is_no_row_and_a_payer_is(words: str, is_total: bool, day: str) -> None:
    found = open_rows(BANK, "22/11/2026,,x,F1,,500.00,", f"{day},,{words},,,700.00,")
    assert (len(found.lines), found.skipped) == (2 - is_total, is_total)


def test_a_total_in_a_column_of_ids_or_without_a_name_is_no_row() -> None:
    rows = ["Total,,22/11/2026,700.00,,,", "9,,22/11/2026,700.00,TS,TOTAL KES,"]
    found = open_rows(MANY, "1,261,22/11/2026,500.00,TS,ANN,MR", *rows)
    assert (len(found.lines), found.skipped) == (1, 2)


@pytest.mark.parametrize(
    "label", ["Till Number", "MSISDN", "Account No", "Merchant code", "Account Name"]
)
@pytest.mark.parametrize("form", ["{0},{1}", "{0}: {1}", "{0}:,{1}"])
def test_two_statements_in_one_table_are_refused(label: str, form: str) -> None:
    def write(own: str, number: int) -> list[str]:
        body = [f"{n},26{n},0{n}/11/2026,5.00,TS,ANN,MR" for n in range(number, number + 2)]
        return ["Report", form.format(label, own), "", "Total transactions,48221", MANY, *body]

    for own, other in (("555100", "555100"), ("555100", "777200")):
        own, other = (f"Shop {x}" if label == "Account Name" else x for x in (own, other))
        rows = [*write(own, 1), *write(other, 3)]
        if own == other:
            assert len(open_rows(*rows).lines) == 4
        else:
            with pytest.raises(Refused):
                open_rows(*rows)
    odd = AIRTEL.replace("Record No", "S. No.") + ",Sender Msisdn,Service Name"
    for other_head in (BANK, odd):
        with pytest.raises(Refused):
            open_rows(*write("1", 1), other_head, "23/11/2026,,x,F2,,700.00,")
    if label == "MSISDN":
        with pytest.raises(Refused):
            open_rows(MANY, "1,261,01/11/2026,5.00,TS,ANN,MR", *write("777200", 3))


@pytest.mark.parametrize(
    "rows",
    [
        ("10/31/2026,AMINA L-1,T1,1500.00", "10/31/2026,PETER L-2,T2,700.00"),
        ("31/10/2026,AMINA L-1,T1,1500.00", "31/10/2026,PETER L-2,T2,700.00"),
        ("46328,AMINA L-1,T1,Paid,KES 1500.00", "46328,PETER L-2,T2,Paid,KES 700.00"),
        ("2 Nov,AMINA L-1,T1,Paid,1500.00", "3 Nov,PETER L-2,T2,Paid,700.00"),
    ],
    ids=["month first", "day first", "as spreadsheets count", "no year"],
)
def test_a_first_payment_is_not_taken_for_headings(rows: tuple[str, ...]) -> None:
    with pytest.raises(Refused):
        open_rows(*rows)


OTHER = CALLBACK | {"TransID": "SJAA000002"}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("content", "count"),
    [
        ({"payments": [CALLBACK, OTHER], "page": 1, "next": None}, 2),
        ({"data": [CALLBACK], "errors": []}, 1),
        ([CALLBACK, OTHER], 2),
        (CALLBACK | {"Meta": {"a": [{"b": 1}]}}, 1),
        ({"data": [CALLBACK], "more": [OTHER]}, 0),
        ({"data": [CALLBACK], "meta": {"more": [OTHER]}}, 0),
        ({"data": {"payments": [CALLBACK]}}, 0),
        ({"data": []}, 0),
        ({"data": [1, 2]}, 0),
        ([CALLBACK, [OTHER]], 0),
    ],
)
def test_json_is_read_where_one_list_holds_all(
    content: object, count: int, indent: int | None
) -> None:
    text = json.dumps(content, indent=indent)
    if count:
        assert kinds(open_rows(text)) == ["payment"] * count
    else:
        with pytest.raises(Refused):
            open_rows(text)


@pytest.mark.parametrize(
    "again", [BANK.upper(), f"{BANK},,", f"\ufeff{BANK}"], ids=["capitals", "commas", "a mark"]
)
def test_headings_on_the_next_page_may_be_written_otherwise(again: str) -> None:
    found = open_rows(BANK, "22/11/2026,,x,F1,,500.00,", again, "23/11/2026,,x,F2,,50.00,")
    assert len(found.lines) == 2 and not found.flaws


ENTRY = """<Ntry><Amt Ccy="KES">500.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>{status}</Sts>
<BookgDt><Dt>{day}</Dt></BookgDt><AcctSvcrRef>R</AcctSvcrRef></Ntry>"""
PERIOD = "<FrToDt><FrDt>{day}</FrDt><ToDt>{day}</ToDt></FrToDt>"


def write_camt(*days: str, status: str = "BOOK") -> bytes:
    account = "<Acct><Id><Othr><Id>44</Id></Othr></Id></Acct>"
    parts = "".join(
        f"<Stmt>{PERIOD.format(day=day)}{account}{ENTRY.format(day=day, status=status)}</Stmt>"
        for day in days
    )
    space = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"
    whole = f'<Document xmlns="{space}"><BkToCstmrStmt>{parts}</BkToCstmrStmt></Document>'
    return whole.encode()


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("BOOK", Kind.PAYMENT),
        ("<Cd>BOOK</Cd>", Kind.PAYMENT),
        ("<Prtry>BOOKED</Prtry>", Kind.PAYMENT),
        ("<Prtry>PENDING</Prtry>", Kind.FAILED),
        ("PDNG", Kind.FAILED),
        ("INFO", Kind.FAILED),
        ("<Cd>FUTR</Cd>", Kind.FAILED),
        ("<Prtry>ODD</Prtry>", Kind.OTHER),
    ],
)
def test_an_entry_that_is_not_booked_is_no_payment(status: str, kind: Kind) -> None:
    found = read(write_camt("2026-11-22", status=status), zone=NAIROBI)
    assert isinstance(found, Statement) and [line.kind for line in found.lines] == [kind]
    asked = found.unknown_words
    assert bool(asked) is (kind is Kind.OTHER)
    for is_done, then in ((True, Kind.PAYMENT), (False, Kind.FAILED)) if asked else ():
        answers = {"status": dict.fromkeys(asked["status"], is_done)}
        found = read(write_camt("2026-11-22", status=status), zone=NAIROBI, answers=answers)
        assert isinstance(found, Statement) and not found.unknown_words
        assert [line.kind for line in found.lines] == [then]


def test_the_statements_of_a_file_have_periods_of_their_own() -> None:
    found = read(write_camt("2026-11-01", "2026-11-12", "2026-11-22"), zone=NAIROBI)
    assert isinstance(found, Statement) and not found.flaws
    assert (str(found.begins), str(found.ends)) == ("2026-11-01", "2026-11-22")


@pytest.mark.parametrize(
    ("amounts", "answer", "expected"),
    [
        (("25.000", "7.500"), None, None),
        (("25.000", "7.500"), True, ("25000", "7500")),
        (("25.000", "7.500"), False, ("25", "7.5")),
        (("25.000", "7.50"), None, ("25", "7.50")),
        (("25.000", "1.234.567"), None, ("25000", "1234567")),
        (("500.0000", "7.5"), None, ("500", "7.5")),
    ],
)
def test_a_point_before_three_figures_is_asked_of_shillings(
    amounts: tuple[str, str], answer: bool | None, expected: tuple[str, str] | None
) -> None:
    body = [f"22/11/2026,,x,F{n},,{amount}," for n, amount in enumerate(amounts)]
    answers = {} if answer is None else {"divider": {".": answer}}
    found = open_rows(BANK, *body, answers=answers)
    assert bool(found.unknown_words) is (expected is None)
    if expected:
        assert [line.amount for line in found.lines] == [Decimal(one) for one in expected]


ADDRESS = '"P.O. Box 1,\nNairobi, Kenya, L-1"'


def test_words_of_several_lines_are_no_quote_that_nobody_closed() -> None:
    bodies = [f"{day}/11/2026,,{ADDRESS},F{day},,{day}.00," for day in (22, 23)]
    found = open_rows(BANK, *bodies, '"Printed by the bank,\nwithout a signature"')
    assert [line.amount for line in found.lines] == [22, 23] and not found.flaws


def test_a_cell_of_several_lines_is_named_where_other_rows_have_none() -> None:
    body = [f"{day}/11/2026,,x,F{day},,5.00," for day in range(10, 29)]
    odd = f"25/11/2026,,{ADDRESS},F1,,500.00,"
    for rows in ([body[0], odd], [*body, odd], [body[0], *body[:10], odd, *body[10:], odd]):
        found = open_rows(BANK, *rows)
        places = [at for at, row in enumerate(rows) if row == odd]
        assert all(found.lines[at].amount is None for at in places)
        assert len(found.lines) == len(rows) and len(found.flaws) == len(places)


MANY = f"{AIRTEL},Payer Name,Type"


@pytest.mark.parametrize("cut", range(15, 40, 4))
@pytest.mark.parametrize("rows", [2, 12])
def test_a_row_that_was_cut_is_named(cut: int, rows: int) -> None:
    body = [f"{n},26110000{n},02-NOV-2026 10:{n}:00,{n}00.00,TS,JUMA,MR" for n in range(11, 23)]
    found = open_rows(MANY, *body[: rows - 1], body[rows - 1][:cut])
    assert found.flaws and len(found.lines) == rows
    assert not found.lines[-1].amount


def test_cells_that_are_left_out_of_all_rows_at_the_end_are_no_cut() -> None:
    found = open_rows(MANY, *(f"{n},26{n},02-NOV-2026,{n}.00,TS,JUMA" for n in range(11, 23)))
    assert not found.flaws
    found = open_rows(BANK, *(f"{n}/11/2026,,x,F{n},,{n}.00" for n in range(11, 23)))
    assert not found.flaws


@pytest.mark.parametrize("opens", range(7))
@pytest.mark.parametrize("closes", range(8))
def test_a_quotation_mark_that_is_not_closed_swallows_no_row(opens: int, closes: int) -> None:
    """It is closed by the mark of a later cell, by that of a quoted one, or by nothing."""
    rows = [
        [f"{n}", f"26110000{n}", f"02-NOV-2026 10:{n}:00", f"{n}00.00", "TS", f"JUMA {n}", "MR"]
        for n in range(10, 16)
    ]
    rows[2][opens] = f'"{rows[2][opens]}'
    if closes < 7:
        rows[3][closes] = f'{rows[3][closes]}"'
    else:
        rows[4][5] = '"JUMA HAMISI"'
    try:
        found = open_rows(MANY, *(",".join(row) for row in rows))
    except Refused:
        return
    assert prove(found).found and len(found.lines) == len(rows)


def test_commas_in_words_are_not_what_parts_the_cells() -> None:
    body = [f"2026-11-{n};T{n};AMINA, L-1, NAIROBI, KENYA, PAID;500,00;500,00" for n in (13, 14)]
    found = read("\n".join(["Siku;Kumb;Maneno;Kiasi;Salio", *body]).encode(), zone=NAIROBI)
    assert isinstance(found, UnknownTable) and len(found.header) == 5


@pytest.mark.parametrize(
    ("period", "days"),
    [
        ("<FrDtTm>2026-11-01T00:00:00</FrDtTm><ToDtTm>2026-11-02T00:00:00</ToDtTm>", ("01", "01")),
        ("<FrDtTm>2026-11-01T00:00:00</FrDtTm><ToDtTm>2026-11-02T23:59:59</ToDtTm>", ("01", "02")),
        ("<FrDtTm>2026-11-01T00:00:00</FrDtTm><ToDtTm>2026-11-01T00:00:00</ToDtTm>", ("01", "01")),
        ("<FrDt>2026-11-01</FrDt><ToDt>2026-11-02</ToDt>", ("01", "02")),
    ],
)
def test_a_period_that_ends_at_midnight_ends_with_the_day_before(
    period: str, days: tuple[str, str]
) -> None:
    plain = PERIOD.format(day="2026-11-01")
    content = write_camt("2026-11-01").decode().replace(plain, f"<FrToDt>{period}</FrToDt>")
    found = read(content.encode(), zone=NAIROBI)
    assert isinstance(found, Statement)
    assert (f"{found.begins:%d}", f"{found.ends:%d}") == days


def test_the_day_of_printing_is_not_of_the_period() -> None:
    head = "Statement Period,01/11/2026 to 14/11/2026,Printed,20/11/2026"
    found = open_rows(head, BANK, "13/11/2026,,x,F1,,500.00,")
    assert (str(found.begins), str(found.ends)) == ("2026-11-01", "2026-11-14")


def test_an_amount_of_mt940_with_a_point_is_not_half_read() -> None:
    head, foot = ":20:A\n:25:44\n:60F:C261102KES0,00", ":62F:C261102KES1234,50\n-"
    row = ":61:2611021102C{}NTRFX//F1"
    assert open_rows(head, row.format("1234,50"), foot).lines[0].amount == Decimal("1234.50")
    with pytest.raises(Refused):
        open_rows(head, row.format("1.234,50"), foot)


def test_a_table_may_have_columns_without_a_heading() -> None:
    body = ["2026-11-13,R1,AMINA SAIDI,LOAN,5.00,", "2026-11-14,R2,PETER OTIENO,LOAN,6.00,"]
    found = read("\n".join(["Siku,Kumb,,,Kiasi,", *body]).encode(), zone=NAIROBI)
    assert isinstance(found, UnknownTable) and found.header[:2] == ["Siku", "Kumb"]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("31/02/2026,,x,F2,,700.00,,Credit", "payment"),
        ("31/02/2026,,Balance,,,700.00,,", "payment"),
        (",,For loan L-3,F3,,700.00,,", "payment"),
        (",,de Souza,,,700.00,,Credit", "payment"),
        ("23/11/2026,,Balance,,,700.00,,", "payment"),
        ("23/11/2026,,Total 20041,,,700.00,,", "payment"),
        ("23/11/2026,,initial deposit,,,700.00,,", "payment"),
        ("23/11/2026,,TOTAL,F2,,700.00,,", "payment"),
        ("23/11/2026,,Total,12,,700.00,,", "payment"),
        ("23/11/2026,,Total Energies,F2,,700.00,,", "payment"),
    ],
)
def test_a_row_without_a_day_is_kept_whatever_its_words_are(row: str, kind: str) -> None:
    found = open_rows(f"{BANK},Type", "22/11/2026,,x,F1,,500.00,,Credit", row)
    assert kinds(found) == ["payment", kind]


def test_words_that_go_on_may_begin_as_a_total_does() -> None:
    found = open_rows(BANK, "22/11/2026,,ANN,F1,,500.00,", ",,for loan L-2004,,,,")
    assert found.lines[0].details.endswith("for loan L-2004")


def test_a_layout_without_a_column_of_days_is_no_fault() -> None:
    found = open_rows(
        "transaction_id,timestamp,transaction_type,amount,fee", "T1,,x,5.00,0", ",,,,", "T2,,y,,"
    )
    assert found.layout == "wave"


def test_an_amount_of_the_head_that_a_comma_divided_is_whole() -> None:
    rows = making.write_mpesa(making.make_events(3))
    head = "Opening Balance: 1,000.00"
    text = making.pack_csv([row for row in rows if row[:1] != ["Opening Balance"]]).decode()
    found = read(f"{head}\n{text}".encode(), zone=NAIROBI)
    assert isinstance(found, Statement)
    assert found.opening == Decimal("1000.00") and prove(found).is_complete


def test_the_letters_of_a_receipt_may_be_small_and_a_word_is_no_account() -> None:
    rows = making.write_mpesa(making.make_events(1))
    rows[-1][0], rows[-1][3] = str(rows[-1][0]).lower(), "Paid into the account from 254712345678"
    rows[-1][12] = ""
    found = read(making.pack_csv(rows), zone=NAIROBI)
    assert isinstance(found, Statement)
    (line,) = found.lines
    assert not line.is_damaged and line.reference == ""

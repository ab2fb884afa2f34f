"""Files that were made to harm, or that no program should write: a sentence, never a fault."""

import io
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest
import xlwt
from openpyxl.styles import Font

from lendingadmin.desk.statements.completeness import prove
from lendingadmin.desk.statements.identity import make_ids
from lendingadmin.desk.statements.lines import Kind, Refused, Statement
from lendingadmin.desk.statements.reading import read, sheet_process, tables
from lendingadmin.desk.statements.reading.sheet_process import read_sheets

from . import making
from .making import NAIROBI
from .making_banks import write_camt, write_mt940

EVENTS = making.make_events(30)
CAMT = write_camt(EVENTS).decode()
ODS = b"application/vnd.oasis.opendocument.spreadsheet"


def open_statement(content: bytes | str) -> Statement:
    found = read(content.encode() if isinstance(content, str) else content, zone=NAIROBI)
    assert isinstance(found, Statement)
    return found


def pack(*parts: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts:
            packed.writestr(name, content)
    return out.getvalue()


def write_batch(*amounts: str, whole: str, refs: Sequence[str] = ()) -> str:
    """An entry of so many details; where they have no amount of their own it is empty."""
    details = "".join(
        f"<TxDtls><Refs><AcctSvcrRef>{ref}</AcctSvcrRef></Refs>"
        + (f"<Amt Ccy='KES'>{amount}</Amt>" if amount else "")
        + f"<RltdPties><Dbtr><Pty><Nm>PAYER {at}</Nm></Pty></Dbtr></RltdPties>"
        f"<RmtInf><Ustrd>L-{at}</Ustrd></RmtInf></TxDtls>"
        for at, (amount, ref) in enumerate(
            zip(amounts, refs or [""] * len(amounts), strict=True), start=1
        )
    )
    return (
        f"<Ntry><NtryRef>1</NtryRef><Amt Ccy='KES'>{whole}</Amt><CdtDbtInd>CRDT</CdtDbtInd>"
        "<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-10-05</Dt></BookgDt>"
        f"<AcctSvcrRef>BATCH</AcctSvcrRef><NtryDtls>{details}</NtryDtls></Ntry>"
    )


def add_entry(entry: str) -> Statement:
    return open_statement(CAMT.replace("</Stmt>", entry + "</Stmt>"))


def test_each_payment_of_a_batch_has_an_id_of_its_own_in_whatever_order() -> None:
    lines = add_entry(write_batch("10", "20", "30", whole="60")).lines[-3:]
    assert [line.receipt for line in lines] == ["BATCH"] * 3
    ids = make_ids("1", lines, UTC)
    assert len(set(ids)) == 3
    assert make_ids("1", lines[::-1], UTC) == ids[::-1]
    assert [line.payer for line in lines] == ["PAYER 1", "PAYER 2", "PAYER 3"]
    lines = add_entry(write_batch("10", "20", whole="30", refs=["ONE", "BATCH"])).lines[-2:]
    assert [line.receipt for line in lines] == ["ONE", "BATCH"]


@pytest.mark.parametrize("amounts", [("", ""), ("10", "10")])
def test_a_batch_that_cannot_be_told_apart_is_nobodys(amounts: Sequence[str]) -> None:
    (line,) = add_entry(write_batch(*amounts, whole="60")).lines[-1:]
    assert (line.amount, line.receipt) == (Decimal(60), "BATCH")
    assert (line.payer, line.reference, line.details) == ("", "", "")


def test_the_count_of_an_entry_is_no_reference() -> None:
    entry = write_batch("60", whole="60").replace("<AcctSvcrRef>BATCH</AcctSvcrRef>", "")
    assert add_entry(entry).lines[-1].receipt == ""


@pytest.mark.parametrize("amount", ["1E99999999", "NaN", "-5", "1" * 16, "0.0001", "1,000.00", ""])
def test_an_amount_that_is_none_is_told(amount: str) -> None:
    line = add_entry(write_batch("60", whole=amount)).lines[-1]
    assert (line.kind, line.amount) == (Kind.OTHER, None)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(CAMT.replace("<Id>1</Id>", f"<Id>{'<a>' * 50}{'</a>' * 50}</Id>"), id="deep"),
        pytest.param(CAMT.replace("<Id>1</Id>", f"<Id a='{'x' * 200_000}'>1</Id>"), id="long tag"),
        pytest.param(
            CAMT.replace("<Id>1</Id>", "<a/>" * 2_100_000), marks=pytest.mark.exhaustive, id="many"
        ),
    ],
)
def test_xml_that_no_bank_writes_is_refused(content: str) -> None:
    with pytest.raises(Refused) as refused:
        open_statement(content)
    assert refused.value.code == "xml"


def test_camt_of_another_encoding_is_read_and_checked() -> None:
    wide = CAMT.replace("UTF-8", "UTF-16")
    assert len(open_statement(wide.encode("utf-16")).lines) == len(open_statement(CAMT).lines)
    typed = wide.replace("<Document", "<!DOCTYPE d [<!ENTITY x 'y'>]><Document", 1)
    with pytest.raises(Refused) as refused:
        open_statement(typed.encode("utf-16"))
    assert refused.value.code == "types"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (pack(("xl/workbook.xml", b"<x/>"), ("xl/macrosheets/sheet1.xml", b"<x/>")), "macros"),
        (pack(("mimetype", ODS), ("content.xml", b"<x/>"), ("Basic/a.xml", b"<x/>")), "macros"),
        (pack(("xl/workbook.bin", b"x")), "xlsb"),
        (
            pack(("mimetype", ODS), ("META-INF/manifest.xml", b"<m:encryption-data/>")),
            "password",
        ),
        (
            pack(("xl/workbook.xml", b"<x/>"), ("xl/sharedStrings.xml", b"<!DOCTYPE x []><x/>")),
            "types",
        ),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n<html>", "web_page"),
    ],
    ids=["macro sheet", "Basic", "XLSB", "locked ODS", "entities", "MIME"],
)
def test_spreadsheets_that_are_refused(content: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(content, zone=NAIROBI)
    assert refused.value.code == code


def make_xls(far: str = "") -> bytes:
    book = xlwt.Workbook()
    sheet = book.add_sheet("transaction")
    for at, row in enumerate(making.write_mpesa(EVENTS)):
        for column, cell in enumerate(row):
            sheet.write(at, column, cell)
    sheet.write(65_535, 255, far)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_macro_sheet_of_an_old_spreadsheet_is_refused() -> None:
    content = bytearray(make_xls())
    # The record of a sheet: its place, whether it is hidden, its type.
    at = content.index(b"\x85\x00")
    content[at + 9] = 1
    with pytest.raises(Refused) as refused:
        read(bytes(content), zone=NAIROBI)
    assert refused.value.code == "macros"


def test_a_locked_old_spreadsheet_is_refused() -> None:
    content = make_xls()
    # FILEPASS follows the beginning of the workbook, in the place of another record.
    at = content.index(b"\x09\x08\x10\x00") + 20
    with pytest.raises(Refused) as refused:
        read(content[:at] + b"\x2f\x00" + content[at + 2 :], zone=NAIROBI)
    assert refused.value.code == "password"


def add_cell(place: str, value: str | None) -> bytes:
    """The statement as XLSX with one cell more, in bold."""
    book = openpyxl.load_workbook(io.BytesIO(making.pack_xlsx(making.write_mpesa(EVENTS))))
    book.active[place].value, book.active[place].font = value, Font(bold=True)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("XFD1048576", None),
        ("XFD1048576", ""),
        ("XFD12", "x"),
        ("E200000", "x"),
    ],
)
def test_a_far_cell_that_is_formatted_only_or_takes_little_is_left_out(
    place: str, value: str | None
) -> None:
    lines = open_statement(add_cell(place, value)).lines
    assert [line.amount for line in lines] == [one.amount for one in EVENTS[::-1]]


def test_empty_rows_and_columns_before_a_table_are_counted() -> None:
    book = openpyxl.Workbook()
    for at, row in enumerate(making.write_mpesa(EVENTS), start=5):
        for column, cell in enumerate(row, start=3):
            book.active.cell(at, column, cell)
    out = io.BytesIO()
    book.save(out)
    plain = open_statement(making.pack_xlsx(making.write_mpesa(EVENTS))).lines
    lines = open_statement(out.getvalue()).lines
    assert lines == [replace(one, number=one.number + 4) for one in plain]
    assert read_sheets(out.getvalue())[0][4][:3] == ["", "", "Account Holder"]


def make_book(*sheets: making.Rows) -> bytes:
    book = openpyxl.Workbook()
    for at, rows in enumerate(sheets):
        sheet = book.active if at == 0 else book.create_sheet()
        for row in rows:
            sheet.append([str(cell) for cell in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("rows", "unread"),
    [
        ([], 0),
        ([[""], ["", ""]], 0),
        ([["2026-11-02", "500.00"], ["2026-11-03", "700.00"]], 1),
        ([["2026-11-02,AMINA,500.00"]], 1),
        ([["L-1", "500"]], 1),
        # A cover.
        ([["Notes"], ["Prepared by", "Jane Wanjiku"], ["Month", "November"]], 0),
    ],
)
def test_each_other_sheet_that_holds_something_is_named(rows: making.Rows, unread: int) -> None:
    table = making.write_mpesa(EVENTS)
    for content in (make_book(table, rows), make_book(rows, table)):
        found = open_statement(content)
        assert len(found.unread) == unread and len(found.lines) == len(EVENTS)
        assert prove(found).is_complete == (unread == 0)


def test_no_sheet_of_many_is_left_out_without_a_word() -> None:
    with pytest.raises(Refused) as refused:
        read(make_book(making.write_mpesa(EVENTS), *([[["x"]]] * 24)), zone=NAIROBI)
    assert refused.value.code == "sheets"


def test_lines_in_a_cell_of_a_workbook_are_words_and_rows_in_one_are_refused() -> None:
    table = making.write_mpesa(EVENTS)
    table[12][3] = f"{table[12][3]}\nand more"
    found = open_statement(make_book(table))
    assert not found.flaws and len(found.lines) == len(EVENTS)
    table[12][3] = "\n".join(",".join(map(str, row)) for row in table[12:15])
    with pytest.raises(Refused):
        read(make_book(table), zone=NAIROBI)


@pytest.mark.parametrize(
    ("place", "value"),
    [("XFD1048576", "x"), ("XFD1048576", " "), ("Z1048576", "x"), ("BES20000", "x")],
)
def test_a_far_cell_that_would_take_much_memory_is_named(place: str, value: str) -> None:
    with pytest.raises(Refused, match="XFD1048576") as refused:
        read(add_cell(place, value), zone=NAIROBI)
    assert refused.value.code == "cells"


def measure_peak(content: bytes) -> int:
    """The most memory that opening a spreadsheet takes; bytes."""
    code = (
        "import re, runpy, sys; "
        f"runpy.run_path({sheet_process.__file__!r}, run_name='__main__'); "
        "sys.stderr.write(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    command = [sys.executable, "-I", "-c", code]
    ran = subprocess.run(command, input=content, capture_output=True, check=False)
    return int(ran.stderr or b"0") * 1024


@pytest.mark.parametrize("place", ["E200000", "Z1048576", "XFD1048576"])
def test_a_spreadsheet_takes_at_most_300_megabytes(place: str) -> None:
    assert 0 < measure_peak(add_cell(place, "x")) < 300_000_000


@pytest.mark.exhaustive
def test_a_long_and_wide_statement_is_read_within_that() -> None:
    rows = [["x" * 8 + str(column) for column in range(15)]] + [
        [f"{row}-{column}" for column in range(15)] for row in range(20_000)
    ]
    content = making.pack_xlsx(rows)
    assert 0 < measure_peak(content) < 300_000_000
    assert len(read_sheets(content)[0]) == 20_001


def test_two_spreadsheets_are_opened_at_a_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Other tests of this machine have places of their own.
    monkeypatch.setattr(tables, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(tables, "LONGEST_WAIT", 0.3)
    content = making.pack_xlsx(making.write_mpesa(EVENTS))
    with tables.take_place():
        assert open_statement(content).lines
        with tables.take_place(), pytest.raises(Refused):
            read(content, zone=NAIROBI)
    assert open_statement(content).lines


@pytest.mark.parametrize(
    "content",
    [
        b"a\n" * 10_000_000,
        b"a\r" * 10_000_000,
        b"[" + b"{}," * 6_000_000 + b"{}]",
        b"[" + b"1," * 9_000_000 + b"1]",
        b"{}\n" * 6_000_000,
        b":20:A\n:25:1\n:60F:C261001KES1,\n" + b":61:2610011001C1,NMSC\n" * 800_000,
        b":20:A\n" * 2_000_000,
        b":20:A\n:61:1\n" + b"a\n" * 9_000_000,
    ],
    ids=[
        "lines",
        "returns",
        "objects",
        "numbers",
        "objects by line",
        "entries",
        "messages",
        "text",
    ],
)
def test_a_text_of_very_many_rows_is_refused_before_it_is_read(content: bytes) -> None:
    began = time.process_time()
    tracemalloc.start()
    with pytest.raises(Refused):
        read(content, zone=NAIROBI)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000
    assert time.process_time() - began < 5


def test_a_far_cell_of_an_old_spreadsheet_is_named() -> None:
    with pytest.raises(Refused) as refused:
        read(make_xls(far="x"), zone=NAIROBI)
    assert refused.value.code == "cells"


def test_a_size_that_lies_is_no_fault() -> None:
    content = bytearray(pack(("statement.xml", CAMT.encode())))
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.index(mark) + at
        content[start : start + 4] = (100).to_bytes(4, "little")
    with pytest.raises(Refused):
        read(bytes(content), zone=NAIROBI)


class TestMT940:
    """What banks write besides the standard."""

    WHOLE = write_mt940([one for one in EVENTS if one.kind == "payment"]).decode()

    def test_a_small_mark_is_a_mark(self) -> None:
        events = [one for one in EVENTS if one.kind in ("payment", "charge")]
        text = write_mt940(events).decode()
        first = next(one for one in events if one.kind == "charge")
        mark = f"{first.at:%y%m%d%m%d}D"
        found = open_statement(text.replace(mark, mark[:-1] + "d"))
        assert [line.amount for line in found.lines] == [one.amount for one in events]

    def test_a_row_without_a_type_stays(self) -> None:
        bare = self.WHOLE.replace("NTRFNONREF", "", 1)
        whole = open_statement(self.WHOLE)
        assert [line.amount for line in open_statement(bare).lines] == [
            line.amount for line in whole.lines
        ]

    def test_the_reference_of_the_row_is_kept(self) -> None:
        text = self.WHOLE.replace("NTRFNONREF", "NTRFLOAN-17", 1)
        text = text.replace(":86:/EREF/", ":86:/XREF/", 1)
        assert open_statement(text).lines[0].reference == "LOAN-17"

    def test_the_payer_bears_no_account(self) -> None:
        start = self.WHOLE.index(":86:")
        end = self.WHOLE.index("\n", start)
        words = ":86:166?00CREDIT?20EREF+X-1?31DE02120300000000202051?32INVENTED PERSON"
        line = open_statement(self.WHOLE[:start] + words + self.WHOLE[end:]).lines[0]
        assert line.payer == "INVENTED PERSON"

    def test_words_of_the_whole_message_are_of_no_row(self) -> None:
        text = self.WHOLE.replace("\n-\n", "\n:86:PLEASE READ OUR TERMS\n-\n")
        assert not any("TERMS" in line.details for line in open_statement(text).lines)

    def test_a_row_that_cannot_be_read_is_in_no_log(
        self, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        text = self.WHOLE.replace(":61:", ":61:BROKEN INVENTED PERSON DE0212030000 ", 1)
        with pytest.raises(Refused) as refused:
            open_statement(text)
        assert refused.value.code == "mt940"
        shown = capfd.readouterr()
        assert "INVENTED PERSON" not in shown.out + shown.err + caplog.text

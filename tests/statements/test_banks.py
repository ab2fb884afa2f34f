"""Statements of banks, CAMT.053 and MT940, and files that are refused with a sentence."""

import io
import os
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest

from lendingadmin.desk.statements.completeness import prove
from lendingadmin.desk.statements.identity import normalise_account
from lendingadmin.desk.statements.lines import Kind, Refused, Statement
from lendingadmin.desk.statements.reading import read
from lendingadmin.desk.statements.reading.containers import LARGEST, find_format

from . import making
from .making import NAIROBI
from .making_banks import join_camt, split, write_camt, write_mt940

EVENTS = making.make_events(90)


def open_statement(content: bytes) -> Statement:
    found = read(content, zone=NAIROBI)
    assert isinstance(found, Statement)
    return found


def pack(*parts: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts:
            packed.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("version", [2, 4, 8, 13])
@pytest.mark.parametrize("is_packed", [False, True])
def test_camt(version: int, is_packed: bool) -> None:
    content = write_camt(EVENTS, version=version)
    found = open_statement(pack(("statement.xml", content)) if is_packed else content)
    assert (found.layout, found.account, found.holder) == (
        "camt-053",
        "DE02120300000000202051",
        "Lender",
    )
    assert (found.currency, found.opening, found.closing) == (
        "KES",
        Decimal("1000.00"),
        EVENTS[-1].balance,
    )
    assert prove(found).is_complete
    split = [line for line in found.lines if line.receipt == EVENTS[0].receipt]
    assert sum(line.amount or 0 for line in split) == EVENTS[0].amount
    assert len(found.lines) > len(EVENTS)
    assert {line.kind for line in found.lines} == {
        *(Kind.PAYMENT, Kind.CHARGE, Kind.FAILED, Kind.REVERSAL, Kind.OTHER)
    }
    paid = next(line for line in found.lines if line.kind is Kind.PAYMENT)
    first = next(one for one in EVENTS if one.kind == "payment")
    assert (paid.reference, paid.payer) == (first.reference, first.name)
    assert not any(line.reference == "NOTPROVIDED" for line in found.lines)


def test_camt_of_an_entry_that_is_gone_is_not_whole() -> None:
    content = write_camt(EVENTS).decode()
    start = content.index("<Ntry>", content.index("<Ntry>") + 1)
    end = content.index("</Ntry>", start) + len("</Ntry>")
    proof = prove(open_statement((content[:start] + content[end:]).encode()))
    assert not proof.is_complete and proof.breaks[0].number == 0


def test_mt940() -> None:
    found = open_statement(write_mt940(EVENTS))
    moved = [one for one in EVENTS if one.kind != "failed"]
    assert (found.account, found.currency) == ("123456789", "KES")
    assert [line.amount for line in found.lines] == [one.amount for one in moved]
    assert [line.receipt for line in found.lines] == [one.receipt for one in moved]
    assert [line.kind for line in found.lines if line.kind != Kind.OTHER] == [
        one.kind for one in moved if one.kind != "settlement"
    ]
    assert found.lines[0].payer == moved[0].name[:20]
    assert found.lines[0].reference == moved[0].reference
    assert prove(found).is_complete


def test_messages_that_do_not_follow_each_other_are_not_whole() -> None:
    content = write_mt940(EVENTS).decode()
    second = content.index(":20:", 5)
    third = content.index(":61:", second)
    end = content.index(":61:", third + 1)
    assert not prove(open_statement((content[:third] + content[end:]).encode())).is_complete


def test_one_account_may_be_written_in_two_ways() -> None:
    content = write_mt940(EVENTS).replace(b":25:123456789", b":25:0123-456 789KES", 1)
    assert prove(open_statement(content)).is_complete
    iban = b"<IBAN>DE02120300000000202051</IBAN>"
    other = join_camt(split(EVENTS, 2)).replace(iban, b"<Othr><Id>0123-4567</Id></Othr>", 1)
    assert prove(
        open_statement(other.replace(iban, b"<Othr><Id>1234567 KES</Id></Othr>"))
    ).is_complete


@pytest.mark.parametrize(
    ("account", "key"),
    [
        ("0012-345 KES", "12345"),
        ("12345kes", "12345"),
        ("12345XYZ", "12345XYZ"),
        ("MT84MALT011000012345MTLCASTKES", "MT84MALT011000012345MTLCASTKES"),
        ("KES", "KES"),
        ("", ""),
    ],
)
def test_an_account_is_the_same_with_its_currency_behind_it(account: str, key: str) -> None:
    assert normalise_account(account) == key


def test_statements_of_several_accounts_are_refused() -> None:
    content = write_mt940(EVENTS).decode()
    second = content.index(":25:", content.index(":20:", 5))
    other = content[:second] + content[second:].replace("123456789", "987654321", 1)
    with pytest.raises(Refused) as refused:
        open_statement(other.encode())
    assert refused.value.code == "accounts"
    one = write_camt(EVENTS).decode()
    start, end = one.index("<Stmt>"), one.index("</BkToCstmrStmt>")
    two = one[:end] + one[start:end].replace("DE02120300000000202051", "DE02500105170137075030")
    with pytest.raises(Refused) as refused:
        open_statement((two + one[end:]).encode())
    assert refused.value.code == "accounts"


@pytest.mark.parametrize("count", [1, 2, 30])
def test_what_else_is_in_an_archive_is_named_and_it_is_not_complete(count: int) -> None:
    others = [(f"days/{number}.sta", write_mt940(EVENTS)) for number in range(count)]
    found = open_statement(pack(("days/a.xml", write_camt(EVENTS)), *others))
    assert found.unread and not prove(found).is_complete
    assert count > 2 or found.unread == [name for name, _content in others]


@pytest.mark.parametrize("tags", [(":",), (":61:", ":86:"), (":6",), (":25:", ":62F:", "-")])
@pytest.mark.parametrize("indent", ["  ", "\t", " " * 8])
def test_mt940_may_be_indented(tags: tuple[str, ...], indent: str) -> None:
    plain = write_mt940(EVENTS).decode()
    lines = [f"{indent}{line}" if line.startswith(tags) else line for line in plain.split("\n")]
    found = open_statement("\n".join(lines).encode())
    assert found.lines == open_statement(plain.encode()).lines
    assert prove(found).is_complete and found.account == "123456789"


def test_the_words_of_an_indented_row_go_on_in_the_next_line() -> None:
    plain = (
        write_mt940(EVENTS).decode().replace("/NAME/", "\n/NAME/").replace("thanks", "thank\nyou")
    )
    indented = "\n".join(f"    {line}" for line in plain.split("\n"))
    assert open_statement(indented.encode()) == open_statement(plain.encode())


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"%PDF-1.7\n...", "pdf"),
        (b"a,b\n" * (LARGEST // 4 + 1), "large"),
        (b"\x89PNG\r\n\x1a\n", "no_statement"),
        (b"a,b\x00c", "no_statement"),
        (b"<html><table><tr><td>1</td></tr></table></html>", "web_page"),
        (b"<!DOCTYPE html><html></html>", "web_page"),
        (b"<?xml version='1.0'?><Other/>", "no_camt"),
        (
            b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x "y">]><Document>camt.053</Document>',
            "types",
        ),
        (pack(("xl/workbook.xml", b"x"), ("xl/vbaProject.bin", b"x")), "macros"),
        (pack(("a.txt", b"x")), "archive"),
        (pack(("a.xml", write_camt(EVENTS)), ("b.xml", write_camt(EVENTS))), "archive"),
        (pack(("xl/workbook.xml", b"0" * 60_000_000)), "unpacked"),
        (b"PK\x03\x04broken", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "password"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "_VBA_PROJECT".encode("utf-16-le"), "macros"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 nothing", "no_spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le"), "unopened"),
    ],
)
def test_a_file_that_is_none_is_refused_with_a_sentence(content: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(content, zone=NAIROBI)
    assert refused.value.code == code and str(refused.value).endswith(".")


def test_what_a_mac_adds_to_an_archive_is_no_file() -> None:
    camt, extra = write_camt(EVENTS), b"\0\5\x16\7"
    packed = pack(("a.xml", camt), ("__MACOSX/._a.xml", extra), (".DS_Store", extra))
    found = open_statement(packed)
    assert not found.unread and len(found.lines) == len(open_statement(camt).lines)


@pytest.mark.parametrize(
    ("written", "returned"),
    [
        ("<RvslInd>false</RvslInd>", "<RtrInf><Rsn><Cd>MS03</Cd></Rsn></RtrInf>"),
        ("<RvslInd>false</RvslInd>", "<BkTxCd><Domn><SubFmlyCd>UPDD</SubFmlyCd></Domn></BkTxCd>"),
    ],
)
def test_a_payment_that_a_bank_returned_is_a_reversal(written: str, returned: str) -> None:
    event = next(one for one in EVENTS if one.kind == "settlement")
    camt = write_camt([event]).decode()
    assert written in camt
    (line,) = open_statement(camt.replace(written, returned).encode()).lines
    assert line.kind is Kind.REVERSAL and line.amount == event.amount
    (line,) = open_statement(write_mt940([event]).replace(b"NTRF", b"NRTI")).lines
    assert line.kind is Kind.REVERSAL and line.amount == event.amount


def test_the_payer_is_who_pays_in_the_end() -> None:
    event = next(one for one in EVENTS if one.kind == "payment")
    other = b"<UltmtDbtr><Nm>Sabine Schmidt</Nm></UltmtDbtr></RltdPties>"
    found = open_statement(write_camt([event]).replace(b"</RltdPties>", other))
    assert {line.payer for line in found.lines} == {"Sabine Schmidt"}


def test_a_locked_archive_is_refused() -> None:
    content = bytearray(pack(("xl/workbook.xml", b"x")))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + at] |= 1
    with pytest.raises(Refused) as refused:
        find_format(bytes(content))
    assert refused.value.code == "password"


@pytest.mark.skipif("MT940_SAMPLES" not in os.environ, reason="needs the library's own samples")
def test_the_samples_of_the_library_are_read_or_refused() -> None:
    """Of its 49 samples 31 are statements of one account; the others are pieces of some."""
    files, found = sorted(Path(os.environ["MT940_SAMPLES"]).rglob("*.sta")), []
    for file in files:
        try:
            found.append(read(file.read_bytes(), zone=NAIROBI))
        except Refused:
            continue
    assert sum(isinstance(one, Statement) for one in found) >= len(files) * 0.6 > 0

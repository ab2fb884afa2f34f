"""What was read is kept as it was read, column by column, on every database."""

import json
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from lendingadmin.core.encryption import Ciphertext, decrypt
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import keeping
from lendingadmin.desk.statements.lines import Kind, Statement
from lendingadmin.desk.statements.models import StatementFile
from lendingadmin.desk.statements.reading import read
from lendingadmin.money.repayments.models import normalise_external_id

from . import making
from .making_banks import write_camt, write_mt940

pytestmark = pytest.mark.django_db
EVENTS = making.make_events(90)
PAYMENTS = [one for one in EVENTS if one.kind == "payment"]
BANK = [row for row in making.write_bank(PAYMENTS) if len(row) == 7]
FILES = {
    "M-PESA": making.pack_csv(making.write_mpesa(EVENTS)),
    "a bank's table": making.pack_csv(making.write_bank(EVENTS)),
    "Wave in French": making.pack_xlsx(making.write_wave_french(EVENTS)),
    "CAMT": write_camt(EVENTS),
    "MT940": write_mt940(PAYMENTS),
    # Ids that lost digits, a day that no calendar has, a text of another alphabet.
    "odd": making.pack_csv(
        [
            *making.write_airtel(EVENTS)[:8],
            ["9", "1.42593E+11", "Ł-1\\N", "31-FEB-2026", "", "2547", "12.345", "MR", "Success"],
        ]
    ),
}


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "ROWS_AT_ONCE", 7)


def bring_in(content: bytes, by: User) -> StatementFile:
    return keeping.take_in(lending_app("kenya"), content, by)[0]


@pytest.mark.parametrize("name", FILES)
def test_each_line_is_kept_as_it_was_read(support: User, name: str) -> None:
    found = read(FILES[name], zone=lending_app("kenya").zone)
    assert isinstance(found, Statement)
    rows = list(bring_in(FILES[name], support).lines.order_by("position"))
    assert [row.position for row in rows] == list(range(1, len(found.lines) + 1))
    plain = ("number", "kind", "amount", "balance", "currency", "moment", "has_time")
    assert len({row.receipt for row in rows}) == len(rows) or found.has_unique_ids
    for row, line in zip(rows, found.lines, strict=True):
        for field in plain:
            assert getattr(row, field) == getattr(line, field), field
        key = "" if line.is_damaged else normalise_external_id(line.receipt)
        if found.has_unique_ids:
            assert (row.receipt, row.is_damaged) == (line.receipt, line.is_damaged)
            assert (row.receipt_key, row.bank_key) == (key, "")
        else:
            assert row.receipt.endswith(f"-R{line.receipt}") or not line.receipt
            assert (row.receipt_key, row.bank_key) == (normalise_external_id(row.receipt), key)
        about = [line.phone, line.payer, line.reference, line.details, line.status, line.reverses]
        about += [line.others] if line.others else []
        is_told = line.kind in (Kind.PAYMENT, Kind.REVERSAL) and any(about)
        assert row.about == (json.dumps(about, ensure_ascii=False) if is_told else "")
        assert (row.owner, row.placed_by, row.placed_at, row.place_reason) == (None, None, None, "")
        is_certain = not found.day_is_proposed
        assert bool(row.place) is (line.kind is Kind.PAYMENT and is_certain)
        assert row.is_unallocated is bool(row.place)


def test_who_paid_is_stored_encrypted_and_bound_to_its_line(support: User) -> None:
    file = bring_in(FILES["M-PESA"], support)
    stored = file.lines.exclude(about="").values_list("position", "about")
    assert len(stored) >= len(PAYMENTS)
    for position, text in stored:
        assert isinstance(text, Ciphertext) and "OTIENO" not in text
        place = ("statements_statementline", "about", str(file.pk), str(position))
        assert json.loads(decrypt(text, *place))


def test_a_receipt_that_is_twice_in_a_file_is_no_copy_of_itself(support: User) -> None:
    head, *rows = making.write_callbacks(PAYMENTS[:10])
    file = bring_in(making.pack_csv([head, *rows, rows[0]]), support)
    assert set(file.lines.values_list("place", flat=True)) == {"unallocated"}


@pytest.mark.parametrize(
    ("content", "again", "asked"),
    [
        (
            write_camt(PAYMENTS).replace(b"BOOK", b"LIMBO", 1),
            write_camt(PAYMENTS[:9]).replace(b"BOOK", b"LIMBO", 1),
            {"status": ["limbo"]},
        ),
        (
            write_camt(PAYMENTS).replace(b"BOOK", b"", 1),
            write_camt(PAYMENTS[:9]).replace(b"BOOK", b"", 1),
            {"status": ["(empty)"]},
        ),
        (
            making.pack_csv([[*BANK[0], "Settled"], *([*x, "No"] for x in BANK[1:])]),
            making.pack_csv([[*BANK[0], "Settled"], *([*x, "No"] for x in BANK[1:9])]),
            {"status": ["settled: no"]},
        ),
    ],
)
def test_an_unknown_word_is_asked_once_and_nothing_is_placed_before(
    support: User, content: bytes, again: bytes, asked: dict[str, list[str]]
) -> None:
    file = bring_in(content, support)
    assert file.needs_answer and file.unknown_words == asked
    assert set(file.lines.values_list("place", flat=True)) == {""}
    meanings = {name: dict.fromkeys(words, True) for name, words in asked.items()}
    assert keeping.answer_words(file, meanings, support)
    file.refresh_from_db()
    assert not file.unknown_words
    assert set(file.lines.values_list("kind", flat=True)) == {"payment"}
    assert not bring_in(again, support).unknown_words


def test_a_row_that_the_database_refuses_is_a_fault_of_the_database(
    support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, build = bring_in(FILES["M-PESA"], support), keeping.build_lines

    def repeat(*args: Any) -> Any:
        rows = list(build(*args))
        return iter([*rows, rows[0]])

    monkeypatch.setattr(keeping, "build_lines", repeat)
    with pytest.raises(DatabaseError), transaction.atomic():
        keeping.answer_days(file, True, support)

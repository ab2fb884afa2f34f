"""An export as XLSX: what a spreadsheet reads of each cell."""

import io
import zipfile
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
import python_calamine
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.views import exporting
from lendingadmin.web import xlsx
from tests.exports.test_csv import LOANS, odd_service
from tests.exports.test_ends import EXPORT, list_outcomes, loans_page
from tests.faults.behaviours import refusal, reply
from tests.faults.server import FaultServer
from tests.repayments.pages import enter, press
from tests.sandbox.calling import Caller

__all__ = ["odd_service"]
ROLE = "support"


def read(content: bytes) -> list[list[Any]]:
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
    return list(book.get_sheet_by_index(0).to_python())


def write(*row: object) -> bytes:
    parts = xlsx.write_workbook([[["heading"]], [row]])
    return b"".join(part for part in parts if isinstance(part, bytes))


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (Decimal("1234.50"), 1234.5),
        (Decimal("-5"), -5.0),
        (7, 7.0),
        ("000123", "000123"),
        ("+254712345678", "+254712345678"),
        ("=SUM(A1)", "=SUM(A1)"),
        ("http://example.org/", "http://example.org/"),
        (1234567890123456, "1234567890123456"),
        (Decimal("12345678901234.567"), "12345678901234.567"),
        (datetime(2026, 10, 31, 23, 59, 30), datetime(2026, 10, 31, 23, 59, 30)),
        (date(2026, 10, 31), date(2026, 10, 31)),
        (date(1899, 1, 1), "1899-01-01"),
        ({"a": [True]}, '{"a": [true]}'),
        (True, "true"),
        ("a\x00b\ud800", "a\x00b?"),
        ("x" * 40_000, "x" * 32_767),
    ],
)
def test_a_cell(value: object, cell: object) -> None:
    content = write("first", value, None, "last")
    (row,) = read(content)[1:]
    assert row == ["first", cell, "", "last"]
    assert b"<f>" not in zipfile.ZipFile(io.BytesIO(content)).read("xl/worksheets/sheet1.xml")


@pytest.mark.django_db(transaction=True)
def test_the_journal(desk: Client, app: LendingApp, book: Caller) -> None:
    press(desk, enter(desk, app, amount="100.50"))
    journal = f"/apps/{app.app_id}/repayments/"
    address = f"{journal}export.csv?format=xlsx"
    assert f'href="{address}"' in desk.get(journal).content.decode()
    answer = desk.get(address)
    assert answer["Content-Type"] == xlsx.CONTENT_TYPE
    assert answer["Content-Disposition"].endswith('.xlsx"')
    head, row = read(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
    shown = [column for column in exporting.COLUMNS if column.label]
    assert head == [str(column.label) for column in shown]
    cells = dict(zip([column.name for column in shown], row, strict=True))
    made = Repayment.objects.get()
    assert cells["amount"] == 100.5
    assert cells["externalId"] == made.external_id
    there = made.created_at.astimezone(app.zone).replace(tzinfo=None, microsecond=0)
    assert cells["createdAt"] == there


@pytest.mark.django_db(transaction=True)
def test_broken_off(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, reply(loans_page("1", following="t")), refusal(500, "broken"))
    answer = desk.get(f"{EXPORT}?format=xlsx")
    _head, first, last = read(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
    assert first[1] == "1"
    assert [cell for cell in last if cell] == last[:1]
    assert list_outcomes()[1:] == [("broken", "1 row")]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("most", "rows", "outcome"), [(2, 4, ("cut", "2 rows")), (3, 4, ("done", "3 rows"))]
)
def test_more_rows_than_a_workbook_takes(
    desk: Client,
    odd_service: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    rows: int,
    outcome: tuple[str, str],
) -> None:
    monkeypatch.setattr(xlsx, "MOST_ROWS", most)
    odd_service.on(LOANS, reply(loans_page("1", "2", following="t")), reply(loans_page("3")))
    answer = desk.get(f"{EXPORT}?format=xlsx")
    found = read(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
    assert len(found) == rows
    assert list_outcomes()[1:] == [outcome]

"""Exports as LibreOffice opens them: numbers are numbers, ids keep their zeros, days are days."""

import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.repayments.views import exporting
from lendingadmin.web import xlsx
from tests.repayments.rows import row

SOFFICE = shutil.which("soffice")
OFFICE, TABLE = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}" for name in ("office", "table")
)
pytestmark = pytest.mark.skipif(SOFFICE is None, reason="no LibreOffice on this machine")
ROLE = "support"


def open_cells(path: Path) -> list[list[tuple[str, str]]]:
    """Return the type of each cell and its value, row by row, without empty cells at the end."""
    # The import dialog reads the byte order mark and chooses UTF-8; without it, we do.
    is_csv = path.suffix == ".csv"
    subprocess.run(
        [
            str(SOFFICE),
            "--headless",
            *(["--infilter=Text - txt - csv (StarCalc):44,34,76,1"] if is_csv else []),
            f"-env:UserInstallation=file://{path.parent}/profile",
            "--convert-to",
            "fods",
            "--outdir",
            str(path.parent),
            str(path),
        ],
        check=True,
        capture_output=True,
        timeout=300,
    )
    tree = ElementTree.parse(path.with_suffix(".fods"))
    return [
        [
            (kind, cell.get(f"{OFFICE}value") or cell.get(f"{OFFICE}date-value") or words(cell))
            for cell in line.iter(f"{TABLE}table-cell")
            if (kind := cell.get(f"{OFFICE}value-type"))
            for _ in range(int(cell.get(f"{TABLE}number-columns-repeated", "1")))
        ]
        for line in tree.iter(f"{TABLE}table-row")
    ]


def words(cell: ElementTree.Element) -> str:
    return "".join(cell.itertext()).strip()


def test_a_workbook(tmp_path: Path) -> None:
    values = (
        *("000123", "+254712345678", "=SUM(A1)", "Wanjirũ"),
        *(Decimal("1234.50"), Decimal("-5"), 1234567890123456),
        *(datetime(2026, 10, 31, 23, 59, 30), date(2026, 10, 31)),
    )
    path = tmp_path / "export.xlsx"
    parts = xlsx.write_workbook([[["heading"]], [values]])
    path.write_bytes(b"".join(part for part in parts if isinstance(part, bytes)))
    assert open_cells(path)[1] == [
        ("string", "000123"),
        ("string", "+254712345678"),
        ("string", "=SUM(A1)"),
        ("string", "Wanjirũ"),
        ("float", "1234.5"),
        ("float", "-5"),
        ("string", "1234567890123456"),
        ("date", "2026-10-31T23:59:30"),
        ("date", "2026-10-31"),
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_the_journal(desk: Client, support: User, tmp_path: Path, form: str) -> None:
    at = datetime(2026, 10, 31, 20, 30, tzinfo=UTC)
    row(
        support,
        RepaymentState.RECORDED,
        "1234.50",
        external_id="00X7",
        account_id="0042A",
        transaction_date=at,
        created_at=at + timedelta(hours=4),
    )
    answer = desk.get(f"/apps/kenya/repayments/export.csv?format={form}")
    path = tmp_path / f"export.{form}"
    path.write_bytes(b"".join(answer.streaming_content))  # type: ignore[attr-defined]
    head, made = open_cells(path)[:2]
    labels = [str(column.label) for column in exporting.COLUMNS if column.label]
    assert [text for _kind, text in head] == labels
    assert ("float", "1234.5") in made
    assert ("string", "00X7") in made and ("string", "0042A") in made
    assert ("date", "2026-10-31T23:30:00") in made and ("date", "2026-11-01T03:30:00") in made

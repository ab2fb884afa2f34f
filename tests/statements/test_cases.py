"""Small files in the shape of public reports of faults, each with what must come of it."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from lendingadmin.desk.statements.completeness import prove
from lendingadmin.desk.statements.identity import make_ids
from lendingadmin.desk.statements.lines import Kind, Line, Mapping, Refused, Statement, UnknownTable
from lendingadmin.desk.statements.reading import read

from .making import NAIROBI

CASES = {
    path.parent.name: path for path in sorted(Path(__file__).with_name("cases").glob("*/input.*"))
}
Answer = Statement | UnknownTable | Refused


def open_case(path: Path, expected: dict[str, Any]) -> Answer:
    """Return what the reader says of a case, and what of its mapping where it needs one."""
    try:
        found = read(path.read_bytes(), zone=NAIROBI, currency="KES")
        if isinstance(found, UnknownTable):
            return read(
                path.read_bytes(),
                zone=NAIROBI,
                currency="KES",
                mapping=build_mapping(expected, found),
            )
    except Refused as error:
        return error
    return found


def build_mapping(expected: dict[str, Any], table: UnknownTable) -> Mapping:
    columns = expected.get("mapping") or {
        name: table.header[at] for name, at in expected["mapping_by_position"].items()
    }
    known = {name: heading for name, heading in columns.items() if name in vars(Mapping(moment=""))}
    return Mapping(**known)


def describe(found: Answer) -> dict[str, Any]:
    """Return what of an answer the cases speak of."""
    if isinstance(found, Refused):
        return {"is": "refused", "code": found.code}
    assert isinstance(found, Statement)
    proof = prove(found)
    payments = [line for line in found.lines if line.kind is Kind.PAYMENT]
    return {
        "is": "statement",
        "payments": [line.amount for line in payments],
        "proof": "broken" if proof.found else "whole" if proof.checks else "unprovable",
        "rows": [line for line in found.lines if line.kind is not Kind.CHARGE],
        "all": list(found.lines),
        "opening": found.opening,
        "closing": found.closing,
        "currency": found.currency,
        "asks_days": found.day_is_proposed,
        "no_future": all(x.moment is None or x.moment <= timezone.now() for x in found.lines),
        "no_row_damaged": not any(line.is_damaged for line in payments),
        "distinct_receipts": len(set(name_lines(found))) == len(found.lines),
    }


def name_lines(found: Statement) -> list[str]:
    return make_ids(found.account, found.lines, NAIROBI)


def is_right(found: dict[str, Any], right: dict[str, Any]) -> bool:
    """Return whether an answer is this right one."""
    return all(_fits(found, name, value) for name, value in right.items())


def _fits(found: dict[str, Any], name: str, value: Any) -> bool:
    if name in ("mapping", "mapping_by_position", "rows_note"):
        return True
    if name == "any_of":
        return any(is_right(found, one) for one in value)
    if name == "any_rows":
        return any(_fit_rows(found["all"], rows) for rows in value)
    if name == "rows":
        return _fit_rows(found["rows"], value)
    if name == "code_not":
        return value != found.get("code")
    if name == "payments":
        return found.get("payments") == [Decimal(one) for one in value]
    if name == "payments_subset":
        return set(found["payments"]) <= {Decimal(one) for one in value}
    if name in ("opening", "closing"):
        return found.get(name) == Decimal(value)
    return bool(found.get(name) == value)


def _fit_rows(lines: list[Line], rows: list[dict[str, Any]]) -> bool:
    return len(lines) == len(rows) and all(map(_fit_row, lines, rows))


def _fit_row(line: Line, row: dict[str, Any]) -> bool:
    shown = {
        "kind": line.kind.value == row.get("kind"),
        "amount": line.amount == (row.get("amount") and Decimal(row["amount"])),
        "currency": line.currency == row.get("currency"),
        "moment": f"{line.moment}".startswith(row.get("moment", "?")),
        "payer": line.payer == row.get("payer"),
        "phone_has": row.get("phone_has", "?") in line.phone,
        "details_has": row.get("details_has", "?") in line.details,
        "says": row.get("says", "?") in line.details,
    }
    return all(shown[name] for name in row)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    expected = json.loads(CASES[name].with_name("expected.json").read_text())
    found = describe(open_case(CASES[name], expected))
    assert is_right(found, expected), found

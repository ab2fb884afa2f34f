"""CSV: every row, no formula, and a last row that says when it broke off."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.lending.errors import ServiceFault
from lendingadmin.ui.exports import CsvPage, cell, csv_response


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", ""),
        ("plain", "plain"),
        (Decimal("-5.50"), Decimal("-5.50")),
        (-7, -7),
        ("=SUM(A1)", "'=SUM(A1)"),
        ("+254700000001", "'+254700000001"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        (" =1", " '=1"),
        ("＝1+1", "'＝1+1"),
        ("seen; =1+1", "seen; '=1+1"),
        ("seen\n-1", "seen\n'-1"),
        ("a - b = c, +1", "a - b = c, +1"),
        (True, "true"),
        ({"a": [Decimal("1.50")]}, '{"a": [1.50]}'),
    ],
)
def test_cells(value: object, expected: object) -> None:
    assert cell(value) == expected


@given(st.text(st.sampled_from("=+-@＝＋－＠;\t\r\n a1,\"'")))
def test_no_cell_of_any_reading_begins_a_formula(text: str) -> None:
    for part in re.split(r"[;\t\r\n]", str(cell(text))):
        assert not part.lstrip().startswith(tuple("=+-@＝＋－＠"))
    assert not str(cell(text)).startswith(("\t", "\r"))


def lines(items: Iterator[str]) -> list[str]:
    request: Any = RequestFactory().get("/")
    response = csv_response(request, "x.csv", ["id"], (CsvPage([[item]]) for item in items))
    return b"".join(response).decode("utf-8-sig").splitlines()


def test_rows_follow_their_columns() -> None:
    assert lines(iter(["a", "b,c"])) == ["id", "a", '"b,c"']


def test_a_break_is_told_in_the_last_row() -> None:
    def breaks_off() -> Iterator[str]:
        yield "a"
        raise ServiceFault

    *rows, last = lines(breaks_off())
    assert rows == ["id", "a"]
    assert "BROKEN OFF after 1 rows" in last

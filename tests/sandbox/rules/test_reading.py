"""Timestamps, durations, amounts, ids, filters, page tokens and JSON, read and refused."""

import csv
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import simplejson

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.rules.amounts import read_amount, read_number, read_positive_amount
from lendingadmin.sandbox.rules.ids import read_id
from lendingadmin.sandbox.rules.instants import (
    from_millis,
    read_date,
    read_days,
    read_timestamp,
    to_millis,
    write_timestamp,
)
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.rules.lists import (
    Clause,
    InvalidPageToken,
    Place,
    read_filter,
    read_token,
    write_token,
)

D = Decimal
OPERATIONS = csv.DictReader((Path(__file__).parents[2] / "operations.csv").open())
CUSTOM = [f"a:{method}" for row in OPERATIONS if (method := row["path"].partition(":")[2])]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05.678901Z", "2026-01-02T03:04:05.678Z"),
        ("2026-01-02T03:04:05.6+03:00", "2026-01-02T00:04:05.600Z"),
        ("2026-01-01T00:30:00-0530", "2026-01-01T06:00:00.000Z"),
        ("2026-01-02 03:04Z", "2026-01-02T03:04:00.000Z"),
    ],
)
def test_timestamps(text: str, written: str) -> None:
    moment = read_timestamp(text, "t")
    assert write_timestamp(moment) == written
    assert from_millis(to_millis(moment)) == moment


@pytest.mark.parametrize(
    "value",
    [None, 5, "", "2026-01-02", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z", "2026-W01-1T00:00Z",
     "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1899-12-31T23:59:59Z",
     "2026-01-02T24:61:00Z", "٢٠٢٦-01-02T03:04:05Z"],
)  # fmt: skip
def test_what_is_no_timestamp(value: object) -> None:
    with pytest.raises(Invalid):
        read_timestamp(value, "t")


@pytest.mark.parametrize("value", [None, "2026-1-1", "2026-02-29", "2026-01-01T00:00:00Z", 5])
def test_what_is_no_date(value: object) -> None:
    with pytest.raises(Invalid):
        read_date(value, "d")


@pytest.mark.parametrize(("text", "days"), [("30 days", 30), ("1 day", 1), ("0 days", 0)])
def test_durations(text: str, days: int) -> None:
    assert read_days(text, "d") == days


@pytest.mark.parametrize("value", ["30", "30 Days", "-1 days", "1.5 days", "4000 days", 30, None])
def test_what_is_no_duration(value: object) -> None:
    with pytest.raises(Invalid):
        read_days(value, "d")


@pytest.mark.parametrize(
    ("value", "read"),
    [(5, D("5.00")), (D("5.1"), D("5.10")), (D("1E+2"), D("100.00")), (D("5.1000"), D("5.10"))],
)
def test_amounts(value: object, read: Decimal) -> None:
    found = read_positive_amount(value, "a")
    assert (found, str(found)) == (read, str(read))


@pytest.mark.parametrize("value", [True, "5", None, D("NaN"), D("Infinity"), 10**15, D("1e999999")])
def test_what_is_no_number(value: object) -> None:
    with pytest.raises(Invalid):
        read_number(value, "a")


@pytest.mark.parametrize("value", [D("-0.01"), D("0.001")])
def test_what_is_no_amount(value: object) -> None:
    with pytest.raises(Invalid):
        read_amount(value, "a")


@pytest.mark.parametrize("value", ["a", "a:b", "..a", "a b", "é", "%2F", "x" * 200])
def test_ids(value: str) -> None:
    assert read_id(value, "i") == value


@pytest.mark.parametrize(
    "value",
    ["", ".", "..", "a/b", "a\x00b", "\x7f", " a", "a ", "x" * 201, *CUSTOM],
)
def test_what_is_no_id(value: str) -> None:
    with pytest.raises(Invalid):
        read_id(value, "i")


def test_only_the_first_colon_parts_field_and_value() -> None:
    found = read_filter("a:b:c:d n:07", {"a": str, "n": int})
    assert found == (Clause("a", "b:c:d"), Clause("n", 7))
    assert read_filter("", {"a": str}) == ()


@pytest.mark.parametrize("text", ["a", "a:", ":b", "x:1", "n:1.5", "n:²", "n:" + "9" * 19])
def test_what_is_no_filter(text: str) -> None:
    with pytest.raises(Invalid, match=r"^filter: "):
        read_filter(text, {"a": str, "n": int})


def test_a_token_is_bound_to_its_key_and_request() -> None:
    place = Place(1767225600123, 42)
    token = write_token(b"key", ("path", 5, "", False), place)
    assert read_token(b"key", ("path", 5, "", False), token) == place
    for key, request, changed in (
        (b"other", ("path", 5, "", False), token),
        (b"key", ("path", 6, "", False), token),
        (b"key", ("path", 5, "x", False), token),
        (b"key", ("path", 5, "", True), token),
        (b"key", ("path", 5, "", False), token[:-4]),
        (b"key", ("path", 5, "", False), "A" + token[1:] if token[0] != "A" else "B" + token[1:]),
    ):
        with pytest.raises(InvalidPageToken):
            read_token(key, request, changed)


@pytest.mark.parametrize("text", ["0.1", "12345678901.23", "1.10", "100", "-0.5", "1e-7"])
def test_numbers_pass_through_json_to_the_last_digit(text: str) -> None:
    document = wire.read_sent(f'{{"a": {text}}}'.encode())
    assert not isinstance(document["a"], float)
    assert D(wire.write(document)[5:-1].decode()) == D(text)


def test_answers_hold_timestamps_and_raw_text() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 6000, tzinfo=UTC)
    document: dict[str, Any] = {"at": moment, "on": moment.date(), "raw": wire.Raw('{"a":1.50}')}
    assert wire.write(document) == (
        b'{"at":"2026-01-02T03:04:05.006Z","on":"2026-01-02","raw":{"a":1.50}}'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        wire.write({"a": float("nan")})
    assert simplejson.loads(wire.write({"é": "漢"})) == {"é": "漢"}

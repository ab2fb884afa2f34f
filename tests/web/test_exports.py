"""CSV: every row, no formula, and a last row that says when it broke off."""

import csv
import gc
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import ServiceFault, Throttled
from lendingadmin.lending.fields import timestamp_text
from lendingadmin.web.exports import (
    BROKEN_OFF,
    Column,
    ExportPage,
    MomentText,
    cell,
    export_response,
)
from lendingadmin.web.keyset import read_slices


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", ""),
        ("plain", "plain"),
        (Decimal("-5.50"), Decimal("-5.50")),
        (-7, -7),
        ("=SUM(A1)", "'=SUM(A1)"),
        # A number moves nothing: a mark before it would be damage.
        ("+254700000001", "+254700000001"),
        ("-1", "-1"),
        ("-1.50", "-1.50"),
        ("000123", "000123"),
        ("-1,234.50", "-1,234.50"),
        ("+1,234,567", "+1,234,567"),
        ("+254 712 345 678", "+254 712 345 678"),
        ("+254-712-345-678", "+254-712-345-678"),
        ("+254 (0) 712.345.678", "+254 (0) 712.345.678"),
        ("+(254)\u00a0712345678", "+(254)\u00a0712345678"),
        # Too short or too long for a phone, or with what no phone has.
        ("+1-1", "'+1-1"),
        ("+1234567890123456-1", "'+1234567890123456-1"),
        ("+254 712 345 678+1", "'+254 712 345 678+1"),
        ("+254 712 345*678", "'+254 712 345*678"),
        ("+254 712 345 678\n", "'+254 712 345 678\n"),
        ("-254 712 345 678", "'-254 712 345 678"),
        ("-1,23", "'-1,23"),
        ("-2+3", "'-2+3"),
        ("\r=1", "'\r'=1"),
        ("+1+1", "'+1+1"),
        ("+1+cmd|'/c calc'!A1", "'+1+cmd|'/c calc'!A1"),
        ("+1 1", "'+1 1"),
        ("+254700000001\n", "'+254700000001\n"),
        ("-1;+1", "'-1;'+1"),
        ("+cmd|'/c calc'!A1", "'+cmd|'/c calc'!A1"),
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
    found = str(cell(text))
    for part in re.split(r"[;\t\r\n]", found):
        assert re.fullmatch(r"[+-][\d,]+|\+[\d -]+", found) or not part.lstrip().startswith(
            tuple("=+-@＝＋－＠")
        )
    assert not str(cell(text)).startswith(("\t", "\r"))


def lines(items: Iterator[str]) -> list[str]:
    return read(export(items))


def export(items: Iterator[str], person: User | None = None, query: str = "") -> Any:
    request: Any = RequestFactory().get(f"/{query}")
    request.user = person or User.objects.get_or_create(username="clerk")[0]
    pages = (ExportPage([[item]]) for item in items)
    return export_response(
        request, "x", [Column("id", "id")], pages, subject="loans", app_id="kenya"
    )


def read(response: Any) -> list[str]:
    whole = b"".join(response).decode("utf-8-sig").splitlines()
    leave(response)
    return whole


def leave(response: Any) -> None:
    """End a response as a server does, but for the database, which a test goes on with."""
    request_finished.disconnect(close_old_connections)
    try:
        response.close()
    finally:
        request_finished.connect(close_old_connections)


def told() -> list[tuple[str, str]]:
    entries = Entry.objects.filter(action="dashboard.export", app_id="kenya", subject="loans")
    return list(entries.order_by("id").values_list("outcome", "detail"))


@pytest.mark.django_db
def test_rows_follow_their_columns() -> None:
    assert lines(iter(["a", "b,c"])) == ["id", "a", '"b,c"']


@pytest.mark.django_db
def test_a_break_is_told_in_the_last_row() -> None:
    def breaks_off() -> Iterator[str]:
        yield "a"
        raise ServiceFault

    *rows, last = lines(breaks_off())
    assert rows == ["id", "a"]
    (cell_of_break,) = next(csv.reader([last]))
    assert cell_of_break == BROKEN_OFF % {"rows": 1, "why": ServiceFault.default_message}
    assert told()[-1] == ("broken", "1 row")


@pytest.mark.django_db
def test_the_trail_has_the_filters_and_how_it_ended() -> None:
    read(export(iter("abc"), query="?status=2&borrowerId=&account=b-7"))
    assert told() == [("started", "account, status"), ("done", "3 rows")]


@pytest.mark.django_db
def test_a_reader_who_leaves_is_told_too() -> None:
    response = export(iter("abc"))
    parts = iter(response)
    next(parts), next(parts)
    leave(response)
    assert told()[-1] == ("stopped", "0 rows")


@pytest.mark.django_db
def test_few_are_under_way_at_a_time_and_one_of_a_person() -> None:
    people = [User.objects.create_user(f"clerk{number}") for number in range(3)]
    first, second = (export(iter("a"), person) for person in people[:2])
    with pytest.raises(Throttled) as of_one:
        export(iter("a"), people[0])
    with pytest.raises(Throttled) as of_all:
        export(iter("a"), people[2])
    assert of_one.value.message != of_all.value.message
    assert [outcome for outcome, _ in told()] == ["started", "started"]
    read(first)
    third = export(iter("a"), people[2])
    # One that nobody ever reads gives its place back as well.
    del second
    gc.collect()
    read(export(iter("a"), people[1]))
    read(third)
    leave(first)
    assert read(export(iter("a"), people[0])) == ["id", "a"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "moment",
    [
        "2026-03-01T08:00:00+00:00",
        "2026-03-01T08:00:00.000001+00:00",
        "2026-03-01T08:00:00.1+00:00",
        "2026-03-01T23:59:59.999999+00:00",
        "2026-03-01T23:59:59.0125+03:00",
        "0099-01-01T00:00:00+00:00",
    ],
)
def test_the_database_writes_a_moment_as_the_service_does(moment: str) -> None:
    at = datetime.fromisoformat(moment)
    person = User.objects.create_user("somebody", last_login=at)
    rows = User.objects.filter(pk=person.pk).annotate(text=MomentText("last_login"))
    assert rows.values_list("text", flat=True).get() == timestamp_text(at)
    User.objects.update(last_login=None)
    assert rows.values_list("text", flat=True).get() is None


@pytest.mark.django_db
@pytest.mark.parametrize("size", [1, 3, 9, 10, 100])
def test_slices_hold_each_row_once_in_order(size: int) -> None:
    """Moments may be the same; a row that is written meanwhile is newer, and in no slice."""
    at = datetime.fromisoformat("2026-03-01T08:00:00+00:00")
    for number in range(9):
        joined = at + timedelta(seconds=number // 4)
        User.objects.create_user(f"person-{number}", date_joined=joined)
    rows, found = User.objects.values_list("id", "username", named=True), list[str]()
    for read in read_slices(rows, "date_joined", size):
        assert len(read) <= size
        found += [row.username for row in read]
        User.objects.create_user(f"later-{len(found)}", date_joined=at + timedelta(days=1))
    assert found == [f"person-{number}" for number in reversed(range(9))]

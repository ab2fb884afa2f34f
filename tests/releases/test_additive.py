"""Processes of the release before insert and read beside those of this one, on its database."""

from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from django.db import connection, transaction

from tests.releases import NULL, Columns, find_breaches, read_baseline, read_columns

pytestmark = pytest.mark.django_db

# What a process of the release before writes into a column of such a type.
SAMPLES = {
    "AutoField": 900_001,
    "BigAutoField": 900_001,
    "BigIntegerField": 30_001,
    "BinaryField": b"",
    "BooleanField": True,
    "CharField": "x",
    "DateField": date(2026, 11, 25),
    "DateTimeField": datetime(2026, 11, 25, 12, tzinfo=UTC),
    "DecimalField": 1,
    "FloatField": 1.0,
    "GenericIPAddressField": "127.0.0.1",
    "IntegerField": 30_001,
    "JSONField": "{}",
    "PositiveBigIntegerField": 30_001,
    "PositiveIntegerField": 30_001,
    "PositiveSmallIntegerField": 30_001,
    "SmallAutoField": 900_001,
    "SmallIntegerField": 30_001,
    "TextField": "x",
    "TimeField": time(12),
    "UUIDField": "0" * 32,
}
# Where a check of the table takes none of these.
CHECKED = {
    ("django_tasks_database_dbtaskresult", "priority"): 1,
    ("repayments_repayment", "approval_reasons"): "",
}


def insert_row(cursor: Any, table: str, names: list[str]) -> None:
    """Insert a row that names these columns alone."""
    find = connection.introspection
    about = {one.name: one for one in find.get_table_description(cursor, table)}
    values = []
    for name in names:
        kind = find.get_field_type(about[name].type_code, about[name])
        sample = SAMPLES[kind[0] if isinstance(kind, tuple) else kind]
        values.append(CHECKED.get((table, name), sample))
    quote = connection.ops.quote_name
    columns, places = ", ".join(map(quote, names)), ", ".join(["%s"] * len(names))
    cursor.execute(f"INSERT INTO {quote(table)} ({columns}) VALUES ({places})", values)


def test_nothing_that_the_release_before_uses_is_gone_or_asks_for_more() -> None:
    assert find_breaches(read_baseline(), read_columns()) == []


def test_a_row_with_the_columns_of_the_release_before_can_be_inserted() -> None:
    for table, columns in read_baseline().items():
        with transaction.atomic(), connection.cursor() as cursor:
            insert_row(cursor, table, [name for name, kind in columns.items() if kind != NULL])
            names = ", ".join(map(connection.ops.quote_name, columns))
            cursor.execute(f"SELECT {names} FROM {connection.ops.quote_name(table)}")
            assert cursor.fetchall(), table
            # What a row refers to is not there.
            transaction.set_rollback(True)


BEFORE: Columns = {"loans_note": {"id": "default", "text": "needed", "read_at": "null"}}


@pytest.mark.parametrize(
    ("now", "breach"),
    [
        ({}, "loans_note is gone"),
        ({"loans_note": {"id": "default", "text": "needed"}}, "loans_note.read_at is gone"),
        (
            {"loans_note": BEFORE["loans_note"] | {"read_at": "default"}},
            "loans_note.read_at takes no NULL any more",
        ),
        (
            {"loans_note": BEFORE["loans_note"] | {"kind": "needed"}},
            "loans_note.kind is new, takes no NULL and has no db_default",
        ),
    ],
    ids=["table", "column", "null", "needed"],
)
def test_each_breach_is_named(now: Columns, breach: str) -> None:
    assert find_breaches(BEFORE, now) == [breach]


@pytest.mark.parametrize("kind", ["null", "default"])
def test_what_is_added_with_care_is_none(kind: str) -> None:
    now = {"loans_note": BEFORE["loans_note"] | {"kind": kind}, "loans_more": {"id": "needed"}}
    assert find_breaches(BEFORE, now) == []

"""Rows that a database makes out of their numbers, quickly: what fills it for a benchmark."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import NamedTuple

from django.db import connection

YEAR = timedelta(days=365)


class _Words(NamedTuple):
    """How a database says what the two say differently; `n` is the number of a row."""

    series: str
    moment: str
    padded: str
    days_after: str


_DIALECTS = {
    "sqlite": _Words(
        "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {0})"
        " SELECT n FROM s)",
        "datetime({0}, 'unixepoch')",
        "printf('%06d', {0})",
        "date('{0}', ({1}) || ' days')",
    ),
    "postgresql": _Words(
        "generate_series(1, {0}) AS s(n)",
        "to_timestamp({0})",
        "to_char({0}, 'FM9999999000000')",
        "(DATE '{0}' + CAST({1} AS integer))",
    ),
}


def moment_of(now: datetime, count: int, plus: str = "0") -> str:
    """When row `n` of so many was made: evenly over the year before now."""
    start, step = (now - YEAR).timestamp(), YEAR.total_seconds() / count
    seconds = f"CAST({start:.0f} + n * {step:.6f} AS bigint) + {plus}"
    return _DIALECTS[connection.vendor].moment.format(seconds)


def pad(number: str) -> str:
    """A number of six digits at least."""
    return _DIALECTS[connection.vendor].padded.format(number)


def days_after(day: date, days: str) -> str:
    """The day that is so many days after this one."""
    return _DIALECTS[connection.vendor].days_after.format(day.isoformat(), days)


def insert(table: str, columns: dict[str, str], count: int) -> None:
    """So many rows, each column by its name, made of `n`, which is 1 in the first."""
    names, values = ", ".join(columns), ", ".join(columns.values())
    source = _DIALECTS[connection.vendor].series.format(count)
    with connection.cursor() as cursor:
        # Numbers of rows go up to millions; PostgreSQL would multiply them as small integers.
        big = "SELECT CAST(n AS bigint) AS n FROM " + source
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {values} FROM ({big}) AS numbers")


@contextmanager
def quickly(tables: Sequence[str]) -> Iterator[None]:
    """Without indexes, without waiting for the disk, without looking at references."""
    is_sqlite = connection.vendor == "sqlite"
    before, after = (
        (
            ("PRAGMA synchronous = OFF", "PRAGMA foreign_keys = OFF",
             "PRAGMA cache_size = -500000"),
            ("PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA synchronous = FULL",
             "PRAGMA foreign_keys = ON", "PRAGMA cache_size = -2000"),
        )
        if is_sqlite
        else (
            ("SET session_replication_role = replica", "SET synchronous_commit = off",
             "SET maintenance_work_mem = '512MB'"),
            ("RESET session_replication_role", "RESET synchronous_commit",
             "RESET maintenance_work_mem"),
        )
    )  # fmt: skip
    with connection.cursor() as cursor:
        for sentence in before:
            cursor.execute(sentence)
        indexes = _list_indexes(tables)
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        yield
        for _, definition in indexes:
            cursor.execute(definition)
        for sentence in after:
            cursor.execute(sentence)


def _list_indexes(names: Sequence[str]) -> list[tuple[str, str]]:
    """The indexes of the tables, but for those of constraints, and how each is made."""
    tables = ", ".join(f"'{name}'" for name in names)
    asked = {
        "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        f" AND tbl_name IN ({tables})",
        "postgresql": "SELECT indexname, indexdef FROM pg_indexes"
        f" WHERE tablename IN ({tables})"
        " AND indexname NOT IN (SELECT conname FROM pg_constraint)",
    }
    with connection.cursor() as cursor:
        cursor.execute(asked[connection.vendor])
        return list(cursor.fetchall())


def measure_size() -> str:
    """How much of the disk the database takes, in words."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        else:
            cursor.execute("SELECT pg_database_size(current_database())")
        return f"{cursor.fetchone()[0] / 1e9:.2f} GB"

"""A release must let the processes of the one before it go on: they read and insert beside it.

`columns.json` has the columns of the release before, as `python -m tests.releases` recorded them.
"""

import json
from pathlib import Path

from django.db import connection

BASELINE = Path(__file__).with_name("columns.json")
# What an INSERT that does not name a column gets: an error, NULL, or what the database has for it.
NEEDED, NULL, DEFAULT = "needed", "null", "default"

Columns = dict[str, dict[str, str]]


def read_columns() -> Columns:
    """What the tables of the migrated database have: by table, each column and what it gets."""
    find, found = connection.introspection, Columns()
    with connection.cursor() as cursor:
        for table in sorted(find.django_table_names(only_existing=True)):
            key = find.get_primary_key_column(cursor, table)
            found[table] = {
                one.name: NULL
                if one.null_ok
                else DEFAULT
                if one.default is not None or (one.name == key and _counts(cursor, table))
                else NEEDED
                for one in sorted(find.get_table_description(cursor, table))
            }
    return found


def _counts(cursor: object, table: str) -> bool:
    """Whether the database numbers the rows of a table."""
    return bool(connection.introspection.get_sequences(cursor, table))


def find_breaches(before: Columns, now: Columns) -> list[str]:
    """What a process that knows the columns of before can't do with these."""
    breaches = []
    for table, columns in before.items():
        if table not in now:
            breaches.append(f"{table} is gone")
            continue
        for name, kind in columns.items():
            if name not in now[table]:
                breaches.append(f"{table}.{name} is gone")
            elif kind == NULL and now[table][name] != NULL:
                breaches.append(f"{table}.{name} takes no NULL any more")
        breaches += [
            f"{table}.{name} is new, takes no NULL and has no db_default"
            for name, kind in now[table].items()
            if name not in columns and kind == NEEDED
        ]
    return breaches


def read_baseline() -> Columns:
    """The columns of the release before."""
    return Columns(json.loads(BASELINE.read_text()))


def write_baseline(columns: Columns) -> None:
    """Record the columns of a release."""
    BASELINE.write_text(json.dumps(columns, indent=1, sort_keys=True) + "\n")

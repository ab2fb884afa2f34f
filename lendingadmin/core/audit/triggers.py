"""Database triggers that refuse to change or remove an entry of the trail.

`models.Entry` refuses such a change in Python; the triggers refuse it in any SQL. The owner of the
database can drop the triggers. This is detected: `manage.py check --database default` fails if a
trigger is missing, and the chain shows the changed entries (chain.py).
"""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

_REFUSAL = "entries of the audit trail cannot be changed or removed"
_TABLE = "audit_entry"


def _make_sqlite(name: str, act: str, condition: str = "") -> str:
    return (
        f'CREATE TRIGGER {name} BEFORE {act} ON "{_TABLE}" {condition}'
        f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    )


# In SQLite, INSERT OR REPLACE runs no trigger of updates or deletes.
_IS_THERE = f'WHEN EXISTS (SELECT 1 FROM "{_TABLE}" WHERE id = NEW.id) '  # noqa: S608
_SQLITE = {
    "audit_entry_no_update": _make_sqlite("audit_entry_no_update", "UPDATE"),
    "audit_entry_no_delete": _make_sqlite("audit_entry_no_delete", "DELETE"),
    "audit_entry_no_replace": _make_sqlite("audit_entry_no_replace", "INSERT", _IS_THERE),
}
_BODY = f" BEGIN RAISE EXCEPTION '{_REFUSAL}'; END "
_FUNCTION = (
    "CREATE OR REPLACE FUNCTION audit_entry_refuse() RETURNS trigger LANGUAGE plpgsql "
    f"AS $${_BODY}$$"
)
_POSTGRESQL = {
    "audit_entry_no_change": (
        f'CREATE TRIGGER audit_entry_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON "{_TABLE}" '
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_refuse()"
    )
}


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    """Create the missing triggers. A migration that creates or copies the table calls this."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_FUNCTION)
        for name in list_missing(connection):
            cursor.execute(_get_triggers(connection)[name])


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    """Drop the triggers, for a migration that changes them."""
    on_table = f' ON "{_TABLE}"' if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for name in _get_triggers(connection):
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on_table}")


def list_missing(connection: BaseDatabaseWrapper) -> list[str]:
    """List the triggers that are missing, switched off, or different in the database."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT tgname FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
                "WHERE tgenabled IN ('O', 'A') AND prosrc = %s AND tgrelid IN "
                "(SELECT oid FROM pg_class WHERE relname = %s AND pg_table_is_visible(oid))",
                [_BODY, _TABLE],
            )
            there = {name for (name,) in cursor.fetchall()}
        else:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            there = {name for name, sql in cursor.fetchall() if _SQLITE.get(name) == sql}
    return [name for name in _get_triggers(connection) if name not in there]


def _get_triggers(connection: BaseDatabaseWrapper) -> dict[str, str]:
    return _POSTGRESQL if connection.vendor == "postgresql" else _SQLITE


def check_triggers(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Return an error for each database whose audit trail lacks a trigger."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        migrated = MigrationRecorder(connection).applied_migrations()
        if ("audit", "0001_initial") not in migrated:
            continue
        if missing := list_missing(connection):
            found.append(
                Error(
                    f"The audit trail can be changed: {', '.join(missing)} is missing.",
                    hint="It was dropped. Find out who did this. Check the trail with "
                    "`manage.py audit verify`. Then create it again with `manage.py audit guard`.",
                    id="audit.E001",
                )
            )
    return found

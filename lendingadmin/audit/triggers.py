"""Triggers by which the database itself refuses to change or remove an entry of the trail.

`models.Entry` refuses it in Python; these hold for SQL by whichever hand. Who owns the database
can drop them, which is seen: `manage.py check --database default` fails where one is missing, and
the chain shows what was changed meanwhile (chain.py).
"""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

_REFUSAL = "entries of the audit trail cannot be changed or removed"
# By the name of the trigger: what makes it. SQLite replaces a row without calling it a change.
_SQLITE = {
    f"audit_entry_no_{name}": (
        f'CREATE TRIGGER audit_entry_no_{name} BEFORE {act} ON "audit_entry" {condition} '
        f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    )
    for name, act, condition in (
        ("update", "UPDATE", ""),
        ("delete", "DELETE", ""),
        ("replace", "INSERT", 'WHEN EXISTS (SELECT 1 FROM "audit_entry" WHERE id = NEW.id)'),
    )
}
_BODY = f" BEGIN RAISE EXCEPTION '{_REFUSAL}'; END "
_FUNCTION = (
    "CREATE OR REPLACE FUNCTION audit_entry_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$${_BODY}$$"
)
_POSTGRESQL = {
    "audit_entry_no_change": (
        'CREATE TRIGGER audit_entry_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entry" '
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_refuse()"
    )
}


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    """Make those that are missing: a migration that makes the table, or copies it, calls this."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_FUNCTION)
        for name in list_missing(connection):
            cursor.execute(_get_triggers(connection)[name])


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    """Take them away, for a migration that goes back."""
    on_table = ' ON "audit_entry"' if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for name in _get_triggers(connection):
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on_table}")


def list_missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Those that the database lacks, has switched off, or has in other words, by name."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT tgname FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
                "WHERE tgrelid = 'audit_entry'::regclass AND tgenabled IN ('O', 'A') "
                "AND prosrc = %s",
                [_BODY],
            )
            there = {row[0] for row in cursor.fetchall()}
        else:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            there = {name for name, sql in cursor.fetchall() if sql == _SQLITE.get(name)}
    return [name for name in _get_triggers(connection) if name not in there]


def _get_triggers(connection: BaseDatabaseWrapper) -> dict[str, str]:
    return _POSTGRESQL if connection.vendor == "postgresql" else _SQLITE


def check_triggers(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Whether each database that has the trail also guards it."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if not _is_migrated(connection):
            continue
        if missing := list_missing(connection):
            found.append(
                Error(
                    f"The audit trail can be changed: {', '.join(missing)} is missing.",
                    hint="Somebody dropped it. Find out who did, and whether the trail is whole "
                    "(manage.py audit verify); then make it again: manage.py audit guard.",
                    id="audit.E001",
                )
            )
    return found


def _is_migrated(connection: BaseDatabaseWrapper) -> bool:
    return ("audit", "0003_triggers") in MigrationRecorder(connection).applied_migrations()

"""Triggers by which the database itself refuses to change or remove an entry of the trail.

`models.Entry` refuses it in Python; these hold for SQL by whichever hand. An entry can be removed
once it is part of a stretch that is archived (archive.py), and a stretch is never changed or
removed: one that the dashboard did not write has no mac, which verification.py sees. Who owns the
database can drop them, which is seen: `manage.py check --database default` fails where one is
missing, and the chain shows what was changed meanwhile (chain.py).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder


class _Trigger(NamedTuple):
    """What makes one; on PostgreSQL by the body of its function too."""

    table: str
    sql: str
    body: str = ""


_REFUSAL = "entries of the audit trail cannot be changed or removed"
_TABLES = ("audit_entry", "audit_archivedstretch")
# An entry that stands behind all that is archived.
_IS_KEPT = "OLD.id > COALESCE((SELECT MAX(last_id) FROM audit_archivedstretch), 0)"


def _make_sqlite(table: str, act: str, condition: str) -> str:
    name = f"{table}_no_{'replace' if act == 'INSERT' else act.lower()}"
    return (
        f'CREATE TRIGGER {name} BEFORE {act} ON "{table}" {condition} '
        f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    )


def _list_sqlite(table: str) -> dict[str, _Trigger]:
    """SQLite replaces a row without calling it a change."""
    is_there = f'WHEN EXISTS (SELECT 1 FROM "{table}" WHERE id = NEW.id)'  # noqa: S608
    is_kept = f"WHEN {_IS_KEPT}" if table == "audit_entry" else ""
    return {
        f"{table}_no_update": _Trigger(table, _make_sqlite(table, "UPDATE", "")),
        f"{table}_no_delete": _Trigger(table, _make_sqlite(table, "DELETE", is_kept)),
        f"{table}_no_replace": _Trigger(table, _make_sqlite(table, "INSERT", is_there)),
    }


_SQLITE = {name: one for table in _TABLES for name, one in _list_sqlite(table).items()}

_BODY = f" BEGIN RAISE EXCEPTION '{_REFUSAL}'; END "
_BODY_OF_REMOVAL = (
    f" BEGIN IF {_IS_KEPT} THEN RAISE EXCEPTION '{_REFUSAL}'; END IF; RETURN OLD; END "
)
_FUNCTIONS = {"audit_entry_refuse": _BODY, "audit_entry_refuse_removal": _BODY_OF_REMOVAL}
_POSTGRESQL = {
    "audit_entry_no_change": _Trigger(
        "audit_entry",
        'CREATE TRIGGER audit_entry_no_change BEFORE UPDATE OR TRUNCATE ON "audit_entry" '
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_refuse()",
        _BODY,
    ),
    "audit_entry_no_removal": _Trigger(
        "audit_entry",
        'CREATE TRIGGER audit_entry_no_removal BEFORE DELETE ON "audit_entry" '
        "FOR EACH ROW EXECUTE FUNCTION audit_entry_refuse_removal()",
        _BODY_OF_REMOVAL,
    ),
    "audit_archivedstretch_no_change": _Trigger(
        "audit_archivedstretch",
        "CREATE TRIGGER audit_archivedstretch_no_change BEFORE UPDATE OR DELETE OR TRUNCATE "
        'ON "audit_archivedstretch" FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_refuse()',
        _BODY,
    ),
}


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    """Make those that are missing: a migration that makes a table, or copies it, calls this.

    Before the migration that makes the table of stretches, there is none to guard.
    """
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for name, body in _FUNCTIONS.items():
                cursor.execute(
                    f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                    f"$${body}$$"
                )
        for name in list_missing(connection):
            trigger = _get_triggers(connection)[name]
            if trigger.table in tables:
                cursor.execute(trigger.sql)


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    """Take them away, for a migration that changes them."""
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        for name, trigger in _get_triggers(connection).items():
            on_table = f' ON "{trigger.table}"' if connection.vendor == "postgresql" else ""
            if trigger.table in tables:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on_table}")


def list_missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Those that the database lacks, has switched off, or has in other words, by name."""
    wanted = _get_triggers(connection)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
                "WHERE tgenabled IN ('O', 'A') AND tgrelid IN "
                "(SELECT oid FROM pg_class WHERE relname = ANY(%s) AND pg_table_is_visible(oid))",
                [list(_TABLES)],
            )
            there = {name for name, body in cursor.fetchall() if _has(wanted, name, body)}
        else:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            there = {name for name, sql in cursor.fetchall() if _has(wanted, name, sql)}
    return [name for name in wanted if name not in there]


def _has(wanted: dict[str, _Trigger], name: str, words: str) -> bool:
    trigger = wanted.get(name)
    return trigger is not None and words == (trigger.body or trigger.sql)


def _get_triggers(connection: BaseDatabaseWrapper) -> dict[str, _Trigger]:
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
    return ("audit", "0005_archivedstretch") in MigrationRecorder(connection).applied_migrations()

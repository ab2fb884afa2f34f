"""How the tables are emptied after a test whose work was committed."""

import sqlite3
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.commands import flush
from django.db import connection, models, transaction
from django.db.backends.base.operations import BaseDatabaseOperations

from lendingadmin.core.audit import triggers
from lendingadmin.core.monitoring.models import Canary

# What a new database holds.
_FIRST_MODELS: tuple[type[models.Model], ...] = (
    *(ContentType, Permission, Group, Group.permissions.through, Canary),
)


class FirstState:
    """The rows that a new database holds.

    SQLite is put back from a copy in memory. PostgreSQL takes a second to truncate tables, so there
    the rows are deleted from the tables that have any.
    """

    def __init__(self) -> None:
        if connection.vendor == "sqlite":
            connection.ensure_connection()
            self._copy = sqlite3.connect(":memory:", check_same_thread=False)
            connection.connection.backup(self._copy)
        self._rows = _read_first_rows()

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Let Django's flush go back to this state."""
        restore = self._copy_back if connection.vendor == "sqlite" else self._delete_rows
        patch.setattr(BaseDatabaseOperations, "execute_sql_flush", restore)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_: None)

    def _copy_back(self, _truncating: list[str]) -> None:
        self._copy.backup(connection.connection)

    def _delete_rows(self, _truncating: list[str]) -> None:
        is_changed = _read_first_rows() != self._rows
        first = {model._meta.db_table for model in _FIRST_MODELS}
        tables = connection.introspection.django_table_names(only_existing=True)
        full = _list_full(set(tables) - first) + (sorted(first) if is_changed else [])
        holds_trail = any(table.startswith("audit_") for table in full)
        if holds_trail:  # its triggers refuse this to everybody
            triggers.drop_triggers(connection)
        with transaction.atomic(), connection.cursor() as cursor:
            for table in full:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
            for model, rows in self._rows.items() if is_changed else ():
                model._default_manager.bulk_create(model(**row) for row in rows)
        if holds_trail:
            triggers.create_triggers(connection)
        ContentType.objects.clear_cache()


def _read_first_rows() -> dict[type[models.Model], list[dict[str, Any]]]:
    return {model: list(model._default_manager.order_by("pk").values()) for model in _FIRST_MODELS}


def _list_full(tables: set[str]) -> list[str]:
    """Return those of the tables that have a row."""
    parts = (
        f"(SELECT '{table}' FROM {connection.ops.quote_name(table)} LIMIT 1)" for table in tables
    )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        return [table for (table,) in cursor.fetchall()]

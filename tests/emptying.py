"""How the tables are emptied after a test whose work was committed."""

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.commands import flush
from django.db import transaction
from django.db.backends.base.operations import BaseDatabaseOperations

from lendingadmin.audit import triggers
from lendingadmin.monitoring.canary import write_canary
from lendingadmin.staff.sync import sync_roles

# The same in every test, and long to write.
_KEPT = [model._meta.db_table for model in (ContentType, Permission)]


def install(patch: pytest.MonkeyPatch) -> None:
    """Let Django's flush delete rows instead of truncating, and write only what was deleted.

    Nearly all tables are empty or hold a few rows; PostgreSQL takes a second to truncate them.
    """
    patch.setattr(BaseDatabaseOperations, "execute_sql_flush", _delete_rows)
    patch.setattr(flush, "emit_post_migrate_signal", _write_first_rows)


def _delete_rows(ops: BaseDatabaseOperations, _truncating: list[str]) -> None:
    connection = ops.connection
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    # The trail's refuse it to everybody.
    triggers.drop_triggers(connection)
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            for table in set(tables).difference(_KEPT):
                cursor.execute(f"DELETE FROM {ops.quote_name(table)}")
    finally:
        triggers.create_triggers(connection)


def _write_first_rows(_verbosity: int, _interactive: bool, alias: str) -> None:
    """What else a new database begins with: the roles, and the row that tells its keys."""
    sync_roles(using=alias)
    write_canary()

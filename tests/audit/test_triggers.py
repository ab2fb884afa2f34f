"""What the database itself refuses to be done to the trail, whoever asks."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError, connection, transaction

from lendingadmin.core.audit import record, triggers
from lendingadmin.core.audit.models import Entry

pytestmark = pytest.mark.django_db

FORGED = "UPDATE audit_entry SET outcome = 'forged'"
REPLACED = (
    "INSERT OR REPLACE INTO audit_entry (id, at, username, role, action, app_id, subject, outcome, "
    "saved, request_id, detail, url, address, browser, mac) "
    "VALUES (%s, %s, '', '', 'x', '', '', 'forged', '', '', '', '', '', '', '')"
)
UPSERTED = (
    "INSERT INTO audit_entry (id, at, username, role, action, app_id, subject, outcome, saved, "
    "request_id, detail, url, address, browser, mac) "
    "VALUES (%s, %s, '', '', 'x', '', '', 'forged', '', '', '', '', '', '', '') "
    "ON CONFLICT (id) DO UPDATE SET outcome = 'forged'"
)


def run(sql: str, *params: object) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, params)


def check() -> str:
    """What the system check prints."""
    told = StringIO()
    call_command("check", databases=["default"], tags=["database"], stdout=told, stderr=told)
    return told.getvalue()


@pytest.fixture
def entry() -> Entry:
    return record(None, "reconcile", outcome="done")


@pytest.mark.parametrize("sql", [FORGED, "DELETE FROM audit_entry"])
def test_no_sql_changes_or_removes_an_entry(entry: Entry, sql: str) -> None:
    with pytest.raises(DatabaseError, match="cannot be changed or removed"):
        run(sql)
    assert Entry.objects.get().outcome == "done"


@pytest.mark.parametrize("sql", [REPLACED, UPSERTED])
def test_none_puts_another_in_its_place(entry: Entry, sql: str) -> None:
    if connection.vendor == "postgresql" and sql == REPLACED:
        pytest.skip("it has no such words")
    with pytest.raises(DatabaseError, match="cannot be changed or removed"):
        run(sql, entry.pk, entry.at)
    assert Entry.objects.get().outcome == "done"


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no TRUNCATE")
def test_nor_is_the_table_emptied(entry: Entry) -> None:
    with pytest.raises(DatabaseError, match="cannot be changed or removed"):
        run("TRUNCATE audit_entry")
    assert Entry.objects.count() == 1


def test_a_check_fails_where_a_trigger_is_missing() -> None:
    assert "no issues" in check()
    triggers.drop_triggers(connection)
    with pytest.raises(SystemCheckError, match=r"audit\.E001.*The audit trail can be changed"):
        check()
    triggers.create_triggers(connection)
    assert "no issues" in check()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite can't switch one off")
def test_one_that_is_switched_off_is_missing() -> None:
    run("ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_no_change")
    assert triggers.list_missing(connection) == ["audit_entry_no_change"]


def test_one_that_lets_everything_pass_is_missing() -> None:
    if connection.vendor == "postgresql":
        run(
            "CREATE OR REPLACE FUNCTION audit_entry_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN NULL; END $$"
        )
    else:
        run("DROP TRIGGER audit_entry_no_update")
        run("CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry BEGIN SELECT 1; END")
    is_postgresql = connection.vendor == "postgresql"
    expected = "audit_entry_no_change" if is_postgresql else "audit_entry_no_update"
    assert triggers.list_missing(connection) == [expected]
    with pytest.raises(SystemCheckError, match=r"audit\.E001"):
        check()

from typing import Any

from django.db import migrations

_PAIRS = {"people_index_cardtoken": ("token", "card_id"), "people_index_wordkey": ("key", "word")}


def leave_out(apps: Any, schema_editor: Any) -> None:
    """SQLite keeps such a pair twice: under a number of its own, and in the index of its key."""
    _build_again(schema_editor, " WITHOUT ROWID")


def bring_back(apps: Any, schema_editor: Any) -> None:
    """As Django makes a table."""
    _build_again(schema_editor, "")


def _build_again(schema_editor: Any, kind: str) -> None:
    if schema_editor.connection.vendor != "sqlite":
        return
    for table, names in _PAIRS.items():
        one, other = (schema_editor.quote_name(name) for name in names)
        columns = f"{one} bigint NOT NULL, {other} bigint NOT NULL"
        schema_editor.execute(
            f"CREATE TABLE {table}_new ({columns}, PRIMARY KEY ({one}, {other})){kind}"
        )
        schema_editor.execute(
            f"INSERT INTO {table}_new SELECT {one}, {other} FROM {table} ORDER BY 1, 2"
        )
        schema_editor.execute(f"DROP TABLE {table}")
        schema_editor.execute(f"ALTER TABLE {table}_new RENAME TO {table}")


class Migration(migrations.Migration):
    dependencies = [("people_index", "0003_bound_texts")]

    operations = [migrations.RunPython(leave_out, bring_back)]

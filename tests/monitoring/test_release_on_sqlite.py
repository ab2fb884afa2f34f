"""A new version on one host, whose SQLite others write to meanwhile."""

import pytest
from django.core.management import call_command
from django.db import connection

from lendingadmin.core.monitoring.management.commands import release


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL lets all in, in turn")
def test_it_waits_longer_for_others_than_a_page_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_arguments: object, **_options: object) -> None:
        with connection.cursor() as cursor:
            waits.append(cursor.execute("PRAGMA busy_timeout").fetchone()[0])

    waits: list[int] = []
    monkeypatch.setattr(release, "run_checks", lambda **_options: [])
    monkeypatch.setattr(release, "call_command", read)
    call_command("release")
    assert waits == [300_000, 300_000]

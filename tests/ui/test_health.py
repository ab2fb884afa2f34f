"""Health answers strangers, says why it is not ready, and calls nobody."""

from unittest import mock

import pytest
from django.db import DatabaseError
from django.db.migrations.executor import MigrationExecutor
from django.test import Client


def test_the_process_is_alive_without_a_database() -> None:
    # No db mark: any query would fail this test.
    assert Client().get("/healthz").content == b"alive\n"


@pytest.mark.django_db
def test_ready() -> None:
    assert Client().get("/readyz").status_code == 200


@pytest.mark.django_db
def test_not_ready_while_a_migration_waits() -> None:
    with mock.patch.object(MigrationExecutor, "migration_plan", return_value=[object()]):
        answer = Client().get("/readyz")
    assert (answer.status_code, answer.content) == (
        503,
        b"not ready: 1 migrations are not applied\n",
    )


def test_not_ready_while_the_database_is_away() -> None:
    with mock.patch("lendingadmin.ui.views.MigrationExecutor", side_effect=DatabaseError):
        answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert b"database" in answer.content

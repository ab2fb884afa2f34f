"""A command that changes people or data leaves an entry of the trail, by the system."""

import getpass
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

import lendingadmin
from lendingadmin.core.audit import triggers
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.people.index.models import BorrowerIndex
from tests.people_index.conftest import Put, index, put
from tests.repayments.rows import row

__all__ = ["index", "put"]
pytestmark = pytest.mark.django_db(transaction=True)

PACKAGE = Path(lendingadmin.__file__).parent
# What changes something, each as it is run, and how the subject of its entry begins.
WRITING = {
    "audit guard": "audit guard",
    "audit anchor": "audit anchor",
    "changepassword viewer": "viewer",
    "createsuperuser --no-input --username root --email root@example.org": "root",
    "erase borrower kenya b-1": "b-1",
    "erase old": "erase old",
    "policy import rules.toml": "late-sheets-1",
    "people_index --rebuild --app kenya": "people_index --rebuild",
    "reencrypt": "reencrypt",
    "reconcile": "loan-of-nobody",
    "restored --since 2026-01-01T00:00Z": "restored",
    "role night-desk --give dashboard.export": "role night-desk",
}
# The entry is about what was concluded; the same is written where the worker does it.
WITHOUT_OPERATOR = {"reconcile"}
# What changes no people or data of a dashboard in use, and why.
UNRECORDED = {
    "backup": "copies the database into a file",
    "db_worker": "the worker itself: what it concludes is recorded where that is done",
    "demo": "starts the processes of a demo, with people whose password everybody knows",
    "lending_check": "reads what the service account may do",
    "new_data_key": "prints a key",
    "release": "brings the tables to this version",
    "sandbox": "the service to run against, with a database of its own",
    "settings": "writes the settings of a first installation",
    "worker_check": "says whether a worker runs",
}


def test_each_command_is_recorded_or_changes_nothing() -> None:
    found = {path.stem for path in PACKAGE.glob("**/management/commands/*.py")} - {"__init__"}
    assert found - {line.split()[0] for line in WRITING} == set(UNRECORDED)


@pytest.mark.parametrize("line", WRITING)
def test_what_changes_something_leaves_one_entry(
    line: str,
    viewer: User,
    put: Put,
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.AUDIT_ANCHOR = str(tmp_path / "anchor.json")
    monkeypatch.setattr(getpass, "getpass", lambda **_prompt: "orange fjord 71")
    if line == "reconcile":
        long_ago = timezone.now() - timedelta(hours=1)
        pending = {"account_id": WRITING[line], "send_before": long_ago}
        row(viewer, RepaymentState.PENDING, **pending)
    elif line == "audit guard":
        triggers.drop_triggers(connection)
    elif line.startswith("policy"):
        monkeypatch.chdir(tmp_path)
        Path("rules.toml").write_text("[apps.kenya.late-sheets]\ndays = 5\n")
    elif line.startswith("erase borrower"):
        put("b-1", surname="Kamau")
    call_command(*line.split(), stdout=StringIO())
    entry = Entry.objects.get()
    assert entry.username == "system" and entry.subject.startswith(WRITING[line])
    assert line in WITHOUT_OPERATOR or f"by {getpass.getuser()}" in entry.detail


@pytest.mark.parametrize(
    "line",
    [
        "audit guard",
        "people_index --status",
        "reencrypt --check",
        "reconcile",
        "erase old --dry-run",
    ],
)
def test_what_changes_nothing_leaves_none(line: str, index: BorrowerIndex) -> None:
    call_command(*line.split(), stdout=StringIO())
    assert not Entry.objects.exists()


@pytest.mark.parametrize("error", [KeyError, OSError])
def test_a_user_without_a_name_is_named_by_the_number(
    monkeypatch: pytest.MonkeyPatch, error: Callable[..., Exception]
) -> None:
    def fail() -> str:
        raise error("no such user")

    monkeypatch.setattr(getpass, "getuser", fail)
    call_command("reencrypt", stdout=StringIO())
    assert Entry.objects.get().detail.endswith(tuple("0123456789"))

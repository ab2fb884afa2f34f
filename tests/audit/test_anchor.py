"""What the chain alone does not show is seen by an anchor outside the database."""

import logging
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.audit import record, tasks, verification
from lendingadmin.core.audit.anchor import Link, read_anchor, write_anchor
from lendingadmin.core.audit.management.commands.audit import NO_ANCHOR
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User

from .test_chain import forge

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def anchor(settings: Any, tmp_path: Path) -> Path:
    settings.AUDIT_ANCHOR = str(tmp_path / "kept" / "anchor.json")
    return Path(settings.AUDIT_ANCHOR)


@pytest.fixture
def entries(manager: User) -> list[Entry]:
    manager.email = "manager@example.com"
    manager.save()
    return [record(None, "x", subject=f"L-{number}", outcome="done") for number in range(6)]


def watch() -> None:
    tasks.watch.func()


def link(entry: Entry) -> Link:
    return Link(entry.pk, entry.mac)


def verify() -> str:
    told = StringIO()
    call_command("audit", "verify", stdout=told)
    return told.getvalue()


def delete_last() -> None:
    forge("DELETE FROM audit_entry WHERE id = %s", Entry.objects.latest("pk").pk)


def test_it_follows_the_chain_and_only_its_owner_reads_it(
    anchor: Path, entries: list[Entry]
) -> None:
    watch()
    assert anchor.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in anchor.parent.iterdir()] == [anchor.name]
    kept = read_anchor()
    assert kept and kept.newest == link(entries[-1])
    more = [record(None, "x", outcome="done") for _ in range(3)]
    watch()
    kept = read_anchor()
    assert kept and kept.newest == link(more[-1])
    assert NO_ANCHOR not in verify()


def test_a_tail_that_is_cut_off_is_told_once_by_mail_and_by_the_command(
    entries: list[Entry], caplog: pytest.LogCaptureFixture
) -> None:
    watch()
    delete_last()
    assert list(verification.Verifier().find_breaks()) == []
    for _ in range(2):
        with caplog.at_level(logging.ERROR):
            watch()
    (sent,) = mail.outbox
    assert sent.bcc == ["manager@example.com"]
    assert f" {entries[-1].pk}: {verification.CUT}" in sent.body
    assert caplog.text.count(f" {entries[-1].pk}: {verification.CUT}") == 2
    record(None, "x", outcome="written since")
    with pytest.raises(CommandError, match=f" {entries[-1].pk}: {verification.CUT}"):
        verify()


def test_a_trail_without_any_mac_left_is_told(entries: list[Entry]) -> None:
    watch()
    forge("UPDATE audit_entry SET mac = ''")
    watch()
    assert len(mail.outbox) == 1
    with pytest.raises(CommandError):
        verify()


def test_an_entry_that_something_else_wrote_is_told(entries: list[Entry]) -> None:
    watch()
    record(None, "x", outcome="done")
    forge("UPDATE audit_entry SET detail = 'another' WHERE id = %s", Entry.objects.latest("pk").pk)
    watch()
    assert len(mail.outbox) == 1 and verification.CHANGED in mail.outbox[0].body


def test_the_walk_comes_to_every_entry(
    entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "ENTRIES_OF_A_TASK", 2)
    monkeypatch.setattr(verification, "SLICE", 2)
    watch()
    walked = []
    for _ in range(5):
        watch()
        kept = read_anchor()
        assert kept
        walked.append(kept.walked.entry_id)
    first = Entry.objects.earliest("pk").pk
    assert walked[:2] == [first + 1, first + 3] and 0 in walked
    forge("UPDATE audit_entry SET subject = 'L-9' WHERE id = %s", entries[2].pk)
    for _ in range(5):
        watch()
    assert len(mail.outbox) == 1 and f"entry {entries[2].pk}" in mail.outbox[0].body


def test_a_person_casts_it_again_and_that_is_in_the_trail(entries: list[Entry]) -> None:
    watch()
    delete_last()
    call_command("audit", "anchor", stdout=StringIO())
    newest = Entry.objects.latest("pk")
    assert (newest.action, newest.subject) == ("command", "audit anchor")
    kept = read_anchor()
    assert kept and kept.newest == link(newest)
    verify()
    watch()
    assert not mail.outbox


def test_a_file_that_is_no_anchor_is_told(
    anchor: Path, entries: list[Entry], caplog: pytest.LogCaptureFixture
) -> None:
    watch()
    anchor.write_text("{")
    with caplog.at_level(logging.ERROR):
        watch()
    assert "cannot be read" in caplog.text
    assert anchor.read_text() == "{"
    with pytest.raises(CommandError, match="cannot be read"):
        verify()


@pytest.mark.parametrize("action", ["verify", "anchor"])
def test_a_file_that_cannot_be_used_is_told_in_a_line(
    anchor: Path, entries: list[Entry], action: str
) -> None:
    anchor.mkdir(parents=True)  # whom a folder keeps out is no root, as tests may be
    with pytest.raises(CommandError, match=rf"{anchor}, cannot be used: Is a directory\. Run"):
        call_command("audit", action, stdout=StringIO())


def test_before_the_first_entry_and_before_the_first_anchor(anchor: Path) -> None:
    assert NO_ANCHOR in verify()
    watch()
    watch()
    kept = read_anchor()
    assert kept and kept.newest == Link()


def test_a_process_that_dies_while_it_writes_leaves_the_old_one(
    anchor: Path, entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch()
    before = anchor.read_bytes()
    kept = read_anchor()
    assert kept

    def die(*_: object) -> None:
        raise OSError

    monkeypatch.setattr("os.fsync", die)
    with pytest.raises(OSError):
        write_anchor(kept)
    assert anchor.read_bytes() == before


def test_the_worker_watches_every_few_minutes_where_there_is_an_anchor(settings: Any) -> None:
    rows = DBTaskResult.objects.filter(task_path=tasks.watch.module_path)
    tasks.beat()
    tasks.beat()
    assert rows.count() == 1
    rows.delete()
    settings.AUDIT_ANCHOR = ""
    tasks.beat()
    assert not rows.exists()

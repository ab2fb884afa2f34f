"""Old entries go into signed files, and only then out of the table."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from lendingadmin.audit import archive, record, tasks, verification
from lendingadmin.audit.anchor import Link, read_anchor
from lendingadmin.audit.archive import ArchiveInvalid, ArchiveRefused, archive_stretch, read_archive
from lendingadmin.audit.models import ArchivedStretch, Entry
from lendingadmin.audit.verification import FORGED, INSERTED, MISSING, Verifier
from lendingadmin.staff import retention
from lendingadmin.staff.models import User

from .test_chain import forge

pytestmark = pytest.mark.django_db
DAYS = 90


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.KEEP_ROWS_DAYS = {"": 0, "audit": DAYS}
    settings.AUDIT_ARCHIVE = str(tmp_path / "archive")
    return tmp_path / "archive"


@pytest.fixture
def entries() -> list[Entry]:
    """Six that are old and two that are not."""
    return [add(age) for age in (400, 300, 200, 120, 92, 91, 89, 1)]


def add(days: int, **more: Any) -> Entry:
    at = timezone.now() - timedelta(days=days)
    return Entry.objects.create(at=at, action="x", outcome="done", subject=f"L-{days}", **more)


def archive_old() -> ArchivedStretch | None:
    return archive_stretch(timezone.now() - timedelta(days=DAYS))


def find_breaks() -> list[tuple[int, str]]:
    return [(found.entry_id, found.what) for found in Verifier().find_breaks()]


def run(*words: str) -> str:
    told = StringIO()
    call_command("audit", *words, stdout=told)
    return told.getvalue()


def get_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_what_is_old_stands_in_a_file_of_its_owner_and_the_rest_in_the_table(
    entries: list[Entry], folder: Path
) -> None:
    stretch = archive_old()
    assert stretch and (stretch.first_id, stretch.last_id, stretch.count) == (
        entries[0].pk,
        entries[5].pk,
        6,
    )
    path = get_file(folder)
    assert path.name == stretch.file_name
    assert path.stat().st_mode & 0o777 == 0o600 and folder.stat().st_mode & 0o777 == 0o700
    head, *rows, signature = [json.loads(line) for line in path.read_text().splitlines()]
    assert (head["first_id"], head["last_id"], head["previous_mac"]) == (
        entries[0].pk,
        entries[5].pk,
        "",
    )
    assert [(row["id"], row["subject"], row["mac"]) for row in rows] == [
        (one.pk, one.subject, one.mac) for one in entries[:6]
    ]
    assert set(signature) == {"signature"}
    left = list(Entry.objects.order_by("pk"))
    assert left[:-1] == entries[6:]
    assert (left[-1].action, left[-1].subject) == (archive.ACTION, path.name)
    assert find_breaks() == []
    assert archive_old() is None


def test_stretches_follow_one_another(
    entries: list[Entry], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "STRETCH", 2)
    monkeypatch.setattr(verification, "SLICE", 1)
    assert "6 entries older than 90 days were archived" in run("archive")
    files = sorted(folder.iterdir())
    assert len(files) == 3
    said = run("verify", *map(str, files))
    assert f"followed by {files[1].name}" in said
    assert f"followed by entry {entries[6].pk} of the table" in said
    assert f"Entries up to {entries[5].pk} of" in said and "5 entries were compared" in said
    assert find_breaks() == []


def test_a_dry_run_counts_and_leaves_everything(entries: list[Entry], folder: Path) -> None:
    assert "6 entries are older than 90 days" in run("archive", "--dry-run")
    (counted,) = [(one.kind, count) for one, count in retention.count_old()]
    assert counted == ("audit", 6)
    assert not folder.exists() and Entry.objects.count() == 8


def test_the_worker_does_it_with_what_else_is_old(
    entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "STRETCH", 4)
    assert retention.delete_old() is False
    assert retention.delete_old() is True
    assert ArchivedStretch.objects.count() == 2
    assert Entry.objects.earliest("pk") == entries[6]


@pytest.mark.parametrize("days, named", [({"": 0}, True), ({"": 90}, False)])
def test_without_days_or_a_folder_nothing_goes(
    entries: list[Entry], settings: Any, days: dict[str, int], named: bool
) -> None:
    settings.KEEP_ROWS_DAYS = days
    settings.AUDIT_ARCHIVE = settings.AUDIT_ARCHIVE if named else ""
    assert retention.delete_old() is True and Entry.objects.count() == 8
    with pytest.raises(CommandError, match="stay in the table"):
        run("archive")


def test_the_newest_entry_stays(folder: Path) -> None:
    first, last = add(400), add(300)
    archive_old()
    assert Entry.objects.earliest("pk") == last
    assert read_archive(get_file(folder)).last_id == first.pk


class Died(Exception):
    pass


@pytest.mark.parametrize("place", ["read_archive", "_remove", "record"])
def test_a_process_that_dies_on_the_way_loses_nothing_and_archives_nothing_twice(
    entries: list[Entry], folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def die(*_given: Any, **_more: Any) -> None:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(archive, place, die)
        with pytest.raises(Died), transaction.atomic():
            archive_old()
    assert list(Entry.objects.order_by("pk")) == entries
    assert not ArchivedStretch.objects.exists() and find_breaks() == []
    left = get_file(folder).read_bytes()
    assert archive_old() and get_file(folder).read_bytes() == left
    assert find_breaks() == []


def test_a_file_that_was_not_written_as_meant_removes_nothing(
    entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = archive._write
    monkeypatch.setattr(archive, "_write", lambda path, content: write(path, content[:-80]))
    with pytest.raises(ArchiveInvalid, match="cut off"):
        archive_old()
    assert retention.delete_old() is True
    assert Entry.objects.count() == 8


def test_two_workers_archive_the_same_once(entries: list[Entry], folder: Path) -> None:
    stretch = archive_old()
    assert stretch
    again = ArchivedStretch(**{name: getattr(stretch, name) for name in archive._HEAD})
    again.last_at, again.mac = stretch.last_at, stretch.mac
    with pytest.raises(DatabaseError), transaction.atomic():
        archive._remove(again)
    assert Entry.objects.filter(action=archive.ACTION).count() == 1


class TestTampered:
    @pytest.mark.parametrize("old, new", [("L-300", "L-301"), ('"count": 6', '"count": 7')])
    def test_a_changed_file(self, entries: list[Entry], folder: Path, old: str, new: str) -> None:
        archive_old()
        path = get_file(folder)
        path.write_text(path.read_text().replace(old, new))
        with pytest.raises(CommandError, match="not as it was signed"):
            run("verify", str(path))

    @pytest.mark.parametrize("kept", [slice(0, -1), slice(0, 0), slice(0, 1), slice(-1, None)])
    def test_a_file_with_lines_missing(
        self, entries: list[Entry], folder: Path, kept: slice
    ) -> None:
        archive_old()
        path = get_file(folder)
        path.write_text("".join(path.read_text().splitlines(keepends=True)[kept]))
        with pytest.raises(CommandError, match="cut off, or no archive"):
            run("verify", str(path))

    def test_what_is_no_archive_or_no_file(self, tmp_path: Path) -> None:
        path = tmp_path / "other.jsonl"
        with pytest.raises(CommandError, match="No such file"):
            run("verify", str(path))
        path.write_bytes(b"\xff\n[]\n{}\n")
        with pytest.raises(CommandError, match="no archive"):
            run("verify", str(path))

    def test_another_order_signed_by_who_has_the_key(
        self, entries: list[Entry], folder: Path
    ) -> None:
        stretch = archive_old()
        assert stretch
        swapped = [entries[1], entries[0], *entries[2:6]]
        content = archive._build_content(archive._build_stretch("", swapped), swapped)
        digest = archive.sha256(content).hexdigest()
        signature = {"signature": archive.chain.sign("file", digest)}
        get_file(folder).write_bytes(content + archive._dump(signature))
        with pytest.raises(ArchiveInvalid, match="does not fit into the chain"):
            read_archive(get_file(folder))

    def test_a_file_that_the_trail_does_not_name(
        self, entries: list[Entry], folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(archive, "_remove", lambda _stretch: None)
            archive_old()
        with pytest.raises(CommandError, match="does not name"):
            run("verify", str(get_file(folder)))

    def test_a_broken_trail_is_not_archived(
        self, entries: list[Entry], caplog: pytest.LogCaptureFixture
    ) -> None:
        forge("UPDATE audit_entry SET outcome = 'forged' WHERE id = %s", entries[2].pk)
        with pytest.raises(ArchiveRefused, match=f"broken at entry {entries[2].pk}"):
            archive_old()
        assert retention.delete_old() is True
        assert "is not archived" in caplog.text and Entry.objects.count() == 8

    def test_macs_that_were_taken_away_are_no_entries_before_the_chain(
        self, entries: list[Entry]
    ) -> None:
        forge("UPDATE audit_entry SET mac = '' WHERE id <= %s", entries[5].pk)
        with pytest.raises(ArchiveRefused, match="broken at entry"):
            archive_old()


class TestRemoved:
    def test_plain_sql_removes_what_is_not_archived_in_no_way(self, entries: list[Entry]) -> None:
        archive_old()
        for sql in (
            "DELETE FROM audit_entry",
            "UPDATE audit_archivedstretch SET last_id = 1000000",
            "DELETE FROM audit_archivedstretch",
        ):
            refused = pytest.raises(DatabaseError, match="cannot be changed or removed")
            with refused, transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(sql)
        assert Entry.objects.count() == 3 and find_breaks() == []

    def test_a_beginning_that_is_cut_without_record(self, entries: list[Entry]) -> None:
        archive_old()
        forge("DELETE FROM audit_entry WHERE id <= %s", entries[6].pk)
        assert find_breaks() == [(entries[7].pk, MISSING)]

    def test_a_record_that_something_else_wrote(self, entries: list[Entry]) -> None:
        """Who writes to the database can note a stretch, and remove it: it has no mac that fits."""
        stretch = archive_old()
        assert stretch
        last = entries[6]
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO audit_archivedstretch (first_id, last_id, count, previous_mac, "
                "last_mac, last_at, digest, at, mac) VALUES (%s, %s, 1, %s, %s, %s, '', %s, %s)",
                [last.pk, last.pk, stretch.last_mac, last.mac, last.at, last.at, stretch.mac],
            )
            cursor.execute("DELETE FROM audit_entry WHERE id <= %s", [last.pk])
        assert find_breaks() == [(last.pk, FORGED)]
        with pytest.raises(CommandError, match="said to be archived"):
            run("verify")
        with pytest.raises(ArchiveRefused):
            archive_old()

    def test_a_record_that_was_changed_or_taken_away(self, entries: list[Entry]) -> None:
        stretch = archive_old()
        assert stretch
        forge("UPDATE audit_archivedstretch SET digest = 'another'")
        assert find_breaks() == [(stretch.first_id, FORGED)]
        forge("DELETE FROM audit_archivedstretch")
        assert find_breaks() == [(entries[6].pk, MISSING)]

    def test_an_entry_put_in_before_the_beginning(self, entries: list[Entry]) -> None:
        archive_old()
        forge(
            "INSERT INTO audit_entry (id, at, username, role, action, app_id, subject, outcome, "
            "saved, request_id, detail, url, address, browser, mac) "
            "SELECT %s, at, username, role, action, app_id, subject, outcome, saved, request_id, "
            "detail, url, address, browser, mac FROM audit_entry WHERE id = %s",
            entries[0].pk,
            entries[7].pk,
        )
        assert find_breaks() == [(entries[0].pk, INSERTED)]


def test_entries_older_than_the_chain_are_archived_too(entries: list[Entry], folder: Path) -> None:
    forge("UPDATE audit_entry SET mac = ''")
    record(None, "x", outcome="done")
    archive_old()
    assert read_archive(get_file(folder)).count == 6
    assert find_breaks() == []
    assert run("verify").splitlines()[1] == "2 entries are older than the chain."


def test_what_is_archived_while_somebody_walks_is_no_break(
    entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "SLICE", 2)
    walk = Verifier()
    assert list(walk.find_breaks(2)) == []
    assert walk.reached.entry_id == entries[1].pk
    archive_old()
    assert list(walk.find_breaks()) == [] and walk.is_at_end


class TestAnchor:
    @pytest.fixture(autouse=True)
    def anchor(self, settings: Any, tmp_path: Path) -> Path:
        settings.AUDIT_ANCHOR = str(tmp_path / "anchor.json")
        return Path(settings.AUDIT_ANCHOR)

    def test_nothing_goes_that_the_anchor_does_not_know(
        self, entries: list[Entry], manager: User
    ) -> None:
        assert archive_old() is None
        tasks.watch.func()
        stretch = archive_old()
        assert stretch and stretch.last_id == entries[5].pk
        for _ in range(3):
            tasks.watch.func()
        kept = read_anchor()
        assert kept and kept.newest == Link(*Entry.objects.values_list("pk", "mac").latest("pk"))
        assert kept.notified == 0
        assert "archived" in run("verify")

    def test_the_walk_goes_on_behind_what_is_archived(
        self, entries: list[Entry], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tasks, "_AT_ONCE", 2)
        monkeypatch.setattr(verification, "SLICE", 2)
        for _ in range(2):
            tasks.watch.func()
        kept = read_anchor()
        assert kept and 0 < kept.walked.entry_id < entries[5].pk
        archive_old()
        tasks.watch.func()
        kept = read_anchor()
        assert kept and kept.walked.entry_id > entries[5].pk and kept.notified == 0

    def test_a_tail_that_is_cut_off_or_an_anchor_that_is_none_stops_it(
        self, entries: list[Entry], anchor: Path
    ) -> None:
        tasks.watch.func()
        forge("DELETE FROM audit_entry WHERE id = %s", entries[7].pk)
        with pytest.raises(ArchiveRefused, match="is missing or was changed"):
            archive_old()
        anchor.write_text("{")
        with pytest.raises(CommandError, match="the anchor cannot be read"):
            run("archive")
        assert retention.count_old() == [(retention.list_ageing()[0], 0)]

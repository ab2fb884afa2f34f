"""Old entries of the trail go into signed files, and only then out of the table.

A file holds a stretch from the trail's beginning: a head, each entry as `lines.py` writes it with
its mac, and a signature by AUDIT_KEYS. It is read back and compared with the chain. Then one
transaction notes the stretch, whose mac says where the chain of the table begins, and removes its
entries. A process that dies before that leaves a file whose like is written again under its name.
"""

import json
import logging
import os
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from lendingadmin.audit import chain, lines
from lendingadmin.audit.anchor import AnchorUnreadable, read_anchor, stands
from lendingadmin.audit.models import ArchivedStretch, Entry
from lendingadmin.audit.trail import record
from lendingadmin.audit.verification import CUT, Verifier
from lendingadmin.staff.retention import register_table

logger = logging.getLogger(__name__)

ACTION = "dashboard.audit.archive"
ARCHIVED = _("archived")
# Entries of a file, some four million bytes; as many are removed in one transaction.
STRETCH = 10_000
# What the head of a file says of it.
_HEAD = ("first_id", "last_id", "count", "previous_mac", "last_mac")


class ArchiveRefused(Exception):
    """Nothing is archived; the message says why, for an operator."""


class ArchiveInvalid(Exception):
    """A file is not what an archive of this trail is; the message says in which way."""


def register() -> None:
    """Say how long entries stay."""
    register_table(
        _("audit trail"),
        "audit.Entry",
        kind="audit",
        list_older=list_older,
        delete_older=archive_older,
        needs="AUDIT_ARCHIVE",
        then=_("then they go into signed files"),
    )


def archive_older(before: datetime, most: int) -> int:
    """Archive a stretch for the worker, whatever `most` is; `most` where there may be another.

    What stands against it is logged.
    """
    try:
        stretch = archive_stretch(before)
    except (ArchiveRefused, ArchiveInvalid, OSError) as error:
        logger.error("the audit trail is not archived: %s", error)
        return 0
    if stretch is None:
        return 0
    return most if stretch.count == STRETCH else min(stretch.count, most - 1)


def archive_stretch(before: datetime) -> ArchivedStretch | None:
    """Write the trail's oldest entries from before a moment into a file, and remove them.

    At most STRETCH, and none that the anchor does not know yet, nor the newest. None where there
    are no such entries. Raises ArchiveRefused where the trail is broken there, ArchiveInvalid where
    the file is not what was written, and OSError.
    """
    last, entries = _take(before)
    if not entries:
        return None
    stretch = _build_stretch(last.last_mac if last else "", entries)
    content = _build_content(stretch, entries)
    stretch.digest = sha256(content).hexdigest()
    stretch.mac = chain.compute_stretch_mac(last.mac if last else "", stretch)
    path = _get_folder() / stretch.file_name
    _write(path, content + _dump({"signature": chain.sign("file", stretch.digest)}))
    if read_archive(path).digest != stretch.digest:
        raise ArchiveInvalid(f"{path.name} is not what was written")
    try:
        _remove(stretch)
    except IntegrityError:
        # Another worker archived the same entries meanwhile, into the same file.
        return None
    return stretch


def list_older(before: datetime) -> QuerySet[Entry]:
    """The entries from before a moment that may be archived; none where the anchor says no."""
    try:
        end = _find_end()
    except ArchiveRefused as error:
        logger.error("the audit trail is not archived: %s", error)
        return Entry.objects.none()
    return Entry.objects.filter(at__lt=before, pk__lt=end)


def read_archive(path: Path) -> ArchivedStretch:
    """What a file holds, compared with its signature and the chain; the answer is not stored.

    Raises ArchiveInvalid, and OSError where it can't be read.
    """
    content, _, last = path.read_bytes().removesuffix(b"\n").rpartition(b"\n")
    content += b"\n"
    digest = sha256(content).hexdigest()
    try:
        signature = str(json.loads(last)["signature"])
        head, *rows = [json.loads(line) for line in content.splitlines()]
        entries = [_read_entry(row) for row in rows]
        found = _build_stretch(str(head["previous_mac"]), entries)
    except (ValueError, TypeError, KeyError, IndexError):
        raise ArchiveInvalid(f"{path.name} is cut off, or no archive of the trail") from None
    if not chain.is_signed("file", digest, signature):
        raise ArchiveInvalid(f"{path.name} is not as it was signed")
    if misfit := chain.find_misfit(found.previous_mac, entries):
        raise ArchiveInvalid(f"{path.name}: entry {misfit.pk} does not fit into the chain")
    if head != _describe(found):
        raise ArchiveInvalid(f"{path.name} does not hold what its first line says")
    found.digest = digest
    return found


def _get_folder() -> Path:
    """Where the files are."""
    return Path(settings.AUDIT_ARCHIVE)


def _find_end() -> int:
    """The id from which on entries stay: the newest one's, or that of the newest in the anchor."""
    end: int = Entry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    if not settings.AUDIT_ANCHOR:
        return end
    try:
        anchor = read_anchor()
    except AnchorUnreadable:
        raise ArchiveRefused("the anchor cannot be read") from None
    if anchor is None:
        return 0
    if not stands(anchor.newest):
        raise ArchiveRefused(f"the trail is broken at entry {anchor.newest.entry_id}: {CUT}")
    return min(end, anchor.newest.entry_id)


def _take(before: datetime) -> tuple[ArchivedStretch | None, list[Entry]]:
    """The last stretch and the next entries to archive, once these and the one behind them fit."""
    end = _find_end()
    if found := next(Verifier().find_breaks(0), None):
        raise ArchiveRefused(f"the trail is broken at entry {found.entry_id}: {found.what}")
    rows = list(Entry.objects.order_by("pk")[: STRETCH + 1])
    # Behind the entries: a worker that removed some of them meanwhile is seen.
    last = ArchivedStretch.objects.last()
    if last and rows and rows[0].pk <= last.last_id:
        return last, []
    entries = list(takewhile(lambda one: one.at < before and one.pk < end, rows[:STRETCH]))
    compared = rows[: len(entries) + 1]
    if entries and not compared[-1].mac:
        # All of these are older than the chain, which must begin with its first entry.
        compared += Entry.objects.exclude(mac="").order_by("pk")[:1]
    if misfit := chain.find_misfit(last.last_mac if last else "", compared):
        raise ArchiveRefused(f"the trail is broken at entry {misfit.pk}")
    return last, entries


def _build_stretch(previous_mac: str, entries: Sequence[Entry]) -> ArchivedStretch:
    """Raises IndexError for no entries."""
    return ArchivedStretch(
        first_id=entries[0].pk,
        last_id=entries[-1].pk,
        count=len(entries),
        previous_mac=previous_mac,
        last_mac=entries[-1].mac,
        last_at=entries[-1].at,
    )


def _build_content(stretch: ArchivedStretch, entries: Sequence[Entry]) -> bytes:
    """All of a file but its signature."""
    lines_of_entries = (f"{lines.build_line(entry)}\n".encode() for entry in entries)
    return b"".join([_dump(_describe(stretch)), *lines_of_entries])


def _describe(stretch: ArchivedStretch) -> dict[str, Any]:
    return {name: getattr(stretch, name) for name in _HEAD}


def _dump(values: dict[str, Any]) -> bytes:
    return f"{json.dumps(values)}\n".encode()


def _read_entry(row: dict[str, Any]) -> Entry:
    return Entry(**{**row, "at": datetime.fromisoformat(row["at"])})


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner reads, whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    # The name must outlive a power cut too: what it stands for is removed from the table.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _remove(stretch: ArchivedStretch) -> None:
    """Note a stretch and remove its entries, both or neither. Raises ArchiveRefused where there are
    other entries, and IntegrityError where it is noted already.
    """
    with transaction.atomic():
        stretch.save(force_insert=True)
        with connection.cursor() as cursor:
            # The trigger lets pass what is noted; the queryset refuses to delete at all.
            cursor.execute("DELETE FROM audit_entry WHERE id <= %s", [stretch.last_id])
            if cursor.rowcount != stretch.count:
                raise ArchiveRefused(f"the entries up to {stretch.last_id} changed meanwhile")
        record(
            None,
            ACTION,
            subject=stretch.file_name,
            outcome=ARCHIVED,
            saved="yes",
            detail=gettext("%(count)s entries from %(first)s to %(last)s")
            % {"count": stretch.count, "first": stretch.first_id, "last": stretch.last_id},
        )

"""Detection of a database that was restored to an earlier moment without notice.

The service has everything that was sent since that moment, and an old form, batch or draft could
send it a second time. So each process that sends something writes the newest entry of the trail
into a file outside the database (`anchor`). If the trail no longer has that entry, nothing is sent
until a person runs `manage.py restored`, or says that the database was not restored. The host
records the suspicion in the database. So the other hosts, whose files may be older, also send
nothing.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import LendingError, Saved

from . import record
from .anchor import (
    Anchor,
    AnchorUnreadable,
    Link,
    SentAnchor,
    find_missing,
    find_newest,
    read_anchor,
    read_sent_anchor,
    write_anchor,
    write_sent_anchor,
)
from .models import SuspectedRestore

logger = logging.getLogger(__name__)

ACTION = "dashboard.restored"


class MayBeRestored(LendingError):
    """Error: nothing was sent, because the database may have been restored."""

    def __init__(self) -> None:
        words = _(
            "The dashboard's database may be an older copy. Repayments that were sent after "
            "the copy was made may be missing, so this repayment may be recorded twice."
        )
        super().__init__(words, saved=Saved.NO)


def refuse_suspected() -> None:
    """Raise MayBeRestored while a suspected restore of the database is not resolved."""
    if check_for_restore():
        raise MayBeRestored


def check_for_restore() -> SuspectedRestore | None:
    """Return the open suspicion; None if there is none.

    If the files of this host name entries that the trail has lost, record a suspicion first.
    """
    found = SuspectedRestore.objects.filter(resolved_at=None).first()
    if found or not _is_behind():
        return found
    logger.error("the database has lost entries of the audit trail; it may have been restored")
    record(None, ACTION, outcome=gettext_noop("suspected"))
    return SuspectedRestore.objects.create()


def resolve(by: User | None) -> None:
    """Resolve the open suspicion, after `manage.py restored` or after a person denied a restore.

    If no suspicion is open, save a resolved suspicion, so that older files cause no new one.
    """
    now = timezone.now()
    suspected = SuspectedRestore.objects.filter(resolved_at=None)
    if not suspected.update(resolved_at=now, resolved_by=by):
        SuspectedRestore.objects.create(found_at=now, resolved_at=now, resolved_by=by)


def deny(by: User | None) -> bool:
    """Resolve an open suspicion, because the database was not restored.

    Record this in the trail and write the files of this host again. Return False, and change
    nothing, if no suspicion is open.
    """
    if not SuspectedRestore.objects.filter(resolved_at=None).exists():
        return False
    resolve(by)
    record(by, ACTION, outcome=gettext_noop("not restored"))
    cast_anchors()
    return True


def cast_anchors() -> None:
    """Write the newest entry into the files of this host.

    If a file can't be written, log a warning and leave the file unchanged.
    """
    if settings.AUDIT_ANCHOR:
        note_sent()
        try:
            write_anchor(Anchor(find_newest()))
        except OSError as error:
            logger.warning("the anchor of the trail can't be written: %s", error.strerror)


def note_sent() -> None:
    """Write the newest entry into the second file, each time something is sent.

    If the file can't be written, only a warning is logged, because the journal has the row and
    `/readyz` warns of the file.
    """
    if not settings.AUDIT_ANCHOR:
        return
    try:
        write_sent_anchor(SentAnchor(find_newest(), timezone.now()))
    except OSError as error:
        logger.warning("what was sent can't be noted outside the database: %s", error.strerror)


def describe() -> str:
    """Return the warning about a restored database or unusable files; empty if all is well."""
    if found := check_for_restore():
        return (
            f"the database may have been restored (found {found.found_at:%Y-%m-%d %H:%M} UTC): "
            "nothing is sent until `manage.py restored` has run"
        )
    if not settings.AUDIT_ANCHOR:
        return ""
    try:
        read_anchor()
        read_sent_anchor()
        folder = Path(settings.AUDIT_ANCHOR).parent
        is_usable = not folder.exists() or os.access(folder, os.W_OK)
    except (AnchorUnreadable, OSError):
        is_usable = False
    return (
        ""
        if is_usable
        else "a restore of the database would not be noticed, because AUDIT_ANCHOR can't be used"
    )


def _is_behind() -> bool:
    """Return True if the trail lacks an entry that a file of this host names.

    A missing entry does not count if its file was written before the last suspicion was resolved.
    """
    if not settings.AUDIT_ANCHOR:
        return False
    anchored = list(_list_anchored())
    missing = find_missing(link for link, _cast_at in anchored)
    lost = [cast_at for link, cast_at in anchored if link in missing]
    if not lost:
        return False
    resolved_at = SuspectedRestore.objects.aggregate(last=Max("resolved_at"))["last"]
    return resolved_at is None or max(lost) > resolved_at


def _list_anchored() -> Iterator[tuple[Link, datetime]]:
    """Yield the entries in the files of this host, each with the time when its file was written.

    A file that can't be read is ignored. Otherwise nothing could be sent until the disk is
    repaired.
    """
    with suppress(AnchorUnreadable, OSError):
        if anchor := read_anchor():
            written_at = Path(settings.AUDIT_ANCHOR).stat().st_mtime
            yield anchor.newest, datetime.fromtimestamp(written_at, UTC)
    with suppress(AnchorUnreadable, OSError):
        if sent := read_sent_anchor():
            yield sent.newest, sent.cast_at

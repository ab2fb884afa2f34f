"""Erasure of notes: the texts and the mentions. The authors and the times remain."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from lendingadmin.core.staff.erasure import Erasable, KeptOn
from lendingadmin.core.staff.retention import Table

from .models import Mention, Note, NoteVersion


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[Any]]:
    """Yield all saved rows of a borrower's notes."""
    notes = _list_notes(app_id, borrower_id)
    yield notes
    yield NoteVersion.objects.filter(note__in=notes)
    yield Mention.objects.filter(note__in=notes)


def erase_texts(app_id: str, borrower_id: str) -> int:
    """Erase the texts of a borrower's notes, pinned ones too; return the number of versions."""
    return _erase(NoteVersion.objects.filter(note__in=_list_notes(app_id, borrower_id)))


def erase_older(before: datetime, most: int) -> int:
    """Erase the texts of at most `most` versions written before a time; return the number."""
    return _erase(NoteVersion.objects.filter(created_at__lt=before), most)


def _erase(versions: QuerySet[NoteVersion], most: int | None = None) -> int:
    """Erase the texts of these versions; return the number of versions.

    If a note has no text left, mark it as deleted, unpin it and delete its mentions.
    """
    with transaction.atomic():
        rows = versions.exclude(text="").order_by("created_at")
        keys = list(rows.values_list("pk", flat=True)[:most])
        erased = NoteVersion.objects.filter(pk__in=keys)
        has_text = NoteVersion.objects.filter(note=OuterRef("pk")).exclude(text="")
        touched = list(erased.order_by().values_list("note", flat=True).distinct())
        erased.update(text="")
        gone = Note.objects.filter(pk__in=touched, deleted_at=None).exclude(Exists(has_text))
        Mention.objects.filter(note__in=list(gone.values_list("pk", flat=True))).delete()
        gone.update(is_pinned=False, deleted_at=timezone.now())
    return len(keys)


def _list_textless(before: datetime) -> QuerySet[Note]:
    """Return the notes that were deleted or erased before this time and have no text left."""
    texts = NoteVersion.objects.filter(note=OuterRef("pk")).exclude(text="")
    return Note.objects.filter(~Exists(texts), deleted_at__lt=before).order_by("pk")


def _list_notes(app_id: str, borrower_id: str) -> QuerySet[Note]:
    return Note.objects.filter(app_id=app_id, borrower_id=borrower_id)


ERASABLE = [
    Erasable(
        _("texts of notes"), erase_texts, kind="notes", erase_older=erase_older, list_rows=list_rows
    ),
]
TABLES = [
    Table(
        _("notes"),
        "notes.Note",
        kind="notes",
        list_older=_list_textless,
    ),
]
KEPT = [
    KeptOn(
        _("notes, without texts"),
        _("authors and times of notes"),
        lambda app_id, borrower_id: _list_notes(app_id, borrower_id).count(),
        list_rows=list_rows,
    ),
]

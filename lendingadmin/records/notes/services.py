"""Commands for notes. The audit trail has the person and the time of each step, but no text."""

from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.core.audit.trail import transition
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import DELETE_NOTES, NOTES_WRITE

from . import mentions
from .models import Note, NoteVersion

PURPOSE = "write a note"


class Record(NamedTuple):
    """Subject of a note: a borrower, or with `account_id` one of the borrower's loans."""

    app_id: str
    borrower_id: str
    account_id: str = ""


class NotTheirs(Exception):
    """Error: the person may not revise or delete this note.

    Only the author may revise a note; only the author or a manager may delete it.
    """


class Gone(Exception):
    """Error: the note was deleted after the page was opened."""


def write_note(
    record: Record, text: str, by: User, idempotency_key: str, *, is_pinned: bool = False
) -> Note:
    """Save a new note. If the `idempotency_key` was used before, return the first note."""
    try:
        with transaction.atomic():
            note = Note.objects.create(author=by, is_pinned=is_pinned, **record._asdict())
            _add_version(note, text, by, idempotency_key)
            _audit(note, by, "written")
    except IntegrityError:
        return NoteVersion.objects.get(idempotency_key=idempotency_key).note
    return note


def revise_note(note: Note, text: str, by: User, idempotency_key: str) -> Note:
    """Save a new version of a person's own note. An `idempotency_key` adds only one version.

    Raise NotTheirs if another person wrote the note, and Gone if the note is deleted.
    """
    if not may_revise(note, by):
        raise NotTheirs
    try:
        with transaction.atomic():
            # The note is locked until the end, so that no text is added to a note that is being
            # deleted.
            if not Note.objects.select_for_update().filter(pk=note.pk, deleted_at=None).exists():
                raise Gone
            _add_version(note, text, by, idempotency_key)
            _audit(note, by, "revised")
    except IntegrityError:
        return NoteVersion.objects.get(idempotency_key=idempotency_key).note
    return note


def delete_note(note: Note, by: User) -> bool:
    """Delete the texts of a note. The author and the person who deleted the note remain known.

    Return False if the note was already deleted. Raise NotTheirs if the person is neither the
    author nor a manager.
    """
    if not may_delete(note, by):
        raise NotTheirs
    with transaction.atomic():
        rows = Note.objects.filter(pk=note.pk, deleted_at=None)
        done = rows.update(deleted_at=timezone.now(), deleted_by=by, is_pinned=False)
        if done:
            note.versions.update(text="")
            note.mentions.all().delete()
            _audit(note, by, "deleted")
    note.refresh_from_db()
    return bool(done)


def pin_note(note: Note, by: User, *, is_pinned: bool) -> bool:
    """Pin a note to its record, or unpin it.

    Return False if the note is deleted, or was already pinned or unpinned.
    """
    done = transition(
        note,
        Note.objects.filter(deleted_at=None).exclude(is_pinned=is_pinned),
        {"is_pinned": is_pinned},
        by=by,
        action=NOTES_WRITE,
        outcome="pinned" if is_pinned else "unpinned",
        detail=str(note),
    )
    note.refresh_from_db()
    return done


def may_revise(note: Note, person: User) -> bool:
    """Return True if this person is the author of the note and may still write notes."""
    return note.author_id == person.pk and person.has_perm(NOTES_WRITE, note.app_id)


def may_delete(note: Note, person: User) -> bool:
    """Return True if this person may revise the note or may delete notes of other people."""
    return may_revise(note, person) or person.has_perm(DELETE_NOTES, note.app_id)


def list_pinned(app_id: str, borrower_id: str, account_id: str = "") -> QuerySet[Note]:
    """Return the pinned notes of a borrower or, with `account_id`, of a loan, newest first.

    The borrower's page has the notes of all loans. A loan's page also has the notes about the
    borrower, but not the notes about another loan.
    """
    rows = Note.objects.filter(app_id=app_id, borrower_id=borrower_id, is_pinned=True)
    if account_id:
        rows = rows.filter(account_id__in=("", account_id))
    return rows.select_related("author").prefetch_related("versions__author").order_by("-id")


def _add_version(note: Note, text: str, by: User, idempotency_key: str) -> None:
    number = note.versions.aggregate(last=Max("number"))["last"] or 0
    NoteVersion.objects.create(
        note=note, number=number + 1, text=text, author=by, idempotency_key=idempotency_key
    )
    mentions.keep_mentions(note, text, by)


def _audit(note: Note, by: User, outcome: str) -> None:
    audit.record_about(note, by, NOTES_WRITE, outcome, detail=str(note))

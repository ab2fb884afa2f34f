"""Notes on the timeline of a borrower or a loan."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.staff.roles import NOTES_READ
from lendingadmin.web.display.statuses import Status
from lendingadmin.web.timeline import Item, OwnRows, Source, Subject

from .models import Note


def find_notes(subject: Subject) -> QuerySet[Note]:
    """Return the notes of a borrower and all their loans, or of a loan and its borrower.

    If the borrower of a loan is unknown, return only the notes of the loan.
    """
    rows = Note.objects.filter(app_id=subject.app.app_id)
    if not subject.account_id:
        rows = rows.filter(borrower_id=subject.borrower_id)
    elif subject.borrower_id:
        own = ("", subject.account_id)
        rows = rows.filter(borrower_id=subject.borrower_id, account_id__in=own)
    else:
        # The partial index on `account_id` is used only if the query excludes empty values.
        rows = rows.filter(account_id=subject.account_id).exclude(account_id="")
    return rows.select_related("author", "deleted_by").prefetch_related("versions")


def describe_note(note: Note, subject: Subject) -> Item:
    """Return a note as an item with its text.

    A deleted note shows the person who deleted it; an erased note shows that it was erased.
    """
    newest = note.newest
    words = _("Note")
    if note.account_id and not subject.account_id:
        words = _("Note on %(account)s") % {"account": note.account_id}
    elif subject.account_id and not note.account_id:
        words = _("Note on the borrower")
    chips = []
    if note.deleted_at:
        by = note.deleted_by.username if note.deleted_by else ""
        gone = _("deleted by %(person)s") % {"person": by} if by else _("erased")
        chips.append(Status(gone, "odd", "trash"))
    elif note.is_pinned:
        chips.append(Status(_("pinned"), "info", "bookmark"))
    if newest.number > 1 and not note.deleted_at:
        chips.append(Status(_("version %(number)s") % {"number": newest.number}, "", "pencil"))
    return Item(
        note.created_at,
        words,
        url=note.get_absolute_url(),
        by=note.author.username,
        chips=tuple(chips),
        text=newest.text,
    )


NOTES = Source(
    "notes",
    gettext_noop("Notes"),
    "chat-bubble-left",
    NOTES_READ,
    rows=(OwnRows(find_notes, "created_at", describe_note),),
)

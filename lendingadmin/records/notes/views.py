"""Pages that write a note, and show a note with all its versions."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import DELETE_NOTES, NOTES_READ, NOTES_WRITE
from lendingadmin.lending import loan_math
from lendingadmin.lending.errors import InvalidId, LendingError, NotFound
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.ids import check_id
from lendingadmin.money.writes import idempotency
from lendingadmin.records.borrowers.reads import note_read
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.errors import Card
from lendingadmin.web.quotas import NOTES, READS
from lendingadmin.web.requests import PersonRequest

from . import mentions, services
from .forms import NoteForm, RevisionForm
from .models import LONGEST_ID, Note
from .services import PURPOSE, Record

_BORROWER, _LOAN = "lending.borrowers.get", "lending.loans.get"


@access(NOTES_WRITE, NOTES_READ, _BORROWER, methods=("GET", "POST"), quota=NOTES)
def new_of_borrower(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the form of a new note about a borrower; a POST saves the note and shows the timeline.

    This works without the service, because notes are stored only in this dashboard.
    """
    return _new(request, Record(app_id, check_id(borrower_id)))


@access(NOTES_WRITE, NOTES_READ, _LOAN, methods=("GET", "POST"), quota=NOTES)
def new_of_loan(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """Show the form of a new note about a loan; a POST saves the note and shows the timeline.

    The borrower is read from the loan. Raise LendingError if the loan can't be read. But on a POST,
    show most faults as a card next to the form, so that no typed text is lost.
    """
    try:
        loan = check_named(gateway.app(app_id).loans.get(account_id), account_id)
    except (InvalidId, NotFound):
        raise
    except LendingError as error:
        if request.method != "POST":
            raise
        return _new(request, Record(app_id, "", account_id), errors.card(error))
    account = loan_math.account_of(loan) or account_id
    return _new(request, Record(app_id, loan_math.borrower_of(loan), account))


def _new(request: PersonRequest, record: Record, card: Card | None = None) -> HttpResponse:
    form = NoteForm(request.POST or None)
    purpose = f"{PURPOSE} {request.path}"
    if request.method == "POST" and card is None and form.is_valid():
        note = _write(request, form, record, purpose)
        if note is not None:
            messages.success(request, _("Note saved."))
            return redirect(find_timeline(note))
    context = {
        "form": form,
        "card": card,
        "record": record,
        "token": idempotency.issue_key(request, purpose),
        "timeline_url": find_timeline(record),
        "app": gateway.lending_app(record.app_id),
    }
    return render(request, "notes/new.html", context)


def _write(request: PersonRequest, form: NoteForm, record: Record, purpose: str) -> Note | None:
    """Save the note of a valid form; return None, with an error in the form, if this fails."""
    if not record.borrower_id:
        form.add_error(None, _("Not saved. The service does not say who owns this loan."))
        return None
    if max(len(record.borrower_id), len(record.account_id)) > LONGEST_ID:
        form.add_error(None, _("Not saved. The id of this record is too long for this dashboard."))
        return None
    key = _check_key(request, form, purpose)
    if key is None:
        return None
    wanted = form.cleaned_data
    return services.write_note(
        record, wanted["text"], request.user, key, is_pinned=wanted["is_pinned"]
    )


def _check_key(request: PersonRequest, form: NoteForm, purpose: str) -> str | None:
    """Return the form's idempotency key; None, with an error in the form, if it is too old."""
    try:
        return idempotency.check_key(request, purpose, form.cleaned_data["token"])
    except idempotency.StaleKey:
        words = _("Not saved. This form was open for too long. Send the form again.")
        form.add_error(None, ValidationError(words, code="stale"))
        return None


def find_timeline(record: Note | Record) -> str:
    """Return the address of the timeline of the loan, or else of the borrower."""
    if record.account_id:
        return reverse("loan-timeline", args=[record.app_id, record.account_id])
    return reverse("borrower-timeline", args=[record.app_id, record.borrower_id])


@access(NOTES_READ, _BORROWER, quota=READS)
def note(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show a note with all its versions and the actions that this person may take."""
    found = _find(app_id, number)
    page = render(request, "notes/note.html", _describe(request, found))
    note_read(request, app_id, found.borrower_id)
    return page


def _find(app_id: str, number: int) -> Note:
    rows = Note.objects.select_related("author", "deleted_by")
    return get_object_or_404(rows.prefetch_related("versions__author"), app_id=app_id, pk=number)


def _describe(request: PersonRequest, found: Note) -> dict[str, object]:
    is_gone = found.deleted_at is not None
    return {
        "note": found,
        "versions": list(found.versions.all())[::-1],
        "mention": found.mentions.filter(person=request.user, seen_at=None).first(),
        "may_revise": not is_gone and services.may_revise(found, request.user),
        "may_delete": not is_gone and services.may_delete(found, request.user),
        "may_pin": not is_gone and request.user.has_perm(NOTES_WRITE),
        "timeline_url": find_timeline(found),
        "app": gateway.lending_app(found.app_id),
    }


@access(NOTES_WRITE, NOTES_READ, _BORROWER, methods=("GET", "POST"), quota=NOTES)
def revise(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the form for a new version of the person's own note. Older versions remain.

    A POST saves the version and redirects to the note. If the note was deleted, the form shows an
    error. Raise Http404 for a note of another person.
    """
    found = _find(app_id, number)
    if not services.may_revise(found, request.user):
        raise Http404("This note belongs to another person.")
    purpose = f"{PURPOSE} {found}"
    form = RevisionForm(request.POST or None, initial={"text": found.newest.text})
    if request.method == "POST" and form.is_valid():
        key = _check_key(request, form, purpose)
        try:
            if key is not None:
                services.revise_note(found, form.cleaned_data["text"], request.user, key)
                messages.success(request, _("Saved as a new version."))
                return redirect(found)
        except services.Gone:
            form.add_error(None, _("Not saved. The note was deleted before you saved your text."))
    token = idempotency.issue_key(request, purpose)
    context = {"form": form, "token": token} | _describe(request, found)
    return render(request, "notes/revise.html", context)


@access(NOTES_WRITE, NOTES_READ, _BORROWER, methods=("POST",), quota=NOTES)
def pin(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Pin a note to its record, or unpin it; redirect to the note, with a message if it changed."""
    found = _find(app_id, number)
    is_pinned = request.POST.get("pin") == "on"
    if services.pin_note(found, request.user, is_pinned=is_pinned):
        words = _("Pinned.") if is_pinned else _("Unpinned. The note is still on the timeline.")
        messages.success(request, words)
    return redirect(found)


def delete_needs(request: PersonRequest, app_id: str, number: int) -> tuple[str, ...]:
    """Return the rights that this person needs to delete the note: none, or DELETE_NOTES.

    Raises Http404 if there is no such note.
    """
    is_theirs = services.may_delete(_find(app_id, number), request.user)
    return () if is_theirs else (DELETE_NOTES,)


@access(NOTES_READ, _BORROWER, methods=("POST",), needs=delete_needs, quota=NOTES)
def delete(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Delete the text of a note. The author and the times remain.

    Redirect to the note; if it was already deleted, show no message.
    """
    found = _find(app_id, number)
    if services.delete_note(found, request.user):
        words = _(
            "The note is deleted. The name of the author and the name of the person who "
            "deleted the note remain."
        )
        messages.success(request, words)
    return redirect(found)


@access(NOTES_READ, methods=("POST",))
def seen(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Remove a note from the person's home page; redirect to that page."""
    mentions.mark_seen(_find(app_id, number), request.user)
    return redirect("home", app_id)

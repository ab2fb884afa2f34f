"""Pages to change a borrower: the form, the confirm step, and a record that changed in between.

A patch replaces complete lists (Spec: Borrowers, 3). So the record is read again before the patch
is sent, and nothing is sent if the person has not seen the current version.
"""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import DEVELOPER
from lendingadmin.lending.codec import encode
from lendingadmin.lending.errors import InvalidId, LendingError, Saved, Unreadable
from lendingadmin.lending.identity import check_named
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import Submitted
from lendingadmin.people.index import live
from lendingadmin.records.borrowers.changes import (
    REPLACED,
    Difference,
    differences,
    patch_between,
    same,
)
from lendingadmin.records.borrowers.drafts import PURPOSE, Draft, Raw, taken_up
from lendingadmin.records.borrowers.forms import BorrowerForm
from lendingadmin.records.borrowers.reads import note_read
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.masking import list_rights, mask_record
from lendingadmin.web.quotas import READS
from lendingadmin.web.requests import PersonRequest


@access("lending.borrowers.patch", "lending.borrowers.get", methods=("GET", "POST"), quota=READS)
def edit(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the form. A POST saves the input as a draft and redirects to the confirm step.

    If the form is invalid or unchanged, show the form again. If the draft was deleted, show the
    entered data in a new form. Raise LendingError if the record can't be read.
    """
    if request.method == "POST":
        return _entered(request, app_id, borrower_id)
    now = _read(app_id, borrower_id)
    draft = taken_up(request, app_id, borrower_id, request.GET.get("form", ""))
    again = services.entered(request, PURPOSE, app_id, borrower_id)
    if again.sent:
        before = Draft(app_id, borrower_id, again.before, again.before, patch=again.sent)
        token, draft = _save_draft(request, before.carried_over(now))
    elif draft is None:
        token, draft = _opened(request, app_id, borrower_id, now)
    else:
        token = idempotency.issue_key(request, PURPOSE, request.GET["form"])
    form = _build_form(request, draft, draft.entered)
    page = _show(request, draft, form, token, now=now)
    note_read(request, app_id, borrower_id)
    return page


def _build_form(
    request: PersonRequest, draft: Draft, entered: QueryDict | None, **options: Any
) -> BorrowerForm:
    """Return the form with the fields that this person may edit."""
    held, is_developer = list_rights(request.user), request.user.has_perm(DEVELOPER)
    return BorrowerForm(
        entered, record=draft.shown, held=held, is_developer=is_developer, **options
    )


def _compare(request: PersonRequest, before: Raw, after: Raw) -> list[Difference]:
    """Return the differences between two versions, both masked for this person."""
    held = list_rights(request.user)
    return differences(mask_record(before, held), mask_record(after, held))


def _read(app_id: str, borrower_id: str) -> Raw:
    """Return the record as received.

    Raise LendingError if the read fails, or if the record is nested too deeply to be edited.
    """
    raw = check_named(gateway.app(app_id).borrowers.get(borrower_id), borrower_id).raw
    try:
        encode(raw)
    except (RecursionError, ValueError) as error:
        words = _("The record has too many levels to be edited.")
        raise Unreadable(words, operation="borrowers.get", saved=Saved.NO) from error
    return raw


def _opened(
    request: PersonRequest, app_id: str, borrower_id: str, record: Raw
) -> tuple[str, Draft]:
    """Save a draft for a new edit of the current record; return the token and the draft."""
    return _save_draft(request, Draft(app_id, borrower_id, record, record))


def _save_draft(request: PersonRequest, draft: Draft) -> tuple[str, Draft]:
    token = idempotency.issue_key(request, PURPOSE)
    draft.keep(request, idempotency.check_key(request, PURPOSE, token))
    return token, draft


def _entered(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    token = request.POST.get("token", "")
    try:
        idempotency_key = idempotency.check_key(request, PURPOSE, token)
    except idempotency.StaleKey:
        idempotency_key = ""
    draft = taken_up(request, app_id, borrower_id, idempotency_key)
    if draft is None:
        return _too_late(request, app_id, borrower_id)
    if "carry" in request.POST:
        return _carry_over(request, draft)
    form = _build_form(request, draft, request.POST)
    if not form.is_valid():
        return _show(request, draft, form, token)
    patch = patch_between(draft.base, form.result())
    if not patch:
        words = _("Nothing was sent, because you changed nothing.")
        form.add_error(None, ValidationError(words, code="unchanged"))
        return _show(request, draft, form, token)
    sent = request.POST.urlencode()
    Draft(app_id, borrower_id, draft.base, draft.shown, sent, patch).keep(request, idempotency_key)
    return redirect("borrower-edit-confirm", app_id, borrower_id, idempotency_key)


def _too_late(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the entered data in a form for the current record, because the draft was deleted."""
    try:
        token, draft = _opened(request, app_id, borrower_id, _read(app_id, borrower_id))
    except LendingError as error:
        if isinstance(error, InvalidId):
            raise
        draft, token = Draft(app_id, borrower_id, {}, {}), ""
        form = _build_form(request, draft, None, initial=request.POST.dict())
        return _show(request, draft, form, token, card=errors.card(error))
    form = _build_form(request, draft, request.POST)
    form.add_error(None, idempotency.TOO_LONG)
    return _show(request, draft, form, token)


def _carry_over(request: PersonRequest, draft: Draft) -> HttpResponse:
    """Continue the edit from the newer version, with the entered data."""
    entered = request.POST if "general-category" in request.POST else draft.entered
    form = _build_form(request, draft, entered)
    patch = patch_between(draft.base, form.result()) if form.is_valid() else draft.patch
    try:
        now = _read(draft.app_id, draft.borrower_id)
    except LendingError as error:
        token, _draft = _save_draft(request, draft)
        return _show(request, draft, form, token, card=errors.card(error))
    whole = Draft(draft.app_id, draft.borrower_id, draft.base, draft.shown, "", patch)
    token, moved = _save_draft(request, whole.carried_over(now))
    return _show(request, moved, _build_form(request, moved, None), token, carried=True)


def _show(
    request: PersonRequest,
    draft: Draft,
    form: BorrowerForm,
    token: str,
    *,
    now: Raw | None = None,
    **more: Any,
) -> HttpResponse:
    """Draw the form; with `now`, show the changes of the record since the form was opened."""
    moved = now is not None and not same(now, draft.base)
    context = {
        "form": form,
        "token": token,
        "borrower_id": draft.borrower_id,
        "replaced": [name for name in REPLACED if draft.base.get(name)],
        "has_moved": moved,
        "moved": _compare(request, draft.base, now) if moved and now else [],
        "mine": _compare(request, draft.base, {**draft.base, **draft.patch}) if moved else [],
        "app": gateway.lending_app(draft.app_id),
    } | more
    return render(request, "borrowers/edit.html", context)


@access("lending.borrowers.patch", "lending.borrowers.get", methods=("GET", "POST"))
def confirm(request: PersonRequest, app_id: str, borrower_id: str, form: str) -> HttpResponse:
    """Show the values before and after the change; a POST sends the changes once.

    If the draft was deleted or the record has changed, send nothing and redirect to the form. If
    the record can't be read, show an error card.
    """
    draft = taken_up(request, app_id, borrower_id, form)
    sent_before = Write.objects.filter(idempotency_key=form, person=request.user)
    if draft is None or not draft.patch:
        messages.warning(
            request,
            _("Nothing was sent. The values of this form are lost. Enter the values again."),
        )
        return redirect("borrower-edit", app_id, borrower_id)
    if request.method != "POST":
        return _show_confirm(request, draft, form)
    if not sent_before.exists():
        try:
            now = _read(app_id, borrower_id)
        except LendingError as error:
            return _show_confirm(request, draft, form, card=errors.card(error))
        # If the form was sent twice, the first request may have changed the record.
        if not same(now, draft.base) and not sent_before.exists():
            messages.error(
                request, _("Not sent, because the record changed while the form was open.")
            )
            return redirect(f"{reverse('borrower-edit', args=[app_id, borrower_id])}?form={form}")
    return _send(request, draft, form)


def _send(request: PersonRequest, draft: Draft, form: str) -> HttpResponse:
    client = gateway.app(draft.app_id).borrowers
    there = reverse("borrower", args=[draft.app_id, draft.borrower_id])
    before = {key: draft.base[key] for key in draft.patch if key in draft.base}
    outcome = services.write_once(
        request,
        Write(
            operation=PURPOSE,
            app_id=draft.app_id,
            subject=draft.borrower_id,
            submitted=Submitted(draft.patch, before).encode(),
            again_at=reverse("borrower-edit", args=[draft.app_id, draft.borrower_id]),
        ),
        do=lambda: live.keep(draft.app_id, client.patch(draft.borrower_id, draft.patch)),
        lands_on=lambda _made: there,
        token=idempotency.issue_key(request, PURPOSE, form),
    )
    if outcome.saved:
        messages.success(request, _("Saved."))
    if outcome.url:
        return redirect(outcome.url)
    token, _draft = _save_draft(request, draft)
    idempotency_key = idempotency.check_key(request, PURPOSE, token)
    return _show_confirm(request, draft, idempotency_key, card=outcome.card)


def _show_confirm(
    request: PersonRequest, draft: Draft, form: str, card: errors.Card | None = None
) -> HttpResponse:
    after = {**draft.base, **draft.patch}
    context = {
        "borrower_id": draft.borrower_id,
        "form_token": form,
        "differences": _compare(request, draft.base, after),
        "keys": list(draft.patch),
        "replaced": [name for name in REPLACED if name in draft.patch],
        "card": card,
        "app": gateway.lending_app(draft.app_id),
    }
    return render(request, "borrowers/confirm.html", context)

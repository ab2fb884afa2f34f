"""The page of one write: its purpose, its result and the next step."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from lendingadmin.core import gateway
from lendingadmin.core.staff.independence import NotIndependent, find_dependence
from lendingadmin.web.access import access, signed_in
from lendingadmin.web.display.text import shown
from lendingadmin.web.masking import list_rights, mask_record
from lendingadmin.web.polling import poll
from lendingadmin.web.requests import PersonRequest

from . import reconciliation, services
from .models import Write
from .states import WriteFound, WriteResolution, WriteState

# The normal time until a result is known. After this time, only a button starts a check.
NORMAL = timedelta(minutes=2)
_CHECKS = 20


class ResolveForm(forms.Form):
    """Form for a person's decision on a write with an unknown result."""

    resolution = forms.ChoiceField(
        choices=WriteResolution.choices,
        widget=forms.RadioSelect,
        label=gettext_lazy("Status"),
    )
    reason = forms.CharField(
        min_length=5,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        label=gettext_lazy("Reason"),
    )

    @property
    def chosen(self) -> tuple[WriteResolution, str]:
        """The resolution, and the address of the chosen record, which may be empty."""
        return WriteResolution(self.cleaned_data["resolution"]), ""


class WhichForm(ResolveForm):
    """Form to choose the right record, if no natural key of the service identifies it."""

    def __init__(self, *args: Any, candidates: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        field = forms.ChoiceField(
            choices=[
                (url, _("My entry is %(record)s") % {"record": words}) for words, url in candidates
            ]
            + [("none", _("None of these. The entry was not saved"))],
            widget=forms.RadioSelect,
            label=_("Choose the record"),
        )
        self.fields["resolution"] = field

    @property
    def chosen(self) -> tuple[WriteResolution, str]:
        url = self.cleaned_data["resolution"]
        if url == "none":
            return WriteResolution.NOT_SAVED, ""
        return WriteResolution.SAVED, url


def write_needs(request: PersonRequest, app_id: str, idempotency_key: str) -> list[str]:
    """Return the permissions that a person needs to see a write.

    Raise Http404 if there is no such write.
    """
    return reconciliation.list_permissions(_get_write(app_id, idempotency_key), request.user)


def resolve_needs(request: PersonRequest, app_id: str, idempotency_key: str) -> list[str]:
    """Return the permissions that a person needs to resolve a write.

    If only this person can recognise the record, the right to resolve is not needed.
    """
    seen = write_needs(request, app_id, idempotency_key)
    return (
        seen
        if reconciliation.knows_record(_get_write(app_id, idempotency_key), request.user)
        else [reconciliation.RESOLVE, *seen]
    )


@signed_in(needs=write_needs)
def write(request: PersonRequest, app_id: str, idempotency_key: str) -> HttpResponse:
    """Show a write to the person who entered it and to managers, after a check if one is due."""
    one = _get_write(app_id, idempotency_key)
    reconciliation.check_if_due(one)
    return _show(request, one)


def _get_write(app_id: str, idempotency_key: str) -> Write:
    """Return a write of an app; raise Http404 if there is none."""
    gateway.lending_app(app_id)
    found = Write.objects.select_related("person", "resolved_by").filter(
        app_id=app_id, idempotency_key=idempotency_key
    )
    one = found.first()
    if one is None:
        raise Http404("There is no such write in this dashboard.")
    return one


def _show(request: PersonRequest, one: Write, form: forms.Form | None = None) -> HttpResponse:
    may_resolve = _may_resolve(request, one)
    context = _status(request, one, seen=_seen(one)) | {
        "checks": list(one.checks.order_by("-pk")[:_CHECKS])[::-1],
        "checks_hidden": max(one.checks.count() - _CHECKS, 0),
        "submitted": list_submitted(_read_submitted(request, one)),
        "resolve_form": form or _resolve_form(one),
        "may_resolve": may_resolve,
        "is_for_another": reconciliation.is_for_another(one, request.user),
        "dependence": find_dependence(request.user, one.person) if may_resolve else "",
        "may_see_alarm": request.user.has_perm(reconciliation.RESOLVE),
        "again_url": _again(request, one),
    }
    return render(request, "writes/write.html", context)


@signed_in(needs=write_needs)
def status(request: PersonRequest, app_id: str, idempotency_key: str) -> HttpResponse:
    """Show the polled part of the page, after the next check if it is due."""
    one = _get_write(app_id, idempotency_key)
    reconciliation.check_if_due(one)
    context = _status(request, one, seen=request.GET.get("seen", ""))
    return render(request, "writes/_status.html", context)


def _status(request: PersonRequest, one: Write, seen: str) -> dict[str, Any]:
    latest = one.checks.last()
    waits = one.is_open and one.found != WriteFound.THERE
    return {
        "write": one,
        "words": reconciliation.describe(one),
        "message": reconciliation.get_message(one),
        "card": services.card_of(one),
        "latest": latest,
        "poll": poll(request, one.created_at, NORMAL, waiting=waits),
        "page_seen": seen,
        "moved": seen != _seen(one),
        "app": gateway.lending_app(one.app_id),
    }


def _seen(one: Write) -> str:
    """Return the present state and finding as a text, with which a page notices a change."""
    return f"{one.state}-{one.found}"


@signed_in(methods=("POST",), needs=write_needs)
def check(request: PersonRequest, app_id: str, idempotency_key: str) -> HttpResponse:
    """Check a write at a person's request; redirect to the write."""
    one = _get_write(app_id, idempotency_key)
    reconciliation.check_now(one)
    return redirect(one)


@signed_in(methods=("POST",), needs=resolve_needs, confirmed=("POST",))
def resolve(request: PersonRequest, app_id: str, idempotency_key: str) -> HttpResponse:
    """Resolve a write by a person's decision, with a reason; redirect to the write.

    If the form is invalid, show the page with the error. If the person may not resolve the write,
    or if it was resolved before, change nothing and show a warning.
    """
    one = _get_write(app_id, idempotency_key)
    form = _resolve_form(one, request.POST)
    if not form.is_valid():
        return _show(request, one, form)
    resolution, url = form.chosen
    reason = form.cleaned_data["reason"]
    try:
        is_done = reconciliation.resolve(one, resolution, reason, request.user, url)
    except reconciliation.OwnWrite:
        words = _("Not saved. You made this entry, so another person must resolve it.")
        messages.warning(request, words, extra_tags="own-write")
        return redirect(one)
    except NotIndependent as rule:
        messages.warning(request, str(rule))
        return redirect(one)
    if is_done:
        messages.success(request, _("Resolved. Your reason is saved."))
    else:
        words = _("Nothing changed. Someone else has already resolved this entry.")
        messages.warning(request, words, extra_tags="changed-before")
    return redirect(one)


@access(reconciliation.RESOLVE, methods=("POST",), needs=write_needs)
def mark_alarm_seen(request: PersonRequest, app_id: str, idempotency_key: str) -> HttpResponse:
    """Mark a write's alarm as seen, so that the lists no longer show it; redirect to the write."""
    one = _get_write(app_id, idempotency_key)
    reconciliation.mark_alarm_seen(one, request.user)
    return redirect(one)


def _may_resolve(request: PersonRequest, one: Write) -> bool:
    if one.state != WriteState.UNKNOWN:
        return False
    knows = reconciliation.knows_record(one, request.user)
    return knows or request.user.has_perm(reconciliation.RESOLVE)


def _resolve_form(one: Write, data: Any = None) -> ResolveForm:
    checker = reconciliation.get_checker(one)
    if checker is None or not checker.needs_person:
        return ResolveForm(data)
    seen = one.checks.exclude(found="").last()
    return WhichForm(data, candidates=[tuple(link) for link in seen.links] if seen else [])


def _again(request: PersonRequest, one: Write) -> str:
    """Return the address to enter the write again; empty if this is not allowed yet."""
    abandoned = one.state == WriteState.UNKNOWN and one.found in reconciliation.ABANDONED
    is_not_saved = one.state == WriteState.RESOLVED and one.resolution == WriteResolution.NOT_SAVED
    may = one.person == request.user and request.user.has_perm(f"lending.{one.operation}")
    if not (may and one.again_at and one.submitted):
        return ""
    if not (abandoned or is_not_saved or one.state == WriteState.NOT_SAVED):
        return ""
    return f"{one.again_at}{'&' if '?' in one.again_at else '?'}again={one.idempotency_key}"


def _read_submitted(request: PersonRequest, one: Write) -> reconciliation.Submitted | None:
    """Return the sent data; None if they are not stored.

    Data of a borrower that the person may not see are masked.
    """
    found = reconciliation.read_submitted(one)
    if found is None or not one.operation.startswith("borrowers."):
        return found
    held = list_rights(request.user)
    sent, before = (mask_record(part, held) for part in (found.sent, found.before))
    return found._replace(sent=sent, before=before)


def list_submitted(submitted: reconciliation.Submitted | None) -> list[tuple[str, str]]:
    """Return the sent data in short: each new field, and the length of each list; may be empty."""
    rows: list[tuple[str, str]] = []
    sent, before = submitted or reconciliation.Submitted({})
    for name, value in sent.items():
        if isinstance(value, Mapping):
            old = before.get(name)
            kept = old.items() if isinstance(old, Mapping) else ()
            new = [pair for pair in value.items() if pair not in kept]
            rows += [(f"{name} · {key}", _short(part)) for key, part in new]
        else:
            rows.append((name, _short(value)))
    return rows


def _short(value: object) -> str:
    if isinstance(value, list | tuple):
        return _("%(count)s in the list") % {"count": len(value)} if value else _("none")
    if isinstance(value, Mapping):
        return ngettext("%(count)s field", "%(count)s fields", len(value)) % {"count": len(value)}
    return shown(value)

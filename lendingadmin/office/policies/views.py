"""Pages of the settings of a lending app: the list of rules, and the page of a rule."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies import deciding
from lendingadmin.core.policies.deciding import (
    find_obstacle,
    find_waiting,
    may_approve,
    needs_second,
)
from lendingadmin.core.policies.kinds import PolicyKind, Words, find_kind, list_kinds
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import find_version, list_saved, list_versions
from lendingadmin.core.staff.roles import CHANGE_POLICIES
from lendingadmin.office.policies.forms import ChangeForm
from lendingadmin.office.policies.services import save_change
from lendingadmin.web.access import access
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

_MOST = 50


@dataclass(frozen=True)
class _Rule:
    """A rule as the list shows it: the values in force, in words, and a planned version."""

    kind: PolicyKind
    words: Words
    effect: str
    version: PolicyVersion | None
    planned: PolicyVersion | None


@dataclass(frozen=True)
class _Change:
    """A version with its changes: label, old words and new words.

    `lowers` is True if the version protects less than the version before.
    """

    version: PolicyVersion
    changes: Sequence[tuple[str, str, str]]
    is_in_force: bool
    lowers: bool


@access(CHANGE_POLICIES)
def policies(request: PersonRequest, app_id: str) -> HttpResponse:
    """List the rules of the app and the rules for all apps, with the values in force."""
    app = gateway.lending_app(app_id)
    kinds = sorted(list_kinds(), key=lambda one: (one.is_shared, str(one.title)))
    context = {"app": app, "rules": [_read_rule(app, kind) for kind in kinds]}
    return render(request, "policies/list.html", context)


@access(CHANGE_POLICIES, methods=("GET", "POST"))
def policy(request: PersonRequest, app_id: str, key: str) -> HttpResponse:
    """Show the form of a rule, with its versions; a POST saves a new version.

    If another version was saved after the person opened the form, nothing is saved, and the page
    shows the other change next to the person's own input. While a change waits for a second
    manager, the page shows this change and no form.
    """
    app, kind = gateway.lending_app(app_id), _get_kind(key)
    posted = request.POST if request.method == "POST" else None
    saved, newest = (rows(app_id, kind).first() for rows in (list_saved, list_versions))
    values = kind.complete(saved.values if saved else None)
    form = kind.form(posted, app=app, values=values)
    change = ChangeForm(posted, today=timezone.localdate(timezone=app.zone))
    seen = newest.number if newest else 0
    is_stale = posted is not None and _read_seen(request) != seen
    obstacle = find_obstacle(kind, app_id, request.user)
    is_valid = posted is not None and all([form.is_valid(), change.is_valid()])
    if is_valid and not (is_stale or obstacle):
        wanted, day = form.get_values(), change.cleaned_data["validFrom"]
        is_same = wanted == values and day is None
        if is_same and (saved is None or saved.valid_from <= timezone.now()):
            messages.info(request, _("Nothing changed."))
            return redirect("policy", app_id, key)
        reason = change.cleaned_data["reason"]
        version = save_change(app, kind, wanted, seen=seen, by=request.user, reason=reason, day=day)
        if version:
            _tell(request, version)
            return redirect("policy", app_id, key)
        is_stale = True
    rule = _read_rule(app, kind)
    history = _list_changes(app_id, kind, rule.version)
    waiting = find_waiting(app_id, kind)
    context = {
        "app": app,
        "rule": rule,
        "form": form,
        "change": change,
        "seen": history[0].version.number if history else 0,
        "is_stale": is_stale,
        "obstacle": obstacle,
        "waiting": next((one for one in history if one.version == waiting), None),
        "may_approve": waiting is not None and may_approve(waiting, kind, app_id, request.user),
        "needs_second": needs_second(kind),
        # Versions that the person has not seen.
        "others": [one for one in history if one.version.number > _read_seen(request)],
        "history": history[:_MOST],
    }
    return render(request, "policies/policy.html", context)


@access(CHANGE_POLICIES, methods=("POST",), confirmed=("POST",))
def decide(request: PersonRequest, app_id: str, key: str, number: int) -> HttpResponse:
    """Approve, decline or withdraw a change that waits; redirect to the rule."""
    kind = _get_kind(key)
    version = get_object_or_404(list_versions(app_id, kind), number=number)
    approves = request.POST.get("decision") == "approve"
    try:
        deciding.decide(version, kind, app_id, request.user, approves=approves)
    except deciding.NothingToDecide:
        words = _(
            "Nothing changed. The request was already decided, has expired, or another person "
            "must decide."
        )
        messages.error(request, words)
    else:
        messages.success(request, _("Approved.") if approves else _("Declined. Nothing changed."))
    return redirect("policy", app_id, key)


def _get_kind(key: str) -> PolicyKind:
    kind = find_kind(key)
    if kind is None:
        raise Http404("There is no such setting.")
    return kind


def _tell(request: PersonRequest, version: PolicyVersion) -> None:
    if version.state == PolicyVersion.State.WAITING:
        messages.warning(request, _("Not in force yet. A second manager must approve this change."))
    else:
        messages.success(request, _("Saved."))


def _read_seen(request: PersonRequest) -> int:
    """Return the number of the version that the form showed; 0 for the default values."""
    return whole_number(request.POST.get("seen")) or 0


def _read_rule(app: LendingApp, kind: PolicyKind) -> _Rule:
    now = timezone.now()
    version = find_version(app.app_id, kind, now)
    newest = list_saved(app.app_id, kind).first()
    return _Rule(
        kind,
        kind.describe(kind.complete(version.values if version else None)),
        kind.describe_now(app) if kind.describe_now else "",
        version,
        newest if newest and newest.valid_from > now else None,
    )


def _list_changes(app_id: str, kind: PolicyKind, in_force: PolicyVersion | None) -> list[_Change]:
    """Return the newest versions, each with its changes from the saved version before it."""
    versions = list(list_versions(app_id, kind)[: _MOST + 1])
    changes, before = [], kind.complete(None)
    for one in reversed(versions):
        after = kind.complete(one.values)
        lowers = bool(kind.lowers and kind.lowers(before, after))
        described = kind.describe_changes(before, after)
        changes.append(_Change(one, described, one == in_force, lowers))
        before = after if one.state == PolicyVersion.State.SAVED else before
    return changes[::-1]

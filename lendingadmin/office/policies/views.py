"""Settings of a lending app: the list of its rules, and the page of one rule."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.kinds import PolicyKind, Words, find_kind, list_kinds
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import find_version, list_versions, save_policy
from lendingadmin.core.staff.roles import CHANGE_POLICIES
from lendingadmin.office.policies.forms import ChangeForm
from lendingadmin.web.access import access
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

_MOST = 50


@dataclass(frozen=True)
class _Rule:
    """A rule as the list shows it: the values in force in words, and a version that is planned."""

    kind: PolicyKind
    words: Words
    effect: str
    version: PolicyVersion | None
    planned: PolicyVersion | None


@dataclass(frozen=True)
class _Change:
    """A version with its changes: label, words before and words after."""

    version: PolicyVersion
    changes: Sequence[tuple[str, str, str]]
    is_in_force: bool


@access(CHANGE_POLICIES)
def policies(request: PersonRequest, app_id: str) -> HttpResponse:
    """List the rules of the app with the values in force."""
    app = gateway.lending_app(app_id)
    context = {"app": app, "rules": [_read_rule(app, kind) for kind in list_kinds()]}
    return render(request, "policies/list.html", context)


@access(CHANGE_POLICIES, methods=("GET", "POST"))
def policy(request: PersonRequest, app_id: str, key: str) -> HttpResponse:
    """Show a rule as a form with its versions; a POST saves a version.

    If another version was saved after the person opened the form, nothing is saved. The page then
    shows the other change next to the person's own input.
    """
    app, kind = gateway.lending_app(app_id), find_kind(key)
    if kind is None:
        raise Http404("There is no such setting.")
    posted = request.POST if request.method == "POST" else None
    newest = list_versions(app_id, key).first()
    values = {**kind.defaults, **(newest.values if newest else {})}
    form = kind.form(posted, app=app, values=values)
    change = ChangeForm(posted, today=timezone.localdate(timezone=app.zone))
    seen = newest.number if newest else 0
    is_stale = posted is not None and _read_seen(request) != seen
    if posted is not None and all([form.is_valid(), change.is_valid(), not is_stale]):
        wanted, day = form.get_values(), change.cleaned_data["validFrom"]
        is_same = wanted == values and day is None
        if is_same and (newest is None or newest.valid_from <= timezone.now()):
            messages.info(request, _("Nothing changed."))
            return redirect("policy", app_id, key)
        reason = change.cleaned_data["reason"]
        if save_policy(app, kind, wanted, seen=seen, by=request.user, reason=reason, day=day):
            messages.success(request, _("Saved."))
            return redirect("policy", app_id, key)
        is_stale = True
    rule = _read_rule(app, kind)
    history = _list_changes(app_id, kind, rule.version)
    context = {
        "app": app,
        "rule": rule,
        "form": form,
        "change": change,
        "seen": history[0].version.number if history else 0,
        "is_stale": is_stale,
        # The versions that the person had not seen.
        "others": [one for one in history if one.version.number > _read_seen(request)],
        "history": history[:_MOST],
    }
    return render(request, "policies/policy.html", context)


def _read_seen(request: PersonRequest) -> int:
    """Return the number of the version that the form showed; 0 for the default values."""
    return whole_number(request.POST.get("seen")) or 0


def _read_rule(app: LendingApp, kind: PolicyKind) -> _Rule:
    now = timezone.now()
    version = find_version(app.app_id, kind.key, now)
    newest = list_versions(app.app_id, kind.key).first()
    return _Rule(
        kind,
        kind.describe({**kind.defaults, **(version.values if version else {})}),
        kind.describe_now(app) if kind.describe_now else "",
        version,
        newest if newest and newest.valid_from > now else None,
    )


def _list_changes(app_id: str, kind: PolicyKind, in_force: PolicyVersion | None) -> list[_Change]:
    """Return the newest versions, each with its changes from the version before."""
    versions = list(list_versions(app_id, kind.key)[: _MOST + 1])
    befores = [*(one.values for one in versions[1:]), kind.defaults]
    return [
        _Change(one, kind.describe_changes(before, one.values), one == in_force)
        for one, before in zip(versions, befores, strict=False)
    ]

"""Page on which a manager compares the rules with the law of a country, and changes them."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.deciding import find_obstacle, needs_second
from lendingadmin.core.policies.kinds import PolicyKind, Values, find_kind
from lendingadmin.core.policies.presets import FACTS, find_country, list_countries
from lendingadmin.core.policies.services import list_versions, read_values
from lendingadmin.core.staff.roles import CHANGE_POLICIES
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

from .forms import ReasonForm
from .services import save_change


@dataclass(frozen=True)
class _Proposal:
    """A rule with the values that follow from the facts about a country.

    `seen` is the number of the rule's newest version. `obstacle` is the reason why the rule can't
    be changed now; empty if there is none.
    """

    kind: PolicyKind
    values: Values
    changes: list[tuple[str, str, str]]
    seen: int
    obstacle: str
    waits: bool


@access(CHANGE_POLICIES, methods=("GET", "POST"))
def presets(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the facts about a country, and rules that must change; a POST saves these rules.

    If a rule was changed after the page was shown, nothing is saved, and the page shows a new
    comparison.
    """
    app = gateway.lending_app(app_id)
    country = request.GET.get("country") or find_country(app)
    if country and country not in FACTS:
        raise Http404("There are no facts about this country.")
    proposals = list(_list_proposals(request, app, country)) if country else []
    shown = " ".join(f"{one.kind.key}:{one.seen}" for one in proposals)
    posted = request.POST if request.method == "POST" else None
    form = ReasonForm(posted)
    if posted is not None and form.is_valid():
        if posted.get("shown") == shown:
            return _apply(request, app, proposals, form.cleaned_data["reason"])
        messages.warning(
            request, _("Nothing was saved, because a rule was changed. Compare the rules again.")
        )
    context = {
        "app": app,
        "country": country,
        "countries": list_countries(),
        "facts": FACTS.get(country, ()),
        "proposals": proposals,
        "shown": shown,
        "form": form,
    }
    return render(request, "policies/presets.html", context)


def _list_proposals(request: PersonRequest, app: LendingApp, country: str) -> Iterator[_Proposal]:
    for key, build in ((key, one) for fact in FACTS[country] for key, one in fact.values.items()):
        kind = find_kind(key)
        if kind is None:
            continue
        present = read_values(kind, app.app_id)
        values = build(present)
        newest = list_versions(app.app_id, kind).first()
        if changes := kind.describe_changes(present, values):
            obstacle = find_obstacle(kind, app.app_id, request.user)
            seen = newest.number if newest else 0
            yield _Proposal(kind, values, changes, seen, obstacle, needs_second(kind))


def _apply(
    request: PersonRequest, app: LendingApp, proposals: list[_Proposal], reason: str
) -> HttpResponse:
    """Save the rules that can be changed now, and redirect to the list of rules."""
    for one in proposals:
        version = None
        if not one.obstacle:
            version = save_change(
                app, one.kind, one.values, seen=one.seen, by=request.user, reason=reason
            )
        given = {"title": one.kind.title}
        if version is None:
            messages.error(request, _("Not saved: %(title)s.") % given)
        elif one.waits:
            messages.warning(request, _("A second manager must approve: %(title)s.") % given)
        else:
            messages.success(request, _("Saved: %(title)s.") % given)
    return redirect("policies", app.app_id)

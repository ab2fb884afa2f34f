"""The rules that give borrowers to officers, and what they would change before they are saved."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from lendingadmin import gateway
from lendingadmin.assignments import rules, tasks
from lendingadmin.assignments.forms import open_rules_form, read_rules_form
from lendingadmin.assignments.models import RuleSet, RuleWalk
from lendingadmin.assignments.permissions import CHANGE
from lendingadmin.portfolio.loan_lists import list_products
from lendingadmin.portfolio.snapshot_job import find_with_loans
from lendingadmin.ui import polling
from lendingadmin.ui.access import access
from lendingadmin.ui.requests import PersonRequest

from .officers import describe_rules

_LONGEST = timedelta(hours=1)


@access(CHANGE, "lending.loans.list", methods=("GET", "POST"))
def edit(request: PersonRequest, app_id: str) -> HttpResponse:
    """The rules as a form; the POST keeps them as a proposal and leads to what it would change."""
    snapshot, active = find_with_loans(app_id), rules.find_active(app_id)
    products = [key for key, _loans in list_products(snapshot)] if snapshot else []
    form = open_rules_form(request.POST or None, rules.read_rules(active), products, app_id)
    if request.method == "POST" and form.is_valid():
        proposed = rules.propose(app_id, read_rules_form(form), request.user)
        for walk in proposed.walks.filter(state=RuleWalk.State.RUNNING):
            tasks.enqueue_walk(walk)
        return redirect(proposed)
    context = {"app": gateway.lending_app(app_id), "rows": form}
    return render(request, "assignments/rules.html", context)


@access(CHANGE, "lending.loans.list", methods=("GET", "POST"))
def preview(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """How many borrowers proposed rules would assign and move; the POST puts them in force."""
    found = get_object_or_404(RuleSet, app_id=app_id, pk=number)
    if request.method == "POST":
        if rules.save(found, request.user):
            messages.success(request, _("Saved: the rules are in force."))
            for walk in found.walks.filter(is_preview=False):
                tasks.enqueue_walk(walk)
        else:
            messages.warning(request, _("Not saved: other rules were saved meanwhile."))
        return redirect("assignments", app_id)
    context = _describe_preview(request, found) | {"rules": describe_rules(found)}
    return render(request, "assignments/rules_preview.html", context)


@access(CHANGE, "lending.loans.list")
def progress(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """What is counted so far: a fragment that polls while the worker is at it."""
    found = get_object_or_404(RuleSet, app_id=app_id, pk=number)
    context = _describe_preview(request, found) | {"is_fragment": True}
    return render(request, "assignments/_rules_preview.html", context)


def _describe_preview(request: PersonRequest, found: RuleSet) -> dict[str, object]:
    walk = found.walks.filter(is_preview=True).first()
    is_running = walk is not None and walk.state == RuleWalk.State.RUNNING
    return {
        "app": gateway.lending_app(found.app_id),
        "rule_set": found,
        "walk": walk,
        "poll": polling.poll(
            request, found.created_at, _LONGEST, waiting=is_running, delays=polling.WATCHED
        ),
    }

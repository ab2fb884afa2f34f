"""Pages of the rules that assign borrowers to officers. A count shows the changes before saving."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.desk.assignments import rules, tasks
from lendingadmin.desk.assignments.forms import open_rules_form, read_rules_form
from lendingadmin.desk.assignments.models import RuleSet
from lendingadmin.desk.assignments.permissions import CHANGE
from lendingadmin.desk.portfolio.loan_lists import list_products
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

from .officers import describe_rules


@access(CHANGE, "lending.loans.list", methods=("GET", "POST"))
def edit(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the rules as a form.

    A POST counts the changes and shows the counts. A second POST with the same counts saves the
    rules and redirects to the officers. The worker then applies the rules.
    """
    snapshot, active = find_with_loans(app_id), rules.find_active(app_id)
    products = [key for key, _loans in list_products(snapshot)] if snapshot else []
    form = open_rules_form(request.POST or None, rules.read_rules(active), products, app_id)
    effect, shown = None, request.POST.get("shown", "")
    if request.method == "POST" and form.is_valid():
        wanted = read_rules_form(form)
        effect = rules.count_effect(app_id, wanted)
        if shown == effect.fingerprint:
            saved = rules.save(app_id, wanted, effect.replaces, request.user)
            if saved is not None:
                messages.success(request, _("Saved. The rules are in force."))
                for walk in saved.walks.all():
                    tasks.enqueue_walk(walk)
                return redirect("assignments", app_id)
            effect = rules.count_effect(app_id, wanted)
    context = {
        "app": gateway.lending_app(app_id),
        "rows": form,
        "effect": effect,
        "is_counted_again": effect is not None and shown != "",
    }
    return render(request, "assignments/rules.html", context)


@access(CHANGE, "lending.loans.list")
def show(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show an earlier or the current set of rules. The audit trail links to this page."""
    found = get_object_or_404(
        RuleSet.objects.select_related("created_by"), app_id=app_id, pk=number
    )
    app = gateway.lending_app(app_id)
    context = {"app": app, "rule_set": found, "rules": describe_rules(found)}
    return render(request, "assignments/rule_set.html", context)

"""Pages of officers: the overview, one officer's borrowers, and one borrower's officer."""

from django.contrib import messages
from django.db.models import Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments import rules, services
from lendingadmin.desk.assignments.forms import ChangeForm
from lendingadmin.desk.assignments.models import (
    Assignment,
    BulkAssignment,
    HandOver,
    RuleSet,
    RuleWalk,
)
from lendingadmin.desk.assignments.permissions import CHANGE, list_officers
from lendingadmin.lending.ids import check_id
from lendingadmin.web.access import access
from lendingadmin.web.keyset import Slice, build_pager
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

_PAGE = 50
_LATEST = 10


@access(CHANGE)
def overview(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show each officer with the number of borrowers.

    The page also shows officers who have left, the rules and the latest bulk assignments.
    """
    app = gateway.lending_app(app_id)
    today = timezone.localdate(timezone=app.zone)
    there = set(list_officers(app_id).values_list("pk", flat=True))
    own = Assignment.objects.filter(app_id=app_id, officer=OuterRef("pk")).order_by()
    count = own.annotate(rows=Func(F("pk"), function="COUNT")).values("rows")
    borrowers = Subquery(count, output_field=IntegerField())
    people = list(_list_people(app_id).annotate(borrowers=borrowers).order_by("username"))
    away = HandOver.objects.in_effect(app_id, today).select_related("stand_in")
    stand_ins = {one.officer_id: one for one in away}
    active = rules.find_active(app_id)
    walks = RuleWalk.objects.filter(rule_set=active)
    latest = BulkAssignment.objects.filter(app_id=app_id).select_related("officer", "created_by")
    context = {
        "app": app,
        "officers": [(one, stand_ins.get(one.pk)) for one in people if one.pk in there],
        "gone": [one for one in people if one.pk not in there],
        "rules": describe_rules(active),
        "walk": walks.order_by("-pk").first(),
        "bulks": latest.order_by("-pk")[:_LATEST],
    }
    return render(request, "assignments/overview.html", context)


def _list_people(app_id: str) -> QuerySet[User]:
    """Return the people of the app who may have borrowers or still have borrowers."""
    own = Assignment.objects.filter(app_id=app_id, officer=OuterRef("pk"))
    there = list_officers(app_id).order_by().values("pk")
    return User.objects.filter(Q(pk__in=there) | Exists(own))


def describe_rules(active: RuleSet | None) -> list[tuple[str, str]]:
    """Return the product of each rule, with the names of the officers who may have borrowers.

    Return an empty list if there are no rules.
    """
    if active is None:
        return []
    found = rules.read_rules(active)
    numbers = {number for one in found for number in one.officers}
    there = list_officers(active.app_id).filter(pk__in=numbers)
    names = dict(there.values_list("pk", "username"))
    return [
        (one.product, ", ".join(sorted(names[key] for key in one.officers if key in names)))
        for one in found
    ]


@access(CHANGE)
def borrowers(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the borrowers of one person, by id."""
    person = get_object_or_404(_list_people(app_id), pk=number)
    rows = Assignment.objects.filter(app_id=app_id, officer=person).order_by("borrower_id")
    behind = Assignment.objects.filter(pk=whole_number(request.GET.get("after")) or 0)
    if last := behind.values_list("borrower_id", flat=True).first():
        rows = rows.filter(borrower_id__gt=last)
    page = list(rows.select_related("assigned_by")[: _PAGE + 1])
    shown = Slice(page[:_PAGE], page[_PAGE - 1].pk if len(page) > _PAGE else None)
    context = {
        "app": gateway.lending_app(app_id),
        "officer": person,
        "is_gone": not list_officers(app_id).filter(pk=number).exists(),
        "rows": shown.rows,
        "pager": build_pager(request, shown, "after"),
    }
    return render(request, "assignments/borrowers.html", context)


@access(CHANGE, "lending.borrowers.get", methods=("GET", "POST"))
def change(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the form for a borrower's officer; a POST assigns the officer, or none.

    The POST redirects to the borrower. If another person has changed the officer since the form was
    opened, save nothing and redirect to this form with a warning.
    """
    row = services.find_assignment(app_id, check_id(borrower_id))
    form = ChangeForm(request.POST or None, app_id=app_id, row=row)
    if request.method == "POST" and form.is_valid():
        officer, seen = form.cleaned_data["officer"], form.cleaned_data["seen"]
        if services.assign(app_id, borrower_id, officer, request.user, seen):
            messages.success(request, _("Saved. The officer is changed."))
            return redirect("borrower", app_id, borrower_id)
        words = _("Not saved. Another person changed the officer. Load the page again.")
        messages.warning(request, words, extra_tags="changed-before")
        return redirect("officer-change", app_id, borrower_id)
    app = gateway.lending_app(app_id)
    context = {"app": app, "form": form, "row": row, "borrower_id": borrower_id}
    return render(request, "assignments/change.html", context)

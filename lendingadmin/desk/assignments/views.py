"""Pages of assignments: officers and their borrowers, hand-overs, assigned lists, and rules."""

import logging

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments import bulk, rules, services, tasks
from lendingadmin.desk.assignments.forms import (
    ChangeForm,
    HandOverForm,
    OfficerForm,
    OutcomeForm,
    open_rules_form,
    read_rules_form,
)
from lendingadmin.desk.assignments.models import (
    Assignment,
    BulkAssignment,
    HandOver,
    RuleSet,
    RuleWalk,
)
from lendingadmin.desk.assignments.permissions import CHANGE, HAND_OVER, list_officers
from lendingadmin.desk.portfolio.loan_lists import list_products, open_list
from lendingadmin.desk.portfolio.saved_lists import write_query
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.lending.ids import check_id
from lendingadmin.money.writes import idempotency
from lendingadmin.web.access import access
from lendingadmin.web.keyset import Slice, build_pager, spell_count
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest
from lendingadmin.web.unavailable import UNAVAILABLE

_PAGE = 50
_LATEST = 10  # bulk assignments on the overview
_MOST = 200  # hand-overs on their page
logger = logging.getLogger(__name__)

_LIST = "lending.loans.list"
PURPOSE = "assign-list"


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


@access(HAND_OVER, methods=("GET", "POST"))
def hand_overs(request: PersonRequest, app_id: str) -> HttpResponse:
    """List the current and future hand-overs; a POST adds a hand-over and redirects to this page.

    Managers see all hand-overs; other people see their own. If the officer already has a stand-in
    on one of the days, the form shows an error.
    """
    app, person = gateway.lending_app(app_id), request.user
    today = timezone.localdate(timezone=app.zone)
    may_change = person.has_perm(CHANGE)
    only = None if may_change else person
    form = HandOverForm(request.POST or None, app_id=app_id, today=today, only=only)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        people, days = (given["officer"], given["standIn"]), (given["firstDay"], given["lastDay"])
        if services.hand_over(app_id, *people, *days, person):
            messages.success(request, _("Saved. The borrowers are handed over."))
            return redirect("hand-overs", app_id)
        words = _("The officer already has a stand-in on some of these days.")
        form.add_error("firstDay", ValidationError(words, code="taken"))
    rows = HandOver.objects.filter(app_id=app_id, ended_at=None, last_day__gte=today)
    if not may_change:
        rows = rows.filter(Q(officer=person) | Q(stand_in=person))
    rows = rows.select_related("officer", "stand_in").order_by("last_day", "id")
    context = {
        "app": app,
        "form": form,
        "today": today,
        "rows": [(row, _may_end(person, row)) for row in rows[:_MOST]],
    }
    return render(request, "assignments/hand_overs.html", context)


@access(HAND_OVER, methods=("POST",))
def end_hand_over(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """End a hand-over early; redirect to the hand-overs.

    If the hand-over had already ended, show no message.

    Raise Http404 for a hand-over that the person may not end.
    """
    row = get_object_or_404(HandOver, app_id=app_id, pk=number)
    if not _may_end(request.user, row):
        raise Http404("This hand-over belongs to another person.")
    if services.end_hand_over(row, request.user):
        messages.success(request, _("Saved. The hand-over has ended."))
    return redirect("hand-overs", app_id)


def _may_end(person: User, row: HandOver) -> bool:
    """Return True if the person may end a hand-over: the officer who is away, or a manager."""
    return row.officer_id == person.pk or person.has_perm(CHANGE)


@access(CHANGE, _LIST, methods=("GET", "POST"))
def assign_list(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form for the officer of a list's borrowers, with the number of borrowers.

    A POST assigns the borrowers once and redirects to the result. If the borrowers have changed or
    the form is too old, show the page again. Raise Http404 if there is no such list.
    """
    app = gateway.lending_app(app_id)
    found = open_list(app, request.GET.dict())
    if found is None or not found.is_valid:
        raise Http404("The address has no valid list, or there is no update yet.")
    form = OfficerForm(request.GET if "officer" in request.GET else None, app_id=app_id)
    counted, obstacle = None, ""
    if form.is_valid():
        counted = bulk.count_borrowers(found, app_id, form.cleaned_data["officer"])
    if request.method == "POST" and counted is not None:
        try:
            key = idempotency.check_key(request, PURPOSE, request.POST.get("token", ""))
        except idempotency.StaleKey:
            obstacle = "stale"
        else:
            saved = bulk.find_saved(key)
            if saved is not None:
                return redirect(saved)
            if request.POST.get("shown") != counted.fingerprint:
                obstacle = "counted-again"
            elif counted.given and not counted.has_more:
                saved = bulk.save(app_id, write_query(found.wanted), counted, request.user, key)
                _go_on(saved)
                return redirect(saved)
    query = write_query(found.wanted)
    context = {
        "app": app,
        "found": found,
        "form": form,
        "query": query,
        "state": QueryDict(query).items(),
        "loans": spell_count(found.count_some()) or "0",
        "counted": counted,
        "obstacle": obstacle,
        "most": bulk.MOST,
        "token": idempotency.issue_key(request, PURPOSE),
    }
    return render(request, "assignments/bulk_new.html", context)


@access(CHANGE, _LIST)
def show_assigned(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show a list that was assigned, with the result of each borrower."""
    lists = BulkAssignment.objects.select_related("officer", "created_by")
    found, form = get_object_or_404(lists, app_id=app_id, pk=number), OutcomeForm(request.GET)
    counts = bulk.count_outcomes(found)
    rows = found.rows.select_related("before_officer").order_by("id")
    if form.is_valid() and form.cleaned_data["outcome"]:
        rows = rows.filter(outcome=form.cleaned_data["outcome"])
    page = list(rows.filter(pk__gt=whole_number(request.GET.get("after")) or 0)[: _PAGE + 1])
    shown = Slice(page[:_PAGE], page[_PAGE - 1].pk if len(page) > _PAGE else None)
    context = {
        "app": gateway.lending_app(app_id),
        "bulk": found,
        "form": form,
        "outcomes": [(one, counts[one.value]) for one in bulk.Outcome if one.value in counts],
        "rows": shown.rows,
        "pager": build_pager(request, shown, "after"),
    }
    return render(request, "assignments/bulk.html", context)


def _go_on(found: BulkAssignment) -> None:
    """Assign a short list immediately; let the worker assign a long list.

    If the database is busy, the worker continues, because the list is already saved.
    """
    try:
        if found.rows.all()[: bulk.AT_ONCE + 1].count() > bulk.AT_ONCE:
            tasks.assign_list.enqueue(found.pk)
        else:
            bulk.run_slice(found.pk)
    except UNAVAILABLE:
        logger.warning("a bulk assignment is left to the worker: the database is busy")


@access(CHANGE, "lending.loans.list", methods=("GET", "POST"))
def edit_rules(request: PersonRequest, app_id: str) -> HttpResponse:
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
def show_rules(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show an earlier or the current set of rules. The audit trail links to this page."""
    found = get_object_or_404(
        RuleSet.objects.select_related("created_by"), app_id=app_id, pk=number
    )
    app = gateway.lending_app(app_id)
    context = {"app": app, "rule_set": found, "rules": describe_rules(found)}
    return render(request, "assignments/rule_set.html", context)

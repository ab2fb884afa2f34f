"""Pages of the journal: all repayments, one repayment with its receipt, and people's decisions."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.audit.restores import check_for_restore
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.independence import NotIndependent, find_dependence
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import (
    approvals,
    filters,
    mistakes,
    receipts,
    reconciliation,
    services,
    sms,
)
from lendingadmin.money.repayments.attribution import attribution_of
from lendingadmin.money.repayments.confirmations import list_confirmations
from lendingadmin.money.repayments.forms import (
    JournalForm,
    MistakeForm,
    ReasonForm,
    ResolveForm,
    ReviewForm,
)
from lendingadmin.money.repayments.models import Reading, Repayment
from lendingadmin.money.repayments.states import RESOLVABLE, RepaymentState, Resolution
from lendingadmin.money.writes import idempotency
from lendingadmin.money.writes import reconciliation as write_reconciliation
from lendingadmin.people.search import opened
from lendingadmin.web.access import access
from lendingadmin.web.display import formats, times
from lendingadmin.web.display.money import money
from lendingadmin.web.keyset import Slice, build_pager, read_slice
from lendingadmin.web.lists import whole_number
from lendingadmin.web.polling import poll
from lendingadmin.web.requests import PersonRequest

PAGE_SIZE = 50
# The number of undecided repayments on a page, and of rows in each list above them.
_TO_DECIDE, _FEW = 25, 10
_APPROVERS = 20
_CHECKS_PER_VISIT = 5

# The normal time until a result is known. After this time, only a button starts a check.
NORMAL = timedelta(minutes=2)


@access("lending.loans.get")
def journal(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the journal of an app. The address has the filter."""
    form, app = JournalForm(request.GET), gateway.lending_app(app_id)
    # An invalid filter shows no rows, because other rows would look like its result.
    page = _page(request, form.cleaned_data, app) if form.is_valid() else Slice([])
    context = {
        "form": form,
        "rows": page.rows,
        "pager": build_pager(request, page),
        "may_close_day": request.user.has_perm("dashboard.repayments.statement"),
        "app": app,
    }
    return render(request, "repayments/journal.html", context)


def _page(request: PersonRequest, wanted: dict[str, Any], app: LendingApp) -> Slice:
    # People are prefetched, because a join would read people for all rows that the filter reads.
    rows = Repayment.objects.prefetch_related("created_by", "approved_by").with_mistake()
    rows, only = filters.find_rows(rows, wanted, app)
    behind = whole_number(request.GET.get("before")) or None
    return read_slice(rows, filters.get_order(wanted), PAGE_SIZE, behind=behind, only=only)


@access("lending.loans.get")
def needs_checking(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show everything that needs checking. Opening the page runs the due checks."""
    reconciliation.check_due(app_id, at_most=_CHECKS_PER_VISIT)
    rows = Repayment.objects.with_mistake()
    reports, alarms = mistakes.list_open(app_id), rows.with_unseen_alarm(app_id)
    context = {
        "awaiting": _list_page(
            request, rows.awaiting_approval(app_id), "created_at", "waiting", _FEW
        ),
        "unresolved": _list_page(request, rows.needing_checks(app_id), "created_at", "after"),
        "alarms": _list_page(request, alarms, "alarm_at", "alarms", _FEW),
        "mistakes": _list_page(request, reports, "reported_at", "reports", _FEW),
        "suspected": check_for_restore(),
        "gap": services.find_gap(app_id),
        "write_alarms": write_reconciliation.list_alarms(app_id, request.user),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "repayments/needs_checking.html", context)


def _list_page(
    request: PersonRequest,
    rows: QuerySet[Any],
    column: str,
    parameter: str,
    size: int = _TO_DECIDE,
) -> dict[str, Any]:
    """Return a page of rows that wait for a person, the longest waiting first, with its pager."""
    behind = whole_number(request.GET.get(parameter)) or None
    page = read_slice(rows, column, size, behind=behind, newest_first=False)
    return {"rows": page.rows, "pager": build_pager(request, page, parameter)}


@access("lending.loans.get")
def receipt(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show one repayment: the present state, the evidence, and the possible actions."""
    repayment = _one(app_id, number)
    reconciliation.check_if_due(repayment)
    page = _receipt(request, repayment)
    opened.remember(request, app_id, "repayment", str(number))
    return page


def _one(app_id: str, number: int) -> Repayment:
    return get_object_or_404(
        Repayment.objects.select_related("created_by", "approved_by", "resolved_by", "retry_of"),
        app_id=app_id,
        pk=number,
    )


def _receipt(
    request: PersonRequest,
    repayment: Repayment,
    resolve_form: Form | None = None,
    aside_form: Form | None = None,
    decline_form: Form | None = None,
    **mistake_forms: Form,
) -> HttpResponse:
    reports = mistakes.section(request, repayment, **mistake_forms)
    context = _status(request, repayment, seen=repayment.state) | reports
    receipt = receipts.build_receipt(request, repayment, context["remainder"])
    context |= {
        "receipt": receipt,
        "languages": settings.LANGUAGES,
        "sms": sms.write_sms(receipt) if receipt.is_one else "",
        "sheet": _draw_for_customer("repayments/_sheet.html", receipt, {"is_drawn": True})
        if receipt.is_one
        else "",
        "resolve_form": resolve_form or ResolveForm(),
        "aside_form": aside_form or ReasonForm(prefix="aside"),
        "decline_form": decline_form or ReasonForm(prefix="decline"),
        "retries": repayment.retries.all(),
        "may_record": request.user.has_perm("lending.loans.makeRepayment"),
        "may_resolve": request.user.has_perm("dashboard.repayments.resolve"),
        "may_approve": approvals.may_approve(repayment, request.user),
        "approvers": _list_approvers(repayment),
        "is_own": repayment.created_by_id == request.user.pk,
        "may_decline": request.user.has_perm(approvals.APPROVE),
        "dependence": _find_dependence(request, repayment),
        "may_set_aside": request.user.has_perm("dashboard.repayments.setAside"),
        "confirmations": list_confirmations(repayment),
        "may_read_statements": request.user.has_perm("dashboard.statements.read"),
        "app": gateway.lending_app(repayment.app_id),
    }
    return render(request, "repayments/receipt.html", context)


def _find_dependence(request: PersonRequest, repayment: Repayment) -> str:
    """Return the reason why this person may not approve or resolve the repayment.

    The reason is empty if the person may decide, or if there is nothing to decide.
    """
    is_waiting = repayment.state == RepaymentState.AWAITING or repayment.may_be_resolved
    return find_dependence(request.user, repayment.created_by) if is_waiting else ""


def _list_approvers(repayment: Repayment) -> list[User]:
    """Return some people who may approve a repayment; none if it does not wait for approval."""
    if repayment.state != RepaymentState.AWAITING:
        return []
    return list(approvals.list_approvers(repayment.app_id, but=repayment.created_by)[:_APPROVERS])


@access("lending.loans.get")
def status(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the polled part of the receipt, after the next check if it is due."""
    repayment = _one(app_id, number)
    reconciliation.check_if_due(repayment)
    context = _status(request, repayment, seen=request.GET.get("seen", ""))
    return render(request, "repayments/_status.html", context)


def _status(request: PersonRequest, repayment: Repayment, seen: str) -> dict[str, Any]:
    """Return the context of the polled part. `poll` has the seconds until the next request."""
    since = repayment.sent_at or repayment.created_at
    state = RepaymentState(repayment.state)
    readings = list(repayment.readings.all())
    newest_first, before = readings[::-1], Reading.BEFORE_SENDING
    baseline = next((one for one in newest_first if one.kind == Reading.Kind.BASELINE), None)
    latest = next((one for one in newest_first if one.kind not in before), None)
    attribution = attribution_of(repayment) if state in RESOLVABLE else None
    effect = repayment.effect_of(baseline, latest) if baseline and latest else None
    is_recorded = repayment.is_recorded
    remainder = receipts.find_remainder(repayment, baseline, latest) if is_recorded else None
    return {
        "title": _write_title(repayment, remainder),
        "remainder": remainder,
        "repayment": repayment,
        "effect": attribution.effect if attribution and effect else effect,
        "readings": readings,
        "baseline": baseline,
        "latest": latest,
        "attribution": attribution,
        "poll": poll(request, since, NORMAL, waiting=repayment.is_open),
        "page_state": seen or state,
        "inference_off": state == RepaymentState.UNKNOWN
        and reconciliation.inference_is_off(repayment),
    }


def _write_title(repayment: Repayment, remainder: receipts.Remainder | None) -> str:
    """Return the state's title, with the loan's balance if the service reported it."""
    title = repayment.message.title
    if remainder is None or repayment.state != RepaymentState.RECORDED:
        return title
    app, locale = gateway.lending_app(repayment.app_id), formats.locale()
    balance = _("Balance at %(time)s on %(day)s: %(left)s.") % {
        "time": times.minute(remainder.read_at, app.zone),
        "day": times.day(remainder.read_at, app.zone, locale),
        "left": money(remainder.amount, app.currency, locale),
    }
    return f"{title}. {balance}"


@access("lending.loans.get", methods=("POST",))
def print_receipt(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the paper for a customer, for printing: a receipt, or a slip that is not a receipt.

    The page is the response to the POST, so loading it again is a reprint.
    """
    repayment = _one(app_id, number)
    remainder = receipts.find_remainder(repayment, repayment.baseline, repayment.latest)
    receipt = receipts.build_receipt(request, repayment, remainder)
    opened_at = receipts.open_for_printing(repayment, request.user) if receipt.is_one else None
    context = {
        "opened_at": opened_at,
        "paper": "80mm" if request.POST.get("paper") == "80mm" else "a5",
        "may_record": request.user.has_perm("lending.loans.makeRepayment"),
    }
    return HttpResponse(_draw_for_customer("repayments/sheet.html", receipt, context, request))


def _draw_for_customer(
    template: str,
    receipt: receipts.Receipt,
    context: dict[str, Any],
    request: PersonRequest | None = None,
) -> str:
    """Return the paper in the customer's language and the lender's time zone."""
    with translation.override(receipt.language), formats.use_zone(lambda: None):
        context |= {"receipt": receipt, "repayment": receipt.repayment}
        return render_to_string(template, context, request)


@access("lending.loans.get", methods=("POST",))
def check(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Check a repayment at a person's request; redirect to the repayment."""
    repayment = _one(app_id, number)
    reconciliation.check_now(repayment)
    return redirect(repayment)


@access(
    *("dashboard.repayments.resolve", "lending.loans.get"),
    methods=("POST",),
    confirmed=("POST",),
)
def resolve(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Resolve a repayment with a person's decision and reason; redirect to the repayment.

    If the form is invalid, if the entry is the person's own or if another repayment has the
    transaction id, show the page with the error. If the two people are not independent, or if the
    repayment was resolved before, change nothing and show a warning.
    """
    repayment = _one(app_id, number)
    form = ResolveForm(request.POST)
    if not form.is_valid():
        return _receipt(request, repayment, resolve_form=form)
    resolution, reason = Resolution(form.cleaned_data["resolution"]), form.cleaned_data["reason"]
    try:
        done = services.resolve(repayment, resolution, reason, request.user)
    except services.OwnRepayment:
        form.add_error(
            None, _("Not saved. You entered this repayment, so another person must resolve it.")
        )
        return _receipt(request, repayment, resolve_form=form)
    except NotIndependent as rule:
        messages.warning(request, str(rule))
        return redirect(repayment)
    except services.DuplicateExternalId as rule:
        words = _("%(repayment)s has the same transaction id.")
        form.add_error(None, words % {"repayment": rule.other})
        return _receipt(request, repayment, resolve_form=form)
    if done:
        messages.success(request, _("Resolved. Your reason is saved."))
    else:
        messages.warning(
            request, _("Nothing changed. Someone else has already resolved this repayment.")
        )
    return redirect(repayment)


@access(
    *("dashboard.repayments.setAside", "lending.loans.get"),
    methods=("POST",),
    confirmed=("POST",),
)
def set_aside(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Set aside a repayment that needs checking, so that the loan's next repayment can be sent.

    Redirect to the repayment, with a warning if nothing changed. If the form is invalid or the
    entry is the person's own, show the page with the error.
    """
    repayment = _one(app_id, number)
    form = ReasonForm(request.POST, prefix="aside")
    if not form.is_valid():
        return _receipt(request, repayment, aside_form=form)
    try:
        done = services.set_aside(repayment, form.cleaned_data["reason"], request.user)
    except services.OwnRepayment:
        form.add_error(
            None, _("Not saved. You entered this repayment, so another person must set it aside.")
        )
        return _receipt(request, repayment, aside_form=form)
    except NotIndependent as rule:
        messages.warning(request, str(rule))
        return redirect(repayment)
    if done:
        messages.success(
            request, _("Set aside. You can now record the next repayment of this loan.")
        )
    else:
        messages.warning(request, _("Nothing changed. This repayment no longer needs checking."))
    return redirect(repayment)


def decline_needs(request: PersonRequest, app_id: str, number: int) -> tuple[str, ...]:
    """Return the rights that a person needs to decline a repayment.

    A person may withdraw their own entry without a right. Other people need the right to approve.
    """
    is_own = _one(app_id, number).created_by_id == request.user.pk
    return () if is_own else (approvals.APPROVE,)


@access("lending.loans.get", methods=("POST",), needs=decline_needs)
def decline(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Decline a repayment with a reason, as an approver or as the person who entered it.

    Redirect to the repayment, with a warning if it no longer waits for approval. Without a valid
    reason, show the page with the error.
    """
    repayment = _one(app_id, number)
    form = ReasonForm(request.POST, prefix="decline")
    if not form.is_valid():
        return _receipt(request, repayment, decline_form=form)
    if services.decline(repayment, form.cleaned_data["reason"], request.user):
        words = _("Declined. The repayment will not be sent. Your reason is saved.")
        messages.success(request, words, extra_tags="declined")
    else:
        messages.warning(
            request,
            _("Nothing changed. This repayment is no longer waiting for approval."),
            extra_tags="not-waiting",
        )
    return redirect(repayment)


@access("dashboard.repayments.resolve", "lending.loans.get", methods=("POST",))
def alarm_seen(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Mark the alarm of a repayment as seen; redirect to the repayment.

    The home page no longer shows the alarm.
    """
    repayment = _one(app_id, number)
    services.mark_alarm_seen(repayment, request.user)
    return redirect(repayment)


@access(mistakes.REPORT, "lending.loans.get", methods=("POST",))
def report_mistake(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Save a person's report of a mistake in a repayment, once for each form.

    Redirect to the repayment. If the report of this form was already reviewed, show a warning. If
    the form is invalid or too old, or another report is open, show the page with the error.
    """
    repayment = _one(app_id, number)
    form = MistakeForm(request.POST, prefix="mistake")
    if not form.is_valid():
        return _receipt(request, repayment, report_form=form)
    try:
        idempotency_key = idempotency.check_key(
            request, mistakes.PURPOSE, request.POST.get("token", "")
        )
        mistake = mistakes.report(
            repayment, form.cleaned_data["note"], request.user, idempotency_key
        )
    except idempotency.StaleKey:
        words = _("Not saved. This form was open for too long. Send the form again.")
        form.add_error(None, ValidationError(words, code="stale"))
    except mistakes.OneIsOpen as rule:
        by = rule.other.reported_by.username
        words = _("Not saved. A manager has not reviewed the report of %(person)s yet.")
        form.add_error("note", ValidationError(words, code="one-open", params={"person": by}))
    else:
        if mistake.is_open:
            words = _("Reported. A manager will review your report.")
            messages.success(request, words, extra_tags="reported")
        else:
            words = _("Nothing new was saved. This mistake has already been reported and reviewed.")
            messages.warning(request, words, extra_tags="reported-before")
        return redirect(repayment)
    return _receipt(request, repayment, report_form=form)


@access(mistakes.REVIEW, "lending.loans.get", methods=("POST",))
def review_mistake(
    request: PersonRequest, app_id: str, number: int, mistake_id: int
) -> HttpResponse:
    """Save a manager's review of another person's report, with a reason.

    Redirect to the repayment, with a warning if the report is the manager's own or was reviewed
    before. If the form is invalid, show the page with the error.
    """
    repayment = _one(app_id, number)
    mistake = get_object_or_404(repayment.mistakes, pk=mistake_id)
    form = ReviewForm(request.POST, prefix="review")
    if mistake.is_open and not form.is_valid():
        return _receipt(request, repayment, review_form=form)
    try:
        is_done = form.is_valid() and mistakes.review(mistake, form.decision(), request.user)
    except NotIndependent as rule:
        messages.warning(request, str(rule))
        return redirect(repayment)
    if is_done:
        words = _("Saved. Your decision and reason are saved.")
        messages.success(request, words, extra_tags="reviewed")
    elif mistake.is_open:
        words = _("Not saved. You reported this mistake, so another person must review it.")
        messages.warning(request, words, extra_tags="own-report")
    else:
        words = _("Nothing changed. %(person)s has already reviewed this report.")
        words %= {"person": mistake.reviewed_by}
        messages.warning(request, words, extra_tags="reviewed-before")
    return redirect(repayment)

"""The journal: every repayment recorded here, its receipt, and what people decide about it."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from lendingadmin import gateway
from lendingadmin.finding import opened
from lendingadmin.web import onetime
from lendingadmin.web.access import access
from lendingadmin.web.polling import poll
from lendingadmin.web.requests import PersonRequest

from . import book, ledger, mistakes, watching
from .attribution import attribution_of
from .forms import JournalForm, MistakeForm, ReasonForm, ReviewForm, SettleForm
from .models import Repayment
from .states import SETTLEABLE, State, Verdict
from .wording import wording_of

PAGE_SIZE = 50
_LOOKS_PER_VISIT = 5

# How long an outcome is normally open; past that the page leaves looking to a button.
NORMAL = timedelta(minutes=2)


@access("lending.loans.get")
def journal(request: PersonRequest, app_id: str) -> HttpResponse:
    """The journal of one app, filtered by what the address says."""
    form, app = JournalForm(request.GET), gateway.lending_app(app_id)
    rows = Repayment.objects.filter(app_id=app_id).select_related("created_by").order_by("-id")
    # A refused filter shows nothing: rows that it does not apply to would pass for what it finds.
    rows = book.filtered(rows, form.cleaned_data, app) if form.is_valid() else rows.none()
    page = Paginator(mistakes.marked(rows), PAGE_SIZE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "page": page,
        "filtered": any(query.values()),
        "query": query.urlencode(),
        "may_close_day": request.user.has_perm("dashboard.repayments.statement"),
        "app": app,
    }
    return render(request, "repayments/journal.html", context)


@access("lending.loans.get")
def unknown(request: PersonRequest, app_id: str) -> HttpResponse:
    """Unknown outcomes: read again now that somebody looks; what is left, a person decides."""
    watching.look_at_due(app_id, at_most=_LOOKS_PER_VISIT)
    context = {
        "unsettled": mistakes.marked(book.unsettled(app_id)),
        "alarms": mistakes.marked(book.alarms(app_id)),
        "mistakes": mistakes.open_in(app_id),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "repayments/unknown.html", context)


@access("lending.loans.get")
def receipt(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """One repayment: what is known of it, the evidence, and what a person may do."""
    repayment = _one(app_id, number)
    watching.look_if_due(repayment)
    page = _receipt(request, repayment)
    opened.remember(request, app_id, "repayment", str(number))
    return page


def _one(app_id: str, number: int) -> Repayment:
    return get_object_or_404(
        Repayment.objects.select_related("created_by", "retry_of"), app_id=app_id, pk=number
    )


def _receipt(
    request: PersonRequest,
    repayment: Repayment,
    settle_form: Form | None = None,
    aside_form: Form | None = None,
    **mistake_forms: Form,
) -> HttpResponse:
    reports = mistakes.section(request, repayment, **mistake_forms)
    context = _status(request, repayment, seen=repayment.state) | reports
    context |= {
        "settle_form": settle_form or SettleForm(),
        "aside_form": aside_form or ReasonForm(prefix="aside"),
        "readings": repayment.readings.all(),
        "retries": repayment.retries.all(),
        "may_record": request.user.has_perm("lending.loans.makeRepayment"),
        "may_settle": request.user.has_perm("dashboard.repayments.settle"),
        "may_set_aside": request.user.has_perm("dashboard.repayments.setAside"),
        "app": gateway.lending_app(repayment.app_id),
    }
    return render(request, "repayments/receipt.html", context)


@access("lending.loans.get")
def status(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """The polled part of the receipt; it takes the next look when that is due."""
    repayment = _one(app_id, number)
    watching.look_if_due(repayment)
    context = _status(request, repayment, seen=request.GET.get("seen", ""))
    return render(request, "repayments/_status.html", context)


def _status(request: PersonRequest, repayment: Repayment, seen: str) -> dict[str, Any]:
    """What the status part shows, and after how many seconds, if at all, it asks again."""
    since = repayment.sent_at or repayment.created_at
    state = State(repayment.state)
    baseline, latest = repayment.baseline, repayment.latest
    attribution = attribution_of(repayment) if state in SETTLEABLE else None
    effect = repayment.effect_of(baseline, latest) if baseline and latest else None
    return {
        "repayment": repayment,
        "wording": wording_of(repayment),
        "effect": attribution.effect if attribution and effect else effect,
        "baseline": baseline,
        "latest": latest,
        "attribution": attribution,
        "poll": poll(request, since, NORMAL, waiting=repayment.is_open),
        "page_state": seen or state,
        "inference_off": state == State.UNKNOWN and watching.inference_is_off(repayment),
    }


@access("lending.loans.get", methods=("POST",))
def look(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """A person asks for a look now."""
    repayment = _one(app_id, number)
    watching.look_now(repayment)
    return redirect(repayment)


@access("dashboard.repayments.settle", methods=("POST",))
def settle(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """A person decides what became of a repayment, with a reason."""
    repayment = _one(app_id, number)
    form = SettleForm(request.POST)
    if not form.is_valid():
        return _receipt(request, repayment, settle_form=form)
    verdict, reason = Verdict(form.cleaned_data["verdict"]), form.cleaned_data["reason"]
    try:
        done = ledger.settle(repayment, verdict, reason, request.user)
    except ledger.AlreadyLive as rule:
        form.add_error(None, f"{rule.other} bears the same transaction id and holds it now.")
        return _receipt(request, repayment, settle_form=form)
    if done:
        messages.success(request, "Settled. Your reason is kept with it.")
    else:
        messages.warning(request, "Nothing was changed: its state had changed meanwhile.")
    return redirect(repayment)


@access("dashboard.repayments.setAside", methods=("POST",))
def set_aside(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """A manager lets the loan's next repayment through while this one stays unknown."""
    repayment = _one(app_id, number)
    form = ReasonForm(request.POST, prefix="aside")
    if not form.is_valid():
        return _receipt(request, repayment, aside_form=form)
    if ledger.set_aside(repayment, form.cleaned_data["reason"], request.user):
        messages.success(request, "Set aside. The loan takes its next repayment again.")
    else:
        messages.warning(request, "Nothing was changed: it is not unknown any more.")
    return redirect(repayment)


@access("dashboard.repayments.settle", methods=("POST",))
def alarm_seen(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """A person has seen the alarm and takes it off the desk."""
    repayment = _one(app_id, number)
    ledger.see_alarm(repayment, request.user)
    return redirect(repayment)


@access(mistakes.REPORT, methods=("POST",))
def report_mistake(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """A person reports that a repayment is wrong; once for each form."""
    repayment = _one(app_id, number)
    form = MistakeForm(request.POST, prefix="mistake")
    if not form.is_valid():
        return _receipt(request, repayment, report_form=form)
    try:
        nonce = onetime.check(request, mistakes.PURPOSE, request.POST.get("token", ""))
        mistake = mistakes.report(repayment, form.cleaned_data["note"], request.user, nonce)
    except onetime.Stale:
        form.add_error(None, "Not saved: this form was open for too long. Send it again.")
    except mistakes.OneIsOpen as rule:
        by = rule.other.reported_by.username
        form.add_error("note", f"Not saved: the report of {by} waits for its review already.")
    else:
        if mistake.is_open:
            messages.success(request, "Saved: reported. A manager reviews it.")
        else:
            messages.warning(
                request, "Nothing new was saved: this was reported and reviewed before."
            )
        return redirect(repayment)
    return _receipt(request, repayment, report_form=form)


@access(mistakes.REVIEW, methods=("POST",))
def review_mistake(
    request: PersonRequest, app_id: str, number: int, mistake_id: int
) -> HttpResponse:
    """A manager reviews what somebody else reported, with a reason."""
    repayment = _one(app_id, number)
    mistake = get_object_or_404(repayment.mistakes, pk=mistake_id)
    form = ReviewForm(request.POST, prefix="review")
    if mistake.is_open and not form.is_valid():
        return _receipt(request, repayment, review_form=form)
    if form.is_valid() and mistakes.review(mistake, form.decision(), request.user):
        messages.success(request, "Saved: reviewed. Your reason is kept with it.")
    elif mistake.is_open:
        messages.warning(request, "Not saved: you reported it, so somebody else reviews it.")
    else:
        by = mistake.reviewed_by
        messages.warning(request, f"Nothing was changed: {by} has reviewed it before.")
    return redirect(repayment)

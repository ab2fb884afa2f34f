"""Recording a repayment: the form, the confirm step, and what they share.

The write itself is `sending.record`; a view never calls the service's write on its own.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.values import Loan
from lendingadmin.web import errors, onetime
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

from . import ledger, sending
from .estimate import estimate
from .forms import RepaymentForm, initial_from, request_from
from .lookalikes import look_alikes
from .models import Repayment
from .states import OPEN, RESENDABLE, State

PURPOSE = "record a repayment"


@access("lending.loans.makeRepayment", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """The form; what it sends is kept as a draft, and the confirm step shows it."""
    app, retry_of = gateway.lending_app(app_id), _retried(request, app_id)
    nonce = request.GET.get("form", "")
    draft = onetime.kept(request, PURPOSE, nonce)
    form = RepaymentForm(
        request.POST or None, app=app, retry_of=retry_of, initial=initial_from(draft or retry_of)
    )
    loan, card = _read(request, app_id, account_id)
    if request.method == "POST" and form.is_valid() and loan is not None:
        kept_under = _keep(request, form, loan)
        if kept_under:
            return redirect("repayment-confirm", app_id, loan.account_id, kept_under)
        form.add_error(None, "This form was open for too long. Check it and send it again.")
    context = {
        "form": form,
        "loan": loan,
        "account_id": account_id,
        "card": card,
        "retry_of": retry_of,
        "token": onetime.mint(request, PURPOSE, nonce if draft else None),
        "busy": _open_intent(app_id, str(loan.account_id) if loan else account_id),
    }
    return render(request, "repayments/new.html", context)


def _read(request: PersonRequest, app_id: str, account_id: str) -> tuple[Loan | None, Any]:
    """The loan; on a POST a fault becomes a card beside the form, so that nothing typed is lost."""
    try:
        return gateway.app(app_id).loans.get(account_id), None
    except LendingError as error:
        if request.method != "POST":
            raise
        return None, errors.card(error)


def _retried(request: PersonRequest, app_id: str) -> Repayment | None:
    """The repayment that is sent again, if the address names one that may be."""
    number = request.GET.get("retry_of", "")
    if not number:
        return None
    row = Repayment.objects.filter(app_id=app_id, pk=number if number.isdecimal() else 0).first()
    if row is None or row.state not in RESENDABLE:
        raise Http404("no such repayment that may be sent again")
    return row


def _keep(request: PersonRequest, form: RepaymentForm, loan: Loan) -> str | None:
    """Keep the draft under the form's token; None when the token is not valid any more.

    The loan is the accountId that the service answered with: the address may have carried the uid.
    """
    try:
        nonce = onetime.check(request, PURPOSE, form.cleaned_data["token"])
    except onetime.Stale:
        return None
    loan_ids = {"account_id": str(loan.account_id), "borrower_id": str(loan.borrower_id or "")}
    onetime.keep(request, PURPOSE, nonce, form.entered() | loan_ids)
    return nonce


def _open_intent(app_id: str, account_id: str) -> Repayment | None:
    rows = Repayment.objects.filter(app_id=app_id, account_id=account_id, state__in=OPEN)
    return rows.filter(set_aside_at=None).first()


@access("lending.loans.makeRepayment", methods=("GET", "POST"))
def confirm(request: PersonRequest, app_id: str, account_id: str, form: str) -> HttpResponse:
    """What the repayment will do, and look-alikes; the POST records it, once."""
    draft = onetime.kept(request, PURPOSE, form)
    landed = Repayment.objects.filter(form=form, created_by=request.user).first()
    if landed:
        return redirect(landed)
    if draft is None or draft["account_id"] != account_id:
        messages.warning(request, "That form is no longer kept. Nothing was recorded.")
        return redirect("repayment-new", app_id, account_id)
    asked = request_from(app_id, draft)
    stands_against = None
    if request.method == "POST" and _all_was_seen(request, asked, form):
        try:
            repayment = sending.record(asked, request.user, form)
        except (ledger.AlreadyLive, ledger.LoanBusy) as rule:
            stands_against = rule
        else:
            onetime.discard(form)
            return redirect(repayment)
    return _show_confirm(request, asked, form, stands_against)


def _show_confirm(
    request: PersonRequest, asked: ledger.Request, form: str, stands_against: Exception | None
) -> HttpResponse:
    loan = gateway.app(asked.app_id).loans.get(asked.account_id)
    alike = look_alikes(asked, form)
    context = {
        "asked": asked,
        "shown_currency": asked.currency_code or gateway.lending_app(asked.app_id).currency,
        "form_token": form,
        "loan": loan,
        "estimate": estimate(loan, asked.amount),
        "look_alikes": alike,
        "seen": max((row.pk for row in alike), default=0),
        "busy": _open_intent(asked.app_id, asked.account_id),
        "already_live": getattr(stands_against, "other", None),
        "may_double": _may_double(asked),
        "unconfirmed": request.method == "POST" and stands_against is None,
        "value_date_ahead": asked.value_date > timezone.now(),
    }
    return render(request, "repayments/confirm.html", context)


def _all_was_seen(request: PersonRequest, asked: ledger.Request, form: str) -> bool:
    """Whether the person saw every look-alike there is by now, and agreed that it may double."""
    seen = request.POST.get("seen", "")
    newest = max((row.pk for row in look_alikes(asked, form)), default=0)
    agreed = not _may_double(asked) or "may_double" in request.POST
    return agreed and newest <= (int(seen) if seen.isdecimal() else 0)


def _may_double(asked: ledger.Request) -> bool:
    """Whether this sends again what may yet be at the service."""
    if asked.retry_of is None:
        return False
    return Repayment.objects.filter(pk=asked.retry_of, state=State.NO_TRACE).exists()

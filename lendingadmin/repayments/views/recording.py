"""Recording a repayment: the form, the confirm step, and what they share.

The write itself is `sending.record`; a view never calls the service's write on its own.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from lendingadmin import gateway
from lendingadmin.lending import loan_math
from lendingadmin.lending.errors import InvalidId, LendingError
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.values import Loan
from lendingadmin.repayments import sending, services
from lendingadmin.repayments.estimate import estimate
from lendingadmin.repayments.forms import RepaymentForm, date_notices, initial_from, request_from
from lendingadmin.repayments.lookalikes import look_alikes
from lendingadmin.repayments.models import LONGEST_ID, Repayment
from lendingadmin.repayments.states import OPEN, RESENDABLE
from lendingadmin.ui import errors
from lendingadmin.ui.access import access
from lendingadmin.ui.lists import whole_number
from lendingadmin.ui.requests import PersonRequest
from lendingadmin.writes import idempotency

PURPOSE = "record a repayment"


@access("lending.loans.makeRepayment", "lending.loans.get", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """The form; what it sends is kept as a draft, and the confirm step shows it."""
    app, retry_of = gateway.lending_app(app_id), _retried(request, app_id)
    idempotency_key = request.GET.get("form", "")
    draft = idempotency.load_draft(request, PURPOSE, idempotency_key)
    form = RepaymentForm(
        request.POST or None, app=app, retry_of=retry_of, initial=initial_from(draft or retry_of)
    )
    loan, card = _read(request, app_id, account_id)
    loan_id = loan_math.account_of(loan) if loan else account_id
    if retry_of and loan and retry_of.account_id != loan_id:
        raise Http404("that repayment is of another loan")
    if request.method == "POST" and form.is_valid() and loan:
        kept_under = _keep(request, form, app_id, loan)
        if kept_under:
            return _to_confirm(request, app_id, loan_id, kept_under)
    context = {
        "form": form,
        "loan": loan,
        "account_id": account_id,
        "card": card,
        "retry_of": retry_of,
        "token": idempotency.issue_key(request, PURPOSE, idempotency_key if draft else None),
        "busy": _open_intent(app_id, loan_id),
    }
    return render(request, "repayments/new.html", context)


def _read(request: PersonRequest, app_id: str, account_id: str) -> tuple[Loan | None, Any]:
    """The loan; on a POST a fault becomes a card beside the form, so that nothing typed is lost."""
    try:
        return check_named(gateway.app(app_id).loans.get(account_id), account_id), None
    except LendingError as error:
        if request.method != "POST" or isinstance(error, InvalidId):
            raise
        return None, errors.card(error)


def _retried(request: PersonRequest, app_id: str) -> Repayment | None:
    """The repayment that is sent again, if the address names one that may be."""
    number = request.GET.get("retry_of", "")
    if not number:
        return None
    row = Repayment.objects.filter(app_id=app_id, pk=whole_number(number)).first()
    if row is None or row.state not in RESENDABLE:
        raise Http404("no such repayment that may be sent again")
    return row


def _keep(request: PersonRequest, form: RepaymentForm, app_id: str, loan: Loan) -> str | None:
    """Keep the draft under the form's token; None, with an error in the form, when that can't be.

    The loan is the accountId that the service answered with: the address may have carried the uid.
    """
    ids = {"app_id": app_id, "account_id": loan_math.account_of(loan)}
    ids["borrower_id"] = loan_math.borrower_of(loan)
    if not 0 < len(ids["account_id"]) <= LONGEST_ID:
        form.add_error(None, "The service does not say which loan this is, so nothing can be sent.")
        return None
    if len(ids["borrower_id"]) > LONGEST_ID:
        ids["borrower_id"] = ""
    try:
        idempotency_key = idempotency.check_key(request, PURPOSE, form.cleaned_data["token"])
    except idempotency.StaleKey:
        form.add_error(None, "This form was open for too long. Check it and send it again.")
        return None
    idempotency.save_draft(request, PURPOSE, idempotency_key, form.entered() | ids)
    return idempotency_key


def _to_confirm(
    request: PersonRequest, app_id: str, account_id: str, idempotency_key: str
) -> HttpResponse:
    """On to the confirm step, unless the form has led to a repayment already (by Back, a tab)."""
    landed = Repayment.objects.filter(idempotency_key=idempotency_key).first()
    if landed is None:
        return redirect("repayment-confirm", app_id, account_id, idempotency_key)
    idempotency.delete_draft(idempotency_key)
    messages.warning(request, f"That form led to {landed} before. Nothing new was recorded.")
    return redirect(landed)


def _open_intent(app_id: str, account_id: str) -> Repayment | None:
    rows = Repayment.objects.filter(app_id=app_id, account_id=account_id, state__in=OPEN)
    return rows.filter(set_aside_at=None).first()


@access("lending.loans.makeRepayment", "lending.loans.get", methods=("GET", "POST"))
def confirm(
    request: PersonRequest, app_id: str, account_id: str, idempotency_key: str
) -> HttpResponse:
    """What the repayment will do, and look-alikes; the POST records it, once."""
    draft = idempotency.load_draft(request, PURPOSE, idempotency_key)
    landed = Repayment.objects.filter(idempotency_key=idempotency_key).first()
    if landed:
        return redirect(landed)
    if draft is None or (draft["app_id"], draft["account_id"]) != (app_id, account_id):
        messages.warning(request, "No such form of yours is kept. Nothing was recorded from it.")
        return redirect("repayment-new", app_id, account_id)
    asked = request_from(app_id, draft)
    stands_against = None
    if request.method == "POST" and _all_was_seen(request, asked, idempotency_key):
        try:
            repayment = sending.record(
                asked, request.user, idempotency_key, agreed=_agreed(request)
            )
        except (services.DuplicateExternalId, services.LoanBusy) as rule:
            stands_against = rule
        except services.MayDouble:
            pass  # it was abandoned this very moment: the page asks for the tick now
        else:
            idempotency.delete_draft(idempotency_key)
            return redirect(repayment)
    return _show_confirm(request, asked, idempotency_key, stands_against)


def _show_confirm(
    request: PersonRequest,
    asked: services.Request,
    idempotency_key: str,
    stands_against: Exception | None,
) -> HttpResponse:
    loan = check_named(gateway.app(asked.app_id).loans.get(asked.account_id), asked.account_id)
    alike = look_alikes(asked, idempotency_key)
    context = {
        "asked": asked,
        "shown_currency": asked.currency_code or gateway.lending_app(asked.app_id).currency,
        "form_token": idempotency_key,
        "loan": loan,
        "estimate": estimate(loan, asked.amount),
        "look_alikes": alike,
        "seen": max((row.pk for row in alike), default=0),
        "shown": _fingerprint(asked),
        "changed": request.method == "POST" and not _same_was_shown(request, asked),
        "busy": _open_intent(asked.app_id, asked.account_id),
        "already_live": stands_against.other
        if isinstance(stands_against, services.DuplicateExternalId)
        else None,
        "not_recorded": stands_against is not None,
        "abandoned": _list_abandoned(asked),
        "paid": loan_math.total_of(loan, "paid"),
        "unconfirmed": request.method == "POST" and stands_against is None,
        "value_date_ahead": asked.value_date > timezone.now(),
        "date_notices": date_notices(asked, timezone.now()),
    }
    return render(request, "repayments/confirm.html", context)


def _all_was_seen(request: PersonRequest, asked: services.Request, idempotency_key: str) -> bool:
    """Whether the person saw every look-alike there is by now, and agreed that it may double."""
    seen = request.POST.get("seen", "")
    newest = max((row.pk for row in look_alikes(asked, idempotency_key)), default=0)
    agreed = not _list_abandoned(asked) or _agreed(request)
    return agreed and newest <= whole_number(seen) and _same_was_shown(request, asked)


def _same_was_shown(request: PersonRequest, asked: services.Request) -> bool:
    """Whether the page confirmed what is kept now: another tab may have changed the form since."""
    return constant_time_compare(request.POST.get("shown", ""), _fingerprint(asked))


def _fingerprint(asked: services.Request) -> str:
    """Tells one content of a form from another, without giving it away."""
    return salted_hmac(
        "lendingadmin.repayments.confirm", repr(sorted(vars(asked).items()))
    ).hexdigest()


def _agreed(request: PersonRequest) -> bool:
    """Whether the person ticked that this may double."""
    return "may_double" in request.POST


def _list_abandoned(asked: services.Request) -> list[Repayment]:
    """The attempts that this may double, by whichever way it is entered."""
    return list(services.find_abandoned(asked.app_id, asked.account_id, asked.external_id))

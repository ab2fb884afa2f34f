"""Pages to record a repayment: the form and the confirm step.

`sending.record` makes the write. A view never calls the service's write directly.
"""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.roles import READ_NOTES
from lendingadmin.lending import loan_math
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments import approvals, sending, services
from lendingadmin.money.repayments.estimate import estimate, explain_closed
from lendingadmin.money.repayments.forms import (
    IN_CASH,
    RepaymentForm,
    date_notices,
    initial_from,
    request_from,
)
from lendingadmin.money.repayments.lookalikes import look_alikes
from lendingadmin.money.repayments.models import LONGEST_ID, Repayment
from lendingadmin.money.repayments.policies import read_confirm_above, read_limits
from lendingadmin.money.repayments.states import OPEN, RESENDABLE
from lendingadmin.money.repayments.views import restoring
from lendingadmin.money.writes import idempotency
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.lists import NEWEST_FIRST, whole_number
from lendingadmin.web.requests import PersonRequest

PURPOSE = "record a repayment"
NO_OPEN_LOAN = gettext_lazy("This borrower has no open loan.")
CHOOSE_LOAN = gettext_lazy("Choose the loan.")
# The fields that show the borrower of a loan and if the loan is open; and the number of a
# borrower's loans that are read.
_CHOICE_KEYS = ("accountId", "borrowerId", "status", "settlementDate", "result")
_CHOICE_SIZE = 100


@access("lending.loans.makeRepayment", "lending.loans.get", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """Show the form; a POST saves a valid form as a draft and redirects to the confirm step.

    Raise Http404 if the repayment that will be sent again belongs to another loan.
    """
    app, retry_of = gateway.lending_app(app_id), _retried(request, app_id)
    idempotency_key = request.GET.get("form", "")
    draft = idempotency.load_draft(request, PURPOSE, idempotency_key)
    form = _build_form(request, app, retry_of, draft or retry_of)
    loan, error = errors.read_for_form(request, gateway.app(app_id).loans.get, account_id)
    loan_id = loan_math.account_of(loan) if loan else account_id
    if retry_of and loan and retry_of.account_id != loan_id:
        raise Http404("The repayment to send again belongs to another loan.")
    if request.method == "POST" and form.is_valid() and loan:
        review = lead_to_review(request, form, app_id, loan)
        if review:
            return review
    form.focus_first()
    context = {
        "form": form,
        "loan": loan,
        "facts": loan_math.loan_facts(loan, timezone.now()) if loan else None,
        "account_id": account_id,
        "card": errors.card(error) if error else None,
        "retry_of": retry_of,
        "token": idempotency.issue_key(request, PURPOSE, idempotency_key if draft else None),
        "busy": _open_intent(app_id, loan_id),
        "closed": explain_closed(loan) if loan else "",
    }
    return render(request, "repayments/new.html", context)


@access("lending.loans.makeRepayment", "lending.loans.get", "lending.loans.list")
def choose_loan(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Redirect to the form for the borrower's only open loan.

    If there may be several open loans, redirect to the list of the borrower's loans, where the
    person chooses a loan, with or without scripts. If there is no open loan, redirect to the
    borrower.
    """
    loans = gateway.app(app_id).loans.only(_CHOICE_KEYS)
    page = loans.list(
        filters={"borrowerId": borrower_id}, order=NEWEST_FIRST, page_size=_CHOICE_SIZE
    )
    # A service that ignores the filter returns loans of other borrowers too.
    open_ids = [
        loan_math.account_of(loan)
        for loan in page.items
        if isinstance(loan, Loan)
        and loan_math.borrower_of(loan) == borrower_id
        and not explain_closed(loan)
    ]
    if len(open_ids) == 1 and open_ids[0] and not page.next_page_token:
        return redirect("repayment-new", app_id, open_ids[0])
    if not open_ids and not page.next_page_token:
        messages.info(request, NO_OPEN_LOAN, extra_tags="no-open-loan")
        return redirect("borrower", app_id, borrower_id)
    messages.info(request, CHOOSE_LOAN, extra_tags="choose-loan")
    return redirect(f"{reverse('borrower-loans', args=[app_id, borrower_id])}#panel-loans")


def _build_form(
    request: PersonRequest,
    app: LendingApp,
    retry_of: Repayment | None,
    source: dict[str, str] | Repayment | None,
) -> RepaymentForm:
    """Return the form. A new form has the channel and the network that this person used last.

    A draft with a transaction id has its own channel and network. If a person adds an id to a draft
    of cash, the last used channel and network apply.
    """
    initial = initial_from(source)
    shown = {name: initial.get(name, "") for name in ("channel", "network")}
    usual: dict[str, str] = {}
    if isinstance(source, dict) and source["external_id"]:
        usual = shown
    elif not source or (not initial["externalId"] and shown == IN_CASH):
        usual = read_last_used(request, app.app_id)
    if isinstance(source, Repayment) and not request.user.has_perm(READ_NOTES):
        initial["notes"] = ""
    return RepaymentForm(
        request.POST or None,
        app=app,
        retry_of=retry_of,
        networks=Repayment.objects.list_networks(app.app_id),
        initial=initial,
        usual=usual,
    )


def read_last_used(request: PersonRequest, app_id: str) -> dict[str, str]:
    """Return the channel and network of this person's last repayment in an app, except cash.

    Return an empty dict if the person has no such repayment.
    """
    last = Repayment.objects.find_last_with_id(app_id, request.user.pk)
    return {"channel": last.channel, "network": last.network} if last else {}


def _retried(request: PersonRequest, app_id: str) -> Repayment | None:
    """Return the repayment to send again; None if the address names none.

    Raise Http404 if the named repayment may not be sent again.
    """
    number = request.GET.get("retry_of", "")
    if not number:
        return None
    row = Repayment.objects.filter(app_id=app_id, pk=whole_number(number)).first()
    if row is None or row.state not in RESENDABLE:
        raise Http404("no such repayment that may be sent again")
    return row


def lead_to_review(
    request: PersonRequest, form: RepaymentForm, app_id: str, loan: Loan
) -> HttpResponse | None:
    """Save the values of a valid form, and redirect to the review.

    Return None, with an error in the form, if this is not possible. Nothing is sent to the service
    before the review is confirmed.
    """
    idempotency_key = _keep(request, form, app_id, loan)
    if idempotency_key is None:
        return None
    return _to_confirm(request, app_id, loan_math.account_of(loan), idempotency_key)


def _keep(request: PersonRequest, form: RepaymentForm, app_id: str, loan: Loan) -> str | None:
    """Save the draft under the form's token and return the token.

    Return None, with an error in the form, if this is not possible. The loan is saved by the
    accountId in the service's answer, because the address may have contained the uid.
    """
    ids = {"app_id": app_id, "account_id": loan_math.account_of(loan)}
    ids["borrower_id"] = loan_math.borrower_of(loan)
    if not 0 < len(ids["account_id"]) <= LONGEST_ID:
        form.add_error(None, _("The service did not send the loan's id, so nothing can be sent."))
        return None
    if len(ids["borrower_id"]) > LONGEST_ID:
        ids["borrower_id"] = ""
    try:
        idempotency_key = idempotency.check_key(request, PURPOSE, form.cleaned_data["token"])
    except idempotency.StaleKey:
        form.add_error(None, ValidationError(idempotency.TOO_LONG, code="stale"))
        return None
    idempotency.save_draft(request, PURPOSE, idempotency_key, form.entered() | ids)
    return idempotency_key


def _to_confirm(
    request: PersonRequest, app_id: str, account_id: str, idempotency_key: str
) -> HttpResponse:
    """Redirect to the confirm step, or to the repayment if the form has already led to one.

    A person may send a form twice, in another tab or after the Back button.
    """
    landed = Repayment.objects.filter(idempotency_key=idempotency_key).first()
    if landed is None:
        return redirect("repayment-confirm", app_id, account_id, idempotency_key)
    idempotency.delete_draft(idempotency_key)
    words = _("This form was already used for %(repayment)s. Nothing new was recorded.")
    messages.warning(request, words % {"repayment": landed}, extra_tags="form-used")
    return redirect(landed)


def _open_intent(app_id: str, account_id: str) -> Repayment | None:
    rows = Repayment.objects.filter(app_id=app_id, account_id=account_id, state__in=OPEN)
    return rows.filter(set_aside_at=None).first()


def is_large(request: PersonRequest, app_id: str, account_id: str, idempotency_key: str) -> bool:
    """Return True if the person must confirm their identity before recording the draft's amount.

    This is required if the amount is above the app's limit, or in another currency. It is not
    required if there is no draft or no limit.
    """
    limit = read_confirm_above(app_id)
    draft = idempotency.load_draft(request, PURPOSE, idempotency_key) if limit is not None else None
    if limit is None or draft is None:
        return False
    asked = request_from(app_id, draft)
    is_converted = asked.currency_code not in ("", gateway.lending_app(app_id).currency)
    return is_converted or asked.amount > limit


@access(
    "lending.loans.makeRepayment",
    "lending.loans.get",
    methods=("GET", "POST"),
    confirmed=("GET", "POST"),
    confirmed_if=is_large,
)
def confirm(
    request: PersonRequest, app_id: str, account_id: str, idempotency_key: str
) -> HttpResponse:
    """Show the repayment's effect and look-alikes; the POST records the repayment once.

    Redirect to the repayment, even if the form was sent before. If a rule stops the recording, show
    the page with the reason. If the draft was deleted, redirect to the form with a warning.
    """
    draft = idempotency.load_draft(request, PURPOSE, idempotency_key)
    landed = Repayment.objects.filter(idempotency_key=idempotency_key).first()
    if landed:
        return redirect(landed)
    if draft is None or (draft["app_id"], draft["account_id"]) != (app_id, account_id):
        messages.warning(
            request,
            _("Nothing was recorded. The values of this form are lost. Enter the values again."),
        )
        return redirect("repayment-new", app_id, account_id)
    asked, stands_against = request_from(app_id, draft), None
    is_sent = request.method == "POST"
    obstacle = _find_obstacle(request, asked, idempotency_key) if is_sent else ""
    if is_sent and not obstacle:
        try:
            repayment = sending.record(
                asked,
                request.user,
                idempotency_key,
                agreed="may_double" in request.POST,
                checked="not_there" in request.POST,
            )
        except (services.DuplicateExternalId, services.LoanBusy) as rule:
            stands_against = rule
        except services.NobodyToApprove:
            obstacle = "nobody"  # the page explains this in any case
        except services.MayDouble:
            obstacle = "may_double"
        except services.MayBeForgotten:
            obstacle = "forgotten"
        else:
            idempotency.delete_draft(idempotency_key)
            return redirect(repayment)
    return _show_confirm(request, asked, idempotency_key, stands_against, obstacle)


def _show_confirm(
    request: PersonRequest,
    asked: services.Request,
    idempotency_key: str,
    stands_against: Exception | None,
    obstacle: str,
) -> HttpResponse:
    loan = check_named(gateway.app(asked.app_id).loans.get(asked.account_id), asked.account_id)
    alike = look_alikes(asked, idempotency_key)
    app = gateway.lending_app(asked.app_id)
    found = estimate(loan, asked.amount)
    # Only an amount in the loan's currency is compared with the balance.
    is_compared = asked.currency_code in ("", app.currency)
    overpaid = f"{found.overpaid:f}" if is_compared and found.overpaid else ""
    args = [asked.app_id, asked.account_id]
    again = {"retry_of": asked.retry_of} if asked.retry_of else {}
    own, now = read_limits(asked.app_id), timezone.now()
    reasons = approvals.find_reasons(asked, request.user, idempotency_key, now, own)
    approvers = list(approvals.list_approvers(asked.app_id, request.user)) if reasons else []
    context = {
        "asked": asked,
        "reasons": approvals.describe_reasons(",".join(reasons)),
        "approvers": approvers,
        "nobody_approves": bool(reasons) and not approvers,
        "shown_currency": asked.currency_code or app.currency,
        "edit_url": reverse("repayment-new", args=args, query={"form": idempotency_key} | again),
        "cancel_url": reverse("loan", args=args),
        "loan": loan,
        "closed": explain_closed(loan),
        "estimate": found,
        "overpaid": overpaid,
        "look_alikes": alike,
        "seen": max((row.pk for row in alike), default=0),
        "shown": _fingerprint(asked, overpaid),
        "busy": _open_intent(asked.app_id, asked.account_id),
        "already_live": stands_against.other
        if isinstance(stands_against, services.DuplicateExternalId)
        else None,
        "not_recorded": stands_against is not None,
        "abandoned": services.find_abandoned(asked.app_id, asked.account_id, asked.external_id),
        **restoring.describe_gap(asked.app_id, asked.account_id, loan),
        "paid": loan_math.total_of(loan, "paid"),
        "obstacle": obstacle,
        "value_date_ahead": asked.value_date > timezone.now(),
        "date_notices": date_notices(asked, timezone.now()),
    }
    return render(request, "repayments/confirm.html", context)


def _find_obstacle(request: PersonRequest, asked: services.Request, idempotency_key: str) -> str:
    """Return the name of the reason why nothing is recorded yet; empty if there is none.

    "changed": another tab changed the form after this page was shown. "may_double", "forgotten" and
    "overpaid": a tick is missing. "look_alike": a similar repayment was added after this page was
    shown. No repayment is created, so no number is used.
    """
    overpaid, seen = request.POST.get("overpaid", ""), whole_number(request.POST.get("seen", ""))
    shown = _fingerprint(asked, overpaid)
    if not constant_time_compare(request.POST.get("shown", ""), shown):
        return "changed"
    abandoned = services.find_abandoned(asked.app_id, asked.account_id, asked.external_id)
    if "may_double" not in request.POST and abandoned.exists():
        return "may_double"
    if "not_there" not in request.POST and services.find_gap(asked.app_id):
        return "forgotten"
    if overpaid and "may_overpay" not in request.POST:
        return "overpaid"
    newest = max((row.pk for row in look_alikes(asked, idempotency_key)), default=0)
    return "look_alike" if newest > seen else ""


def _fingerprint(asked: services.Request, overpaid: str) -> str:
    """Return a fingerprint that changes with the shown content, and does not reveal the content.

    `overpaid` is the overpaid amount that the page showed; empty if it showed none.
    """
    return salted_hmac(
        "lendingadmin.money.repayments.confirm", repr((sorted(vars(asked).items()), overpaid))
    ).hexdigest()

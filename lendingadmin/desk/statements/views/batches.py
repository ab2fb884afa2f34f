"""Pages of a batch: the check of the payments, the decisions, the recording and the results.

These pages never write to the service, because the worker does the recording
(`desk/statements/recording.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from lendingadmin.core import gateway
from lendingadmin.core.staff.independence import find_dependence
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_NAMES
from lendingadmin.desk.portfolio.views.payment import RECORD
from lendingadmin.desk.statements import allocating, batches, progress, rows, tasks
from lendingadmin.desk.statements.findings import Decision, Finding
from lendingadmin.desk.statements.forms import AcceptForm, AllocationsForm
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.models import Allocation, Batch
from lendingadmin.money.repayments import approvals, receipts
from lendingadmin.money.repayments.managers import STANDINGS
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.policies import read_confirm_above
from lendingadmin.money.repayments.services import NobodyToApprove, find_gap
from lendingadmin.people.index.names import list_names
from lendingadmin.web.access import access
from lendingadmin.web.display import formats
from lendingadmin.web.exports import (
    EXPORT,
    ExportPage,
    back_to_list,
    export_response,
    name_columns,
    write_moment,
)
from lendingadmin.web.keyset import Slice, build_pager
from lendingadmin.web.lists import whole_number
from lendingadmin.web.quotas import EXPORTS
from lendingadmin.web.requests import PersonRequest

from .records import describe_progress, find_file

_PAGE = 50
# The most rows that the approver sees; the CSV of the batch has all.
_FOR_APPROVAL = 100
_AT_ONCE = 500
# The most receipts that are printed together, because each is marked as opened.
_PRINTED = 100
COLUMNS = name_columns(
    {
        "borrowerName": gettext_lazy("Borrower name"),
        "row": gettext_lazy("Row"),
        "part": gettext_lazy("Part"),
        "transactionDate": (gettext_lazy("Transaction date"), write_moment),
        "transactionId": gettext_lazy("Transaction id"),
        "amount": gettext_lazy("Amount"),
        "currency": gettext_lazy("Currency"),
        "accountId": gettext_lazy("Loan"),
        "borrowerId": gettext_lazy("Borrower"),
        "basis": gettext_lazy("Reason"),
        "finding": gettext_lazy("Result of the check"),
        "decision": gettext_lazy("Decision"),
        "repayment": gettext_lazy("Repayment"),
        "result": gettext_lazy("State"),
        "receipt": gettext_lazy("Receipt"),
    }
)
State = Batch.State


@access(READ)
def batch(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the payments of a statement, with the finding and the result of each."""
    found, form = find_batch(app_id, number), AllocationsForm(request.GET)
    some = _filter(found, form) if form.is_valid() else found.allocations.none()
    page = _read_page(request, some)
    context = describe_progress(request, found)
    may_record = bool(context["may_record"])
    context |= _read_approval(request, found) | {
        "form": form,
        "parts": progress.read_parts(found),
        "rows": page.rows,
        "pager": build_pager(request, page, "after"),
        "accept_form": _build_accept_form(found, form, may_record=may_record),
        "reasons": approvals.describe_reasons(found.approval_reasons),
        "gap": find_gap(app_id),
    }
    return render(request, "statements/batch.html", context)


@access(READ)
def batch_progress(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the progress of a batch, as a fragment that polls while the worker is busy."""
    context = describe_progress(request, find_batch(app_id, number)) | {"is_fragment": True}
    return render(request, "statements/_batch_progress.html", context)


@access(*RECORD, READ, methods=("POST",))
def begin(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Start the check of a statement's payments; redirect to the batch or, with a reason, back.

    The worker does the check.
    """
    file = find_file(app_id, number)
    with transaction.atomic():
        found = batches.begin(file, request.user)
        if found is not None:
            tasks.enqueue(found)
    if found is None:
        if file.is_certain and file.layout:
            messages.info(request, _("Nothing changed. The payments are already being recorded."))
        else:
            words = _(
                "Not started. Make the missing choice on this page, or upload a complete file."
            )
            messages.warning(request, words)
        return redirect(file)
    return redirect(found)


def is_large(request: PersonRequest, app_id: str, number: int) -> bool:
    """Return True if a payment is above the limit for confirming, or in another currency."""
    limit = read_confirm_above(app_id)
    if limit is None:
        return False
    to_do = batches.list_to_do(find_batch(app_id, number))
    return to_do.filter(Q(amount__gt=limit) | Q(finding=Finding.CURRENCY)).exists()


@access(
    *RECORD,
    READ,
    methods=("GET", "POST"),
    confirmed=("GET", "POST"),
    confirmed_if=is_large,
)
def record(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the payments to record; a POST starts the recording or requests an approval.

    Redirect to the batch after that, and if the batch is not ready. If the rows have changed or
    no other person may approve them, the POST shows the page again with the reason.
    """
    found, obstacle = find_batch(app_id, number), ""
    if found.state != State.READY:
        return redirect(found)
    shown = _summarise(found)
    if request.method == "POST":
        if request.POST.get("shown") != shown["fingerprint"]:
            obstacle = _("The rows changed. Check the new rows below, then record them.")
        else:
            try:
                with transaction.atomic():
                    if batches.submit(found, request.user):
                        tasks.enqueue(found)
                return redirect(found)
            except NobodyToApprove:
                obstacle = _(
                    "A second person must approve these payments, but no other person has this "
                    "right."
                )
    app = gateway.lending_app(app_id)
    reasons = approvals.describe_reasons(",".join(batches.find_reasons(found, app, request.user)))
    context = {"batch": found, "file": found.file, "app": app, "obstacle": obstacle}
    context |= shown | {"reasons": reasons}
    return render(request, "statements/batch_review.html", context)


@access(approvals.APPROVE, READ, methods=("GET", "POST"), confirmed=("GET", "POST"))
def approve(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show a second person the rows that will be recorded; a POST approves the batch.

    The worker then records the rows. Redirect to the batch, with a warning if it does not wait for
    this person's approval. If the rows have changed, the POST redirects to this page with a
    warning.
    """
    found = find_batch(app_id, number)
    if not _read_approval(request, found)["may_approve"]:
        # If the two people are not independent, the page of the batch gives the reason.
        messages.warning(
            request, _("Nothing changed. These payments are not waiting for your approval.")
        )
        return redirect(found)
    if request.method == "POST":
        with transaction.atomic():
            if batches.approve(found, request.user, request.POST.get("shown", "")):
                tasks.enqueue(found)
                return redirect(found)
        found.refresh_from_db()
        may_approve = _read_approval(request, found)["may_approve"]
        if may_approve and not approvals.is_expired(found.began_at):
            words = _("Not approved. The rows have changed. This page shows the current rows.")
            messages.warning(request, words)
            return redirect(request.path)
        messages.warning(
            request, _("Not approved. These payments are no longer waiting for approval.")
        )
        return redirect(found)
    # Rows decided by a person come first, then the largest amounts.
    unusual = batches.list_to_do(found).order_by(
        F("decided_by").asc(nulls_last=True), "-amount", "position", "part"
    )
    some = unusual.select_related("line", "repayment", "decided_by")[:_FOR_APPROVAL]
    context = {"batch": found, "file": found.file, "app": gateway.lending_app(app_id)}
    context |= {"approving": True, "reasons": approvals.describe_reasons(found.approval_reasons)}
    context |= {
        "rows": rows.describe_allocations(request.user, some),
        "at_most": _FOR_APPROVAL,
    }
    return render(request, "statements/batch_review.html", context | _summarise(found))


@access(*RECORD, READ, methods=("POST",))
def stop(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Pause the recording after the current rows; redirect to the batch."""
    return _move(request, find_batch(app_id, number), batches.pause)


@access(*RECORD, READ, methods=("POST",))
def resume(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Continue a paused recording; redirect to the batch."""
    return _move(request, find_batch(app_id, number), batches.resume)


@access(*RECORD, READ, methods=("POST",))
def reopen(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Allow people to decide again on the rows that are not recorded; redirect to the batch."""
    return _move(request, find_batch(app_id, number), batches.reopen)


def _move(
    request: PersonRequest, found: Batch, command: Callable[[Batch, User], bool]
) -> HttpResponse:
    """Run a command, and redirect to the batch.

    If the state of the batch does not allow the command, show a message.
    """
    with transaction.atomic():
        if command(found, request.user):
            tasks.enqueue(found)
        else:
            messages.info(
                request,
                _(
                    "Nothing changed. The state of these payments changed while this page was "
                    "open. Load the page again."
                ),
            )
    return redirect(found)


@access(*RECORD, READ, methods=("POST",))
def accept(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Accept all undecided rows with one finding, with one reason; redirect to the batch."""
    found = find_batch(app_id, number)
    is_needed = allocating.needs_reason(found, request.POST.get("finding", ""))
    form = AcceptForm(request.POST, needs_reason=is_needed)
    if not form.is_valid():
        messages.warning(request, _("Not accepted. Enter a reason of at least five letters."))
        return redirect(found)
    finding, reason = form.cleaned_data["finding"], form.cleaned_data["reason"]
    try:
        count = allocating.accept_all(found, finding, reason, request.user)
    except allocating.NotReady:
        messages.warning(
            request, _("Nothing changed. The rows of this statement can't be decided now.")
        )
    else:
        messages.success(
            request,
            ngettext("%(count)s row is accepted.", "%(count)s rows are accepted.", count)
            % {"count": count},
        )
    return redirect(found)


@access(READ, EXPORT, quota=EXPORTS)
def export(request: PersonRequest, app_id: str, number: int) -> HttpResponseBase:
    """Export the filtered rows in the file's order, each with its repayment and receipt number."""
    found, form = find_batch(app_id, number), AllocationsForm(request.GET)
    if not form.is_valid():
        return back_to_list(request)
    name = f"{app_id}-{found.file}-{found}-{timezone.localdate():%Y-%m-%d}"
    may_see = request.user.has_perm(SEE_NAMES)
    parts = _list_pages(_filter(found, form))
    pages = (ExportPage(_list_cells(app_id, some, may_see=may_see)) for some in parts)
    return export_response(request, name, COLUMNS, pages, subject="statements", app_id=app_id)


def find_batch(app_id: str, number: int) -> Batch:
    """Return the batch of a statement of an app; raise Http404 if there is none."""
    every = Batch.objects.select_related("file", "created_by", "approved_by")
    return get_object_or_404(every.defer("file__content"), file__app_id=app_id, file_id=number)


def _summarise(found: Batch) -> dict[str, Any]:
    """Return the numbers and sums of the rows to record, and the fingerprint of the batch."""
    rows_to_do = batches.list_to_do(found)
    sums = rows_to_do.values_list("line__currency").annotate(Sum("amount"))
    return {
        "count": rows_to_do.count(),
        "sums": list(sums.order_by("line__currency")),
        "undecided": allocating.list_undecided(found).count(),
        "with_reason": rows_to_do.exclude(decided_by=None).count(),
        "fingerprint": batches.compute_fingerprint(found),
    }


def _read_approval(request: PersonRequest, found: Batch) -> dict[str, Any]:
    """Return whether this person may approve a batch, and the `dependence` that prevents it."""
    waits = found.state == State.AWAITING and request.user.has_perm(approvals.APPROVE)
    makers = batches.list_makers(found) if waits else []
    dependence = next(filter(None, (find_dependence(request.user, one) for one in makers)), "")
    may_approve = waits and request.user not in makers and not dependence
    return {"may_approve": may_approve, "dependence": dependence}


def _build_accept_form(
    found: Batch, form: AllocationsForm, *, may_record: bool
) -> AcceptForm | None:
    """Return the form to accept all rows of the filter; None if they can't be accepted together."""
    finding = form.cleaned_data.get("finding", "") if form.is_valid() else ""
    if not (
        may_record
        and finding
        and found.state == State.READY
        and allocating.list_acceptable(found, finding).exists()
    ):
        return None
    is_needed = allocating.needs_reason(found, finding)
    return AcceptForm(needs_reason=is_needed, initial={"finding": finding}, auto_id="accept_%s")


def _filter(found: Batch, form: AllocationsForm) -> QuerySet[Allocation]:
    wanted = {name: form.cleaned_data[name] for name in ("finding", "decision")}
    some = found.allocations.filter(**{name: value for name, value in wanted.items() if value})
    if wanted["decision"] == Decision.OPEN:
        # The other open rows can't be recorded by any decision, such as already recorded rows.
        some = some.filter(allocating.UNDECIDED)
    if result := form.cleaned_data["result"]:
        # Only repayments of this batch are searched, because the journal may have a million
        # repayments.
        own = Repayment.objects.filter(STANDINGS[result], allocations__batch=found)
        some = some.filter(repayment__in=own)
    return some.select_related("line", "repayment").order_by("position", "part")


def _read_page(request: PersonRequest, some: QuerySet[Allocation]) -> Slice:
    """Return the rows of one page, after the position in the address."""
    after = whole_number(request.GET.get("after")) or 0
    rest = some.filter(position__gt=after)
    positions = list(rest.values_list("position", flat=True).distinct()[: _PAGE + 1])
    shown = rest.filter(position__in=positions[:_PAGE])
    following = positions[_PAGE - 1] if len(positions) > _PAGE else None
    return Slice(rows.describe_allocations(request.user, shown), following)


def _list_pages(some: QuerySet[Allocation]) -> Iterator[Sequence[Allocation]]:
    after = 0
    while page := list(some.filter(position__gt=after)[:_AT_ONCE]):
        last = page[-1].position
        # The parts of the last payment stay together.
        page = list(some.filter(position__gt=after, position__lte=last))
        yield page
        after = last


def _list_cells(
    app_id: str, some: Sequence[Allocation], *, may_see: bool
) -> Iterator[Sequence[Any]]:
    names = list_names(app_id, [one.borrower_id for one in some], may_see=may_see)
    for one, name in zip(some, names, strict=True):
        line, made = one.line, one.repayment
        yield (
            name,
            *(line.number, one.part, line.moment, line.receipt, one.amount, line.currency),
            *(one.account_id, one.borrower_id, one.get_basis_display()),
            *(one.get_finding_display(), one.get_decision_display(), str(made or "")),
            *(made.message.chip.word if made else "", made.receipt_number if made else ""),
        )


@access(READ, "lending.loans.get", methods=("POST",))
def print_receipts(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the receipts of the recorded payments, in the file's order, some at a time.

    The page is the response to a POST, as for a single receipt, so loading it again is a reprint.
    """
    batch = find_batch(app_id, number)
    after = whole_number(request.POST.get("after")) or 0
    rows = batch.allocations.filter(position__gt=after, repayment__receipt_year__isnull=False)
    rows = rows.select_related("repayment__created_by").order_by("position", "part")
    some = list(rows[: _PRINTED + 1])
    following = some[_PRINTED - 1].position if len(some) > _PRINTED else None
    # Each receipt, and the time of its first opening; None if this is the first.
    sheets: list[tuple[receipts.Receipt, object]] = []
    for repayment in (one.repayment for one in some[:_PRINTED] if one.repayment):
        remainder = receipts.find_remainder(repayment, repayment.baseline, repayment.latest)
        one = receipts.build_receipt(request, repayment, remainder)
        opened_at = receipts.open_for_printing(repayment, request.user) if one.is_one else None
        sheets.append((one, opened_at))
    language = sheets[0][0].language if sheets else translation.get_language()
    context = {"batch": batch, "sheets": sheets, "following": following, "language": language}
    # The receipts are in the customer's language and the lender's zone, not in the clerk's.
    with translation.override(language), formats.use_zone(lambda: None):
        return render(request, "statements/receipts.html", context)

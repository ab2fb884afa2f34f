"""Pages of collection sheets: the list, one sheet, a new one, its print, and its return."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.lender import read_lender
from lendingadmin.desk.assignments.permissions import list_officers
from lendingadmin.desk.portfolio.loan_lists import list_products
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.desk.portfolio.views.payment import RECORD
from lendingadmin.desk.sheets import choosing, outcomes, services
from lendingadmin.desk.sheets.choosing import LONGEST, MOST, Choosing, add_up
from lendingadmin.desk.sheets.codes import build_qr, read_code
from lendingadmin.desk.sheets.forms import (
    LATE,
    PARTLY,
    CancelForm,
    CodeForm,
    GridForm,
    NewSheetForm,
    SheetsForm,
)
from lendingadmin.desk.sheets.models import Sheet, SheetReturn
from lendingadmin.desk.sheets.outcomes import Difference
from lendingadmin.desk.sheets.permissions import MAKE, READ, may_cancel
from lendingadmin.desk.sheets.policies import list_late
from lendingadmin.desk.statements.keeping import READ as READ_STATEMENTS
from lendingadmin.money.writes import idempotency
from lendingadmin.web.access import access
from lendingadmin.web.display import formats
from lendingadmin.web.display.locales import group_sign
from lendingadmin.web.display.money import money
from lendingadmin.web.keyset import Slice, build_pager, read_slice
from lendingadmin.web.lists import whole_number
from lendingadmin.web.quotas import SHEETS
from lendingadmin.web.requests import PersonRequest

_PAGE = 50
#: Rights to enter the amounts of a sheet: record repayments, read statements and read sheets.
RETURN = (*RECORD, READ_STATEMENTS, READ)
PURPOSE = "sheets.make"


@access(READ)
def sheets(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the sheets, newest first, with their results.

    If the address has a code, redirect to the sheet, or, if the sheet is still out, to the form for
    its amounts.
    """
    app, code_form = gateway.lending_app(app_id), CodeForm(request.GET or None)
    if "code" not in request.GET:
        code_form = CodeForm()
    elif code_form.is_valid():
        found = Sheet.objects.filter(app_id=app_id, code=code_form.cleaned_data["code"]).first()
        if found is not None:
            may_enter = all(request.user.has_perm(name) for name in RETURN)
            may_enter = may_enter and found.state == Sheet.State.OPEN
            return redirect("sheet-return", app_id, found.code) if may_enter else redirect(found)
        code_form.add_error("code", _("No sheet has this code in this app."))
    form = SheetsForm(request.GET, officers=list_officers(app_id))
    page = _read_page(request, app_id, form) if form.is_valid() else Slice([])
    standings = outcomes.read_standings(page.rows)
    context = {
        "app": app,
        "form": form,
        "code_form": code_form,
        "sheets": [(one, standings[one.pk]) for one in page.rows],
        "pager": build_pager(request, page),
        "late": services.list_waiting(app_id, request.user).count(),
        "may_make": request.user.has_perm(MAKE),
    }
    return render(request, "sheets/list.html", context)


@access(READ)
def sheet(request: PersonRequest, app_id: str, code: str) -> HttpResponse:
    """Show one sheet: its rows with the amounts due, entered and recorded."""
    found = find_sheet(app_id, code)
    rows = outcomes.read_outcomes(found)
    # The returns of the sheet, each with its batch.
    returned = found.returns.select_related("created_by", "file__batch")
    returns = list(returned.defer("file__content").order_by("number"))
    may_record = all(request.user.has_perm(name) for name in RETURN)
    is_cancelled = found.state == Sheet.State.CANCELLED
    is_free = services.is_over(returns[-1] if returns else None)
    context = {
        "app": gateway.lending_app(app_id),
        "sheet": found,
        "rows": rows,
        "returns": returns,
        "standing": outcomes.read_standings([found])[found.pk],
        "differing": [one for one in rows if one.differs],
        "recorded": add_up(one.recorded for one in rows),
        "may_print": request.user.has_perm(MAKE) and not is_cancelled,
        "may_return": may_record and not is_cancelled and is_free,
        "may_cancel": may_cancel(found, request.user),
        "may_read_statements": request.user.has_perm(READ_STATEMENTS),
    }
    return render(request, "sheets/sheet.html", context)


@access(READ, methods=("GET", "POST"))
def cancel(request: PersonRequest, app_id: str, code: str) -> HttpResponse:
    """Show the form for the reason; a POST cancels the sheet.

    Redirect to the sheet, with a warning if the person may not cancel the sheet or if the sheet is
    no longer out on paper.
    """
    found, form = find_sheet(app_id, code), CancelForm(request.POST or None)
    if not may_cancel(found, request.user):
        words = _("Nothing changed. Only a manager can cancel a printed sheet.")
        messages.warning(request, words)
        return redirect(found)
    if form.is_valid():
        if services.cancel(found, form.cleaned_data["reason"], request.user):
            messages.success(
                request, _("The sheet is cancelled. The loans can now be on another sheet.")
            )
        else:
            messages.warning(
                request, _("Nothing changed. The sheet is already returned or cancelled.")
            )
        return redirect(found)
    context = {"app": gateway.lending_app(app_id), "sheet": found, "form": form}
    return render(request, "sheets/cancel.html", context)


def find_sheet(app_id: str, code: str) -> Sheet:
    """Return a sheet of an app by the code in an address; raise Http404 if there is none."""
    rows = Sheet.objects.select_related("officer", "created_by", "cancelled_by")
    return get_object_or_404(rows, app_id=app_id, code=read_code(code))


def _read_page(request: PersonRequest, app_id: str, form: SheetsForm) -> Slice:
    wanted: dict[str, Any] = form.cleaned_data
    rows: QuerySet[Sheet] = Sheet.objects.filter(app_id=app_id)
    if wanted["state"] == LATE:
        rows = list_late(gateway.lending_app(app_id))
    elif wanted["state"] == PARTLY:
        rows = rows.filter(outcomes.is_partly_recorded())
    elif wanted["state"]:
        rows = rows.filter(state=wanted["state"])
    only = Q(day=wanted["day"]) if wanted["day"] else Q()
    only &= Q(officer=wanted["officer"]) if wanted["officer"] else Q()
    behind = whole_number(request.GET.get("before")) or None
    rows = rows.select_related("officer", "created_by")
    return read_slice(rows, "created_at", _PAGE, behind=behind, only=only or None)


@access(READ, MAKE, "lending.loans.list", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form for new sheets, with the number and the sums of the chosen loans.

    A POST makes the sheets and redirects to the sheet, or to the list if there are several. If the
    loans have changed or the form is too old, make nothing and show the page again.
    """
    app = gateway.lending_app(app_id)
    snapshot = find_with_loans(app_id)
    form = NewSheetForm(
        request.POST if request.method == "POST" else request.GET,
        today=timezone.localdate(timezone=app.zone),
        products=list_products(snapshot) if snapshot else (),
        officers=list_officers(app_id),
    )
    found = choosing.choose(app, form.wanted) if snapshot and form.is_valid() else None
    obstacle = ""
    if request.method == "POST" and found is not None:
        obstacle = _find_obstacle(request, found)
        if not obstacle and (answer := _make(request, app_id, form, found)):
            return answer
    context: dict[str, Any] = {"app": app, "form": form, "found": found, "obstacle": obstacle}
    context |= {"snapshot": snapshot, "longest": LONGEST, "most": MOST}
    context["token"] = idempotency.issue_key(request, PURPOSE)
    return render(request, "sheets/new.html", context)


@access(READ, MAKE, methods=("POST",), quota=SHEETS)
def print_sheet(request: PersonRequest, app_id: str, code: str) -> HttpResponse:
    """Show the sheet for printing, and record in the audit trail that it was printed.

    The page is the response to a POST, so loading it again is a reprint, and the page says that it
    is a reprint. For a cancelled sheet, redirect to the sheet with a warning. The paper shows no
    phone numbers, because paper gets lost and a visitor does not need phone numbers.
    """
    sheet = find_sheet(app_id, code)
    if sheet.state == Sheet.State.CANCELLED:
        messages.warning(request, _("Not printed. The sheet is cancelled."))
        return redirect(sheet)
    printed_at = services.note_printing(sheet, request.user)
    context = {
        "app": gateway.lending_app(app_id),
        "sheet": sheet,
        "rows": sheet.rows.order_by("number"),
        "printed_at": printed_at,
        "now": timezone.now(),
        # The QR code has only the sheet's code, and no address. An address may change, a code alone
        # means nothing to strangers, and a short text gives larger squares.
        "qr": build_qr(sheet.code),
        "lender": read_lender(app_id).name,
    }
    return render(request, "sheets/paper.html", context)


def _find_obstacle(request: PersonRequest, found: Choosing) -> str:
    """Return the reason why no sheet can be made, as a sentence; empty if there is none."""
    if found.has_more:
        words = _("There are more than %(most)s loans. Choose a product or an officer.")
        return words % {"most": f"{MOST:,}"}
    if not found.chosen:
        return _("No loans for a sheet.")
    if request.POST.get("shown") != found.fingerprint:
        return _(
            "The loans changed after you opened this page. Check the new figures below, then "
            "make the sheet."
        )
    return ""


def _make(
    request: PersonRequest, app_id: str, form: NewSheetForm, found: Choosing
) -> HttpResponse | None:
    """Make the sheets and redirect to them.

    Return None if the person must check the loans again.
    """
    try:
        key = idempotency.check_key(request, PURPOSE, request.POST.get("token", ""))
    except idempotency.StaleKey:
        words = _(
            "Not saved. This form was open for too long. Check the form and make the sheet again."
        )
        messages.warning(request, words)
        return None
    app = gateway.lending_app(app_id)
    try:
        sheets = services.make_sheets(app, form.wanted, found, key, request.user)
    except services.OnOtherSheet:
        words = _("Not saved. Another sheet was made at the same time. Check the remaining loans.")
        messages.warning(request, words)
        return None
    if len(sheets) == 1:
        messages.success(request, _("Saved. Now print the sheet."))
        return redirect(sheets[0])
    words = _("Saved. Now print all %(count)s sheets.")
    messages.success(request, words % {"count": len(sheets)})
    return redirect("sheets", app_id)


class _Page:
    """One request for the grid of a sheet; `last` is the previous return, if any."""

    def __init__(self, request: PersonRequest, app: LendingApp, sheet: Sheet) -> None:
        self.request, self.app, self.sheet = request, app, sheet
        self.last = services.find_last_return(sheet)
        today = timezone.localdate(timezone=app.zone)
        rows = list(sheet.rows.order_by("number"))
        data = request.POST if request.method == "POST" else None
        self.form = GridForm(data, app=app, sheet=sheet, rows=rows, today=today)
        self.differences: Sequence[Difference] = ()

    def submit(self) -> HttpResponse | None:
        """Save the entered amounts; return the next page, or None to show this page again."""
        if not self.form.is_valid():
            return None
        given, amounts = self.form.cleaned_data, self.form.amounts
        try:
            services.check_balance(amounts, given["counted"])
            if not services.is_over(self.last):
                raise services.NotReturnable
            if self.last is not None and (answer := self._compare(self.last)):
                return answer
            if self.differences and self.request.POST.get("compared") != self._fingerprint:
                return None
            kept = services.take_back(
                self.sheet, amounts, given["counted"], given["day"], self.request.user
            )
        except services.Unbalanced as error:
            code = "more" if error.difference > 0 else "less"
            words = _(
                "Not saved. The amounts add up to %(total)s, but the counted cash is "
                "%(difference)s less."
            )
            if code == "more":
                words = _(
                    "Not saved. The amounts add up to %(total)s, but the counted cash is "
                    "%(difference)s more."
                )
            difference = self._write(abs(error.difference))
            given = {"total": self._write(error.total), "difference": difference}
            self.form.add_error("counted", ValidationError(words, code=code, params=given))
            return None
        except services.NotReturnable:
            return self._meet_another()
        if kept.file is None:
            messages.success(self.request, _("Saved. Nothing was collected with this sheet."))
            return redirect(self.sheet)
        words = _(
            "Saved: %(amount)s. Nothing is recorded yet. Check the result, then record the amounts."
        )
        messages.success(self.request, words % {"amount": self._write(kept.counted)})
        return redirect("statement-batch", self.app.app_id, kept.file.pk)

    @property
    def compared(self) -> str:
        """Fingerprint of the shown differences.

        The form sends it back to confirm the differences.
        """
        return self._fingerprint if self.differences else ""

    @property
    def _fingerprint(self) -> str:
        shown = "-".join(f"{one.number}:{one.before}:{one.now}" for one in self.differences)
        return f"{self.last.number if self.last else 0}-{shown}"

    def _compare(self, last: SheetReturn) -> HttpResponse | None:
        """Set the differences between an earlier return and the form.

        Return a redirect to the sheet if the amounts and the counted cash are equal; else None.
        """
        before = outcomes.read_amounts(last)
        self.differences = outcomes.compare(before, self.form.amounts)
        if self.differences or self.form.cleaned_data["counted"] != last.counted:
            return None
        words = _("Nothing changed. %(username)s has already entered the same amounts.")
        words %= {"username": last.created_by.username}
        messages.info(self.request, words, extra_tags="same-amounts")
        return redirect(self.sheet)

    def _meet_another(self) -> HttpResponse | None:
        """Handle a sheet that is cancelled, or whose last return is not recorded yet.

        Return a redirect if the last return has the same amounts. Otherwise add an error to the
        form and return None.
        """
        self.sheet.refresh_from_db()
        self.last = services.find_last_return(self.sheet)
        if self.last is not None and (answer := self._compare(self.last)):
            return answer
        words = _(
            "Not saved. Amounts of this sheet are still being recorded. Finish the recording first."
        )
        error = ValidationError(words, code="unfinished")
        if self.sheet.state == Sheet.State.CANCELLED:
            error = ValidationError(_("Not saved. This sheet is cancelled."), code="cancelled")
        self.form.add_error(None, error)
        return None

    def _write(self, amount: object) -> str:
        return money(amount, self.app.currency, formats.locale())


@access(*RETURN, methods=("GET", "POST"))
def give_back(request: PersonRequest, app_id: str, code: str) -> HttpResponse:
    """Show the grid; a POST saves the amounts if their sum is the counted cash.

    The POST redirects to the batch, which the worker checks. If nothing was collected, it redirects
    to the sheet. If the amounts are not saved, the page shows the errors. For a cancelled sheet,
    redirect to the sheet with a warning.
    """
    app, sheet = gateway.lending_app(app_id), find_sheet(app_id, code)
    if sheet.state == Sheet.State.CANCELLED:
        messages.warning(request, _("This sheet is cancelled, so no amounts can be entered."))
        return redirect(sheet)
    page = _Page(request, app, sheet)
    answer = page.submit() if request.method == "POST" else None
    if answer is not None:
        return answer
    context: dict[str, Any] = {"app": app, "sheet": sheet, "page": page, "form": page.form}
    context["group"] = group_sign(formats.locale())
    return render(request, "sheets/return.html", context)

"""Page of a returned sheet: a grid of amounts, whose sum must be the counted cash."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.sheets import outcomes, services
from lendingadmin.desk.sheets.forms import GridForm
from lendingadmin.desk.sheets.models import Sheet, SheetReturn
from lendingadmin.desk.sheets.outcomes import Difference
from lendingadmin.web.access import access
from lendingadmin.web.display import formats
from lendingadmin.web.display.locales import group_sign
from lendingadmin.web.display.money import money
from lendingadmin.web.requests import PersonRequest

from .records import RETURN, find_sheet


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
                "Not saved. The amounts add up to %(total)s; the cash counted is "
                "%(difference)s less."
            )
            if code == "more":
                words = _(
                    "Not saved. The amounts add up to %(total)s; the cash counted is "
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
        words = _("%(username)s has already entered the same amounts. Nothing was added.")
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

"""Forms of calls and promises."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.web.fields import AmountField, LineField, day_field

from .promises import is_plausible
from .states import KEYS, Outcome, PromiseState

_LONGEST_NOTE = 1_000
# Some results need these fields, so their labels do not say “optional”.
_WANTED = ("amount", "day", "loan")


class OutcomeSelect(forms.RadioSelect):
    """Radio buttons of the outcomes as chips, each with its key on the keyboard."""

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option: dict[str, Any] = super().create_option(*args, **kwargs)
        key = KEYS[Outcome(str(option["value"]))]
        option["attrs"]["data-choose"] = key
        option["label"] = format_html("{} <kbd>{}</kbd>", option["label"], key)
        return option


class CallForm(forms.Form):
    """Form for the result of a call. Days are in the lender's time zone.

    A promise has an amount and a day. `loans` are the borrower's loans. If there are none, the form
    accepts no promise, dispute or hardship.
    """

    outcome = forms.ChoiceField(
        choices=[(one.value, one.label) for one in KEYS],
        widget=OutcomeSelect(attrs={"class": "chips"}),
        label=_("Result"),
    )
    note = LineField(
        max_length=_LONGEST_NOTE,
        required=False,
        label=_("Note"),
        help_text=_("Write a few words. The Enter key saves."),
    )
    amount = AmountField(
        max_digits=15, decimal_places=3, min_value=Decimal("0.001"), required=False
    )
    day = day_field(label=_("Promised day"), required=False)
    nextDay = day_field(
        label=_("Call again on"),
        required=False,
        help_text=_("If this field is empty, the result decides the day."),
    )
    isIncoming = forms.BooleanField(label=_("The borrower called us"), required=False)
    loan = forms.ChoiceField(label=_("About the loan"), required=False)
    token = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self, data: Any, *, app: LendingApp, today: date, loans: list[str], is_open: bool, **kw: Any
    ) -> None:
        super().__init__(data, **kw)
        self.today, self.is_open = today, is_open
        self.fields["amount"].label = gettext("Promised amount (%(currency)s)") % {
            "currency": app.currency
        }
        self.fields["amount"].currency = app.currency  # type: ignore[attr-defined]
        choices = [(key, key) for key in loans]
        self.fields["loan"].choices = choices or [("", gettext("none"))]  # type: ignore[attr-defined]
        if not is_open:
            self.fields["isIncoming"].initial = True
        for name in _WANTED:
            self.fields[name].is_wanted = True  # type: ignore[attr-defined]

    def propose_promise(self, overdue: Decimal | None) -> None:
        """Fill in the most common promise: the complete overdue amount, by tomorrow."""
        if overdue is not None and overdue > 0:
            self.fields["amount"].initial = overdue
        self.fields["day"].initial = self.today + timedelta(days=1)

    def clean_nextDay(self) -> date | None:
        """Return the day of the next call; None if the field is empty.

        Raises ValidationError for a day before today or more than a year from today.
        """
        return self._clean_day("nextDay")

    def clean_day(self) -> date | None:
        """Return the day of the promise; None if the field is empty.

        Raises ValidationError for a day before today or more than a year from today.
        """
        return self._clean_day("day")

    def _clean_day(self, name: str) -> date | None:
        day: date | None = self.cleaned_data[name]
        if day and not is_plausible(day, self.today):
            words = gettext("Enter a day from today to one year from today.")
            raise forms.ValidationError(words, code="implausible")
        return day

    def clean(self) -> dict[str, Any]:
        """Require the fields that the result needs.

        Outside calling hours, the call must be incoming.
        """
        cleaned = super().clean() or self.cleaned_data
        outcome = cleaned.get("outcome")
        if outcome == Outcome.PROMISE:
            for name, words in (
                ("amount", gettext("Enter the promised amount.")),
                ("day", gettext("Enter the promised day.")),
            ):
                if name not in self.errors and not cleaned.get(name):
                    self.add_error(name, forms.ValidationError(words, code="required"))
        needs_loan = (Outcome.PROMISE, Outcome.DISPUTE, Outcome.HARDSHIP)
        if outcome in needs_loan and not cleaned.get("loan") and "loan" not in self.errors:
            self.add_error("loan", gettext("This result needs a loan. Choose a loan."))
        if not self.is_open and not cleaned.get("isIncoming"):
            words = gettext("Outside calling hours. Tick if the borrower called you.")
            self.add_error("isIncoming", forms.ValidationError(words, code="closed"))
        return cleaned


class ReasonForm(forms.Form):
    """Form for the reason for a decision."""

    reason = forms.CharField(
        label=_("Reason"), max_length=1_000, widget=forms.Textarea(attrs={"rows": 3})
    )


class PromiseForm(ReasonForm):
    """Form for a person's decision on a promise."""

    state = forms.ChoiceField(
        label=_("Result of the promise"),
        choices=[
            (one.value, one.label)
            for one in (PromiseState.KEPT, PromiseState.BROKEN, PromiseState.WITHDRAWN)
        ],
        widget=forms.RadioSelect(attrs={"class": "chips"}),
    )
    field_order = ("state", "reason")

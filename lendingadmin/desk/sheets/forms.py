"""Forms of collection sheets: choose the loans, enter the results, cancel a sheet."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.web.display.money import currency_decimals
from lendingadmin.web.fields import AmountField, LineField, day_field

from .choosing import Wanted
from .codes import LENGTH, looks_like_code, read_code
from .models import Choice, Sheet, SheetRow

_LONGEST_PLAN = timedelta(days=31)
#: Filters of sheets that are not states: sheets with unrecorded amounts, and late sheets.
PARTLY, LATE = "partly", "late"


def _build_officer() -> "forms.ModelChoiceField[User]":
    return forms.ModelChoiceField(
        label=_("Borrowers of"),
        queryset=User.objects.none(),
        required=False,
        to_field_name="username",
        empty_label=_("everybody"),
    )


class NewSheetForm(forms.Form):
    """Form for new sheets: the day of the visit, the loans, product and officer."""

    day = day_field(label=_("Day of the visit"))
    choice = forms.ChoiceField(label=_("Loans"), choices=Choice.choices)
    product = forms.ChoiceField(label=_("Product"), required=False)
    officer = _build_officer()

    def __init__(
        self,
        data: Any,
        *,
        today: date,
        products: Sequence[tuple[str, int]],
        officers: QuerySet[User],
    ) -> None:
        given = {name: value for name, value in (data or {}).items() if value}
        super().__init__({"day": today.isoformat(), "choice": Choice.ALL.value} | given)
        self.today = today
        choices = [("", gettext("any")), *((key, f"{key} ({loans:,})") for key, loans in products)]
        self.fields["product"].choices = choices  # type: ignore[attr-defined]
        self.fields["officer"].queryset = officers  # type: ignore[attr-defined]

    def clean_day(self) -> date:
        """Return the day of the visit.

        Raise ValidationError if the day is more than 31 days ahead, or in the past, because the due
        amounts of past days are not known.
        """
        day: date = self.cleaned_data["day"]
        if not self.today <= day <= self.today + _LONGEST_PLAN:
            raise forms.ValidationError(gettext("Enter a day from today to one month from today."))
        return day

    @property
    def wanted(self) -> Wanted:
        """The choice that was made in the form. The form must be valid."""
        given = self.cleaned_data
        return Wanted(given["day"], Choice(given["choice"]), given["product"], given["officer"])


class GridForm(forms.Form):
    """Form for a returned sheet: a field for each row, the counted cash and the day.

    An empty field or a zero means that nothing was collected.
    """

    def __init__(
        self, data: Any, *, app: LendingApp, sheet: Sheet, rows: Sequence[SheetRow], today: date
    ) -> None:
        super().__init__(data, initial={"day": min(sheet.day, today)})
        self.sheet, self.rows, self.today, self.app = sheet, rows, today, app
        for row in rows:
            field = _build_amount(app, label=gettext("Row %(number)s") % {"number": row.number})
            self.fields[_name(row.number)] = field
        if rows:
            self.fields[_name(rows[0].number)].widget.attrs["autofocus"] = True
        self.fields["counted"] = _build_amount(
            app, label=gettext("Counted cash (%(currency)s)") % {"currency": app.currency}
        )
        self.fields["counted"].is_wanted = True  # type: ignore[attr-defined]
        self.fields["day"] = day_field(label=gettext("Day of the collection"))

    @property
    def cells(self) -> Iterable[tuple[SheetRow, forms.BoundField]]:
        """The rows, each with its field."""
        return ((row, self[_name(row.number)]) for row in self.rows)

    @property
    def amounts(self) -> dict[int, Decimal]:
        """Collected amounts by the number of the row, without zeros and unreadable amounts."""
        typed = ((row.number, self.cleaned_data.get(_name(row.number))) for row in self.rows)
        return {number: amount for number, amount in typed if amount}

    @property
    def wrong_rows(self) -> list[int]:
        """The numbers of the rows with an unreadable amount."""
        return [row.number for row in self.rows if _name(row.number) in self.errors]

    def clean_day(self) -> date:
        """Return the day of the collection.

        Raise ValidationError for a day before the sheet was made, or after today.
        """
        day: date = self.cleaned_data["day"]
        made_on = self.sheet.created_at.astimezone(self.app.zone).date()
        if not made_on <= day <= self.today:
            words = gettext("The sheet was made on %(day)s. Enter a day from that day to today.")
            raise forms.ValidationError(words % {"day": f"{made_on:%Y-%m-%d}"}, code="outside")
        return day

    def clean(self) -> dict[str, Any]:
        """Add an error for each amount with too many decimals, and for a missing cash total."""
        cleaned = super().clean() or self.cleaned_data
        decimals = currency_decimals(self.app.currency)
        words = gettext("Enter at most %(count)s decimals for %(currency)s.")
        given = {"currency": self.app.currency, "count": decimals}
        for name, amount in list(cleaned.items()):
            if isinstance(amount, Decimal) and amount != round(amount, decimals):
                self.add_error(name, words % given)
        if "counted" not in self.errors and cleaned.get("counted") is None:
            words = gettext("Count the cash and enter the total.")
            self.add_error("counted", forms.ValidationError(words, code="required"))
        return cleaned


class CancelForm(forms.Form):
    """Form for the reason why a sheet is cancelled; the reason is stored encrypted."""

    reason = forms.CharField(
        label=_("Reason"), min_length=5, max_length=500, widget=forms.Textarea(attrs={"rows": 2})
    )


class SheetsForm(forms.Form):
    """Form for the filter of the sheets."""

    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[
            ("", _("any")),
            *Sheet.State.choices,
            (PARTLY, _("not all recorded")),
            (LATE, _("late")),
        ],
    )
    day = day_field(label=_("Day"), required=False)
    officer = _build_officer()

    def __init__(self, data: Mapping[str, Any], *, officers: QuerySet[User]) -> None:
        super().__init__(data)
        self.fields["officer"].queryset = officers  # type: ignore[attr-defined]


class CodeForm(forms.Form):
    """Form for the code of a sheet, typed from the paper."""

    code = LineField(
        label=_("Code on the sheet"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )

    def clean_code(self) -> str:
        """Return the code of the sheet in the typed text.

        Raise ValidationError with the code `mistyped` if the text looks like a sheet's code but is
        wrong, and with the code `invalid` for other texts.
        """
        text: str = self.cleaned_data["code"]
        if code := read_code(text):
            return code
        if looks_like_code(text):
            words = gettext(
                "This code is not valid. A letter or digit is wrong, or two letters or digits "
                "are swapped."
            )
            raise forms.ValidationError(words, code="mistyped")
        words = gettext("A code has %(count)s letters and digits, such as K7M-A4QX.")
        raise forms.ValidationError(words % {"count": LENGTH}, code="invalid")


def _build_amount(app: LendingApp, label: str) -> AmountField:
    field = AmountField(
        max_digits=15, decimal_places=3, min_value=Decimal(0), required=False, label=label
    )
    field.currency = app.currency
    return field


def _name(number: int) -> str:
    return f"row-{number}"

"""Forms of assignments: one borrower's officer, a hand-over, a list's officer and rules."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.staff.models import User
from lendingadmin.web.fields import day_field

from .models import Assignment, BulkRow, HandOver
from .permissions import list_officers
from .rules import Rule
from .services import Seen

MOST_RULES = 30
_MORE_RULES = 2


class ChangeForm(forms.Form):
    """Form for a borrower's new officer; `seen` is the assignment that the form showed."""

    officer = forms.ModelChoiceField(
        queryset=User.objects.none(), required=False, empty_label=_("none"), label=_("Officer")
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: Any, *, app_id: str, row: Assignment | None) -> None:
        seen = f"{row.officer_id} {row.assigned_at.isoformat()}" if row else ""
        super().__init__(data, initial={"officer": row and row.officer_id, "seen": seen})
        self.fields["officer"].queryset = list_officers(app_id)  # type: ignore[attr-defined]
        self.fields["officer"].is_wanted = True  # type: ignore[attr-defined]

    def clean_seen(self) -> Seen | None:
        """Return the assignment that the form showed; None if the borrower had no officer.

        Raises ValidationError for other text.
        """
        number, _space, at = str(self.cleaned_data["seen"]).partition(" ")
        if not number:
            return None
        try:
            return Seen(int(number), datetime.fromisoformat(at))
        except ValueError as error:
            words = gettext("Open this form again.")
            raise forms.ValidationError(words, code="stale") from error


class OfficerForm(forms.Form):
    """Form to choose the officer who gets the borrowers of a list."""

    officer = forms.ModelChoiceField(
        queryset=User.objects.none(), empty_label=_("choose"), label=_("Officer")
    )

    def __init__(self, data: Any, *, app_id: str) -> None:
        super().__init__(data)
        self.fields["officer"].queryset = list_officers(app_id)  # type: ignore[attr-defined]
        if data is None:
            self.fields["officer"].widget.attrs["autofocus"] = True


class OutcomeForm(forms.Form):
    """Form that filters the rows of an assigned list by result."""

    outcome = forms.ChoiceField(
        label=_("Result"),
        required=False,
        choices=[("", _("any")), *((one.value, one.label) for one in BulkRow.Outcome)],
    )


class HandOverForm(forms.Form):
    """Form of a hand-over: the person away, the stand-in, and days in the lender's zone."""

    officer = forms.ModelChoiceField(
        queryset=User.objects.none(), empty_label=_("choose"), label=_("Person away")
    )
    standIn = forms.ModelChoiceField(
        queryset=User.objects.none(), empty_label=_("choose"), label=_("Stand-in")
    )
    firstDay = day_field(label=_("First day"))
    lastDay = day_field(label=_("Last day"))

    def __init__(self, data: Any, *, app_id: str, today: date, only: User | None) -> None:
        """Build the form.

        If `only` is given, this person is the one away, and can't choose another.
        """
        super().__init__(data)
        self.app_id, self.today, self.only = app_id, today, only
        officers = list_officers(app_id)
        self.fields["officer"].queryset = officers  # type: ignore[attr-defined]
        self.fields["standIn"].queryset = officers  # type: ignore[attr-defined]
        if only is not None:
            del self.fields["officer"]
            others = officers.exclude(pk=only.pk)
            self.fields["standIn"].queryset = others  # type: ignore[attr-defined]

    def clean_firstDay(self) -> date:
        """Return the first day. Raises ValidationError for a day before today."""
        day: date = self.cleaned_data["firstDay"]
        if day < self.today:
            raise forms.ValidationError(gettext("Enter today or a later day."), code="past")
        return day

    def clean_lastDay(self) -> date:
        """Return the last day. Raises ValidationError for a day more than a year from today."""
        day: date = self.cleaned_data["lastDay"]
        if day > self.today + timedelta(days=366):
            raise forms.ValidationError(gettext("Enter a day within a year."))
        return day

    def clean(self) -> dict[str, Any]:
        """Check the order of the days.

        The stand-in must be another person, and not away on these days.
        """
        cleaned = super().clean() or self.cleaned_data
        if self.only is not None:
            cleaned["officer"] = self.only
        first, last = cleaned.get("firstDay"), cleaned.get("lastDay")
        officer, stand_in = cleaned.get("officer"), cleaned.get("standIn")
        if first and last and last < first:
            self.add_error("lastDay", gettext("Enter the first day or a later day."))
        if officer and stand_in and officer == stand_in:
            words = gettext("Choose another person.")
            self.add_error("standIn", forms.ValidationError(words, code="same"))
        away = HandOver.objects.filter(app_id=self.app_id, officer=stand_in, ended_at=None)
        if not self.errors and away.filter(first_day__lte=last, last_day__gte=first).exists():
            words = gettext("The stand-in is away on some of these days.")
            self.add_error("standIn", forms.ValidationError(words, code="away"))
        return cleaned


class RuleForm(forms.Form):
    """Form of a rule: a product (or any), and the officers who share the borrowers."""

    product = forms.ChoiceField(label=_("Product"), required=False)
    officers = forms.ModelMultipleChoiceField(
        queryset=User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=_("Officers"),
    )

    def __init__(
        self, *args: Any, products: Sequence[str], officers: Iterable[User], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        choices = [("", gettext("any")), *((key, key) for key in products)]
        self.fields["product"].choices = choices  # type: ignore[attr-defined]
        self.fields["officers"].queryset = officers  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Require officers for a rule with a product; an empty row is not a rule."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("product") and not cleaned.get("officers") and not self.errors:
            words = gettext("Choose officers for this product, or clear the product.")
            self.add_error("officers", forms.ValidationError(words, code="required"))
        return cleaned


def open_rules_form(
    data: Any, rules: Sequence[Rule], products: Sequence[str], app_id: str
) -> "forms.BaseFormSet[RuleForm]":
    """Return the rules as rows of a form, followed by some empty rows.

    An officer who has left is not selected.
    """
    known = list(dict.fromkeys([*products, *(one.product for one in rules if one.product)]))
    made = forms.formset_factory(
        RuleForm, extra=_MORE_RULES, max_num=MOST_RULES, absolute_max=MOST_RULES
    )
    return made(
        data,
        initial=[{"product": one.product, "officers": one.officers} for one in rules],
        prefix="rule",
        form_kwargs={"products": known, "officers": list_officers(app_id)},
    )


def read_rules_form(rows: "forms.BaseFormSet[RuleForm]") -> list[Rule]:
    """Return the rules of a valid form, in order; rows without officers are left out."""
    given = [row.cleaned_data for row in rows if row.cleaned_data.get("officers")]
    return [
        Rule(row["product"], tuple(sorted(person.pk for person in row["officers"])))
        for row in given
    ]

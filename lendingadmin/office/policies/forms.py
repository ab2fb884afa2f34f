"""Forms for the reason and the first day of a changed setting."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.web.fields import day_field


class ReasonForm(forms.Form):
    """Form for the reason of a change."""

    reason = forms.CharField(
        label=_("Reason"), max_length=1_000, widget=forms.Textarea(attrs={"rows": 2})
    )


class ChangeForm(ReasonForm):
    """Form for a change: the reason, and the first day in the lender's zone.

    An empty day means now.
    """

    validFrom = day_field(
        label=_("From"),
        required=False,
        help_text=_(
            "If this field is empty, the change starts now. A day starts at 0:00 in the "
            "lender's time zone."
        ),
    )

    def __init__(self, data: Any, *, today: date) -> None:
        self.today = today
        super().__init__(data)

    def clean_validFrom(self) -> date | None:
        """Return the day, or None. Raise ValidationError if the day is not within the next year."""
        day: date | None = self.cleaned_data["validFrom"]
        if day and not self.today < day <= self.today + timedelta(days=366):
            words = gettext("Leave empty, or enter a day from tomorrow to one year from today.")
            raise forms.ValidationError(words, code="implausible")
        return day

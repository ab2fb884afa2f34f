"""Asking once more before a form is sent whose date lies years away: a digit may be mistyped."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from .dates import far_notice
from .moments import MomentField


class FarDatesForm(forms.Form):
    """A form that leads to no confirm step, so that it asks by itself.

    Where one of its moments lies more than a year away, it is valid only with the box ticked.
    """

    datesChecked = forms.BooleanField(required=False, label=gettext_lazy("The year is right"))  # noqa: N815

    def clean(self) -> dict[str, Any]:
        """Ask about each moment that is far away."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if warnings := self._far_dates() if not cleaned.get("datesChecked") else []:
            notices = " ".join([*warnings, _("Tick this if it is right.")])
            self.add_error("datesChecked", notices)
        return cleaned

    @property
    def asks_about_dates(self) -> bool:
        """Whether the page has to show the box."""
        return self.is_bound and bool(self.errors.get("datesChecked") or self._far_dates())

    def _far_dates(self) -> list[str]:
        now, found = timezone.now(), []
        for name, field in self.fields.items():
            at = self.cleaned_data.get(name) if isinstance(field, MomentField) else None
            if at is not None:
                found.append(far_notice(f"“{field.label}”", at, now))
        return [notice for notice in found if notice]

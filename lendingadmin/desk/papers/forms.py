"""Forms to make a paper: its kind or product, its language, and the period or the preview."""

from collections.abc import Callable
from datetime import date
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.records.offers.forms import PreviewForm
from lendingadmin.web.fields import day_field

from .models import PaperKind


class LanguageForm(forms.Form):
    """Form of the language of a paper."""

    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)


class PaperForm(LanguageForm):
    """Form of a new paper. Without days, a statement has everything from the first loan on."""

    heading = _("New paper")
    kind = forms.ChoiceField(choices=PaperKind.choices, widget=forms.HiddenInput)
    firstDay = day_field(label=_("From"), required=False)
    lastDay = day_field(label=_("To"), required=False)
    field_order = ("kind", "firstDay", "lastDay", "language")

    def __init__(
        self, *args: Any, today: date, kinds: tuple[PaperKind, ...], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._today, self._kinds = today, kinds
        if PaperKind.STATEMENT not in kinds:
            del self.fields["firstDay"], self.fields["lastDay"]

    @property
    def buttons(self) -> list[tuple[str, str, str]]:
        """The name, value and label of each button that makes a paper."""
        return [("kind", kind.value, str(kind.label)) for kind in self._kinds]

    def get_wanted(self) -> dict[str, Any]:
        """Return the values of `services.Wanted` that the person chose."""
        given = self.cleaned_data
        days = {"first_day": given.get("firstDay"), "last_day": given.get("lastDay")}
        return {"kind": given["kind"], "language": given["language"], **days}

    def clean_kind(self) -> PaperKind:
        """Return the kind. Raise ValidationError if this record has no such paper."""
        kind = PaperKind(self.cleaned_data["kind"])
        if kind not in self._kinds:
            raise forms.ValidationError(gettext("Choose a paper."), code="kind")
        return kind

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError for a period that has not begun, or that ends before it begins."""
        given = super().clean() or {}
        first, last = given.get("firstDay"), given.get("lastDay")
        if first and first > self._today:
            self.add_error("firstDay", gettext("This day is in the future."))
        elif first and last and last < first:
            self.add_error("lastDay", gettext("The last day is before the first day."))
        return given


class KeyFactsForm(PreviewForm, LanguageForm):
    """Form of key facts: the preview of one product of an offer.

    `name_product` returns the name of a product id; it is called only when buttons are shown.
    """

    heading = PaperKind.KEY_FACTS.label
    field_order = ("amount", "startDate", "language")

    def __init__(
        self,
        *args: Any,
        name_product: Callable[[object], str],
        first: str = "",
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._name_product = name_product
        self.fields["amount"].help_text = ""
        products = sorted(self.fields["product"].choices, key=lambda one: one[0] != first)  # type: ignore[attr-defined]
        self.fields["product"] = forms.ChoiceField(choices=products, widget=forms.HiddenInput)

    def clean_product(self) -> list[str]:
        """Return the product as the only chosen one."""
        return [self.cleaned_data["product"]]

    @property
    def buttons(self) -> list[tuple[str, str, str]]:
        """The name, value and label of the button of each product."""
        choices = self.fields["product"].choices  # type: ignore[attr-defined]
        return [("product", value, self._name_product(value)) for value, _label in choices]

    def get_wanted(self) -> dict[str, Any]:
        """Return the values of `services.Wanted` that the person chose."""
        return {"kind": PaperKind.KEY_FACTS, "language": self.cleaned_data["language"]}

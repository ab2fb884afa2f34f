"""Forms of offers. Fields for parameters of the service have the parameters' names."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any

from babel.numbers import get_currency_precision
from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.lending.values import (
    AssessmentType,
    OffersResponse,
    each,
    number,
    text,
    timestamp_text,
)
from lendingadmin.money.writes.forms import WriteForm
from lendingadmin.records.assessments.types import name_of
from lendingadmin.web.dates import UTC_DAY
from lendingadmin.web.fields import AmountField, IdField, day_field, moment_field
from lendingadmin.web.moments import FarDatesForm

_ASKED_BY = ("assessmentType", "timestamp", "requestId")


class OfferForm(WriteForm, FarDatesForm):
    """Form to request an offer by at least one of three values (Spec: Borrowers, 4).

    The form makes a requestId, so that the request can be found if the answer is lost. A person may
    also clear the id, or enter the id of a request that was made elsewhere.
    """

    operation = "borrowers.getOffers"

    timestamp = moment_field(label=_("Data up to"), required=False)
    requestId = IdField(
        label=_("Request id"),
        required=False,
        help_text=_(
            "The dashboard makes this id. With the id, the dashboard can find the request if "
            "the answer is lost. If the field is empty, the service makes an id."
        ),
    )

    def __init__(
        self, *args: Any, types: tuple[AssessmentType, ...], app: LendingApp, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        choices = [(name, str(one.display_name or name)) for one in types if (name := name_of(one))]
        self.fields["assessmentType"] = forms.ChoiceField(
            label=_("Assessment type"),
            required=False,
            widget=forms.RadioSelect,
            choices=[*choices, ("", _("No type: the service chooses a type"))],
        )
        field = self.fields["timestamp"]
        field.help_text = _("The service uses only data of the account before this time.")
        field.initial = timezone.localtime().replace(second=0, microsecond=0)
        self.fields["requestId"].initial = str(uuid.uuid4())

    def clean(self) -> dict[str, Any]:
        """Require at least one of the three values."""
        cleaned = super().clean()
        if not self.errors and not any(map(cleaned.get, _ASKED_BY)):
            raise forms.ValidationError(
                _("Choose an assessment type, enter a time, or enter a request id."), code="nothing"
            )
        return cleaned

    def sent(self) -> dict[str, object]:
        """Return the values to send, under the service's names. Empty fields are left out."""
        given = {key: value for key in _ASKED_BY if (value := self.cleaned_data[key])}
        when = given.get("timestamp")
        return given | {"timestamp": timestamp_text(when)} if when else given


class PreviewForm(forms.Form):
    """Form to preview contracts (Spec: Borrowers, 5). The address has all values."""

    amount = AmountField(
        max_digits=15,
        decimal_places=3,
        min_value=Decimal("0.001"),
        required=False,
        help_text=_("The service chooses the amount or the day that you leave empty."),
    )
    startDate = day_field(label=_("Starts on"), zone_words=UTC_DAY, required=False)

    def __init__(self, *args: Any, offer: OffersResponse, app: LendingApp, **options: Any) -> None:
        super().__init__(*args, **options)
        self.offer, self.app = offer, app
        limit = number(offer.credit_limit)
        amount = self.fields["amount"]
        amount.label = _("Amount (%(currency)s)") % {"currency": app.currency}
        amount.currency = app.currency  # type: ignore[attr-defined]
        if limit and limit > 0 and abs(limit.adjusted()) < 15:
            amount.initial = limit
        # The day in the form is a day in UTC. In the lender's time zone, it may already be the next
        # day.
        self.fields["startDate"].initial = timezone.localdate(timezone=UTC)
        ids = [text(one.product_id) for one in each(offer.products)]
        choices = [(one, one) for one in dict.fromkeys(ids) if one]
        self.fields["product"] = forms.MultipleChoiceField(
            label=_("Products"),
            help_text=_("If you tick no product, all products are included."),
            required=False,
            widget=forms.CheckboxSelectMultiple,
            choices=choices,
            initial=[one for one, _ in choices],
        )

    def name_products(self, called: Callable[[object], str]) -> None:
        """Show the products as choices by name and not by id."""
        field = self.fields["product"]
        field.choices = [(one, called(one)) for one, _ in field.choices]  # type: ignore[attr-defined]

    def clean(self) -> None:
        """Refuse a form with neither amount nor day (Spec: Borrowers, 5)."""
        given = self.cleaned_data
        if not self.errors and given.get("amount") is None and not given.get("startDate"):
            words = _("Enter an amount, a first day, or both.")
            self.add_error("amount", forms.ValidationError(words, code="nothing"))

    def clean_amount(self) -> Decimal | None:
        """Return the amount; None if the field is empty.

        Raises ValidationError if the amount has more decimals than the currency.
        """
        amount: Decimal | None = self.cleaned_data["amount"]
        decimals = get_currency_precision(self.app.currency)
        if amount is not None and amount != round(amount, decimals):
            raise forms.ValidationError(
                _("Enter at most %(decimals)s decimals for %(currency)s.")
                % {"currency": self.app.currency, "decimals": decimals}
            )
        return amount

    def summary(self) -> dict[str, object]:
        """Return the offer summary as received, with only the chosen products.

        If no product was chosen, the summary has all products.
        """
        chosen = self.cleaned_data["product"]
        whole = self.offer.summary
        products = whole.get("products")
        if not chosen or not isinstance(products, list):
            return whole
        kept = [one for one in products if isinstance(one, dict) and one.get("productId") in chosen]
        return {**whole, "products": kept}

    def starts_at(self) -> str | None:
        """Return the start of the chosen day in UTC as text; None without a day.

        Spec: LendingContract.
        """
        day = self.cleaned_data["startDate"]
        return timestamp_text(datetime.combine(day, time.min, tzinfo=UTC)) if day else None


class ContractLoanForm(forms.Form):
    """Form for a loan from a previewed contract, with the values to choose (Spec: Loan)."""

    accountId = IdField(
        label=_("Account id"),
        help_text=_(
            "Generated by the dashboard. Change this id if you use your own numbers. It "
            "can't be changed later."
        ),
    )
    lenderId = IdField(
        label=_("Lender id"),
        required=False,
        help_text=_("The lender's id, if the service has several lenders."),
    )
    token = forms.CharField(widget=forms.HiddenInput)

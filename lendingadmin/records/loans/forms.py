"""Forms of the loans area. Fields for parameters of Loans, Create have the parameters' names."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.lending.codec import encode
from lendingadmin.lending.diff import parse_moment
from lendingadmin.lending.fields import find_malformed
from lendingadmin.lending.values import LendingContract, timestamp_text
from lendingadmin.money.writes.forms import WriteForm
from lendingadmin.web.fields import (
    AmountField,
    IdField,
    JsonObjectField,
    minted_account_id,
    moment_field,
)
from lendingadmin.web.moments import FarDatesForm

_MOST_NAMED = 5
_NOT_PLAIN = ("others", "startDate", "datesChecked")


def taken_up(body: Mapping[str, object]) -> dict[str, object]:
    """Return LoanForm's initial values from the body of a loan; empty without a body."""
    known = {name: _typed(body[name]) for name in body if name in LoanForm.base_fields}
    others = {name: body[name] for name in body if name not in known}
    if "startDate" in known:
        then = parse_moment(str(known["startDate"]))
        known["startDate"] = timezone.localtime(then) if then else known["startDate"]
    return known | ({"others": _typed(others)} if others else {})


def _typed(value: object) -> object:
    """Return a value in the form in which a person types it: an object becomes JSON text."""
    return encode(value).decode() if isinstance(value, Mapping) else value


class LoanForm(WriteForm, FarDatesForm):
    """The form for a loan whose contract is available as JSON (Spec: Loan; Loans, Create)."""

    operation = "loans.create"

    accountId = IdField(
        label=_("Account id"),
        help_text=_(
            "Generated here. Change it if you use your own numbers; it can't be changed later."
        ),
    )
    borrowerId = IdField(label=_("Borrower id"))
    loanAmount = AmountField(
        max_digits=15,
        decimal_places=3,
        min_value=Decimal("0.001"),
        required=False,
        help_text=_("The principal. Empty: taken from the contract."),
    )
    startDate = moment_field(label=_("Starts"))
    productId = IdField(
        label=_("Product id"), required=False, help_text=_("Empty: taken from the contract.")
    )
    lenderId = IdField(label=_("Lender id"), required=False)
    requestId = IdField(label=_("Offer request id"), required=False)
    assessmentId = IdField(label=_("Assessment id"), required=False)
    contract = JsonObjectField(
        rows=12,
        help_text=_("The contract as a JSON object. It is sent exactly as entered."),
    )
    settings = JsonObjectField(rows=3, required=False, help_text=_("A JSON object."))
    labels = JsonObjectField(rows=3, required=False, help_text=_("A JSON object."))
    others = JsonObjectField(
        label=_("Other fields"),
        rows=3,
        required=False,
        help_text=_("A JSON object with more fields of the loan, such as maturityDate."),
    )

    def __init__(self, *args: Any, app: LendingApp, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["accountId"].initial = minted_account_id()
        self.fields["loanAmount"].label = _("Amount (%(currency)s)") % {"currency": app.currency}
        self.fields["loanAmount"].currency = app.currency  # type: ignore[attr-defined]

    def clean_contract(self) -> Mapping[str, object]:
        """Raise ValidationError if the contract is empty or a field has a wrong type."""
        contract: Mapping[str, object] = self.cleaned_data["contract"]
        if not contract:
            raise forms.ValidationError(_("The contract is empty."), code="empty")
        places = list(find_malformed(LendingContract(contract)))
        if places:
            words = _("These do not have the type that the service uses: %(places)s.")
            named, more = ", ".join(places[:_MOST_NAMED]), len(places) - _MOST_NAMED
            if more > 0:
                words = _(
                    "These do not have the type that the service uses: %(places)s and %(more)s "
                    "more."
                )
            raise forms.ValidationError(words % {"places": named, "more": more}, code="malformed")
        return contract

    def clean_others(self) -> Mapping[str, object]:
        """Refuse a key that has its own field in the form."""
        others: Mapping[str, object] = self.cleaned_data["others"] or {}
        twice = sorted(set(others) & set(self.fields))
        if twice:
            words = _("These have fields of their own: %(names)s.")
            raise forms.ValidationError(words % {"names": ", ".join(twice)}, code="twice")
        return others

    def body(self) -> dict[str, object]:
        """Return the body of Loans, Create, without the fields that were left empty."""
        cleaned = self.cleaned_data
        plain = [name for name in self.fields if name not in _NOT_PLAIN]
        given = {name: cleaned[name] for name in plain if cleaned[name] not in (None, "")}
        return {**given, "startDate": timestamp_text(cleaned["startDate"]), **cleaned["others"]}

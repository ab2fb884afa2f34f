"""Forms of the statement desk: upload, columns, words, filters, and decisions on payments."""

from collections.abc import Mapping as Named
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web.display.templatetags.money import count
from lendingadmin.web.fields import AmountField, LineField
from lendingadmin.web.uploads import LONGEST, CutOff

from .findings import Decision, Finding
from .lines import PUT, Kind, Mapping, Standing, UnknownTable

_LONGEST_TEXT = 4_000_000


class NewStatementForm(forms.Form):
    """Form for a statement, as a file or as pasted rows.

    When the form is valid, `content` has the bytes.
    """

    content = b""

    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,.xls,.xlsx,.ods,.xml,.zip,.sta,.json"}),
        help_text=gettext_lazy(
            "CSV, XLS, XLSX, ODS, CAMT.053 or MT940. Do not change the exported file."
        ),
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste the rows of the statement"),
        required=False,
        max_length=_LONGEST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "class": "mono", "spellcheck": "false"}),
        help_text=gettext_lazy("Include the row of headings."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.is_wanted = True  # type: ignore[attr-defined]

    def clean(self) -> None:
        """Require either a file or pasted rows, and set `content` to their bytes."""
        sent, text = self.cleaned_data.get("file"), self.cleaned_data.get("text", "")
        if "file" in self.errors:
            return
        if isinstance(sent, CutOff):
            words = _(
                "The file is larger than %(count)s bytes. Export the statement in smaller parts."
            )
            self.add_error("file", words % {"count": count(LONGEST)})
        elif bool(sent) == bool(text.strip()):
            words = _("Choose a file or paste rows, not both.")
            self.add_error("file", forms.ValidationError(words, code="one_of_two"))
        else:
            self.content = sent.read() if sent else text.encode()


class ColumnsForm(forms.Form):
    """Form for the meaning of each column of an unknown table."""

    network = LineField(
        label=gettext_lazy("Network or bank"),
        max_length=100,
        help_text=gettext_lazy("Use the network's usual name, such as M-PESA."),
    )

    has_unique_ids = forms.BooleanField(
        label=gettext_lazy("Transaction ids never repeat"),
        required=False,
        help_text=gettext_lazy(
            "Tick this box for receipt numbers of an operator. References of a bank can repeat."
        ),
    )

    def __init__(self, data: Any, table: UnknownTable, initial: dict[str, str]) -> None:
        super().__init__(data, initial=initial)
        choices = [("", _("none")), *((one, one) for one in dict.fromkeys(table.header) if one)]
        for name, label in _COLUMNS.items():
            is_required = name == "moment" or name in table.deciding
            self.fields[name] = forms.ChoiceField(
                label=label, choices=choices, required=is_required
            )
        self.order_fields(["network", *_COLUMNS, "has_unique_ids"])

    def clean(self) -> None:
        """Require either the column of amounts or the column of money in."""
        one, other = self.cleaned_data.get("amount"), self.cleaned_data.get("paid_in")
        if bool(one) == bool(other):
            words = _("Choose the column of amounts or the column of money in.")
            self.add_error("amount", forms.ValidationError(words, code="one_of_two"))

    def build_mapping(self) -> Mapping:
        """Return the chosen mapping."""
        names = (*_COLUMNS, "has_unique_ids")
        return Mapping(**{name: self.cleaned_data[name] for name in names})


_COLUMNS = {
    "moment": gettext_lazy("Date and time"),
    "receipt": gettext_lazy("Transaction id"),
    "amount": gettext_lazy("Amount"),
    "side": gettext_lazy("Money in or out (CR, DR)"),
    "paid_in": gettext_lazy("Paid in"),
    "paid_out": gettext_lazy("Paid out"),
    "balance": gettext_lazy("Balance"),
    "currency": gettext_lazy("Currency"),
    "status": gettext_lazy("Status"),
    "reference": gettext_lazy("Account or reference"),
    "payer": gettext_lazy("Payer"),
    "phone": gettext_lazy("Phone"),
    "details": gettext_lazy("Details"),
}


class WordsForm(forms.Form):
    """Form for the meaning of unknown words, of a point or comma in amounts, and of an old year."""

    def __init__(self, data: Any, unknown_words: Named[str, Sequence[str]]) -> None:
        super().__init__(data)
        self.asked = {}
        for name, words in unknown_words.items():
            label, yes, no = _MEANINGS[name]
            for at, word in enumerate(words):
                self.asked[f"{name}-{at}"] = name, word
                self.fields[f"{name}-{at}"] = forms.ChoiceField(
                    label=f"{label}: {word}",
                    choices=[("yes", yes), ("no", no)],
                    widget=forms.RadioSelect,
                )

    def build_meanings(self) -> dict[str, dict[str, bool]]:
        """Return the answers by field and word."""
        found: dict[str, dict[str, bool]] = {}
        for key, (name, word) in self.asked.items():
            found.setdefault(name, {})[word] = self.cleaned_data[key] == "yes"
        return found


# For each field: the label, the meaning of yes and the meaning of no.
_MEANINGS = {
    "status": (_COLUMNS["status"], gettext_lazy("completed"), gettext_lazy("not completed")),
    "side": (_COLUMNS["side"], gettext_lazy("money in"), gettext_lazy("money out")),
    "divider": (
        gettext_lazy("Sign before three digits, as in 1.234"),
        gettext_lazy("thousands"),
        gettext_lazy("decimals"),
    ),
    "year": (
        gettext_lazy("Rows with an old year"),
        gettext_lazy("the year is right"),
        gettext_lazy("the year is wrong"),
    ),
}


def _filter(label: Any, choices: Sequence[tuple[str, Any]]) -> forms.ChoiceField:
    choices = [("", gettext_lazy("any")), *choices]
    return forms.ChoiceField(label=label, required=False, choices=choices)


class LinesForm(forms.Form):
    """Form for the filter of a statement's rows."""

    standing = _filter(gettext_lazy("Status"), Standing.choices)
    kind = _filter(gettext_lazy("Kind"), Kind.choices)


class AllocationsForm(forms.Form):
    """Form for the filter of a batch's rows."""

    finding = _filter(gettext_lazy("Result"), Finding.choices)
    decision = _filter(gettext_lazy("Decided"), Decision.choices)
    result = _filter(
        gettext_lazy("State"),
        [
            ("landed", gettext_lazy("recorded or probably recorded")),
            ("doubtful", gettext_lazy("not known yet")),
            (RepaymentState.REFUSED.value, gettext_lazy(RepaymentState.REFUSED.label)),
            (RepaymentState.NOT_SENT.value, gettext_lazy(RepaymentState.NOT_SENT.label)),
            ("abandoned", gettext_lazy("resolved as not recorded")),
        ],
    )


class DecisionForm(forms.Form):
    """Form for the reason to accept a row despite its finding, or to leave it out.

    The reason is stored encrypted.
    """

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        min_length=5,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, data: Any = None, *, needs_reason: bool = True, **options: Any) -> None:
        super().__init__(data, **options)
        self.fields["reason"].required = needs_reason


class RowForm(DecisionForm):
    """Form for the decision on a row.

    If `keep` is ticked, this loan is saved for the payer of the row.
    """

    keep = forms.BooleanField(
        label=gettext_lazy("Suggest this loan for this payer from now on"), required=False
    )


class AcceptForm(DecisionForm):
    """Form for the reason to accept all undecided rows with one finding."""

    finding = forms.ChoiceField(choices=Finding.choices, widget=forms.HiddenInput)


class PayeeForm(forms.Form):
    """Form to search for the loan or the person of a payment."""

    who = LineField(
        label=gettext_lazy("Name, phone, loan or borrower"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class SplitForm(forms.Form):
    """Form for a split: the part of a payment that goes to this loan.

    The rest becomes a new row.
    """

    amount = AmountField(max_digits=15, decimal_places=3, min_value=Decimal("0.001"))

    def __init__(self, data: Any, *, most: Decimal, currency: str) -> None:
        super().__init__(data)
        self.most = most
        self.fields["amount"].currency = currency  # type: ignore[attr-defined]
        self.fields["amount"].label = _("Amount for this loan (%(currency)s)") % {
            "currency": currency
        }

    def clean_amount(self) -> Decimal:
        """Return the amount; raise ValidationError if it is not less than the payment."""
        amount: Decimal = self.cleaned_data["amount"]
        if amount >= self.most:
            raise forms.ValidationError(_("Enter less than the full payment."), code="whole")
        return amount


class PlaceForm(DecisionForm):
    """Form for unallocated money that belongs to no loan: its new place, and the reason."""

    place = forms.ChoiceField(
        label=gettext_lazy("Status"),
        choices=[(one.value, one.label) for one in PUT],
        widget=forms.RadioSelect,
    )
    field_order = ("place", "reason")

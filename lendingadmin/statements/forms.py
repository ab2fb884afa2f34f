"""The forms of the statement desk: a file or pasted text, the columns of a table, a filter."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.display.templatetags.money import count
from lendingadmin.ui.fields import LineField
from lendingadmin.ui.uploads import LONGEST, CutOff

from .lines import Kind, Mapping
from .standings import Standing

_LONGEST_TEXT = 4_000_000


class NewStatementForm(forms.Form):
    """A statement as a file, or its rows pasted. `content` is its bytes once the form is valid."""

    content = b""

    file = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,.xls,.xlsx,.ods,.xml,.zip,.sta,.json"}),
        help_text=gettext_lazy("CSV, XLS, XLSX, ODS, CAMT.053 or MT940, as it was exported."),
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste its rows"),
        required=False,
        max_length=_LONGEST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "class": "mono", "spellcheck": "false"}),
        help_text=gettext_lazy("With the row of headings."),
    )

    def clean_file(self) -> Any:
        """Its content, where it is not too large."""
        sent = self.cleaned_data["file"]
        if isinstance(sent, CutOff):
            words = _("The file is larger than %(count)s bytes. Export it in parts.")
            raise forms.ValidationError(words % {"count": count(LONGEST)})
        return sent

    def clean(self) -> None:
        """One of the two is needed, and not both."""
        sent, text = self.cleaned_data.get("file"), self.cleaned_data.get("text", "")
        if "file" in self.errors:
            return
        if bool(sent) == bool(text.strip()):
            self.add_error("file", _("Choose a file or paste its rows: one of the two."))
            return
        self.content = sent.read() if sent else text.encode()


class ColumnsForm(forms.Form):
    """Which column of an unknown table is what."""

    network = LineField(
        label=gettext_lazy("Network or bank"),
        max_length=100,
        help_text=gettext_lazy("As repayments of it bear it, such as M-PESA."),
    )

    def __init__(self, data: Any, header: Sequence[str]) -> None:
        super().__init__(data)
        choices = [("", _("none")), *((one, one) for one in dict.fromkeys(header) if one)]
        for name, label in _COLUMNS.items():
            self.fields[name] = forms.ChoiceField(
                label=label, choices=choices, required=name == "moment"
            )

    def clean(self) -> None:
        """Either one column of amounts, or two of what came in and went out."""
        one, other = self.cleaned_data.get("amount"), self.cleaned_data.get("paid_in")
        if bool(one) == bool(other):
            self.add_error("amount", _("Choose the column of amounts, or the one of what came in."))

    def build_mapping(self) -> Mapping:
        """The mapping that was chosen."""
        return Mapping(**{name: self.cleaned_data[name] for name in _COLUMNS})


_COLUMNS = {
    "moment": gettext_lazy("Date and time"),
    "receipt": gettext_lazy("Transaction id"),
    "amount": gettext_lazy("Amount, signed"),
    "paid_in": gettext_lazy("Paid in"),
    "paid_out": gettext_lazy("Paid out"),
    "balance": gettext_lazy("Balance"),
    "reference": gettext_lazy("Account or reference"),
    "payer": gettext_lazy("Payer"),
    "phone": gettext_lazy("Phone"),
    "details": gettext_lazy("Details"),
}


class LinesForm(forms.Form):
    """The filter of a statement's rows."""

    standing = forms.ChoiceField(
        label=gettext_lazy("Here"),
        required=False,
        choices=[("", gettext_lazy("any")), *Standing.choices],
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        required=False,
        choices=[("", gettext_lazy("any")), *Kind.choices],
    )

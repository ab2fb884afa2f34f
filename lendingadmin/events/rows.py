"""The forms of single values, one class for each kind; they are repeated as rows of a form."""

from datetime import datetime
from typing import Any

from django import forms
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from lendingadmin.ui.fields import LineField

from .fields import SecondField
from .kinds import APP, BATTERY, CONTACT, KINDS, LOCATION, SMS, EventKind
from .rules import millis

MORE = 3  # rows that “More rows” adds
_FEW = 2
_MOST = 40  # more than this comes as a file

_YES_NO = [("", _("not given")), ("yes", _("yes")), ("no", _("no"))]
_DIRECTIONS = [("inbound", _("inbound")), ("outbound", _("outbound"))]
_ADDRESS_TYPES = [("telephone", _("telephone")), ("email", _("email"))]


class Row(forms.Form):
    """One value. Rows that are left as they came are not sent.

    A field has no length of its own: the service's limit is for the whole event.
    """

    def value(self) -> dict[str, object]:
        """What is sent of it: the fields that were filled in, under the API's names."""
        return {
            name: self.sent(name, entered)
            for name, entered in self.cleaned_data.items()
            if entered not in (None, "")
        }

    def leave_unexamined(self) -> None:
        """Show what was entered without a word on it."""
        self._errors = ErrorDict()
        self.cleaned_data = {}

    def sent(self, name: str, entered: Any) -> object:
        """One field as it is sent: a time in milliseconds, a yes or no as a boolean."""
        if isinstance(entered, datetime):
            return millis(entered)
        return entered == "yes" if name in ("read", "isCharging") else entered


def _yes_no(**options: Any) -> forms.ChoiceField:
    return forms.ChoiceField(choices=_YES_NO, required=False, **options)


def _row(name: str, fields: dict[str, forms.Field]) -> type[Row]:
    """A row class from a table: the fields bear the API's names."""
    return type(name, (Row,), fields)


class ContactRow(Row):
    """A contact: its addresses are objects, so the fields are put together."""

    name = LineField(label=_("Name"))
    address = LineField(label=_("Address"), help_text=_("A phone number or an e-mail address."))
    kind = forms.ChoiceField(
        choices=_ADDRESS_TYPES, label=_("Type of address"), initial="telephone"
    )
    others = forms.CharField(
        label=_("Other addresses"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("One a line; those with an @ are e-mail addresses."),
    )

    def value(self) -> dict[str, object]:
        """Spec: EntityValueSet, contact."""
        entered = self.cleaned_data
        lines = [line.strip() for line in entered["others"].splitlines()]
        return {
            "name": entered["name"],
            "primaryAddress": _address(entered["address"], entered["kind"]),
            "otherAddresses": [
                _address(line, "email" if "@" in line else "telephone") for line in lines if line
            ],
        }


def _address(name: str, kind: str) -> dict[str, object]:
    return {"addressName": name, "addressType": kind}


_ROWS: dict[str, type[Row]] = {
    SMS: _row(
        "SmsRow",
        {
            "address": LineField(label=_("Sender or receiver")),
            "direction": forms.ChoiceField(choices=_DIRECTIONS, initial="inbound"),
            "timestamp": SecondField(label=_("Time")),
            "read": _yes_no(label=_("Read")),
            "smsId": LineField(label=_("Message id"), required=False),
            "rawBody": forms.CharField(label=_("Text"), widget=forms.Textarea(attrs={"rows": 2})),
        },
    ),
    CONTACT: ContactRow,
    BATTERY: _row(
        "BatteryRow",
        {
            "timestamp": SecondField(label=_("Time")),
            "level": forms.DecimalField(
                label=_("Level (%)"), min_value=0, max_value=100, max_digits=6, decimal_places=3
            ),
            "isCharging": _yes_no(label=_("Charging")),
            "chargingMethod": LineField(label=_("Charging method"), required=False),
        },
    ),
    LOCATION: _row(
        "LocationRow",
        {
            "timestamp": SecondField(label=_("Time")),
            "latLng": LineField(
                label=_("Latitude,longitude"), help_text=_("In degrees, such as -1.2921,36.8219.")
            ),
        },
    ),
    APP: _row(
        "AppRow",
        {
            "timestamp": SecondField(label=_("Time")),
            "package": LineField(label=_("Package")),
            "name": LineField(label=_("Name"), required=False),
            "label": LineField(label=_("Label"), required=False),
        },
    ),
}


class Section:
    """The rows of one kind, as a form shows them."""

    def __init__(self, kind: EventKind, data: QueryDict | None) -> None:
        made = forms.formset_factory(_ROWS[kind.key], extra=_FEW, max_num=_MOST, absolute_max=_MOST)
        self.kind = kind
        self.prefix = prefix_of(kind.key)
        self.rows = made(data, prefix=self.prefix)

    @property
    def filled(self) -> list[Any]:
        """The rows that somebody wrote into."""
        return [row for row in self.rows if row.has_changed()]

    @property
    def open(self) -> bool:
        """Whether its rows are in sight: where something is entered, and the messages at first."""
        fresh = not self.rows.is_bound and self.kind.key == SMS
        return fresh or (self.rows.is_bound and (len(self.rows.forms) > _FEW or bool(self.filled)))

    @property
    def full(self) -> bool:
        """Whether no more rows can be had here."""
        return len(self.rows.forms) >= _MOST

    def leave_unexamined(self) -> None:
        """Show what was entered without complaining: somebody only asked for more rows."""
        for row in self.rows:
            row.leave_unexamined()


def prefix_of(key: str) -> str:
    """A kind's key as a form field's prefix."""
    return key.rpartition("/")[2]


def sections(data: QueryDict | None) -> list[Section]:
    """A section for each kind."""
    return [Section(kind, data) for kind in KINDS.values()]


def with_more(data: QueryDict, prefix: str) -> QueryDict:
    """What was sent, with more empty rows under one prefix."""
    name, changed = f"{prefix}-TOTAL_FORMS", data.copy()
    count = changed.get(name, "")
    if count.isascii() and count.isdigit() and len(count) < 4:
        changed[name] = str(min(int(count) + MORE, _MOST))
    return changed

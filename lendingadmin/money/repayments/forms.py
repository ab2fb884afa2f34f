"""Forms of repayments. Fields that become parameters of MakeRepayment have the spec's name."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from babel.numbers import get_currency_precision, is_currency
from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp, find_clock_offset
from lendingadmin.web.dates import far_notice, plausible
from lendingadmin.web.display.durations import elapsed
from lendingadmin.web.fields import AmountField, LineField, moment_field

from .managers import CASH, CHANNELS, IN_PERSON, NOT_GIVEN, write_network
from .models import Mistake, Repayment
from .services import Request
from .states import RepaymentState, Resolution

_CHANNELS = [("", _("—")), *CHANNELS.items()]
IN_CASH = {"channel": IN_PERSON, "network": CASH}
# These fields are folded under More, because people rarely change them.
_MORE = ("valueDate", "currencyCode", "notes")


class RepaymentForm(forms.Form):
    """Form for all eight parameters of MakeRepayment (spec: Loans). Dates are in the lender's zone.

    The network is a recently used network of the app, or a typed name. A form starts with the
    `usual` channel and network, which apply if there is a transaction id. A payment without an id
    is cash, unless the person chooses something else.
    """

    # As many digits as the column of the table.
    amount = AmountField(max_digits=15, decimal_places=3, min_value=Decimal("0.001"))
    externalId = LineField(
        label=_("Transaction id"),
        max_length=200,
        required=False,
        help_text=_("M-PESA code. Leave empty for cash."),
    )
    transactionDate = moment_field(label=_("Transaction date"))
    channel = forms.ChoiceField(
        choices=_CHANNELS,
        required=False,
        widget=forms.RadioSelect(attrs={"class": "chips"}),
        label=_("Channel"),
    )
    network = LineField(
        max_length=100,
        required=False,
        widget=forms.RadioSelect(attrs={"class": "chips"}),
        label=_("Network"),
    )
    otherNetwork = LineField(
        label=_("Another network"),
        max_length=100,
        required=False,
        help_text=_("Such as M-PESA or the name of a bank."),
    )
    valueDate = moment_field(label=_("Value date"))
    currencyCode = LineField(label=_("Currency"), max_length=3, required=False)
    notes = forms.CharField(
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        label=_("Notes"),
    )
    token = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        data: Any,
        *,
        app: LendingApp,
        retry_of: Repayment | None,
        networks: Sequence[str] = (),
        usual: Mapping[str, str] | None = None,
        initial: Mapping[str, Any] | None = None,
        **kw: Any,
    ) -> None:
        self.usual = {"channel": "", "network": ""} | dict(usual or {})
        super().__init__(data, initial={**self.usual, **(initial or {})}, **kw)
        self.app = app
        self.retry_of = retry_of
        self.fields["currencyCode"].initial = app.currency
        currency = self._find_currency()
        self.fields["amount"].label = _("Amount (%(currency)s)") % {"currency": currency}
        self.fields["amount"].currency = currency  # type: ignore[attr-defined]
        self.fields["valueDate"].required = False
        self.fields["valueDate"].help_text = _(
            "The day when the repayment takes effect. Leave empty for the transaction date."
        )
        self.fields["transactionDate"].initial = timezone.now().replace(second=0, microsecond=0)
        names = dict.fromkeys(filter(None, (*networks, self["network"].value())))
        choices = [("", gettext("—")), *((name, write_network(name)) for name in names)]
        self.fields["network"].widget.choices = choices
        if not names:
            self.fields["otherNetwork"].label = _("Network")
        if retry_of:
            self.fields["externalId"].disabled = True
            self.fields["externalId"].initial = retry_of.external_id
            self.fields["externalId"].help_text = _("The repayment is sent again with this id.")

    def _find_currency(self) -> str:
        """Return the currency of the amount: the given code if it is valid, else the app's."""
        code = str(self["currencyCode"].value() or "").strip().upper()
        return code if is_currency(code) else self.app.currency

    @property
    def clock_notice(self) -> str:
        """The reason why the form's initial date may be wrong; empty if there is none."""
        return clock_notice()

    @property
    def is_more_open(self) -> bool:
        """True if a field under More has an error, or differs from its usual value."""
        values = [self[name].value() or "" for name in _MORE]
        return values != ["", self.app.currency, ""] or any(map(self.errors.get, _MORE))

    def focus_first(self) -> None:
        """Put the cursor into the first wrong field, or else into the amount."""
        wrong = next((name for name in self.fields if name in self.errors), "amount")
        self.fields[wrong].widget.attrs["autofocus"] = True

    def clean_externalId(self) -> str:
        """Return the id; raise ValidationError for an id with invisible characters.

        Such an id would look like another id.
        """
        text = str(self.cleaned_data["externalId"])
        if not self.retry_of and any(unicodedata.category(letter) == "Cf" for letter in text):
            words = _("This text has invisible characters. Type the text again.")
            raise forms.ValidationError(words, code="invisible")
        return text

    def clean_transactionDate(self) -> datetime:
        """Return the time; raise ValidationError for a time in the future."""
        date: datetime = self.cleaned_data["transactionDate"]
        if date > timezone.now():
            raise forms.ValidationError(_("A transaction can't be in the future."), code="future")
        return date

    def clean_currencyCode(self) -> str:
        """Return an ISO 4217 code, or an empty text."""
        code = str(self.cleaned_data["currencyCode"]).upper()
        if code and not is_currency(code):
            words = _("Enter the currency's three letters, such as KES.")
            raise forms.ValidationError(words, code="currency")
        return code

    def clean(self) -> dict[str, Any]:
        """Set the network and the channel, and check the amount's decimals against its currency.

        A typed network replaces the chosen one. `_settle_cash` then applies the rules for cash.
        """
        cleaned = super().clean() or self.cleaned_data
        cleaned["network"] = cleaned.get("otherNetwork") or cleaned.get("network", "")
        if cleaned["network"].casefold() == CASH.casefold():
            cleaned["network"] = CASH
        if "externalId" not in self.errors:
            cleaned |= self._settle_cash(cleaned)
        code = cleaned.get("currencyCode") or self.app.currency
        amount = cleaned.get("amount")
        decimals = get_currency_precision(code)
        if isinstance(amount, Decimal) and amount != round(amount, decimals):
            words = gettext("Enter at most %(count)s decimals for %(currency)s.")
            given = {"currency": code, "count": decimals}
            self.add_error("amount", forms.ValidationError(words, code="decimals", params=given))
        return cleaned

    def _settle_cash(self, cleaned: Mapping[str, Any]) -> dict[str, str]:
        """Return the channel and network that follow from the transaction id.

        Without an id, the payment is cash and the usual network does not apply. A channel or
        network that a person chose does not change. If a person adds an id to a draft of cash, the
        usual channel and network apply. The result is empty if nothing must change.
        """
        shown = {name: self.get_initial_for_field(self.fields[name], name) for name in IN_CASH}
        kept = [name for name in IN_CASH if cleaned.get(name) == shown[name]]
        if not cleaned.get("externalId"):
            in_person = cleaned.get("channel") in ("", IN_PERSON)
            if cleaned["network"] == CASH:
                return IN_CASH if "channel" in kept else {}
            if shown != self.usual or "network" not in kept:
                return {}
            return IN_CASH if "channel" in kept or in_person else {"network": ""}
        is_added = shown == IN_CASH and len(kept) == 2 and not self.initial.get("externalId")
        return self.usual if is_added and any(self.usual.values()) else {}

    def entered(self) -> dict[str, str]:
        """Return the entered values as text, for a draft."""
        cleaned = self.cleaned_data
        value_date = cleaned.get("valueDate") or cleaned["transactionDate"]
        return {
            "external_id": cleaned["externalId"],
            "amount": str(cleaned["amount"]),
            "transaction_date": cleaned["transactionDate"].isoformat(),
            "value_date": value_date.isoformat(),
            "channel": cleaned["channel"],
            "network": cleaned["network"],
            "currency_code": cleaned["currencyCode"],
            "notes": cleaned["notes"],
            "retry_of": str(self.retry_of.pk) if self.retry_of else "",
        }


def request_from(app_id: str, draft: dict[str, str]) -> Request:
    """Return the request from a saved draft. Dates are in the current time zone."""
    return Request(
        app_id=app_id,
        account_id=draft["account_id"],
        borrower_id=draft["borrower_id"],
        external_id=draft["external_id"],
        amount=Decimal(draft["amount"]),
        transaction_date=timezone.localtime(datetime.fromisoformat(draft["transaction_date"])),
        value_date=timezone.localtime(datetime.fromisoformat(draft["value_date"])),
        channel=draft["channel"],
        network=draft["network"],
        currency_code=draft["currency_code"],
        notes=draft["notes"],
        retry_of=int(draft["retry_of"]) if draft["retry_of"] else None,
    )


def clock_notice() -> str:
    """Return a sentence if the clocks of the dashboard and the service differ; else empty."""
    if not (offset := find_clock_offset()):
        return ""
    words = gettext(
        "The clocks of this dashboard and the lending service differ by %(time)s. Check the date."
    )
    return words % {"time": elapsed(60 * round(abs(offset) / 60))}


class DateNotice(NamedTuple):
    """Notice about an unusual date: its name on the page, and the sentence."""

    finding: str
    words: str


def date_notices(asked: Request, now: datetime) -> list[DateNotice]:
    """Return notices about dates that may be wrong, and about a wrong clock.

    The dates of `asked` are in the lender's time zone.
    """
    done, takes_effect = asked.transaction_date, asked.value_date
    found = [
        DateNotice("clock", clock_notice()),
        DateNotice("transaction-date-far", far_notice(gettext("The transaction date"), done, now)),
        DateNotice("value-date-far", far_notice(gettext("The value date"), takes_effect, now)),
    ]
    if takes_effect.date() < done.date():
        words = gettext(
            "The value date is before the transaction date. A repayment can't take effect "
            "before it was made."
        )
        found.append(DateNotice("value-date-before", words))
    return [notice for notice in found if notice.words]


def initial_from(source: dict[str, str] | Repayment | None) -> dict[str, Any]:
    """Return the initial values of the form, from a draft or from a repayment to send again."""
    if source is None:
        return {}
    values = source if isinstance(source, dict) else vars(source)
    moments = {
        name: datetime.fromisoformat(str(values[key]))
        for name, key in (("transactionDate", "transaction_date"), ("valueDate", "value_date"))
    }
    if moments["valueDate"] == moments["transactionDate"]:
        del moments["valueDate"]
    return moments | {
        "externalId": values["external_id"],
        "amount": Decimal(values["amount"]),
        "channel": values["channel"],
        "network": values["network"],
        "currencyCode": values["currency_code"],
        "notes": values["notes"],
    }


class ReasonForm(forms.Form):
    """Form for the reason of a decision. The reason is stored encrypted, not in the audit trail."""

    reason = forms.CharField(
        min_length=5, max_length=1000, widget=forms.Textarea(attrs={"rows": 2}), label=_("Reason")
    )


class ResolveForm(ReasonForm):
    """Form for a person's decision on a repayment that the evidence does not decide."""

    resolution = forms.ChoiceField(
        choices=Resolution.choices, widget=forms.RadioSelect, label=_("Status")
    )
    field_order = ("resolution", "reason")


class MistakeForm(forms.Form):
    """Form to report a mistake in a repayment; the note is stored encrypted."""

    note = forms.CharField(
        min_length=10,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        label=_("Mistake"),
        help_text=_("Such as “the amount was 500, not 5,000”."),
        error_messages={"min_length": _("Describe the mistake in a few words.")},
    )


class ReviewForm(ReasonForm):
    """Form for a manager's decision on a reported mistake; the reason is stored encrypted."""

    resolution = forms.ChoiceField(
        choices=Mistake.Review.choices, widget=forms.RadioSelect, label=_("Decision")
    )
    field_order = ("resolution", "reason")

    def decision(self) -> tuple[Mistake.Review, str]:
        """Return the decision and its reason."""
        return Mistake.Review(self.cleaned_data["resolution"]), self.cleaned_data["reason"]


def _day(label: Any) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"})
    return forms.DateField(required=False, label=label, widget=widget, validators=[plausible])


_BY = [("", _("day of entry")), ("transactionDate", _("transaction date"))]
_STATES = [
    ("", _("any status")),
    *((state, _(label)) for state, label in RepaymentState.choices),
    ("landed", _("recorded, probably recorded or marked as recorded")),
    ("doubtful", _("not known yet")),
    ("abandoned", _("resolved as not recorded")),
]
_REPORTS = [
    ("", _("any")),
    ("open", _("a mistake is reported")),
    ("reviewed", _("a report was reviewed")),
]


class JournalForm(forms.Form):
    """Form for the filter of the journal. All fields are in the address."""

    state = forms.ChoiceField(choices=_STATES, required=False, label=_("State"))
    mistake = forms.ChoiceField(choices=_REPORTS, required=False, label=_("Reports"))
    person = forms.CharField(required=False, max_length=150, label=_("Person"))
    record = forms.CharField(
        required=False, max_length=255, label=_("Loan, transaction or receipt")
    )
    channel = forms.ChoiceField(
        choices=[("", _("any")), *_CHANNELS[1:], (NOT_GIVEN, _(NOT_GIVEN))],
        required=False,
        label=_("Channel"),
    )
    network = forms.CharField(required=False, max_length=100, label=_("Network"))
    currency = forms.CharField(required=False, max_length=3, label=_("Currency"))
    since = _day(_("Since"))
    until = _day(_("Until"))
    by = forms.ChoiceField(choices=_BY, required=False, label=_("Filter and sort by"))

    def clean_currency(self) -> str:
        """Return the currency in capitals, as it is stored."""
        return str(self.cleaned_data["currency"]).upper()


class DayForm(forms.Form):
    """Form for the day of the end of day. An empty day means today in the lender's time zone."""

    date = _day(_("Date"))
    by = forms.ChoiceField(choices=_BY, required=False, label=_("Sort by"))

    def clean_date(self) -> Any:
        """Return the day; today if it is empty."""
        return self.cleaned_data["date"] or timezone.localdate()


class CashForm(forms.Form):
    """Form for the count of one till: the cashier, the currency and the amount."""

    till = forms.ChoiceField(label=_("Cashier"))
    amount = AmountField(label=_("Counted"), max_digits=15, decimal_places=3, min_value=Decimal(0))

    def __init__(self, data: Any, tills: Sequence[tuple[int, str, str]]) -> None:
        super().__init__(data)
        till: Any = self.fields["till"]
        till.choices = [(f"{pk}:{code}", f"{name}, {code}") for pk, name, code in tills]

    @property
    def chosen(self) -> tuple[int, str]:
        """The cashier's primary key and the currency. The form must be valid."""
        number, _colon, code = self.cleaned_data["till"].partition(":")
        return int(number), code

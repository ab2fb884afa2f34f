"""The limits of repayments, which managers set on Settings: form, texts and reader."""

from decimal import Decimal
from typing import Any, NamedTuple

from babel.numbers import get_currency_precision
from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.kinds import PolicyForm, PolicyKind, Values, Words, describe_fields
from lendingadmin.core.policies.services import read_recent
from lendingadmin.web.display import formats
from lendingadmin.web.display.money import figure
from lendingadmin.web.fields import AmountField

from .models import Repayment

AMOUNT, DAY, LOOK_ALIKE, CURRENCY = REASONS = ("amount", "day", "look-alike", "currency")
_AMOUNTS = ("amount", "day", "confirm_above")


class ApprovalLimits(NamedTuple):
    """The approval limits of an app, in its currency.

    An amount equal to a limit needs no approval. `amount` limits one repayment. `day` limits the
    total that one person enters in a day of the lender's time zone. None means no limit. With
    `look_alikes`, a repayment that is similar to an earlier repayment needs a second person.
    """

    amount: Decimal | None
    day: Decimal | None
    look_alikes: bool


def _amount(**options: Any) -> AmountField:
    # As many digits as the column of a repayment's amount has.
    least = Decimal(0)
    return AmountField(required=False, max_digits=15, decimal_places=3, min_value=least, **options)


class LimitsForm(PolicyForm):
    """Form for the limits of repayments, in the currency of the app. Empty means no limit."""

    amount = _amount(label=_("One repayment: second person above"))
    day = _amount(label=_("All repayments that one person enters in a day: second person above"))
    look_alikes = forms.BooleanField(
        label=_("Second person for a repayment that looks like an earlier one"), required=False
    )
    confirm_above = _amount(label=_("One repayment: confirm identity above"))

    def __init__(self, data: Any, *, app: LendingApp, values: Values) -> None:
        super().__init__(data, app=app, values=values)
        for name in _AMOUNTS:
            field: Any = self.fields[name]
            field.currency, field.is_wanted = app.currency, True
            field.help_text = _("In %(currency)s. Leave empty for no limit.") % {
                "currency": app.currency
            }
            field.validators.append(_DecimalsValidator(app.currency))


class _DecimalsValidator:
    """Validator of the number of decimals that a currency has."""

    def __init__(self, currency: str) -> None:
        self.most = get_currency_precision(currency)

    def __call__(self, amount: Decimal) -> None:
        if amount != round(amount, self.most):
            words = _("Enter at most %(most)s decimals.") % {"most": self.most}
            raise forms.ValidationError(words, code="decimals")


def _describe(values: Values) -> Words:
    written = {
        name: figure(Decimal(values[name]), "", formats.locale())
        for name in _AMOUNTS
        if values[name] is not None
    }
    return describe_fields(LimitsForm, {**values, **written})


def _lowers(before: Values, after: Values) -> bool:
    """Return True if a limit rises or ends, or if similar repayments need no approval any more."""
    rises = (
        before[name] is not None
        and (after[name] is None or Decimal(after[name]) > Decimal(before[name]))
        for name in _AMOUNTS
    )
    return any(rises) or bool(before["look_alikes"] and not after["look_alikes"])


def _describe_now(app: LendingApp) -> str:
    waiting = Repayment.objects.awaiting_approval(app.app_id).count()
    words = ngettext(
        "%(count)s repayment is waiting for a second person.",
        "%(count)s repayments are waiting for a second person.",
        waiting,
    )
    return words % {"count": waiting}


LIMITS = PolicyKind(
    "repayment-limits",
    _("Limits of repayments"),
    _(
        "For larger repayments, a second person must approve, or the person must confirm their "
        "identity."
    ),
    LimitsForm,
    {**dict.fromkeys(_AMOUNTS), "look_alikes": False},
    _describe,
    _describe_now,
    is_guarded=True,
    lowers=_lowers,
)


def read_limits(app_id: str) -> ApprovalLimits | None:
    """Return the approval limits of an app, in its currency; None if the app has no limits."""
    values = read_recent(LIMITS, app_id)
    amount, day = (values[name] and Decimal(values[name]) for name in ("amount", "day"))
    found = ApprovalLimits(amount, day, bool(values["look_alikes"]))
    return None if found == ApprovalLimits(None, None, False) else found


def read_confirm_above(app_id: str) -> Decimal | None:
    """Return the amount above which a person confirms their identity; None for no limit."""
    above = read_recent(LIMITS, app_id)["confirm_above"]
    return above and Decimal(above)


def list_reasons(
    limits: ApprovalLimits, amount: Decimal, *, entered: Decimal, is_converted: bool, is_alike: bool
) -> list[str]:
    """Return the REASONS why this repayment needs a second person; empty if it needs none.

    `entered` is the sum that the person entered earlier on that day. An amount in another currency
    can't be compared with a limit, so it always needs a second person if the app has a limit.
    """
    is_limited = limits.amount is not None or limits.day is not None
    found = {
        AMOUNT: limits.amount is not None and not is_converted and amount > limits.amount,
        DAY: limits.day is not None and not is_converted and entered + amount > limits.day,
        LOOK_ALIKE: limits.look_alikes and is_alike,
        CURRENCY: is_limited and is_converted,
    }
    return [reason for reason in REASONS if found[reason]]

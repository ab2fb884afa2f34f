"""Terms and charges of a product in words (Spec: Product, LendingTerms, Charge).

The spec does not show all possible words. A known word becomes part of a sentence. Any other word
is shown as received, so nothing is left out and nothing is invented.
"""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.lending.values import Charge, Malformed, Product
from lendingadmin.web.display import durations, formats, rates
from lendingadmin.web.display.numbers import MISSING, as_it_came, decimals_of, grouped, number
from lendingadmin.web.display.text import list_others, spelled, write_any

_ACTIONS = {
    "deduct": gettext_noop("deducted from"),
    "add": gettext_noop("added to"),
    "subtract": gettext_noop("subtracted from"),
}
_AS_RATE = frozenset({"ratio", "rate", "fraction"})
_TARGETS = {
    "disbursement": gettext_noop("the amount paid out"),
    "installment": gettext_noop("an instalment"),
    "principal": gettext_noop("the principal"),
    "base_rate": gettext_noop("the base rate"),
}


class Term(NamedTuple):
    """One line: the label, the value in words, and the exact value if it differs."""

    label: str
    value: str
    note: str = ""
    hover: str = ""


class ChargeLine(NamedTuple):
    """One charge: its name, its sentence, and its fields as received."""

    name: str
    sentence: str
    fields: list[tuple[str, str]]


def terms(product: Product) -> list[Term]:
    """Return all terms of a product. The most important for a borrower come first."""
    of = product.terms
    if isinstance(of, Malformed):
        return [Term(_("Terms as received"), as_it_came(of))]
    interest = getattr(of, "interest", None)
    lines = [
        _duration(_("Runs for"), getattr(of, "period", None)),
        _duration(_("An instalment every"), getattr(of, "repayment_interval", None)),
        *_interest(interest),
        *_adjustment(_("Adjustment of the interest"), getattr(interest, "adjustment", None)),
        *_adjustment(_("Adjustment"), getattr(of, "adjustment", None)),
    ]
    return lines + [Term(*other) for other in [*list_others(of), *list_others(interest)]]


def _interest(interest: object) -> list[Term]:
    if isinstance(interest, Malformed):
        return [Term(_("Interest as received"), as_it_came(interest))]
    term, kind = getattr(interest, "term_period", None), getattr(interest, "type", None)
    basis = _("the reducing balance") if kind == "reducing_balance" else spelled(kind)
    return [
        Term(_("Interest is calculated on"), basis),
        _duration(_("Rates are for"), term),
        _rate(_("Base rate"), getattr(interest, "base_rate", None), term),
        _rate(_("Risk premium"), getattr(interest, "risk_premium_rate", None), term),
        _rate(_("Effective rate, at most"), getattr(interest, "max_effective_rate", None), term),
    ]


def _duration(label: str, value: object) -> Term:
    locale = formats.locale()
    words, exact = durations.duration(value, locale), durations.exact_duration(value, locale)
    return Term(label, words, "" if words == exact else exact)


def _rate(label: str, value: object, term: object) -> Term:
    """Return the line of a rate, with the period `term` to which the product's rates apply."""
    locale = formats.locale()
    words, exact = rates.rate(value, locale), rates.exact_rate(value, locale)
    said = words if number(value) is None else rates.rate(value, locale, rates.period(term))
    return Term(label, said, "" if words == exact else exact, rates.rate_hover(value, locale))


def _adjustment(label: str, adjustment: object) -> list[Term]:
    """Return the adjustment of a rate or an amount in one sentence, then its other fields.

    Without an adjustment, return none. A malformed adjustment is returned as received.
    """
    if adjustment is None:
        return []
    if isinstance(adjustment, Malformed):
        return [Term(_("%(label)s as received") % {"label": label}, as_it_came(adjustment))]
    action, target = (getattr(adjustment, name, None) for name in ("action", "target"))
    kind = getattr(adjustment, "value_type", None)
    sentence = f"{_say(action, _ACTIONS)} {_say(target, _TARGETS)}".strip()
    if kind is not None:
        word = spelled(kind)
        full = _("%(sentence)s, a %(kind)s value")
        if word[:1].lower() in "aeiou":
            full = _("%(sentence)s, an %(kind)s value")
        sentence = full % {"sentence": sentence, "kind": word}
    return [Term(label, sentence or MISSING), *(Term(*one) for one in list_others(adjustment))]


def charges(product: Product) -> list[ChargeLine]:
    """Return every charge of a product, with a sentence for each."""
    found = product.charges
    if isinstance(found, Malformed):
        return [ChargeLine(_("As received"), as_it_came(found), [])]
    lines = []
    for charge in found or ():
        if isinstance(charge, Malformed):
            lines.append(ChargeLine(_("As received"), as_it_came(charge), []))
            continue
        name = charge.display_name or charge.kind or charge.name
        fields = [(str(key), write_any(value)) for key, value in charge.entries]
        lines.append(ChargeLine(spelled(name), charge_sentence(charge), fields))
    return lines


def charge_sentence(charge: Charge) -> str:
    """Return a sentence such as `2.5 % deducted from the amount paid out`.

    Unknown words are shown as received.
    """
    parts = [
        _amount(charge.value, charge.value_type),
        _say(charge.action, _ACTIONS),
        _say(charge.target, _TARGETS),
    ]
    return " ".join(part for part in parts if part) or MISSING


def _amount(value: object, kind: object) -> str:
    """Return the value of a charge as text; empty without a value.

    An absolute value is in the app's currency.
    """
    if value is None:
        return ""
    if isinstance(kind, str) and kind.lower() in _AS_RATE:
        return rates.rate(value, formats.locale())
    found = number(value)
    written = (
        as_it_came(value) if found is None else grouped(found, decimals_of(found), formats.locale())
    )
    if kind == "absolute":
        return _("%(amount)s in the app's currency") % {"amount": written}
    return written if kind is None else f"{written} ({spelled(kind)})"


def _say(value: object, known: Mapping[str, str]) -> str:
    if isinstance(value, str):
        return _(known.get(value, "")) or spelled(value)
    return "" if value is None else as_it_came(value)


def list_labels(product: Product) -> list[tuple[str, str]]:
    """Return the labels of a product as received."""
    found = product.labels
    if isinstance(found, Malformed):
        return [("labels", write_any(found))]
    return [(str(key), write_any(value)) for key, value in found.entries] if found else []

"""Assessments and their types in words, and scores as pictures.

Spec: Assessment, AssessmentOutcome, AssessmentType. The spec documents no scale of any score. A
score is drawn on the usual scale, with its limits at both ends. A score outside the scale has no
picture, only its number.
"""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.values import Malformed, status_key
from lendingadmin.web.display.numbers import as_it_came, decimals_of, grouped, number
from lendingadmin.web.display.statuses import Status
from lendingadmin.web.display.text import spelled

from .locales import DEFAULT_LOCALE

RISK_SCALE = (Decimal(0), Decimal(100))
CREDIT_SCALE = (Decimal(300), Decimal(850))
_OUTCOMES = {
    gettext_noop("authorized"): ("good", "check-circle"),
    gettext_noop("declined"): ("bad", "x-circle"),
    gettext_noop("invalid"): ("warn", "exclamation-triangle"),
}
_OUTCOME_SENTENCES = {
    "authorized": gettext_noop("The service authorizes lending to this account."),
    "declined": gettext_noop("The service advises against lending to this account."),
    "invalid": gettext_noop("The service could not assess this account. There is no valid result."),
}
_LEVELS = {
    gettext_noop("very low"): ("good", "shield-check"),
    gettext_noop("low"): ("good", "shield-check"),
    gettext_noop("medium"): ("warn", "exclamation-triangle"),
    gettext_noop("high"): ("bad", "exclamation-triangle"),
    gettext_noop("very high"): ("bad", "exclamation-triangle"),
}
_TYPE_WARNINGS = {
    "0": gettext_noop(
        "This assessment type is in beta testing. The results may change, so compare them with "
        "another assessment."
    ),
    "2": gettext_noop("This assessment type is deprecated. The service may refuse or remove it."),
}


def outcome(value: object) -> Status | None:
    """Return the type of an outcome as a chip; None if there is no type.

    An unknown type is shown as received.
    """
    if value is None or value == "":
        return None
    key = as_it_came(value)
    if key in _OUTCOMES:
        return Status(_(key), *_OUTCOMES[key])
    return Status(spelled(value), "odd", "question-mark-circle")


def outcome_sentence(value: object) -> str:
    """Return the meaning of an outcome's type; empty if the spec does not name the type."""
    return _(_OUTCOME_SENTENCES.get(value, "")) if isinstance(value, str) else ""


def risk(level: object) -> Status | None:
    """Return a risk level as a chip; None if there is no level."""
    if level is None or level == "":
        return None
    words = spelled(level)
    tone, icon = _LEVELS.get(words.lower(), ("", "minus-circle"))
    return Status(_("%(level)s risk") % {"level": _(words)}, tone, icon)


def type_warning(status: object) -> str:
    """Return a warning about the status of an assessment type; empty if there is none."""
    return _(_TYPE_WARNINGS.get(status_key(status), ""))


def borrower_id(account_id: object) -> str:
    """Return the borrower id in an account id; empty for another type of account."""
    return resource_id(account_id) or ""


def type_id(name: object) -> str:
    """Return an assessment type's full name without its collection, to fit into a table."""
    return as_it_came(name).removeprefix("assessmentTypes/")


def limits(settings: object) -> list[tuple[str, str]]:
    """Return the limits of an assessment type to apps and accounts, as labels and words.

    According to the spec, an empty or absent list means no limit. A malformed list is shown as
    received.
    """
    if settings is None or isinstance(settings, Malformed):
        return [(_("Limits"), _("none") if settings is None else as_it_came(settings))]
    named = (
        (_("Channels"), "apps", "channels"),
        (_("Platforms"), "apps", "platforms"),
        (_("Borrowers"), "accounts", "categories"),
        (_("Account types"), "accounts", "account_types"),
    )
    return [
        (label, _listed(getattr(settings, group, None), field)) for label, group, field in named
    ]


def _listed(group: object, field: str) -> str:
    values = group if isinstance(group, Malformed) else getattr(group, field, None)
    if isinstance(values, Malformed):
        return as_it_came(values)
    return ", ".join(spelled(value) for value in values or ()) or _("any")


@dataclass(frozen=True)
class Gauge:
    """A bar along a scale; `filled` is the filled share, in per cent."""

    label: str
    value: str
    lowest: str
    highest: str
    filled: str
    anchor: str
    tone: str

    @property
    def words(self) -> str:
        """Text of the picture, for readers who cannot see it."""
        return _("%(label)s %(value)s, on a scale from %(lowest)s to %(highest)s") % {
            "label": self.label,
            "value": self.value,
            "lowest": self.lowest,
            "highest": self.highest,
        }


@dataclass(frozen=True)
class Step:
    """One step of a decision, with the tone of a chip."""

    label: str
    words: str
    tone: str


def score(value: object, locale: str = DEFAULT_LOCALE) -> str:
    """Return a score with the digits received. Other values are returned as received."""
    found = number(value)
    return as_it_came(value) if found is None else grouped(found, decimals_of(found), locale)


def draw_gauge(
    label: str,
    value: object,
    scale: tuple[Decimal, Decimal],
    tone: str = "",
    locale: str = DEFAULT_LOCALE,
) -> Gauge | None:
    """Draw a score on its scale; None for a value that is not a number or is outside the scale."""
    found = number(value)
    lowest, highest = scale
    if found is None or not lowest <= found <= highest:
        return None
    filled = 100 * (found - lowest) / (highest - lowest)
    return Gauge(
        label=label,
        value=score(found, locale),
        lowest=score(lowest),
        highest=score(highest),
        filled=f"{filled:.1f}",
        anchor="start" if filled < 8 else "end" if filled > 92 else "middle",
        tone=tone,
    )


def draw_gauges(result: object, tone: str = "", locale: str = DEFAULT_LOCALE) -> list[Gauge]:
    """Return the gauges of an outcome: risk score, in the tone of its level, and credit score."""
    drawn = (
        draw_gauge(_("Risk score"), getattr(result, "risk_score", None), RISK_SCALE, tone, locale),
        draw_gauge(
            _("Credit score"), getattr(result, "credit_score", None), CREDIT_SCALE, "", locale
        ),
    )
    return [one for one in drawn if one]


def list_steps(result: object) -> list[Step]:
    """Return the three steps of an assessment: its data, its rules and its decision.

    Only facts of the answer are shown. A reason `no_data` means too little data, and a `rule` is
    the rule that failed (Spec: AssessmentOutcome).
    """
    kind = getattr(result, "type", None)
    rule = getattr(result, "rule", None)
    too_little = getattr(result, "reason", None) == "no_data"
    judged = kind in ("authorized", "declined")
    if too_little:
        data, rules = (_("too little"), "bad"), (_("not reached"), "")
    else:
        data = (_("enough"), "good") if judged else ("", "")
        rules = (_("none failed"), "good") if kind == "authorized" else ("", "")
        if rule:
            rules = (_("one failed"), "bad")
    tones = {"authorized": "good", "declined": "bad", "invalid": "warn"}
    tone = tones.get(kind, "odd") if isinstance(kind, str) else "odd"
    decision = (_(as_it_came(kind).replace("_", " ")), tone)
    stations = ((_("Data"), *data), (_("Rules"), *rules), (_("Result"), *decision))
    return [Step(label, words or _("not reported"), tone) for label, words, tone in stations]

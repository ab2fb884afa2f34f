"""Scores as a picture: a bar along a scale, and the way from the data to the decision.

The spec documents no scale of any score. A score is drawn on the usual one, which the picture
names at both its ends; a score outside it has no picture, only its number.
"""

from dataclasses import dataclass
from decimal import Decimal

from lendingadmin.display.numbers import as_it_came, decimals_of, grouped, number

from .locales import DEFAULT_LOCALE

WIDTH = 300
_INSET = 16
RISK_SCALE = (Decimal(0), Decimal(100))
CREDIT_SCALE = (Decimal(300), Decimal(850))


@dataclass(frozen=True)
class Gauge:
    """A bar of an SVG `WIDTH` units wide; `at` is where the score stands, `filled` its length."""

    label: str
    value: str
    lowest: str
    highest: str
    start: str
    end: str
    length: str
    at: str
    filled: str
    anchor: str
    tone: str

    @property
    def words(self) -> str:
        """The picture for those who can't see it."""
        return f"{self.label} {self.value}, drawn from {self.lowest} to {self.highest}"


@dataclass(frozen=True)
class Step:
    """One station on the way to a decision; `x` in user units. Tones are those of a chip."""

    label: str
    words: str
    tone: str
    mark: str
    x: str


def score(value: object, locale: str = DEFAULT_LOCALE) -> str:
    """A score with the digits that came; what is no number shows as it came."""
    found = number(value)
    return as_it_came(value) if found is None else grouped(found, decimals_of(found), locale)


def gauge(
    label: str,
    value: object,
    scale: tuple[Decimal, Decimal],
    tone: str = "",
    locale: str = DEFAULT_LOCALE,
) -> Gauge | None:
    """Draw a score on its scale; None for what is no number or stands outside the scale."""
    found = number(value)
    lowest, highest = scale
    if found is None or not lowest <= found <= highest:
        return None
    length = WIDTH - 2 * _INSET
    filled = float((found - lowest) / (highest - lowest)) * length
    near_start, near_end = filled < 20, filled > length - 20
    return Gauge(
        label=label,
        value=score(found, locale),
        lowest=score(lowest),
        highest=score(highest),
        start=f"{_INSET}",
        end=f"{WIDTH - _INSET}",
        length=f"{length}",
        at=f"{_INSET + filled:.1f}",
        filled=f"{filled:.1f}",
        anchor="start" if near_start else "end" if near_end else "middle",
        tone=tone,
    )


def gauges(result: object, tone: str = "", locale: str = DEFAULT_LOCALE) -> list[Gauge]:
    """The gauges of an outcome: risk score, in the tone of its level, and credit score."""
    drawn = (
        gauge("Risk score", getattr(result, "risk_score", None), RISK_SCALE, tone, locale),
        gauge("Credit score", getattr(result, "credit_score", None), CREDIT_SCALE, "", locale),
    )
    return [one for one in drawn if one]


def way(result: object) -> list[Step]:
    """Data, rules, decision: where an assessment went well and where it stopped.

    Only what was answered is drawn: a reason `no_data` is too little data, a `rule` is the one
    that failed (Spec: AssessmentOutcome).
    """
    kind = getattr(result, "type", None)
    rule = getattr(result, "rule", None)
    too_little = getattr(result, "reason", None) == "no_data"
    judged = kind in ("authorized", "declined")
    data = ("too little", "bad") if too_little else ("enough", "good") if judged else ("", "")
    if too_little:
        rules = ("not reached", "")
    elif rule:
        rules = ("one failed", "bad")
    else:
        rules = ("none failed", "good") if kind == "authorized" else ("", "")
    tones = {"authorized": "good", "declined": "bad", "invalid": "warn"}
    tone = tones.get(kind, "odd") if isinstance(kind, str) else "odd"
    decision = (as_it_came(kind).replace("_", " "), tone)
    stations = (("Data", *data), ("Rules", *rules), ("Outcome", *decision))
    marks = {"good": "check", "bad": "cross", "warn": "bar"}
    return [
        Step(label, words or "not told", tone, marks.get(tone, ""), f"{50 + 100 * index}")
        for index, (label, words, tone) in enumerate(stations)
    ]

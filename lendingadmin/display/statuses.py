"""Statuses as a word, a tone and an icon: colour alone never says anything."""

from collections.abc import Mapping
from typing import NamedTuple

from lendingadmin.display.numbers import as_it_came, grouped, number
from lendingadmin.lending.values import status_key

from .locales import DEFAULT_LOCALE

Words = Mapping[str, str]


class Status(NamedTuple):
    """What a chip shows. `tone` is good, info, warn, bad, odd or empty; `icon` a heroicons name."""

    word: str
    tone: str = ""
    icon: str = "minus-circle"


_BY_WORD = {
    "pending": ("", "clock"),
    "open": ("info", "lock-open"),
    "closed": ("", "lock-closed"),
    "settled": ("good", "check-circle"),
    "written off": ("bad", "x-circle"),
    "performing": ("good", "check-circle"),
    "watch": ("warn", "eye"),
    "substandard": ("warn", "exclamation-triangle"),
    "doubtful": ("bad", "exclamation-triangle"),
    "loss": ("bad", "x-circle"),
    "active": ("good", "check-circle"),
    "inactive": ("", "minus-circle"),
    "suspended": ("warn", "pause-circle"),
    "blocked": ("bad", "no-symbol"),
    "deleted": ("", "trash"),
}

# Words for a loan's status that decide whether it is open; any other word leaves that undecided.
_OPEN = {"open"}
_NOT_OPEN = {"pending", "closed", "settled", "written off", "deleted"}

_PROCESSING = {
    "0": Status("not processed", "", "clock"),
    "1": Status("processed", "good", "check-circle"),
    "2": Status("processed with errors", "bad", "exclamation-triangle"),
}

_ASSESSMENT_TYPES = {
    "0": Status("beta", "info", "beaker"),
    "1": Status("available", "good", "check-circle"),
    "2": Status("deprecated", "", "archive-box"),
}


def find_status(value: object, words: Words) -> Status | None:
    """A status that the spec leaves open: its word from the settings, `status 77` if unidentified.

    A status that came as text is looked up the same way, else it is its own word. Nothing gives
    None, so that no empty chip is drawn.
    """
    if value is None or value == "":
        return None
    key = status_key(value)
    word = words.get(key)
    if word is None:
        word = f"status {key}" if number(value) is not None else key
    tone, icon = _BY_WORD.get(word.lower(), ("", "minus-circle"))
    return Status(word, tone, icon)


def says_open(value: object, words: Words) -> bool | None:
    """Whether the word of a loan's status says that it is open; None where no word decides it.

    The spec names `open` and `closed`, but no number for them (spec: States and transitions).
    """
    status = find_status(value, words)
    word = status.word.strip().casefold() if status else ""
    return word in _OPEN if word in _OPEN | _NOT_OPEN else None


def processing(value: object) -> Status | None:
    """The status of an assessment or event (spec: States and transitions)."""
    return _PROCESSING.get(status_key(value)) or find_status(value, {})


def assessment_type(value: object) -> Status | None:
    """The status of an assessment type (spec: States and transitions)."""
    return _ASSESSMENT_TYPES.get(status_key(value)) or find_status(value, {})


def days_late(value: object, locale: str = DEFAULT_LOCALE) -> Status | None:
    """`20 days late` for a loan in arrears (spec: LoanSchedule, daysLate); else None."""
    days = number(value)
    if days is None:
        return None if value is None else Status(f"days late: {as_it_came(value)}", "odd")
    if days <= 0:
        return None
    text = grouped(days, 0, locale) if days == days.to_integral_value() else str(days)
    return Status(f"{text} {'day' if days == 1 else 'days'} late", "bad", "exclamation-triangle")

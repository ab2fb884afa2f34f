"""Statuses as a word, a tone and an icon, because colour alone is not enough."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from lendingadmin.lending.values import status_key
from lendingadmin.web.display.numbers import as_it_came, grouped, number

from .locales import DEFAULT_LOCALE

Words = Mapping[str, str]


class Status(NamedTuple):
    """Content of a chip.

    `tone` is good, info, warn, bad, odd or empty. `icon` is a heroicons name.
    """

    word: str
    tone: str = ""
    icon: str = "minus-circle"


_WRITTEN_OFF = gettext_noop("written off")
_BY_WORD = {
    gettext_noop("pending"): ("", "clock"),
    gettext_noop("open"): ("info", "lock-open"),
    gettext_noop("closed"): ("", "lock-closed"),
    gettext_noop("settled"): ("good", "check-circle"),
    _WRITTEN_OFF: ("bad", "x-circle"),
    gettext_noop("performing"): ("good", "check-circle"),
    gettext_noop("watch"): ("warn", "eye"),
    gettext_noop("substandard"): ("warn", "exclamation-triangle"),
    gettext_noop("doubtful"): ("bad", "exclamation-triangle"),
    gettext_noop("loss"): ("bad", "x-circle"),
    gettext_noop("active"): ("good", "check-circle"),
    gettext_noop("inactive"): ("", "minus-circle"),
    gettext_noop("suspended"): ("warn", "pause-circle"),
    gettext_noop("blocked"): ("bad", "no-symbol"),
    gettext_noop("deleted"): ("", "trash"),
}

# Words for a loan's status that mean open. Other words mean closed or are not known.
_OPEN = {"open"}
_NOT_OPEN = {"pending", "closed", "settled", _WRITTEN_OFF, "deleted"}

_PROCESSING = {
    "0": Status(gettext_noop("not processed"), "", "clock"),
    "1": Status(gettext_noop("processed"), "good", "check-circle"),
    "2": Status(gettext_noop("processed with errors"), "bad", "exclamation-triangle"),
}

_ASSESSMENT_TYPES = {
    "0": Status(gettext_noop("beta"), "info", "beaker"),
    "1": Status(gettext_noop("available"), "good", "check-circle"),
    "2": Status(gettext_noop("deprecated"), "", "archive-box"),
}


def find_status(value: object, words: Words) -> Status | None:
    """Return a status with a number that the spec does not define.

    The word comes from `words` (the settings), or else is `status 77`. A status that was sent as
    text is searched in `words` too; if `words` does not have it, the text is the word. Return None
    for a missing value, so that no empty chip is drawn.
    """
    if value is None or value == "":
        return None
    key = status_key(value)
    word = words.get(key)
    if word is None:
        word = _("status %(key)s") % {"key": key} if number(value) is not None else key
    look = _BY_WORD.get(word.lower())
    return Status(_(word), *look) if look else Status(word)


def says_open(value: object, words: Words) -> bool | None:
    """Return True if the word of a loan's status means open; False for closed, None for others.

    The spec names `open` and `closed`, but no number for them (spec: States and transitions).
    """
    key = status_key(value)
    word = words.get(key, key).strip().casefold()
    return word in _OPEN if word in _OPEN | _NOT_OPEN else None


def processing(value: object) -> Status | None:
    """Return the status of an assessment or event (spec: States and transitions).

    An unknown value becomes a status as in `find_status`. Return None for a missing value.
    """
    known = _PROCESSING.get(status_key(value))
    return known._replace(word=_(known.word)) if known else find_status(value, {})


def assessment_type(value: object) -> Status | None:
    """Return the status of an assessment type (spec: States and transitions).

    An unknown value becomes a status as in `find_status`. Return None for a missing value.
    """
    known = _ASSESSMENT_TYPES.get(status_key(value))
    return known._replace(word=_(known.word)) if known else find_status(value, {})


def days_late(value: object, locale: str = DEFAULT_LOCALE) -> Status | None:
    """Return `20 days late` for a loan in arrears (spec: LoanSchedule, daysLate); else None.

    A value that is not a number is shown as received.
    """
    days = number(value)
    if days is None:
        if value is None:
            return None
        return Status(_("days late: %(days)s") % {"days": as_it_came(value)}, "odd")
    if days <= 0:
        return None
    is_whole = days == days.to_integral_value()
    words = ngettext("%(count)s day late", "%(count)s days late", int(days) if is_whole else 2)
    text = grouped(days, 0, locale) if is_whole else str(days)
    return Status(words % {"count": text}, "bad", "exclamation-triangle")

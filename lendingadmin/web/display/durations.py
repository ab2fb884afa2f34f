"""Durations: `<n> days` in JSON (spec: Conventions), months, weeks or days on the screen."""

import re
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from lendingadmin.web.display.numbers import as_it_came, whole

from .locales import DEFAULT_LOCALE

_DAYS = re.compile(r"\s*(\d{1,6})\s+days?\s*", re.ASCII | re.IGNORECASE)
_UNITS = (
    (365, ngettext_lazy("%(count)s year", "%(count)s years", "number")),
    (30, ngettext_lazy("%(count)s month", "%(count)s months", "number")),
    (7, ngettext_lazy("%(count)s week", "%(count)s weeks", "number")),
)


def duration(value: object, locale: str = DEFAULT_LOCALE) -> str:
    """Write a duration in months, weeks or days: `90 days` becomes `3 months`.

    `14 days` becomes `2 weeks`. Only exact multiples are written like this. A single period of 30
    days is written as `30 days`, because a month may have more or fewer days. A value in another
    form is shown as received. `exact_duration` returns the days for the hover.
    """
    days = days_of(value)
    if days is None:
        return as_it_came(value)
    for length, words in _UNITS:
        count, rest = divmod(days, length)
        if count and not rest and days != 30:
            return words % {"number": count, "count": whole(count, locale)}
    return exact_duration(value, locale)


def exact_duration(value: object, locale: str = DEFAULT_LOCALE) -> str:
    """Write a duration in days."""
    days = days_of(value)
    if days is None:
        return as_it_came(value)
    return ngettext("%(count)s day", "%(count)s days", days) % {"count": whole(days, locale)}


def elapsed(value: object) -> str:
    """Write an elapsed time: `23 s`, `2 min 5 s`, `3 h 10 min`, `2 days 3 h`.

    `value` is in seconds or a timedelta. A negative time counts as zero.
    """
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 10**12:
        return as_it_came(value)
    seconds = max(0, int(value)) if value == value else 0
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = (
        (days, ngettext("%(count)s day", "%(count)s days", days)),
        (hours, _("%(count)s h")),
        (minutes, _("%(count)s min")),
        (seconds, _("%(count)s s")),
    )
    shown = [words % {"count": count} for count, words in parts if count][:2]
    return " ".join(shown) or _("%(count)s s") % {"count": 0}


def days_of(value: object) -> int | None:
    """Return the days of a duration from the service; None for anything else."""
    if isinstance(value, timedelta):
        return None
    match = _DAYS.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else None

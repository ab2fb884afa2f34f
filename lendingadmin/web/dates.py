"""Shared rules for dates in forms and addresses."""

from datetime import date, datetime

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from lendingadmin.web.display.times import zone_name

# The zone of the days in contracts (Spec: LendingContract: days begin and end in UTC).
UTC_DAY = gettext_noop("UTC day")
# Days that are the same everywhere, such as a date of birth, have no zone.
NO_ZONE = ""
_A_YEAR = 366  # days
_CONTROLS = ("date", "datetime-local")


def plausible(value: date) -> None:
    """Raise ValidationError for a year before 1900 or after 9998.

    Time zones fail at the limits of `datetime`.
    """
    if not 1900 <= value.year < 9999:
        raise ValidationError(_("Enter a year between 1900 and 9998."), code="year")


def far_notice(what: str, at: datetime, now: datetime) -> str:
    """Return a sentence about a time that is more than a year away, because its year may be wrong.

    Return an empty text for other times. `what` begins the sentence.
    """
    days = (at - now).days
    if abs(days) <= _A_YEAR:
        return ""
    years = abs(days) // 365
    if days > 0:
        words = ngettext(
            "%(what)s is more than a year from now. Check the year.",
            "%(what)s is %(count)s years from now. Check the year.",
            years,
        )
    else:
        words = ngettext(
            "%(what)s is more than a year ago. Check the year.",
            "%(what)s is %(count)s years ago. Check the year.",
            years,
        )
    return words % {"what": what, "count": years}


def zone_beside(field: forms.Field) -> str:
    """Return the zone of a field's day or time, for its label; empty for other fields.

    Usually this is the current zone: the lender's on an app's pages, UTC on other pages. If it is
    another zone, its words are in `zone_words`.
    """
    if getattr(field.widget, "input_type", "") not in _CONTROLS:
        return ""
    words: str | None = getattr(field, "zone_words", None)
    return zone_name(timezone.get_current_timezone()) if words is None else _(words)

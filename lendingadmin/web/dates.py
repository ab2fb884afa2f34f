"""What dates in forms and addresses have in common."""

from datetime import date

from django.core.exceptions import ValidationError


def plausible(value: date) -> None:
    """Validate a date or a time: zones can't be reckoned with at the ends of the calendar.

    Raises ValidationError.
    """
    if not 1900 <= value.year < 9999:
        raise ValidationError("Give a year between 1900 and 9998.")

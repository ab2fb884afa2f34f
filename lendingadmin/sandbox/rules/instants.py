"""Timestamps, dates and durations in the form of the spec (Spec: Conventions)."""

import re
from datetime import UTC, date, datetime, timedelta

from lendingadmin.sandbox.rules.invalid import Invalid

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_YEAR, LAST_YEAR = 1900, 2199
LONGEST_PERIOD = 3660
_TIMESTAMP = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|z|[+-]\d\d:?\d\d)", re.ASCII
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DURATION = re.compile(r"(\d{1,5}) days?", re.ASCII)


def read_timestamp(value: object, field: str) -> datetime:
    """Read ISO 8601 text with `Z` or a UTC offset as UTC, in milliseconds; else raise Invalid."""
    if not isinstance(value, str) or not _TIMESTAMP.fullmatch(value):
        raise Invalid(field, "must be an ISO 8601 timestamp with Z or a UTC offset")
    try:
        moment = datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid(field, "is not a moment of the calendar") from None
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise Invalid(field, f"must lie between the years {FIRST_YEAR} and {LAST_YEAR}")
    return cut(moment)


def cut(moment: datetime) -> datetime:
    """Cut a time to milliseconds, because answers have no more digits."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def write_timestamp(moment: datetime) -> str:
    """Return the time in UTC with milliseconds and a `Z` at the end."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def read_date(value: object, field: str) -> date:
    """Read `YYYY-MM-DD`; else raise Invalid."""
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise Invalid(field, "must be a date, YYYY-MM-DD")


def read_days(value: object, field: str) -> int:
    """Read a duration `<n> days` as days, at most ten years; else raise Invalid."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if not match or int(match[1]) > LONGEST_PERIOD:
        raise Invalid(field, f"must be of the form “<n> days”, at most {LONGEST_PERIOD} days")
    return int(match[1])


def write_days(days: int) -> str:
    """Return a duration in the form of the spec."""
    return f"{days} days"


def day_start(day: date) -> datetime:
    """Return 00:00:00.000 UTC of a day. Instalments and tranches start at this time."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def day_end(day: date) -> datetime:
    """Return 23:59:59.999 UTC of a day. Instalments and tranches are due at this time."""
    return day_start(day) + timedelta(days=1) - timedelta(milliseconds=1)


def to_millis(moment: datetime) -> int:
    """Return the milliseconds since the epoch."""
    return (moment - EPOCH) // timedelta(milliseconds=1)


def from_millis(millis: int) -> datetime:
    """Return the time that is this number of milliseconds after the epoch."""
    return EPOCH + timedelta(milliseconds=millis)

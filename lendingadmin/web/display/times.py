"""Days and times: UTC in JSON (spec: Conventions), the lender's zone on the screen."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from lendingadmin.web.display.numbers import MISSING, as_it_came, whole

from .locales import DEFAULT_LOCALE, write_day

# The length of a step in seconds, its words for the past and for the future.
_STEPS = (
    (
        86_400,
        ngettext_lazy("%(count)s day ago", "%(count)s days ago", "number"),
        ngettext_lazy("in %(count)s day", "in %(count)s days", "number"),
    ),
    # Swahili has a plural of “ago”.
    (
        3_600,
        ngettext_lazy("%(count)s h ago", "%(count)s h ago", "number"),
        gettext_lazy("in %(count)s h"),
    ),
    (
        60,
        ngettext_lazy("%(count)s min ago", "%(count)s min ago", "number"),
        gettext_lazy("in %(count)s min"),
    ),
)


def day(value: object, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE) -> str:
    """Write the day of a time in this zone: `31 Oct 2026`. A plain date needs no zone."""
    found = calendar_day(value, zone)
    return as_it_came(value) if found is None else write_day(found, locale)


def contract_day(value: object, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE) -> str:
    """Write the day of a contract date (start, due, maturity); see `contract_date`."""
    found = contract_date(value, zone)
    return as_it_came(value) if found is None else write_day(found, locale)


def short_contract_day(
    value: object, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE
) -> str:
    """Write a contract day without its year, if the year is clear from context: `31 Oct`."""
    found = contract_date(value, zone)
    return as_it_came(value) if found is None else write_day(found, locale, "MMMd")


def moment(value: object, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE) -> str:
    """Write a time to the minute in this zone: `31 Oct 2026, 14:02`."""
    here = _local(value, zone)
    if here is None:
        return as_it_came(value)
    return f"{write_day(here.date(), locale)}, {here:%H:%M}"


def second(value: object, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE) -> str:
    """Write a time to the second in this zone: `31 Oct 2026, 14:02:11`."""
    here = _local(value, zone)
    if here is None:
        return as_it_came(value)
    return f"{write_day(here.date(), locale)}, {here:%H:%M:%S}"


def clock(value: object, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE) -> str:
    """Write the time of day to the second in this zone: `14:02:11`, in all languages."""
    here = _local(value, zone)
    return as_it_came(value) if here is None else f"{here:%H:%M:%S}"


def minute(value: object, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE) -> str:
    """Write the time of day to the minute in this zone: `14:02`, in all languages."""
    here = _local(value, zone)
    return as_it_came(value) if here is None else f"{here:%H:%M}"


def utc(value: object) -> str:
    """Write a time with all digits in UTC, for the hover: `2026-10-31 11:02:33.250 UTC`."""
    there = _local(value, UTC)
    if there is None:
        return as_it_came(value)
    fraction = f".{there.microsecond:06}".rstrip("0").ljust(4, "0") if there.microsecond else ""
    return f"{there.replace(tzinfo=None).isoformat(' ', 'seconds')}{fraction} {there:%Z}"


def calendar_day(value: object, zone: tzinfo | None = None) -> date | None:
    """Return the date of a time in this zone.

    A plain date is returned unchanged. For anything else return None.
    """
    if not isinstance(value, datetime):
        return value if isinstance(value, date) else None
    here = _local(value, zone)
    return None if here is None else here.date()


def contract_date(value: object, zone: tzinfo | None = None) -> date | None:
    """Return the date of a contract's start, due or maturity time; None if it is missing.

    Contract days begin at 00:00:00.000 and end at 23:59:59.999 UTC (spec: LendingContract). Such a
    time means this UTC day in all zones. Otherwise, an instalment that is due at the last
    millisecond of 31 October would be shown in Nairobi as due on 1 November. Any other time is read
    in the given zone.
    """
    there = _local(value, UTC)
    if there is not None and _bounds_a_day(there.time()):
        return there.date()
    return calendar_day(value, zone)


def days_between(start: object, end: object, zone: tzinfo | None = None) -> int | None:
    """Return the calendar days between two times in this zone; None if a time is missing."""
    first, last = calendar_day(start, zone), calendar_day(end, zone)
    return None if first is None or last is None else (last - first).days


def ago(value: object, now: datetime, locale: str = DEFAULT_LOCALE) -> str:
    """Write how far a time is from now: `just now`, `3 min ago`, `in 10 days`."""
    then = _local(value, UTC)
    if then is None:
        return as_it_came(value)
    seconds = int((now - then).total_seconds())
    for length, behind, ahead in _STEPS:
        count = abs(seconds) // length
        if count:
            words = behind if seconds > 0 else ahead
            return words % {"number": count, "count": whole(count, locale)}
    return _("just now") if seconds >= 0 else _("in a moment")


def in_days(
    value: object, now: datetime, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE
) -> str:
    """Write how far a contract day is from today: `today`, `in 10 days`, `20 days ago`."""
    count = days_between(now, contract_date(value, zone), zone)
    if count is None:
        return as_it_came(value)
    near = {0: _("today"), 1: _("tomorrow"), -1: _("yesterday")}
    if count in near:
        return near[count]
    if count > 0:
        words = ngettext("in %(count)s day", "in %(count)s days", count)
    else:
        words = ngettext("%(count)s day ago", "%(count)s days ago", -count)
    return words % {"count": whole(abs(count), locale)}


def offsets_differ(value: object, one: tzinfo | None, other: tzinfo | None) -> bool:
    """Return True if clocks in two zones show a time differently.

    The clocks in Nairobi and Kampala never differ.
    """
    here, there = _local(value, one), _local(value, other)
    return here is not None and there is not None and here.utcoffset() != there.utcoffset()


def instants(typed: datetime, zone: tzinfo) -> tuple[datetime, ...]:
    """Return, in order, the aware times at which clocks in the zone show this naive time.

    Usually there is one result. There are two if clocks go back in this hour, and none if clocks
    skip this hour.
    """
    first, second = (typed.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return (first,)
    is_skipped = first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != typed
    return () if is_skipped else (first, second)


def offset_words(value: datetime) -> str:
    """Write the offset of an aware time from UTC: `summer time (UTC+2)`.

    Use this only for a zone that has summer and winter time.
    """
    offset, season = value.utcoffset(), value.dst()
    minutes = int((offset or timedelta(0)).total_seconds() // 60)
    hours, rest = divmod(abs(minutes), 60)
    utc_offset = f"UTC{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")
    other = value.replace(fold=1 - value.fold)
    if season == other.dst() or offset == other.utcoffset():
        return utc_offset
    is_summer = (offset or timedelta(0)) > (other.utcoffset() or timedelta(0))
    words = _("summer time (%(offset)s)") if is_summer else _("winter time (%(offset)s)")
    return words % {"offset": utc_offset}


def typed_moment(value: object, zone: tzinfo | None = None, locale: str = DEFAULT_LOCALE) -> str:
    """Write a time as `moment` does; add its offset if the zone's clocks show it twice."""
    text, here = moment(value, zone, locale), _local(value, zone)
    if here is None or zone is None or len(instants(here.replace(tzinfo=None), zone)) < 2:
        return text
    return f"{text} {offset_words(here)}"


def zone_name(zone: object) -> str:
    """Return the name of a zone by its city: `Nairobi time`. UTC is `UTC`, and no zone is `—`."""
    if zone is None:
        return MISSING
    city = str(zone).rpartition("/")[2].replace("_", " ")
    return city if city in ("UTC", "GMT") else _("%(city)s time") % {"city": city}


def _local(value: object, zone: tzinfo | None) -> datetime | None:
    if not isinstance(value, datetime) or value.tzinfo is None:
        return None
    try:
        return value.astimezone(zone or UTC)
    except (OverflowError, ValueError):
        return None


def _bounds_a_day(at: time) -> bool:
    return at == time.min or at.replace(microsecond=0) == time(23, 59, 59)

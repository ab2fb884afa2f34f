"""Rules for when and how often a lender may call a borrower.

Settings import this module, so it imports no models. The default is for a lender under Kenya's
Digital Credit Providers Regulations, 2022 (Legal Notice 46 of 2022). They forbid a lender to harass
a customer, and to call or text the customer's contacts about the loan. The default hours and counts
are cautious choices of this product. A lender must set the values that its law and licence require.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import holidays
from babel.core import get_global
from django.utils.translation import gettext as _

from lendingadmin.core.gateway import LendingApp

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS = re.compile(r"(?P<first>[a-z]{3})-(?P<last>[a-z]{3}) (?P<from>[\d:]+)-(?P<until>[\d:]+)")
# Days to look ahead for the next calling hours. No lender is closed on so long a series of days.
_FAR = 60
#: Attempts are counted over a day of the lender's zone, and over this period.
WEEK = timedelta(days=7)

T = TypeVar("T")


class ContactHours(NamedTuple):
    """The weekdays on which calls are allowed (0 is Monday), and the hours of these days."""

    weekdays: frozenset[int]
    begin: time
    end: time


class ContactAttempts(NamedTuple):
    """Maximum number of calls to one borrower on a day, and within seven days."""

    a_day: int
    a_week: int


class ContactRules(NamedTuple):
    """The contact rules of one app.

    `closed` are days without calls, in addition to the country's holidays if `has_holidays` is
    set.
    """

    zone: ZoneInfo
    hours: ContactHours
    attempts: ContactAttempts
    closed: frozenset[date]
    has_holidays: bool = True


DEFAULT_HOURS = ContactHours(frozenset(range(6)), time(8), time(19))
DEFAULT_ATTEMPTS = ContactAttempts(2, 5)


def read_contact_hours(text: str) -> ContactHours:
    """Read `mon-sat 8-19`, `mon-fri 8:30-17:00` or `mon-sun 0-24`.

    Raises ValueError with a sentence.
    """
    match = _HOURS.fullmatch(text.strip().lower())
    if match is None or not {match["first"], match["last"]} <= set(_WEEKDAYS):
        raise ValueError(f"“{text}” is not of the form mon-sat 8-19")
    first, last = _WEEKDAYS.index(match["first"]), _WEEKDAYS.index(match["last"])
    begin, end = _read_clock(match["from"]), _read_clock(match["until"])
    if first > last or begin >= end:
        raise ValueError(f"“{text}” ends before it begins")
    return ContactHours(frozenset(range(first, last + 1)), begin, end)


def _read_clock(text: str) -> time:
    if text in ("24", "24:00"):  # the end of a day; no time is this late
        return time.max
    hour, _colon, minute = text.partition(":")
    try:
        return time(int(hour), int(minute or 0))
    except ValueError as error:
        raise ValueError(f"“{text}” is no time of day, such as 8 or 17:30") from error


def read_contact_attempts(text: str) -> ContactAttempts:
    """Read `2:5`: two calls a day, five within seven days. Raises ValueError with a sentence."""
    match = re.fullmatch(r"(\d{1,2}):(\d{1,3})", text.strip())
    if match is None or not 0 < int(match[1]) <= int(match[2]):
        raise ValueError(f"“{text}” is not of the form 2:5, calls a day and within seven days")
    return ContactAttempts(int(match[1]), int(match[2]))


def by_app(
    apps: Sequence[LendingApp], read: Callable[[str], T], join: Callable[[T, T], T] | None = None
) -> Callable[[str], dict[str, T]]:
    """Return a reader of `kenya:…,ghana:…`; `read` converts the text of each app.

    With `join` an app may come several times; `join` combines its values.
    """
    known = {app.app_id for app in apps}

    def read_all(text: str) -> dict[str, T]:
        found: dict[str, T] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            app_id, _colon, rest = part.partition(":")
            if app_id not in known:
                raise ValueError(f"“{app_id}” of “{part}” is no app of LENDING_APPS")
            if app_id in found and join is None:
                raise ValueError(f"“{app_id}” of “{part}” comes twice")
            value = read(rest)
            found[app_id] = join(found[app_id], value) if join and app_id in found else value
        return found

    return read_all


def read_closed_days(apps: Sequence[LendingApp]) -> Callable[[str], dict[str, frozenset[date]]]:
    """Return a reader of `kenya:2026-12-24,kenya:2026-12-31`: days without calls, by app id."""
    return by_app(apps, lambda day: frozenset([date.fromisoformat(day.strip())]), frozenset.union)


def get_rules(
    app: LendingApp,
    hours: Mapping[str, ContactHours],
    attempts: Mapping[str, ContactAttempts],
    closed: Mapping[str, frozenset[date]],
    *,
    has_holidays: bool,
) -> ContactRules:
    """Return the rules of one app from the settings of all apps."""
    return ContactRules(
        app.zone,
        hours.get(app.app_id, DEFAULT_HOURS),
        attempts.get(app.app_id, DEFAULT_ATTEMPTS),
        closed.get(app.app_id, frozenset()),
        has_holidays,
    )


def is_open(rules: ContactRules, now: datetime) -> bool:
    """Return True if borrowers may be called at this moment."""
    here = now.astimezone(rules.zone)
    is_within = rules.hours.begin <= here.time() < rules.hours.end
    return is_within and not find_closure(rules, here.date())


def find_closure(rules: ContactRules, day: date) -> str:
    """Return the reason why calls are not allowed on a day, in words; empty if they are allowed."""
    if day in rules.closed:
        return _("a day without calls")
    if rules.has_holidays and (holiday := _name_holiday(rules.zone.key, day)):
        return holiday
    return "" if day.weekday() in rules.hours.weekdays else _("a weekday without calls")


def find_opening(rules: ContactRules, now: datetime) -> datetime | None:
    """Return the next time, from now on, when calls are allowed; None if not within 60 days."""
    here = now.astimezone(rules.zone)
    if is_open(rules, now):
        return now
    for ahead in range(_FAR):
        day = here.date() + timedelta(days=ahead)
        opening = datetime.combine(day, rules.hours.begin, rules.zone)
        if opening > here and not find_closure(rules, day):
            return opening
    return None


def find_next_attempt(rules: ContactRules, calls: Sequence[datetime], now: datetime) -> datetime:
    """Return the earliest time when a borrower may be called again; this may be the present time.

    `calls` are the calls of the last seven days from this dashboard. Calling hours are not
    checked.
    """
    here = now.astimezone(rules.zone)
    midnight = datetime.combine(here.date(), time(), rules.zone)
    earliest = now
    if sum(call >= midnight for call in calls) >= rules.attempts.a_day:
        earliest = datetime.combine(here.date() + timedelta(days=1), time(), rules.zone)
    newest_first = sorted((call for call in calls if call > now - WEEK), reverse=True)
    if len(newest_first) >= rules.attempts.a_week:
        # Seven days after this call, one more call is allowed.
        earliest = max(earliest, newest_first[rules.attempts.a_week - 1] + WEEK)
    return earliest


@lru_cache(maxsize=64)
def _list_holidays(country: str, year: int) -> Mapping[date, str]:
    return dict(holidays.country_holidays(country, years=year))


def _name_holiday(zone: str, day: date) -> str:
    """Return the public holiday of the country of a zone.

    The text is empty if there is no holiday, or if the country is not known.
    """
    country = get_global("zone_territories").get(zone, "")
    known = holidays.list_supported_countries(include_aliases=False)
    return _list_holidays(country, day.year).get(day, "") if country in known else ""

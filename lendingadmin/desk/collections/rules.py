"""Rules for when and how often a lender may call a borrower.

The defaults are for a lender under Kenya's Digital Credit Providers Regulations, 2022 (Legal Notice
46 of 2022). These regulations forbid a lender to harass a customer, and to call or text the
customer's contacts about the loan. The default hours and counts are cautious choices of this
product. Each lender must set the values that its law and licence require.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import holidays
from babel.core import get_global
from django.utils.translation import gettext as _

# The days to look ahead for the next calling hours. No lender is closed for longer than this.
_FAR = 60
#: Attempts are counted for a day in the lender's time zone, and for this period.
WEEK = timedelta(days=7)


class ContactHours(NamedTuple):
    """The hours of a weekday in which calls are allowed."""

    begin: time
    end: time


class ContactAttempts(NamedTuple):
    """Maximum number of calls to one borrower on a day, and within seven days."""

    a_day: int
    a_week: int


class CallingRules(NamedTuple):
    """The calling rules of one app.

    `hours` has the hours of each weekday from Monday; None for a weekday without calls. `closed`
    has other days without calls, each with the reason in words. If `has_holidays` is True, no calls
    are allowed on public holidays of the country.
    """

    zone: ZoneInfo
    hours: tuple[ContactHours | None, ...]
    attempts: ContactAttempts
    closed: Mapping[date, str]
    has_holidays: bool = True


#: The values of the rules before a manager changes them.
DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "hours": [*[["08:00", "19:00"]] * 6, None],
        "a_day": 2,
        "a_week": 5,
        "has_holidays": True,
        "closed": [],
    }
)


def build_rules(zone: ZoneInfo, values: Mapping[str, Any]) -> CallingRules:
    """Return the rules from their stored values. An end at 00:00 is the end of the day."""
    hours = [one and ContactHours(*map(time.fromisoformat, one)) for one in values["hours"]]
    return CallingRules(
        zone,
        tuple(one and one._replace(end=end_of(one.end)) for one in hours),
        ContactAttempts(values["a_day"], values["a_week"]),
        {date.fromisoformat(day): reason for day, reason in values["closed"]},
        values["has_holidays"],
    )


def end_of(end: time) -> time:
    """Return the time at which calls end; 00:00 is the end of the day."""
    return end if end > time() else time.max


def is_open(rules: CallingRules, now: datetime) -> bool:
    """Return True if borrowers may be called at this moment."""
    here = now.astimezone(rules.zone)
    hours = rules.hours[here.weekday()]
    is_within = hours is not None and hours.begin <= here.time() < hours.end
    return is_within and not find_closure(rules, here.date())


def find_closure(rules: CallingRules, day: date) -> str:
    """Return the reason why calls are not allowed on a day, in words; empty if they are allowed."""
    if day in rules.closed:
        return rules.closed[day]
    if rules.has_holidays and (holiday := list_holidays(rules.zone, day.year).get(day)):
        return holiday
    return "" if rules.hours[day.weekday()] else _("a day of the week without calls")


def find_opening(rules: CallingRules, now: datetime) -> datetime | None:
    """Return the next time, from now on, when calls are allowed; None if not within 60 days."""
    here = now.astimezone(rules.zone)
    if is_open(rules, now):
        return now
    for ahead in range(_FAR):
        day = here.date() + timedelta(days=ahead)
        hours = rules.hours[day.weekday()]
        if hours is None or find_closure(rules, day):
            continue
        opening = datetime.combine(day, hours.begin, rules.zone)
        if opening > here:
            return opening
    return None


def find_next_attempt(rules: CallingRules, calls: Sequence[datetime], now: datetime) -> datetime:
    """Return the earliest time when a borrower may be called again, which may be now.

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
def list_holidays(zone: ZoneInfo, year: int) -> Mapping[date, str]:
    """Return the public holidays of the country of a zone; empty if the country is not known."""
    country = get_global("zone_territories").get(zone.key, "")
    known = holidays.list_supported_countries(include_aliases=False)
    return dict(holidays.country_holidays(country, years=year)) if country in known else {}

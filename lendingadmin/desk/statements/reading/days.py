"""Read days and times of statements, and find out whether the day or the month comes first."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby, pairwise
from typing import NamedTuple

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from lendingadmin.desk.statements.lines import Flaw, Kind, Line, Statement

from .meanings import YEAR, Answers, read_word

# No payment is in the future. But in another zone the next day may have begun.
_AHEAD = timedelta(days=1)
# Banks may book some days later. A date with day and month swapped is further away than this.
_BOOKED_AHEAD = _AROUND = timedelta(days=4)
#: The layouts whose days are days of booking.
_BOOKED = ("camt-053", "mt940")
#: A person must confirm the year of rows older than this, if the head names no period.
OLD = timedelta(days=400)
# A person must also confirm the year of a row if the next later row is more than this away.
_GAP = timedelta(days=300)
_DAY = 10
_TOO_OLD = timedelta(days=3660)
Period = tuple[date, date]

_TIME = (
    r"(?:[T\s]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?P<offset>Z|UTC|[+-]\d{2}:?\d{2})?)?"
)
_YEAR, _NAME = r"(?P<year>\d{4}|\d{2})", r"(?P<name>[^\W\d_]{3,9})"
_FORMS = (
    re.compile(rf"(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_TIME}"),
    re.compile(rf"(?P<first>\d{{1,2}})[-/.](?P<other>\d{{1,2}})[-/.]{_YEAR}{_TIME}"),
    re.compile(rf"(?P<day>\d{{1,2}})[-/. ]+{_NAME}\.?[-/., ]+{_YEAR}{_TIME}"),
    re.compile(rf"{_NAME}\.? +(?P<day>\d{{1,2}}),? +{_YEAR}{_TIME}"),
)
_DIGITS = re.compile(r"(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?")
# The first letters of the months in English and French.
_NAMES = "jan fév,fev,feb mar avr,apr mai,may juin,jun juil,jul aoû,aou,aug sep oct nov déc,dec"
_MONTHS = {
    letters: number
    for number, names in enumerate(_NAMES.split(" "), start=1)
    for letters in names.split(",")
}


class Moment(NamedTuple):
    """Moment in a statement. `at` has a time zone, and is None if the text is not a date."""

    at: datetime | None
    has_time: bool = False


class DayOrder(NamedTuple):
    """Order of day and month in a file.

    `is_proposed` is True if a person must confirm the order.
    """

    day_first: bool
    is_proposed: bool = False


def read_moment(text: str, zone: tzinfo, *, day_first: bool) -> Moment:
    """Return the moment in a text, in the given zone unless the text has an offset."""
    bare = " ".join(text.split())
    digits = _DIGITS.fullmatch(bare)
    if digits:
        parts = [int(part) for part in digits.groups() if part]
        return Moment(_build(parts, zone), len(parts) > 3)
    for form in _FORMS:
        if found := form.fullmatch(bare):
            return _read(found.groupdict(), zone, day_first)
    return Moment(None)


def is_mixed(texts: Iterable[str]) -> bool:
    """Return True if days in figures have different forms.

    In some the year comes first and in others last, or the separators differ. This shows that a
    program has rewritten the days that it could read.
    """
    found = set[str]()
    for text in texts:
        bare = " ".join(text.split())
        for kind, form in (("year first", _FORMS[0]), ("year last", _FORMS[1])):
            if form.match(bare):
                found.add(f"{kind} {bare.lstrip('0123456789')[:1]}")
                break
    return len(found) > 1


def find_day_order(
    texts: Sequence[str],
    zone: tzinfo,
    periods: Collection[Period] = (),
    *,
    usual: bool | None = None,
    today: date | None = None,
) -> DayOrder:
    """Return the order of day and month in a file. It is certain if only one order is possible.

    `periods` are the possible readings of the period in the head. If both orders are possible,
    propose the `usual` order, or else the order in which fewer rows are out of sequence.
    """
    both = [found for text in texts if (found := _FORMS[1].match(" ".join(text.split())))]
    if any(int(one["first"]) > 12 for one in both):
        return DayOrder(True)
    if any(int(one["other"]) > 12 for one in both):
        return DayOrder(False)
    if all(one["first"] == one["other"] for one in both):
        return DayOrder(True)
    read = {
        first: [read_moment(x, zone, day_first=first).at for x in texts] for first in (True, False)
    }
    possible = []
    for first, moments in read.items():
        days = [one.date() for one in moments if one is not None]
        is_future = today is not None and any(day > today + _AHEAD for day in days)
        if not is_future and (not periods or any(is_within(days, *one) for one in periods)):
            possible.append(first)
    if len(possible) == 1:
        return DayOrder(possible[0])
    if usual is not None:
        return DayOrder(usual, is_proposed=True)
    marks = {first: _mark(moments) for first, moments in read.items()}
    return DayOrder(marks[True] <= marks[False], is_proposed=True)


def is_odd_day(
    day: date, begins: date | None, ends: date | None, today: date, layout: str = ""
) -> bool:
    """Return True if a day is in the future, very old, or far outside the period in the head."""
    if day > _find_last(today, layout) or day < today - _TOO_OLD:
        return True
    if begins is None or ends is None:
        return False
    return not is_within([day], begins - _AROUND, ends + _AROUND)


def _find_last(today: date, layout: str) -> date:
    return today + (_BOOKED_AHEAD if layout in _BOOKED else _AHEAD)


def is_within(days: Iterable[date], begins: date, ends: date) -> bool:
    """Return True if all days are in a period, including its first and last day."""
    return all(begins <= day <= ends for day in days)


def find_odd_days(statement: Statement, today: date) -> Iterator[Flaw]:
    """Yield a flaw for each row whose day can't be right.

    Such a day is in the future, very old, or far outside the period in the head. Rows that moved no
    money are not checked.
    """
    begins, ends = statement.begins, statement.ends
    for line, day in _list_days(statement):
        if not is_odd_day(day, begins, ends, today, statement.layout):
            continue
        values = {"number": line.number, "day": date_format(day, "j M Y")}
        words = _("Row %(number)s is dated %(day)s, which is more than ten years ago.")
        if day > today:
            words = _("Row %(number)s is dated %(day)s, which is in the future.")
        if begins and ends and today - _TOO_OLD <= day <= _find_last(today, statement.layout):
            words = _(
                "Row %(number)s is dated %(day)s, outside the period of the statement "
                "(%(begins)s – %(ends)s). Excel may have swapped day and month. Export the "
                "statement again and upload the file without opening it."
            )
            values |= {"begins": date_format(begins, "j M Y"), "ends": date_format(ends, "j M Y")}
        yield Flaw(line.number, words % values)


def find_old_years(
    statement: Statement, today: date, answers: Answers
) -> tuple[list[str], set[int]]:
    """Return the years that a person must confirm, and the numbers of the rows with a wrong year.

    A person must confirm a year if its rows are old, or if a long gap separates them from all later
    rows. If the head names a period, return nothing.
    """
    asked, wrong = list[str](), set[int]()
    if statement.begins and statement.ends:
        return asked, wrong
    different = sorted({day for _, day in _list_days(statement) if day <= today + _AROUND})
    behind_gaps = [later for day, later in pairwise(different) if later - day > _GAP]
    limit = max([today - OLD, *behind_gaps])
    for line, day in _list_days(statement):
        if today - _TOO_OLD <= day < limit:
            is_right = read_word(YEAR, str(day.year), answers)
            if is_right is None and str(day.year) not in asked:
                asked.append(str(day.year))
            elif is_right is False:
                wrong.add(line.number)
    return asked, wrong


def _list_days(statement: Statement) -> Iterator[tuple[Line, date]]:
    for line in statement.lines:
        if line.moment is not None and line.kind is not Kind.FAILED:
            yield line, line.moment.date()


def is_turned(texts: Iterable[str], zone: tzinfo, *, day_first: bool) -> bool:
    """Return True if a program probably swapped day and month in some of the days.

    As written, the days are out of order, or the days of one month are spread over several months.
    To test this, read each day in the way that is nearer to the day before. If all days are then in
    order and cover less than half of the time, the answer is True.
    """
    # Most rows have the same day as the row before. Such a day is read once.
    different = (next(same) for _day, same in groupby(texts, key=lambda text: text[:_DAY]))
    read = [_read_both(text, zone, day_first) for text in different]
    both = [days for days in read if days]
    written = [days[0] for days in both]
    if len(both) < 3 or (_is_in_order(written) and not _is_spread(both)):
        return False
    for first in both[0]:
        chosen = [first]
        for days in both[1:]:
            chosen.append(min(days, key=lambda day: abs(day - chosen[-1])))
        is_shorter = 2 * (max(chosen) - min(chosen)) < max(written) - min(written)
        if _is_in_order(chosen) and is_shorter:
            return True
    return False


def _read_both(text: str, zone: tzinfo, day_first: bool) -> Sequence[date]:
    """Return the day as written, and the day with day and month swapped if that is a day."""
    moment = read_moment(text, zone, day_first=day_first).at
    if moment is None:
        return ()
    day, bare = moment.date(), " ".join(text.split())
    is_figures = any(form.match(bare) for form in _FORMS[:2])
    if not is_figures or day.day > 12 or day.day == day.month:
        return (day,)
    return (day, day.replace(month=day.day, day=day.month))


def _is_spread(both: Sequence[Sequence[date]]) -> bool:
    """Return True if the days of one month are written as days of several months.

    Example: 11/01, 11/02, 11/03 and 13/11 are all days of November. The days that can be read in
    only one way are in one month. All ambiguous days in other months have the number of this month
    as their day, and they are in at least three months.
    """
    months = {days[0].month for days in both if len(days) == 1}
    elsewhere = [days[0] for days in both if len(days) > 1 and days[0].month not in months]
    different = {day.month for day in elsewhere}
    return len(months) == 1 and months == {day.day for day in elsewhere} and len(different) > 2


def _is_in_order(days: Sequence[date]) -> bool:
    pairs = list(pairwise(days))
    return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)


def _mark(moments: Sequence[datetime | None]) -> int:
    """Return the number of rows that are out of order or have no day."""
    known = [one for one in moments if one is not None]
    rising = sum(one > following for one, following in pairwise(known))
    falling = sum(one < following for one, following in pairwise(known))
    return min(rising, falling) + len(moments) - len(known)


def _read(found: dict[str, str | None], zone: tzinfo, day_first: bool) -> Moment:
    year = int(found["year"] or 0)
    if found.get("name"):
        letters, day = (found["name"] or "").casefold(), int(found["day"] or 0)
        month = next((_MONTHS[letters[:n]] for n in (4, 3) if letters[:n] in _MONTHS), 0)
    elif found.get("first"):
        pair = int(found["first"] or 0), int(found["other"] or 0)
        day, month = pair if day_first else pair[::-1]
    else:
        month, day = int(found["month"] or 0), int(found["day"] or 0)
    parts = [year + 2000 if year < 100 else year, month, day]
    if found["hour"] is None:
        return Moment(_build(parts, zone))
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0) if hour <= 12 else 99
    if found["offset"]:
        offset = found["offset"].replace("UTC", "Z").replace(":", "")
        zone = datetime.strptime(offset, "%z").tzinfo or zone
    clock = [hour, int(found["minute"] or 0), int(found["second"] or 0)]
    return Moment(_build([*parts, *clock], zone), True)


def _build(parts: Sequence[int], zone: tzinfo) -> datetime | None:
    try:
        at = datetime(*parts, tzinfo=zone)  # type: ignore[misc, arg-type]
        # Days at the edges of the calendar can't be converted to another zone.
        return at if abs(at.year - 2000) < 200 and at + timedelta(days=2) else None
    except (ValueError, OverflowError):
        return None

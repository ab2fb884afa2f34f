"""Days and times as statements write them, and which of two readings a file means."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import NamedTuple

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
    """A moment that was read; `at` is aware, None where no calendar has it."""

    at: datetime | None
    has_time: bool = False


class DayOrder(NamedTuple):
    """How a file's days are read: whether the day stands first, and whether that is proposed."""

    day_first: bool
    is_proposed: bool = False


def read_moment(text: str, zone: tzinfo, *, day_first: bool) -> Moment:
    """The moment that a text means in a zone; a moment with an offset of its own keeps that."""
    bare = " ".join(text.split())
    digits = _DIGITS.fullmatch(bare)
    if digits:
        parts = [int(part) for part in digits.groups() if part]
        return Moment(_build(parts, zone), len(parts) > 3)
    for form in _FORMS:
        if found := form.fullmatch(bare):
            return _read(found.groupdict(), zone, day_first)
    return Moment(None)


def find_day_order(
    texts: Sequence[str], zone: tzinfo, begins: date | None = None, ends: date | None = None
) -> DayOrder:
    """Which reading the days of a file mean: certain where one of them has only one.

    Otherwise the one is proposed that keeps the rows in order and inside the head's period.
    """
    both = [found for text in texts if (found := _FORMS[1].match(" ".join(text.split())))]
    if any(int(one["first"]) > 12 for one in both):
        return DayOrder(True)
    if any(int(one["other"]) > 12 for one in both):
        return DayOrder(False)
    if all(one["first"] == one["other"] for one in both):
        return DayOrder(True)
    marks = {
        first: _mark([read_moment(x, zone, day_first=first).at for x in texts], begins, ends)
        for first in (True, False)
    }
    return DayOrder(marks[True] <= marks[False], is_proposed=True)


def _mark(moments: Sequence[datetime | None], begins: date | None, ends: date | None) -> int:
    """How badly a reading fits: rows out of order or outside the period."""
    known = [one for one in moments if one is not None]
    rising = sum(one > following for one, following in pairwise(known))
    falling = sum(one < following for one, following in pairwise(known))
    outside = sum(
        bool((begins and one.date() < begins) or (ends and one.date() > ends)) for one in known
    )
    return min(rising, falling) + outside + len(moments) - len(known)


def _read(found: dict[str, str | None], zone: tzinfo, day_first: bool) -> Moment:
    year = int(found["year"] or 0)
    if found.get("name"):
        month, day = _find_month(found["name"] or ""), int(found["day"] or 0)
    elif found.get("first"):
        pair = int(found["first"] or 0), int(found["other"] or 0)
        day, month = pair if day_first else pair[::-1]
    else:
        month, day = int(found["month"] or 0), int(found["day"] or 0)
    parts = [year + 2000 if year < 100 else year, month, day]
    if found["hour"] is None:
        return Moment(_build(parts, zone))
    clock = [_read_hour(found), int(found["minute"] or 0), int(found["second"] or 0)]
    return Moment(_build([*parts, *clock], _read_offset(found["offset"], zone)), True)


def _find_month(name: str) -> int:
    letters = name.casefold()
    return next((_MONTHS[letters[:n]] for n in (4, 3) if letters[:n] in _MONTHS), 0)


def _read_hour(found: dict[str, str | None]) -> int:
    hour, half = int(found["hour"] or 0), (found["half"] or "").lower()
    if not half:
        return hour
    return hour % 12 + (12 if half.startswith("p") else 0) if hour <= 12 else 99


def _read_offset(offset: str | None, zone: tzinfo) -> tzinfo:
    if not offset:
        return zone
    if offset in ("Z", "UTC"):
        return UTC
    moment = datetime.strptime(offset.replace(":", ""), "%z")
    return moment.tzinfo or zone


def _build(parts: Sequence[int], zone: tzinfo) -> datetime | None:
    try:
        at = datetime(*parts, tzinfo=zone)  # type: ignore[misc, arg-type]
        # The edges of the calendar have no other zone's reading.
        return at if abs(at.year - 2000) < 200 and at + timedelta(days=2) else None
    except (ValueError, OverflowError):
        return None

"""`{{ value|moment:zone }}` and similar filters: a `<time>`, with UTC on hover.

Times are shown in the person's own zone, if the person chose one. Days are shown in the lender's
zone, because an instalment is due on the lender's day.
"""

from collections.abc import Callable
from datetime import date, datetime, tzinfo
from functools import lru_cache

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from lendingadmin.web.display import formats, times

register = template.Library()
register.filter("zone_name", times.zone_name)

Write = Callable[[object, tzinfo | None, str], str]


@register.filter
def day(value: object, zone: object = None) -> str:
    """Write the day of a time in the lender's zone."""
    return _render(times.day, value, _zone(zone))


@register.filter
def day_text(value: object, zone: object = None) -> str:
    """Write the day of a time in plain text, for the title of a page."""
    return times.day(value, _zone(zone), formats.locale())


@register.filter
def minute_text(value: object, zone: object = None) -> str:
    """Write the time of day to the minute in the lender's zone, as plain text."""
    return times.minute(value, _zone(zone), formats.locale())


@register.filter
def contract_day(value: object, zone: object = None) -> str:
    """Write the day of a contract date (start, due, maturity); see `times.contract_date`."""
    if isinstance(value, datetime):
        return _contract_day(value, zone, formats.locale())
    return _render(times.contract_day, value, _zone(zone))


# Contract dates begin or end a day, so loans often have the same dates. A list has two in each row.
@lru_cache(maxsize=4096)
def _contract_day(value: datetime, zone: object, locale: str) -> str:
    return _tag(value, times.contract_day(value, _zone(zone), locale), times.utc(value))


@register.filter
def moment(value: object, zone: object = None) -> str:
    """Write day and time to the minute, in the person's zone or else in this zone."""
    return _render_moment(times.moment, value, zone)


@register.filter
def second(value: object, zone: object = None) -> str:
    """Write day and time to the second, in the person's zone or else in this zone."""
    return _render_moment(times.second, value, zone)


@register.filter
def clock(value: object, zone: object = None) -> str:
    """Write the time of day to the second, in the person's zone or else in this zone."""
    return _render_moment(times.clock, value, zone)


@register.filter
def typed_moment(value: object, zone: object = None) -> str:
    """Write day and time in this zone, not in the person's zone.

    A time that was typed in a zone is also checked in that zone.
    """
    return _render(times.typed_moment, value, _zone(zone))


@register.filter
def zone_here(zone: object) -> str:
    """Return the name of the zone that `moment` uses: the person's zone, or else this zone."""
    return times.zone_name(formats.zone() or _zone(zone) or zone)


@register.filter
def zones_here(zone: object) -> str:
    """Return the zone of the page's times, for its header.

    If the person chose another zone than the lender's, both are returned, the lender's first. A
    phone shows only the person's zone.
    """
    lenders, own = times.zone_name(zone), zone_here(zone)
    if own == lenders:
        return lenders
    beside = _("%(zone)s (lender); yours:") % {"zone": lenders}
    return format_html('<span class="zone">{} </span>{}', beside, own)


@register.filter
def ago(value: object) -> str:
    """Write how far a time is from now.

    A printed page shows the time itself, because people read paper later.
    """
    locale = formats.locale()
    text = times.ago(value, timezone.now(), locale)
    if not isinstance(value, datetime):
        return text
    zone = formats.zone() or timezone.get_current_timezone()
    return _tag(value, text, times.utc(value), on_paper=times.moment(value, zone, locale))


@register.filter
def in_days(value: object, zone: object = None) -> str:
    """Write the number of days to a contract day, in the lender's zone."""
    return times.in_days(value, timezone.now(), _zone(zone), formats.locale())


def _render_moment(write: Write, value: object, zone: object) -> str:
    """Write a time in the person's zone. If the lender's time differs, the hover shows it too."""
    given, own = _zone(zone), formats.zone()
    if own is None or not isinstance(value, datetime):
        return _render(write, value, given)
    locale = formats.locale()
    hover = times.utc(value)
    if given is not None and times.offsets_differ(value, own, given):
        hover += f", {times.moment(value, given, locale)} {times.zone_name(given)}"
    return _tag(value, write(value, own, locale), hover)


def _render(write: Write, value: object, zone: tzinfo | None) -> str:
    text = write(value, zone, formats.locale())
    if isinstance(value, datetime):
        return _tag(value, text, times.utc(value))
    if isinstance(value, date):
        tag = f'<time datetime="{value.isoformat()}">{text}</time>'
        return SafeString(tag)  # nosec B703
    return text


def _tag(value: datetime, text: str, hover: str, on_paper: str = "") -> str:
    # No escaping is needed for digits and the names of months and zones. It would be slow in a
    # list.
    more = f' data-on-paper="{on_paper}"' if on_paper else ""
    tag = f'<time datetime="{value.isoformat()}" title="{hover}"{more}>{text}</time>'
    return SafeString(tag)  # nosec B703


def _zone(zone: object) -> tzinfo | None:
    return zone if isinstance(zone, tzinfo) else None

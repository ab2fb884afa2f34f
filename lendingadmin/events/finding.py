"""One event, found through the list: the service has no operation that gets one.

An event is unique by accountId, eventType and timestamp (Spec: Events), and the list filters by all
three.
"""

from datetime import UTC, datetime

from django.urls import NoReverseMatch, reverse

from lendingadmin import gateway
from lendingadmin.lending.pages import Search, search
from lendingadmin.lending.values import Event, moment, text, timestamp_text

# A service that ignores the filters is not searched through to its end.
_LOOKED_THROUGH = 100
_PAGE = 25


def find(app_id: str, account_id: str, event_type: str, when: str) -> Search[Event]:
    """Look for the event with these three. Raises LendingError.

    `when` is its timestamp as text. A value that no filter can carry (one with a space) is left
    out of the question; what comes is compared in full either way. The service has no such event
    where none is found and the list was seen whole.
    """
    clauses = {"accountId": account_id, "eventType": event_type, "timestamp": _asked(when)}
    filters = {field: value for field, value in clauses.items() if _carries(value)}
    pages = gateway.app(app_id).events.pages(filters=filters, page_size=_PAGE)
    return search(pages, lambda one: _is(one, account_id, event_type, when), _LOOKED_THROUGH)


def address(app_id: str, event: object) -> str:
    """The address of an event's page; empty for one that lacks a part by which it is told."""
    if not isinstance(event, Event):
        return ""
    parts = (text(event.account_id), text(event.event_type), text(event.raw.get("timestamp")))
    return address_of(app_id, *parts) if all(parts) else ""


def address_of(app_id: str, *parts: str | None, route: str = "event") -> str:
    """The address made of accountId, eventType and timestamp; empty where one can't stand in it."""
    try:
        return reverse(route, args=[app_id, *parts])
    except NoReverseMatch:
        return ""


def _is(event: Event, account_id: str, event_type: str, when: str) -> bool:
    if (event.account_id, event.event_type) != (account_id, event_type):
        return False
    if event.raw.get("timestamp") == when:
        return True
    asked = _moment(when)
    return asked is not None and moment(event.timestamp) == asked


def _asked(when: str) -> str:
    """The timestamp as a filter: as the service writes it, where it is one at all."""
    asked = _moment(when)
    return when if asked is None else timestamp_text(asked)


def _moment(when: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(when)
        return found.astimezone(UTC) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _carries(value: str) -> bool:
    return bool(value) and value.isprintable() and not any(sign.isspace() for sign in value)

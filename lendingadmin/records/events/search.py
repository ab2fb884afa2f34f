"""Search for one event in the list, because the service has no operation to read a single event.

An event is unique by accountId, eventType and timestamp (Spec: Events), and the list filters by
all three.
"""

from django.urls import NoReverseMatch, reverse

from lendingadmin.core import gateway
from lendingadmin.lending.pages import Search, search
from lendingadmin.lending.values import Event, moment, text, timestamp_text

from .checking import parse_time

# The most events that are read. A service may ignore the filters and list all events.
_LOOKED_THROUGH = 100
_PAGE = 25


def search_event(app_id: str, account_id: str, event_type: str, when: str) -> Search[Event]:
    """Return the result of a search for the event with these three values. May raise LendingError.

    `when` is the timestamp of the event as text. A value that can't be in a filter, such as a text
    with a space, is left out of the request. Each event in the answer is compared with all three
    values. If none fits and the list was read to its end, the service does not have the event.
    """
    wanted = parse_time(when)
    clauses = {
        "accountId": account_id,
        "eventType": event_type,
        "timestamp": timestamp_text(wanted) if wanted else when,
    }

    def is_wanted(event: Event) -> bool:
        if (event.account_id, event.event_type) != (account_id, event_type):
            return False
        if event.raw.get("timestamp") == when:
            return True
        return wanted is not None and moment(event.timestamp) == wanted

    filters = {
        field: value
        for field, value in clauses.items()
        if value and value.isprintable() and not any(sign.isspace() for sign in value)
    }
    pages = gateway.app(app_id).events.pages(filters=filters, page_size=_PAGE)
    return search(pages, is_wanted, _LOOKED_THROUGH)


def build_event_url(app_id: str, event: object) -> str:
    """Return the address of an event's page; empty if a part of the event's key is missing."""
    if not isinstance(event, Event):
        return ""
    key = (text(event.account_id), text(event.event_type), text(event.raw.get("timestamp")))
    return build_url(app_id, *key) if all(key) else ""


def build_url(app_id: str, *key: str | None, route: str = "event") -> str:
    """Return the address for these key values; empty if one of them can't be in an address."""
    try:
        return reverse(route, args=[app_id, *key])
    except NoReverseMatch:
        return ""

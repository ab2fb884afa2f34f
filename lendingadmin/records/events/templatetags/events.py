"""Template filters: `{{ event|event_url:app }}`, `{{ event|event_contents }}`."""

from django import template

from lendingadmin.core.gateway import LendingApp
from lendingadmin.records.events import kinds, search

register = template.Library()
register.filter("event_contents", kinds.contents)


@register.filter
def event_url(event: object, app: LendingApp) -> str:
    """Return the address of an event's page; empty if a part of the event's key is missing."""
    return search.build_event_url(app.app_id, event)

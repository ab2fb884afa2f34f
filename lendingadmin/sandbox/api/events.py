"""Events (Spec: Events)."""

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.errors import Refusal
from lendingadmin.sandbox.api.event_inputs import NewEvent
from lendingadmin.sandbox.api.guard import Bearer, app_of
from lendingadmin.sandbox.api.lists import ListParameters
from lendingadmin.sandbox.models import Event
from lendingadmin.sandbox.rules.entity_values import check_category, read_data
from lendingadmin.sandbox.rules.events import read_event_type, read_past
from lendingadmin.sandbox.store import event_filters, events

router = Router(tags=["events"])
MANY = "/v1/projects/{project_id}/apps/{app_id}/events"


@router.get(MANY, auth=Bearer("events.list"))
def list_events(
    request: HttpRequest, project_id: str, app_id: str, asked: Query[ListParameters]
) -> HttpResponse:
    """Events of the app by createdAt, filtered."""
    now = clock.now()
    listing = lists.listing(request, asked, event_filters.FIELDS)
    rows = Event.objects.filter(
        event_filters.conditions(listing.clauses, now), app_id=app_of(project_id, app_id)
    )
    found, token = lists.page(rows, listing)
    return lists.answer("events", events.documents(project_id, found, now), token)


@router.post(MANY, auth=Bearer("events.create"))
def create_event(
    request: HttpRequest, project_id: str, app_id: str, sent: NewEvent
) -> HttpResponse:
    """Report data of a borrower; 409 for the same account, type and timestamp."""
    now = clock.now()
    app_of(project_id, app_id)
    read_event_type(sent.event_type, "eventType")
    read_past(sent.timestamp, now, "timestamp")
    data = read_data(sent.data, "data")
    check_category(sent.category, data)
    try:
        event = events.create(app_id, sent.document() | {"data": data}, now)
    except events.EventExists:
        raise Refusal(
            409, "An event of this accountId, eventType and timestamp already exists"
        ) from None
    return lists.json(events.documents(project_id, [event], now)[0])

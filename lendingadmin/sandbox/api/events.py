"""Events (Spec: Events)."""

from django.http import HttpRequest
from ninja import Query, Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.guard import Bearer, check_app
from lendingadmin.sandbox.api.lists import ListParameters
from lendingadmin.sandbox.models import Event
from lendingadmin.sandbox.rules.entity_values import check_category, read_data
from lendingadmin.sandbox.rules.events import check_past, read_event_type
from lendingadmin.sandbox.schemas.answers import AnsweredEvent, Error, EventPage
from lendingadmin.sandbox.schemas.inputs import NewEvent
from lendingadmin.sandbox.store import events

router = Router(tags=["events"], by_alias=True)
MANY = "/v1/projects/{project_id}/apps/{app_id}/events"


@router.get(MANY, auth=Bearer("events.list"), response=EventPage)
def list_events(
    request: HttpRequest, project_id: str, app_id: str, asked: Query[ListParameters]
) -> EventPage:
    """Events of the app by createdAt, filtered."""
    now = clock.now()
    listing = lists.read_listing(request, asked, events.FILTER_FIELDS)
    rows = Event.objects.filter(
        events.build_conditions(listing.clauses, now), app_id=check_app(project_id, app_id)
    )
    found, token = lists.read_page(rows, listing)
    return EventPage(events=events.answer_events(found, now), next_page_token=token)


@router.post(MANY, auth=Bearer("events.create"), response={200: AnsweredEvent, (409, 422): Error})
def create_event(
    request: HttpRequest, project_id: str, app_id: str, sent: NewEvent
) -> AnsweredEvent:
    """Report data of a borrower; 409 for the same account, type and timestamp."""
    now = clock.now()
    check_app(project_id, app_id)
    read_event_type(sent.event_type, "eventType")
    check_past(sent.timestamp, now, "timestamp")
    data = read_data(sent.data, "data")
    check_category(sent.category, data)
    event = events.create(app_id, sent.document() | {"data": data}, now)
    return events.answer_events([event], now)[0]

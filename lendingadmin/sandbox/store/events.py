"""Events. They are stored encrypted, and processed after some time (Spec: Event, Events)."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db.models import Q
from pydantic.alias_generators import to_snake

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.models import Event, EventData
from lendingadmin.sandbox.rules.events import build_event_id, has_errors
from lendingadmin.sandbox.rules.ids import write_name
from lendingadmin.sandbox.rules.instants import read_timestamp
from lendingadmin.sandbox.rules.invalid import AlreadyExists
from lendingadmin.sandbox.rules.lists import Clause
from lendingadmin.sandbox.rules.status import Processing, find_processing
from lendingadmin.sandbox.schemas.answers import AnsweredEvent
from lendingadmin.sandbox.store import borrowers
from lendingadmin.sandbox.store.encryption import decrypt_text, encrypt_text
from lendingadmin.sandbox.store.loans import APP_VERSION
from lendingadmin.sandbox.store.writing import write

FILTER_FIELDS: dict[str, type] = {
    "accountId": str,
    "eventType": str,
    "timestamp": str,
    "status": int,
    "appVersionId": str,
    "category": str,
}


def create(app_id: str, sent: dict[str, Any], now: datetime) -> Event:
    """Create an event. Raise Invalid for an unknown account; may raise AlreadyExists."""
    data = wire.write(sent["data"])
    encrypted = encrypt_text(data)  # before the transaction, because five megabytes take some time
    same = {
        "app_id": app_id,
        "account_id": sent["accountId"],
        "event_type": sent["eventType"],
        "timestamp": sent["timestamp"],
    }
    with write():
        borrowers.find_holder(app_id, sent["accountId"])
        if Event.objects.filter(**same).exists():
            raise AlreadyExists(
                "An event of this accountId, eventType and timestamp already exists"
            )
        event = Event.objects.create(
            **same,
            event_id=build_event_id(sent["accountId"], sent["eventType"], sent["timestamp"]),
            uid=uuid4(),
            category=sent["category"],
            app_version_id=APP_VERSION,
            has_errors=has_errors(sent["data"], sent["timestamp"]),
            ready_at=now + timedelta(seconds=settings.SANDBOX_PROCESSING_SECONDS),
            created_at=now,
        )
        event.data = EventData.objects.create(event=event, encrypted=encrypted)
        return event


def build_conditions(clauses: Iterable[Clause], now: datetime) -> Q:
    """Return a condition for the events that match all clauses of a filter at `now`.

    Raise Invalid for a text that is not a timestamp.
    """
    found = Q()
    for field, value in clauses:
        match field:
            case "status":
                found &= _match_status(int(value), now)
            case "timestamp":
                found &= Q(timestamp=read_timestamp(value, "filter"))
            case _:
                found &= Q((to_snake(field), value))
    return found


def _match_status(value: int, now: datetime) -> Q:
    match value:
        case Processing.WAITING:
            return Q(ready_at__gt=now)
        case Processing.DONE:
            return Q(ready_at__lte=now, has_errors=False)
        case Processing.WITH_ERRORS:
            return Q(ready_at__lte=now, has_errors=True)
    return Q(pk__in=())


def answer_events(events: Sequence[Event], now: datetime) -> list[AnsweredEvent]:
    """Return the answers for events, with their state at `now`."""
    held = EventData.objects.in_bulk([event.pk for event in events])
    return [
        AnsweredEvent.read(
            event,
            name=write_name(event.app_id, "events", event.event_id),
            status=find_processing(event.ready_at, event.has_errors, now),
            data=wire.Raw(decrypt_text(held[event.pk].encrypted)),
            result=None,
        )
        for event in events
    ]

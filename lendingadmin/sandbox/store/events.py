"""Events: recorded once, their data encrypted, processed by the clock (Spec: Event, Events)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.models import Event, EventData
from lendingadmin.sandbox.rules.events import event_id, has_errors
from lendingadmin.sandbox.rules.processing import processing
from lendingadmin.sandbox.store import holders
from lendingadmin.sandbox.store.loans import APP_VERSION
from lendingadmin.sandbox.store.sealing import seal_text, unseal_text

Document = dict[str, Any]


class EventExists(Exception):
    """The app has an event with that accountId, eventType and timestamp."""


def create(app_id: str, sent: Document, now: datetime) -> Event:
    """A new event; raises Invalid for an account that is not there, and EventExists."""
    data = wire.write(sent["data"])
    sealed = seal_text(data)  # before the transaction: five megabytes take their time
    same = {
        "app_id": app_id,
        "account_id": sent["accountId"],
        "event_type": sent["eventType"],
        "timestamp": sent["timestamp"],
    }
    with transaction.atomic():
        holders.find(app_id, sent["accountId"])
        if Event.objects.filter(**same).exists():
            raise EventExists
        event = Event.objects.create(
            **same,
            event_id=event_id(sent["accountId"], sent["eventType"], sent["timestamp"]),
            uid=uuid4(),
            category=sent["category"],
            app_version_id=APP_VERSION,
            has_errors=has_errors(sent["data"], sent["timestamp"]),
            ready_at=now + timedelta(seconds=settings.SANDBOX_PROCESSING_SECONDS),
            created_at=now,
        )
        event.data = EventData.objects.create(event=event, sealed=sealed)
        return event


def documents(project_id: str, events: Sequence[Event], now: datetime) -> list[Document]:
    """Events as they are answered at `now`."""
    held = EventData.objects.in_bulk([event.pk for event in events])
    return [_document(project_id, event, held[event.pk], now) for event in events]


def _document(project_id: str, event: Event, data: EventData, now: datetime) -> Document:
    return {
        "uid": str(event.uid),
        "name": f"projects/{project_id}/apps/{event.app_id}/events/{event.event_id}",
        "status": int(processing(event.ready_at, event.has_errors, now)),
        "createdAt": event.created_at,
        "accountId": event.account_id,
        "eventId": event.event_id,
        "eventType": event.event_type,
        "timestamp": event.timestamp,
        "data": wire.Raw(unseal_text(data.sealed)),
        "appVersionId": event.app_version_id,
        "category": event.category,
        "result": None,
    }

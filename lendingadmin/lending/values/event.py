"""Lending events: behavioural data reported for a borrower (Spec: Event)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Record, Value
from lendingadmin.lending.values.fields import Many, One, Status, Text, Timestamp


class EntityValueSet(Value):
    """Values of one kind (Spec: EntityValueSet); their fields depend on the kind. Personal."""

    kind: Text
    values: Many[Record]


class Event(Value):
    """A lending event (Spec: Event).

    Status 0 is not processed, 1 processed successfully, 2 processed with errors.
    """

    id_field: ClassVar[str | None] = "event_id"

    uid: Text
    name: Text
    created_at: Timestamp
    account_id: Text
    event_id: Text
    event_type: Text
    timestamp: Timestamp
    status: Status
    data: Many[EntityValueSet]
    app_version_id: Text
    category: Text
    result: One[Record]

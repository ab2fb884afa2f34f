"""Lending events: behavioural data reported for a borrower (Spec: Event)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Record, Value
from lendingadmin.lending.values.fields import Many, One, Status, Text, Timestamp


class EntityValueSet(Value):
    """Values of one kind (Spec: EntityValueSet); their fields depend on the kind. Personal."""

    kind: Text = None
    values: Many[Record] = None


class Event(Value):
    """A lending event (Spec: Event).

    Status 0 is not processed, 1 processed successfully, 2 processed with errors.
    """

    id_field: ClassVar[str | None] = "event_id"

    uid: Text = None
    name: Text = None
    created_at: Timestamp = None
    account_id: Text = None
    event_id: Text = None
    event_type: Text = None
    timestamp: Timestamp = None
    status: Status = None
    data: Many[EntityValueSet] = None
    app_version_id: Text = None
    category: Text = None
    result: One[Record] = None

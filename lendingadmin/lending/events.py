"""Lending events (Spec: Events)."""

from collections.abc import Mapping

from lendingadmin.lending.lists import OrderedList
from lendingadmin.lending.resource import read_object
from lendingadmin.lending.values import Event


class Events(OrderedList[Event]):
    """The events of one app. Every method raises LendingError."""

    list_operation = "events.list"
    item = Event

    def create(self, body: Mapping[str, object]) -> Event:
        """Report an event, under 5 MB of data (Spec: Events, Create).

        Raises Conflict where the account has one of the same type and time.
        """
        return read_object("events.create", self.call("events.create", body=body), Event)

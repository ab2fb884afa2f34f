"""Lending events (Spec: Events)."""

from collections.abc import Mapping

from lendingadmin.lending.pages import ListResource
from lendingadmin.lending.values import Event

# What tells one event from another (Spec: Events).
_KEY = ("accountId", "eventType", "timestamp")


class Events(ListResource[Event]):
    """The events of one app. Every method raises LendingError."""

    list_operation = "events.list"
    item = Event
    # Eight events of just under 5 MB (Spec: Events, 4) are more than an answer may have.
    may_be_large = True

    def create(self, body: Mapping[str, object]) -> Event:
        """Report an event, under 5 MB of data (Spec: Events, Create).

        Raises Conflict where the account has one of the same type and time.
        """
        sent = {key: body[key] for key in _KEY if key in body}
        return self.write_one("events.create", Event, body=body, sent=sent)

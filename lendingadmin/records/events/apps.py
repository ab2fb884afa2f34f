"""Django app of the events, without models."""

from lendingadmin.core import areas


class EventsConfig(areas.AreaConfig):
    name = "lendingadmin.records.events"
    outcomes = "outcomes.OUTCOMES"

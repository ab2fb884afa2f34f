"""Events as a Django app; it stores nothing."""

from lendingadmin.core import areas


class EventsConfig(areas.AreaConfig):
    name = "lendingadmin.records.events"
    outcomes = "outcomes.OUTCOMES"

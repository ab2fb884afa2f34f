"""Django app for requests for offers, with the last answer to each."""

from lendingadmin.core import areas


class OffersConfig(areas.AreaConfig):
    name = "lendingadmin.records.offers"
    outcomes = "outcomes.OUTCOMES"
    timeline = "timeline.OFFERS"
    erasable, kept = "erasure.ERASABLE", "erasure.KEPT"

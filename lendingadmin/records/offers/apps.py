"""Requests for offers, and the last answer to each, as a Django app."""

from lendingadmin.core import areas


class OffersConfig(areas.AreaConfig):
    name = "lendingadmin.records.offers"
    outcomes = "outcomes.OUTCOMES"
    timeline = "timeline.OFFERS"
    erasable, kept = "erasure.ERASABLE", "erasure.KEPT"

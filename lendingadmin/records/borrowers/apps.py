"""Django app of the borrowers, without models."""

from lendingadmin.core import areas


class BorrowersConfig(areas.AreaConfig):
    name = "lendingadmin.records.borrowers"
    policies = "policies.REQUIRED_FIELDS"
    outcomes = "outcomes.OUTCOMES"
    timeline = ("timeline.LOANS", "timeline.ASSESSMENTS", "timeline.EVENTS", "timeline.WRITES")
    erasable, kept, tables = "erasure.ERASABLE", "erasure.KEPT", "erasure.TABLES"

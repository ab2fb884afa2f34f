"""Django app of the loans, without models."""

from lendingadmin.core import areas


class LoansConfig(areas.AreaConfig):
    """The manifest of the app."""

    name = "lendingadmin.records.loans"
    outcomes = "outcomes.OUTCOMES"

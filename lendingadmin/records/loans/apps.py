"""Django app of the loans, without models."""

from lendingadmin.core import areas


class LoansConfig(areas.AreaConfig):
    name = "lendingadmin.records.loans"
    outcomes = "outcomes.OUTCOMES"

"""Django app for writes to the service and their outcomes."""

from lendingadmin.core import areas


class WritesConfig(areas.AreaConfig):
    name = "lendingadmin.money.writes"
    badges, decisions = "reconciliation.BADGE", "reconciliation.DECISION"
    duties = "tasks.beat"
    tasks = ("tasks.check_writes", "tasks.prune")

"""Each write to the service, and its outcome, as a Django app."""

from lendingadmin.core import areas


class WritesConfig(areas.AreaConfig):
    name = "lendingadmin.money.writes"
    badges, decisions = "reconciliation.BADGE", "reconciliation.DECISION"
    duties = "tasks.beat"
    tasks = ("tasks.check_writes", "tasks.prune")

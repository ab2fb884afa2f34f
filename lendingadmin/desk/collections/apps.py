"""Django app for queues of borrowers to call, calls and promises."""

from lendingadmin.core import areas


class CollectionsConfig(areas.AreaConfig):
    name = "lendingadmin.desk.collections"
    timeline = "timeline.CALLS"
    erasable, kept, tables = "erasure.ERASABLE", "erasure.KEPT", "erasure.TABLES"
    badges, decisions = "services.BADGE", "services.DECISIONS"
    duties, tasks = "tasks.beat", "tasks.judge"
    policies = "policies.CALLING"

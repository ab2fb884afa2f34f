"""Django app for statements of operators and banks, and their comparison with the journal."""

from lendingadmin.core import areas


class StatementsConfig(areas.AreaConfig):
    """The manifest of the app."""

    name = "lendingadmin.desk.statements"
    badges = ("batches.BADGE", "contradictions.BADGES")
    decisions = ("batches.DECISIONS", "contradictions.DECISIONS")
    timeline = "timeline.ROWS"
    gauges = "progress.GAUGES"
    confirmations, covers = "confirming.list_rows", "coverage.find_missing"
    erasable, kept, tables = "erasure.ERASABLE", "erasure.KEPT", "erasure.TABLES"
    duties = "tasks.beat"
    tasks = ("tasks.check", "tasks.record", "tasks.compare")

    def ready(self) -> None:
        """Connect `reopen_forgotten` to the signal of a restored database."""
        from lendingadmin.money.repayments.restoration import journal_restored

        from .allocating import reopen_forgotten

        journal_restored.connect(reopen_forgotten)

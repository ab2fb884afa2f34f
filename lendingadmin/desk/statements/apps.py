"""Registers the area with Django, and with the worker what it deletes in time."""

from django.apps import AppConfig


class StatementsConfig(AppConfig):
    """The app `statements`: files of operators and banks, and what the journal says of them."""

    name = "lendingadmin.desk.statements"

    def ready(self) -> None:
        from lendingadmin.core.monitoring.metrics import register_gauge
        from lendingadmin.core.worker import duties
        from lendingadmin.money.repayments.confirmations import (
            register_confirmations,
            register_covers,
        )
        from lendingadmin.money.repayments.restoration import journal_restored
        from lendingadmin.web import navigation
        from lendingadmin.web.timeline import register_source

        from . import (
            allocating,
            batches,
            confirming,
            contradictions,
            coverage,
            erasure,
            progress,
            tasks,
            timeline,
        )

        words = "Batches of statements that are not done, by app and state."
        register_gauge("batches", words, ("app", "state"), progress.read_states)
        words = "Payments of batches that are accepted and not entered yet, by app."
        register_gauge("batch_rows_to_go", words, ("app",), progress.read_rows_to_go)
        words = "When the slowest batch that the worker has in hand last moved, by app; 0 for none."
        register_gauge("batch_moved_seconds", words, ("app",), progress.read_last_moved)

        erasure.register()
        register_source(timeline.ROWS)
        register_confirmations(confirming.list_rows)
        register_covers(coverage.find_missing)
        navigation.register_badge("statements", batches.list_waiting)
        navigation.register_badge("statements", contradictions.list_waiting)
        for route, in_words, list_waiting in (
            ("statements", batches.TO_APPROVE, batches.list_waiting),
            ("statements", batches.TO_DECIDE, batches.list_undecided),
            ("statements-contradictions", contradictions.DIFFERENCES, contradictions.list_waiting),
            ("unallocated", contradictions.UNALLOCATED, contradictions.list_unplaced),
            ("statements", contradictions.UNREAD, contradictions.list_unread),
        ):
            navigation.register_decision(route, in_words, list_waiting)
        journal_restored.connect(allocating.reopen_forgotten)
        duties.register_duty(tasks.beat, tasks.check, tasks.record, tasks.compare)

"""Registers the writes and their background work with Django."""

from django.apps import AppConfig


class WritesConfig(AppConfig):
    """The app `writes`: what was sent once, and finding out what became of it."""

    name = "lendingadmin.money.writes"

    def ready(self) -> None:
        from lendingadmin.core.worker import duties
        from lendingadmin.web import navigation

        from . import reconciliation, tasks

        navigation.register_badge("needs-checking", reconciliation.list_waiting)
        navigation.register_decision(
            "needs-checking", reconciliation.UNDECIDED, reconciliation.list_undecided
        )
        duties.register_duty(tasks.beat, tasks.check_writes, tasks.prune)

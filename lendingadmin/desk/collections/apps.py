"""Registers the area with Django, the worker, the timeline and what erases a borrower."""

from django.apps import AppConfig


class CollectionsConfig(AppConfig):
    """The app `collections`: queues of whom to call, calls, promises."""

    name = "lendingadmin.desk.collections"

    def ready(self) -> None:
        from lendingadmin.core.worker import duties
        from lendingadmin.web.timeline import register_source

        from . import erasure, tasks, timeline

        erasure.register()
        register_source(timeline.CALLS)
        duties.register_duty(tasks.beat, tasks.judge)

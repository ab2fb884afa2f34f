"""Registers the area with Django, with the worker and with what erases a borrower."""

from django.apps import AppConfig


class CollectionsConfig(AppConfig):
    """The app `collections`: queues of whom to call, calls, promises."""

    name = "lendingadmin.collections"

    def ready(self) -> None:
        from lendingadmin.worker import duties

        from . import erasure, tasks

        erasure.register()
        duties.register_duty(tasks.beat, tasks.judge)

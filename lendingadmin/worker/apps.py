"""Registers the worker with Django, and the one duty that belongs to no area."""

from django.apps import AppConfig


class WorkerConfig(AppConfig):
    """The app `worker`."""

    name = "lendingadmin.worker"

    def ready(self) -> None:
        from lendingadmin.monitoring.readiness import register_warning

        from . import duties, tasks

        duties.register_duty(tasks.beat, tasks.prune)
        register_warning(duties.find_silence)

"""Registers the worker with Django, and what tells whether one beats."""

from django.apps import AppConfig


class WorkerConfig(AppConfig):
    """The app `worker`."""

    name = "lendingadmin.core.worker"

    def ready(self) -> None:
        from lendingadmin.core.monitoring.metrics import register_gauge
        from lendingadmin.core.monitoring.readiness import register_warning

        from . import duties

        register_warning(duties.find_silence)
        words = "When a worker beat last; Unix time."
        register_gauge("worker_beat_seconds", words, (), duties.read_beat)

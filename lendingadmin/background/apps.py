"""Registers the worker with Django, and lends the one duty that is nobody else's."""

from django.apps import AppConfig


class BackgroundConfig(AppConfig):
    """The app `background`."""

    name = "lendingadmin.background"

    def ready(self) -> None:
        from . import duties, tasks

        duties.lend(tasks.beat, tasks.prune)

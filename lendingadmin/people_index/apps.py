"""Registers the index of people with Django, and its walks with the worker."""

from django.apps import AppConfig


class PeopleIndexConfig(AppConfig):
    """The app `people_index`."""

    name = "lendingadmin.people_index"

    def ready(self) -> None:
        from lendingadmin.worker import duties

        from . import tasks

        duties.register_duty(tasks.beat, tasks.walk, tasks.top_up)

"""Registers the area with Django, the worker and what erases a borrower."""

from django.apps import AppConfig


class AssignmentsConfig(AppConfig):
    """The app `assignments`: which officer has which borrower."""

    name = "lendingadmin.desk.assignments"

    def ready(self) -> None:
        from lendingadmin.core.worker import duties

        from . import erasure, tasks

        erasure.register()
        duties.register_duty(tasks.beat, tasks.assign_list, tasks.follow_rules, tasks.begin_walks)

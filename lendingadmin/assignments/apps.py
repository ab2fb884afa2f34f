"""Registers the area with Django and with what erases a borrower."""

from django.apps import AppConfig


class AssignmentsConfig(AppConfig):
    """The app `assignments`: which officer has which borrower."""

    name = "lendingadmin.assignments"

    def ready(self) -> None:
        from . import erasure

        erasure.register()

"""Registers the area with Django, and with the worker what it deletes in time."""

from django.apps import AppConfig


class StatementsConfig(AppConfig):
    """The app `statements`: files of operators and banks, and what the journal says of them."""

    name = "lendingadmin.statements"

    def ready(self) -> None:
        from lendingadmin.worker import duties

        from . import erasure, keeping

        erasure.register()
        duties.register_duty(keeping.delete_content_in_time)

"""Registers what is found out about reported events with Django."""

from django.apps import AppConfig


class EventsConfig(AppConfig):
    """The app `events`; it stores nothing."""

    name = "lendingadmin.records.events"

    def ready(self) -> None:
        from . import outcomes

        outcomes.register_checkers()

"""Registers the area with Django: it stores what people opened last, and counts searches."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    """The app `search`."""

    name = "lendingadmin.search"

    def ready(self) -> None:
        from lendingadmin.worker import duties

        from . import counts

        duties.register_duty(counts.audit_counts)

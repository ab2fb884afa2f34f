"""Registers the desk with Django, and lends the counting of the book to the worker."""

from django.apps import AppConfig


class PortfolioConfig(AppConfig):
    """The app `portfolio`."""

    name = "lendingadmin.portfolio"

    def ready(self) -> None:
        from lendingadmin.background import duties

        from . import tasks

        duties.lend(tasks.beat, tasks.count, tasks.thin)

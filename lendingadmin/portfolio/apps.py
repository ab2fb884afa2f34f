"""Registers the desk with Django, and the snapshots of the portfolio with the worker."""

from django.apps import AppConfig


class PortfolioConfig(AppConfig):
    """The app `portfolio`."""

    name = "lendingadmin.portfolio"

    def ready(self) -> None:
        from lendingadmin.ui.neighbours import LISTS, RegisteredList
        from lendingadmin.worker import duties

        from . import drilldown, tasks

        LISTS["book-loans"] = RegisteredList("loan", drilldown.read_keys)
        duties.register_duty(tasks.beat, tasks.count, tasks.prune)

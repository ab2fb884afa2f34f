"""Registers the desk with Django, and the snapshots of the portfolio with the worker."""

from django.apps import AppConfig


class PortfolioConfig(AppConfig):
    """The app `portfolio`."""

    name = "lendingadmin.portfolio"

    def ready(self) -> None:
        from lendingadmin.ui import neighbours
        from lendingadmin.worker import duties

        from . import tasks
        from .neighbours import ROUTE, find_neighbours

        neighbours.register_list(ROUTE, find_neighbours)
        duties.register_duty(tasks.beat, tasks.count, tasks.prune)

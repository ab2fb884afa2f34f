"""Registers the index of people with Django, and its walks with the worker."""

from django.apps import AppConfig
from django.utils.translation import gettext_noop as _


class PeopleIndexConfig(AppConfig):
    """The app `people_index`."""

    name, label = "lendingadmin.people.index", "people_index"

    def ready(self) -> None:
        from lendingadmin.core.monitoring.metrics import register_gauge
        from lendingadmin.core.staff.erasure import register_erasable
        from lendingadmin.core.worker import duties

        from . import cards, find, tasks

        words = "When the index of people was last whole, by app; Unix time."
        register_gauge("people_index_seconds", words, ("app",), find.read_ages)
        register_erasable(
            _("cards of the search index"), cards.erase_borrower, list_rows=cards.list_rows
        )
        duties.register_duty(tasks.beat, tasks.walk, tasks.top_up)

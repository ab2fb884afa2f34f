"""Registers the area with Django: it stores what people opened last, and counts searches."""

from django.apps import AppConfig
from django.utils.translation import gettext_noop as _


class SearchConfig(AppConfig):
    """The app `search`."""

    name = "lendingadmin.people.search"

    def ready(self) -> None:
        from lendingadmin.core.staff.erasure import register_erasable
        from lendingadmin.core.worker import duties

        from . import counts, opened

        register_erasable(
            _("times somebody opened the record lately"),
            opened.erase_borrower,
            list_rows=opened.list_rows,
        )
        duties.register_duty(counts.audit_counts)

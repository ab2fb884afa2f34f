"""Registers what is found out about writes of borrowers, and what is erased of them."""

from django.apps import AppConfig


class BorrowersConfig(AppConfig):
    """The app `borrowers`; it stores nothing."""

    name = "lendingadmin.records.borrowers"

    def ready(self) -> None:
        from lendingadmin.web.timeline import register_source

        from . import erasure, outcomes, timeline

        outcomes.register_checkers()
        erasure.register()
        for source in (timeline.LOANS, timeline.ASSESSMENTS, timeline.EVENTS, timeline.WRITES):
            register_source(source)

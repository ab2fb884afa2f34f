"""Registers what is found out about writes of borrowers, and their lists with Django."""

from django.apps import AppConfig
from django.urls import reverse


class BorrowersConfig(AppConfig):
    """The app `borrowers`; it stores nothing."""

    name = "lendingadmin.borrowers"

    def ready(self) -> None:
        from lendingadmin import gateway
        from lendingadmin.ui.lists import make_keys_reader
        from lendingadmin.ui.neighbours import LISTS, RegisteredList
        from lendingadmin.ui.timeline import register_source

        from . import erasure, outcomes, panels, timeline

        outcomes.register_checkers()
        erasure.register()
        for source in (timeline.LOANS, timeline.ASSESSMENTS, timeline.EVENTS, timeline.WRITES):
            register_source(source)
        read_keys = make_keys_reader("borrowers.list", lambda app_id: gateway.app(app_id).borrowers)
        LISTS["borrowers"] = RegisteredList("borrower", read_keys)
        LISTS["borrower-loans"] = RegisteredList(
            "loan",
            panels.read_loan_keys,
            back=lambda kwargs: f"{reverse('borrower', kwargs=dict(kwargs))}#panel-loans",
        )

"""Registers what is found out about started assessments, and their list with Django."""

from django.apps import AppConfig


class AssessmentsConfig(AppConfig):
    """The app `assessments`; it stores nothing."""

    name = "lendingadmin.assessments"

    def ready(self) -> None:
        from lendingadmin import gateway
        from lendingadmin.ui.lists import make_keys_reader
        from lendingadmin.ui.neighbours import LISTS, RegisteredList

        from . import outcomes

        outcomes.register_checkers()
        read_keys = make_keys_reader(
            "assessments.list", lambda app_id: gateway.app(app_id).assessments
        )
        LISTS["assessments"] = RegisteredList("assessment", read_keys)

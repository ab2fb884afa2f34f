"""Registers the area with Django, the find box, the sidebar and what erases a borrower."""

from django.apps import AppConfig


class SheetsConfig(AppConfig):
    """The app `sheets`: collection sheets, out on paper and back as amounts."""

    name = "lendingadmin.desk.sheets"

    def ready(self) -> None:
        from lendingadmin.people.search import lookups
        from lendingadmin.web import navigation

        from . import erasure, finder, permissions, services

        erasure.register()
        lookups.register_stored(permissions.READ, finder.find_sheets)
        navigation.register_badge("sheets", services.list_waiting)
        navigation.register_decision("sheets", services.LATE, services.list_waiting)

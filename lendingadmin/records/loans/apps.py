"""Registers what is found out about writes of loans with Django."""

from django.apps import AppConfig


class LoansConfig(AppConfig):
    """The app `loans`; it stores nothing."""

    name = "lendingadmin.records.loans"

    def ready(self) -> None:
        from . import outcomes

        outcomes.register_checkers()

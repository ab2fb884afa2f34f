"""Registers what is found out about writes of loans, and their list with Django."""

from django.apps import AppConfig


class LoansConfig(AppConfig):
    """The app `loans`; it stores nothing."""

    name = "lendingadmin.loans"

    def ready(self) -> None:
        from lendingadmin import gateway
        from lendingadmin.ui.lists import make_keys_reader
        from lendingadmin.ui.neighbours import LISTS, RegisteredList

        from . import outcomes

        outcomes.register_checkers()
        read_keys = make_keys_reader("loans.list", lambda app_id: gateway.app(app_id).loans)
        LISTS["loans"] = RegisteredList("loan", read_keys)

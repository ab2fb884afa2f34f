"""Registers what is found out about writes of borrowers, and their lists with Django."""

from django.apps import AppConfig
from django.urls import reverse


class BorrowersConfig(AppConfig):
    """The app `borrowers`; it stores nothing."""

    name = "lendingadmin.borrowers"

    def ready(self) -> None:
        from lendingadmin import gateway
        from lendingadmin.lending.values import text
        from lendingadmin.ui import neighbours

        from . import outcomes, panels

        outcomes.register_checkers()
        neighbours.register_list(
            "borrowers",
            neighbours.find_in_list(
                "borrowers.list",
                lambda app_id: gateway.app(app_id).borrowers,
                ["borrowerId"],
                lambda borrower: text(borrower.borrower_id),
            ),
        )
        neighbours.register_list(
            "borrower-loans",
            panels.neighbours_of_loan,
            back=lambda kwargs: f"{reverse('borrower', kwargs=kwargs)}#panel-loans",
        )

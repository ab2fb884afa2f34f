"""Registers what is found out about writes of loans, and their list with Django."""

from django.apps import AppConfig


class LoansConfig(AppConfig):
    """The app `loans`; it stores nothing."""

    name = "lendingadmin.loans"

    def ready(self) -> None:
        from lendingadmin import gateway
        from lendingadmin.lending import loan_math
        from lendingadmin.ui import neighbours

        from . import outcomes

        outcomes.register_checkers()
        neighbours.register_list(
            "loans",
            neighbours.find_in_list(
                "loans.list",
                lambda app_id: gateway.app(app_id).loans,
                ["accountId", "uid"],
                loan_math.key_of,
            ),
        )

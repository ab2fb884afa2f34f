from django.apps import AppConfig


class OffersConfig(AppConfig):
    """Which offers were asked for here, and what the service last said of them."""

    name = "lendingadmin.offers"

    def ready(self) -> None:
        from . import erasure, outcomes

        outcomes.register_checkers()
        erasure.register()

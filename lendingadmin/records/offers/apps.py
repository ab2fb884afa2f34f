from django.apps import AppConfig


class OffersConfig(AppConfig):
    """Which offers were asked for here, and what the service last said of them."""

    name = "lendingadmin.records.offers"

    def ready(self) -> None:
        from lendingadmin.web.timeline import register_source

        from . import erasure, outcomes, timeline

        outcomes.register_checkers()
        erasure.register()
        register_source(timeline.OFFERS)

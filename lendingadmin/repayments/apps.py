from django.apps import AppConfig


class RepaymentsConfig(AppConfig):
    """The repayments: what was asked of the service here, and what is known of it."""

    name = "lendingadmin.repayments"

    def ready(self) -> None:
        from lendingadmin.ui import navigation
        from lendingadmin.worker import duties

        from . import tasks
        from .models import Repayment

        navigation.register_badge(
            "unknown", lambda app_id, _: Repayment.objects.count_unknown(app_id)
        )
        duties.register_duty(tasks.beat, tasks.check, tasks.notify)

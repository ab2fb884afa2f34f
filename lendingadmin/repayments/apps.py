from django.apps import AppConfig


class RepaymentsConfig(AppConfig):
    """The repayment ledger: what was asked of the service here, and what is known of it."""

    name = "lendingadmin.repayments"

    def ready(self) -> None:
        from lendingadmin.ui import navigation
        from lendingadmin.worker import duties

        from . import tasks
        from .managers import count_unknown

        navigation.register_badge("unknown", lambda app_id, _person: count_unknown(app_id))
        duties.register_duty(tasks.beat, tasks.check, tasks.notify)

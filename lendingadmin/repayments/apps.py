from django.apps import AppConfig


class RepaymentsConfig(AppConfig):
    """The repayment ledger: what was asked of the service here, and what is known of it."""

    name = "lendingadmin.repayments"

    def ready(self) -> None:
        from lendingadmin.background import duties
        from lendingadmin.web import context

        from . import tasks
        from .book import unknown_count

        context.badge("unknown", unknown_count)
        duties.lend(tasks.beat, tasks.look, tasks.tell)

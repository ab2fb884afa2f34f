from django.apps import AppConfig


class RepaymentsConfig(AppConfig):
    """The repayments: what was asked of the service here, and what is known of it."""

    name = "lendingadmin.money.repayments"

    def ready(self) -> None:
        from lendingadmin.core.monitoring.metrics import register_gauge
        from lendingadmin.core.monitoring.readiness import register_warning
        from lendingadmin.core.worker import duties
        from lendingadmin.people.search import lookups
        from lendingadmin.web import navigation
        from lendingadmin.web.timeline import register_source

        from . import (
            approvals,
            deciding,
            erasure,
            finder,
            mistakes,
            reconciliation,
            restoration,
            tasks,
            timeline,
        )
        from .models import Repayment

        navigation.register_badge(
            "needs-checking", lambda app_id, _person: Repayment.objects.needing_checks(app_id)
        )
        for waiting in (deciding, mistakes, approvals, restoration):
            navigation.register_badge("needs-checking", waiting.list_waiting)
        lookups.register_stored("lending.loans.get", finder.find_repayments)
        erasure.register()
        for source in (timeline.REPAYMENTS, timeline.APPROVALS, timeline.MISTAKES):
            register_source(source)
        duties.register_duty(tasks.beat, tasks.check, tasks.notify)
        register_warning(reconciliation.find_late_check)
        words = "Repayments of which nobody knows yet what became, by app."
        register_gauge("repayments_unknown", words, ("app",), reconciliation.read_unknown)
        words = "Since when the check that has waited longest is due; Unix time, 0 for none."
        register_gauge("check_due_seconds", words, ("app",), reconciliation.read_oldest_due)

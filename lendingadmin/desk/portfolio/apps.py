"""Registers lists of loans with the frame, snapshots with the worker and with the search."""

from django.apps import AppConfig
from django.utils.translation import gettext_noop as _


class PortfolioConfig(AppConfig):
    """The app `portfolio`."""

    name = "lendingadmin.desk.portfolio"

    def ready(self) -> None:
        from lendingadmin.core.monitoring.metrics import register_gauge
        from lendingadmin.core.staff.erasure import register_kept
        from lendingadmin.core.worker import duties
        from lendingadmin.people.search import lookups
        from lendingadmin.people.search import open_loans as search_open_loans
        from lendingadmin.web import navigation

        from . import loan_ids, open_loans, saved_lists, snapshot_job, tasks

        words = "When the newest complete count of loans began, by app; Unix time."
        register_gauge("snapshot_seconds", words, ("app",), snapshot_job.read_ages)
        register_kept(
            _("loans of counts"),
            _("the next count has those that the service still lists"),
            loan_ids.count_of_borrower,
            list_rows=loan_ids.list_rows,
        )
        navigation.register_group("Pinned", saved_lists.list_sidebar_entries)
        duties.register_duty(tasks.beat, tasks.count, tasks.prepare_lists, tasks.prune)
        search_open_loans.register_reader("lending.loans.list", open_loans.read_open_loans)
        lookups.register_other_case("lending.loans.get", loan_ids.find_in_other_case)

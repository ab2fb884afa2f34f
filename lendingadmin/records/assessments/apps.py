"""Registers the area with Django: its walk, and how unconfirmed writes are checked."""

from django.apps import AppConfig
from django.utils.translation import gettext_noop as _


class AssessmentsConfig(AppConfig):
    """The app `assessments`."""

    name = "lendingadmin.records.assessments"

    def ready(self) -> None:
        from lendingadmin.core.staff.erasure import register_kept
        from lendingadmin.core.worker import duties
        from lendingadmin.people.search import lookups

        from . import known, outcomes, tasks

        outcomes.register_checkers()
        register_kept(
            _("assessments"),
            _("the next walk drops those that the service no longer lists"),
            known.count_of_borrower,
            list_rows=known.list_rows,
        )
        lookups.register_other_case("lending.assessments.get", known.find_in_other_case)
        duties.register_duty(tasks.beat, tasks.walk, tasks.top_up)

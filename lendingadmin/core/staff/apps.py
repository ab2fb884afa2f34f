"""Django app for people, roles and sign-in."""

from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

from lendingadmin.core import areas


class StaffConfig(areas.AreaConfig):
    name = "lendingadmin.core.staff"
    verbose_name = _("People")
    tables = "retention.TABLES"
    policies = "policies.RETENTION"
    duties = "tasks.beat"
    tasks = "tasks.TASKS"

    def ready(self) -> None:
        """Connect the signals that update roles and record sign-ins; replace allauth's counters."""
        from . import signals, throttling
        from .sync import sync_roles

        post_migrate.connect(sync_roles, sender=self, dispatch_uid="staff.sync_roles")
        signals.connect_all()
        throttling.count_by_ourselves()

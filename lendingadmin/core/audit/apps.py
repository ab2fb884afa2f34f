"""Django app for the audit trail."""

from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _

from lendingadmin.core import areas


class AuditConfig(areas.AreaConfig):
    name = "lendingadmin.core.audit"
    verbose_name = _("Audit trail")
    warnings = "restores.describe"
    duties = ("tasks.beat", "restores.check_for_restore")
    tasks = "tasks.watch"

    def ready(self) -> None:
        """Register the check of the triggers with Django's checks of the database."""
        from .triggers import check_triggers

        register(check_triggers, Tags.database)

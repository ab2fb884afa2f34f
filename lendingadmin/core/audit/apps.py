"""Registers the audit trail with Django."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _


class AuditConfig(AppConfig):
    """The app `audit`."""

    name = "lendingadmin.core.audit"
    verbose_name = _("Audit trail")

    def ready(self) -> None:
        """Register what is checked of the database, and what the worker watches."""
        from lendingadmin.core.monitoring.readiness import register_warning
        from lendingadmin.core.worker import duties

        from . import restores, tasks
        from .triggers import check_triggers

        register(check_triggers, Tags.database)
        duties.register_duty(tasks.beat, tasks.watch)
        duties.register_duty(restores.find_suspected)
        register_warning(restores.describe)

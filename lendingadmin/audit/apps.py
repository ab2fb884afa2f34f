"""Registers the audit trail with Django."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.utils.translation import gettext_lazy as _


class AuditConfig(AppConfig):
    """The app `audit`."""

    name = "lendingadmin.audit"
    verbose_name = _("Audit trail")

    def ready(self) -> None:
        """Register what is checked of the database."""
        from .triggers import check_triggers

        register(check_triggers, Tags.database)

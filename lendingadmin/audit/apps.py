"""Registers the audit trail with Django."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AuditConfig(AppConfig):
    """The app `audit`."""

    name = "lendingadmin.audit"
    verbose_name = _("Audit trail")

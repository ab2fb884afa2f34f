"""Registers the audit trail with Django."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The app `audit`."""

    name = "lendingadmin.audit"
    verbose_name = "Audit trail"

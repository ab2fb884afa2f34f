"""Registers the monitoring with Django."""

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate


class MonitoringConfig(AppConfig):
    """The app `monitoring`: what an operator sees of a running dashboard."""

    name = "lendingadmin.core.monitoring"

    def ready(self) -> None:
        from . import canary, sentry

        if settings.SENTRY_DSN:
            sentry.init_sentry(settings.SENTRY_DSN)
        post_migrate.connect(canary.write_canary, sender=self, dispatch_uid="monitoring.canary")

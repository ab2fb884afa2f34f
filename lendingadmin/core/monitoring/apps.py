"""Django app for the monitoring of a running dashboard."""

from django.conf import settings
from django.db.models.signals import post_migrate

from lendingadmin.core import areas


class MonitoringConfig(areas.AreaConfig):
    name = "lendingadmin.core.monitoring"

    def ready(self) -> None:
        """Set up Sentry, and save the canary after each migrate."""
        from . import canary, sentry

        if settings.SENTRY_DSN:
            sentry.init_sentry(settings.SENTRY_DSN)
        post_migrate.connect(canary.write_canary, sender=self, dispatch_uid="monitoring.canary")

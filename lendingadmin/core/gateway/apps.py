"""The gateway as a Django app: it keeps the service account's token for all processes."""

from django.apps import AppConfig


class GatewayConfig(AppConfig):
    """Token and lease rows, and the command that checks the service account."""

    name = "lendingadmin.core.gateway"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from lendingadmin.core.monitoring import metrics
        from lendingadmin.core.monitoring.readiness import register_warning
        from lendingadmin.core.monitoring.request_lines import log_slow_call

        from . import clients, clocks

        clients.register_observer(metrics.count_call)
        clients.register_observer(log_slow_call)
        clients.register_observer(clocks.note_offset)
        register_warning(clocks.describe_offset)

"""Django app that stores the token of the service account for all processes."""

from lendingadmin.core import areas


class GatewayConfig(areas.AreaConfig):
    name = "lendingadmin.core.gateway"
    warnings = "health.describe_offset"

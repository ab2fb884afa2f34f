"""The gateway as a Django app: it stores the service account's token for all processes."""

from lendingadmin.core import areas


class GatewayConfig(areas.AreaConfig):
    name = "lendingadmin.core.gateway"
    warnings = "health.describe_offset"

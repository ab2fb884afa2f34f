"""The gateway as a Django app: it stores the service account's token for all processes."""

from lendingadmin.core import areas


class GatewayConfig(areas.AreaConfig):
    """The manifest of the app."""

    name = "lendingadmin.core.gateway"
    call_observers = "clocks.note_offset"
    warnings = "clocks.describe_offset"

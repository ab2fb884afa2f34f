"""The sandbox's only clock. The rules never read it; the caller passes the time to them."""

from datetime import UTC, datetime

from lendingadmin.sandbox.rules.instants import cut


def now() -> datetime:
    """Return the present time in UTC, cut to milliseconds like every timestamp of the service."""
    return cut(datetime.now(UTC))

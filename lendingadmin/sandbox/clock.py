"""The sandbox's one clock: rules never read it, they are handed what it says."""

from datetime import UTC, datetime

from lendingadmin.sandbox.rules.instants import cut


def now() -> datetime:
    """This moment in UTC, cut to milliseconds like every timestamp of the service."""
    return cut(datetime.now(UTC))

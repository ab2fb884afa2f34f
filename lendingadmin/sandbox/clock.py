"""Only clock of the sandbox. The rules never read the clock; they get the time as an argument."""

from datetime import UTC, datetime

from lendingadmin.sandbox.rules.instants import cut


def now() -> datetime:
    """Return the present time in UTC, in milliseconds like every timestamp of the service."""
    return cut(datetime.now(UTC))

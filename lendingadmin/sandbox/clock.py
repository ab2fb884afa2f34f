"""The sandbox's one clock: rules never read it, they are handed what it says."""

from datetime import UTC, datetime

from lendingadmin.sandbox.rules.instants import cut


def now() -> datetime:
    """This moment in UTC, cut to milliseconds like every timestamp of the service."""
    return cut(datetime.now(UTC))


def seconds(text: str) -> float:
    """Read a length of time in seconds, at most an hour; raises ValueError."""
    value = float(text)
    if not 0 <= value <= 3600:
        raise ValueError("must be from 0 to 3600 seconds")
    return value

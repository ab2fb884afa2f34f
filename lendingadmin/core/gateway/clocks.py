"""By how much our clock and the service's differ, as the newest answer to this process tells."""

from lendingadmin.lending.transport import Call

# Seconds. A form begins with the time of our clock, to the minute.
_TOO_MUCH = 5 * 60

_newest_offset = 0.0


def note_offset(call: Call) -> None:
    """Save the offset of a call that is over; an answer without a date has none."""
    global _newest_offset
    if call.clock_offset is not None:
        _newest_offset = call.clock_offset


def find_clock_offset() -> float:
    """Return the seconds that our clock is ahead of the service's, negative where it is behind;
    0 where it is five minutes or less.
    """
    offset = _newest_offset
    return offset if abs(offset) > _TOO_MUCH else 0.0


def describe_offset() -> str:
    """Return the warning for monitors; empty where there is none."""
    if not (offset := find_clock_offset()):
        return ""
    return f"the clock of this host is {offset:+.0f} seconds off that of the lending service"

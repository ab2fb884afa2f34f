"""Filters that remove addresses, traces of refusals and floods of lines from the log.

An address may have a borrower's id, and the id may be a phone number.
"""

import logging
import time
from http import HTTPStatus
from threading import Lock

from django.http import HttpRequest

# The text in place of an address that has no route.
NO_ROUTE = "(no route)"
# The statuses for which Django adds a trace to the line of a request.
_REFUSED = range(HTTPStatus.BAD_REQUEST, HTTPStatus.INTERNAL_SERVER_ERROR)


class NoAddress(logging.Filter):
    """Log filter that replaces the address with the route in Django's lines about requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the path in the record's arguments with the route. Always return True."""
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            match = request.resolver_match
            route = f"/{match.route}" if match else NO_ROUTE
            addresses = {request.path, request.path_info, request.get_full_path()}
            # Django writes characters outside ASCII as escapes.
            addresses |= {one.encode("unicode_escape").decode("ascii") for one in addresses}
            record.args = tuple(route if arg in addresses else arg for arg in record.args)
        return True


class NoTraceOfRefusals(logging.Filter):
    """Log filter that removes the trace from a line about a refused request (a wrong Host).

    The sender is the cause, and could fill the log with traces.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove the trace from a record about a 4xx; return True for every record."""
        if getattr(record, "status_code", 0) in _REFUSED:
            record.exc_info = record.exc_text = None
        return True


class OneOutage(logging.Filter):
    """Log filter that allows one line in ten seconds about an outage of a database or cache.

    During an outage each request fails, and its trace gives no other information. The next line
    has the number of errors in between.
    """

    _EVERY = 10.0

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._next_at = 0.0
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True for one record about an outage in ten seconds, without its trace.

        Return True for all other records.
        """
        # Imported late: the log is set up before there are models.
        from .unavailable import find_unavailable

        raised = record.exc_info[1] if record.exc_info else None
        error = find_unavailable(raised)
        if error is None:
            return True
        with self._lock:
            if time.monotonic() < self._next_at:
                self._left_out += 1
                return False
            left_out, self._left_out = self._left_out, 0
            self._next_at = time.monotonic() + self._EVERY
        between = f", and {left_out} more since the last line" if left_out else ""
        record.msg, record.args = f"{record.getMessage()}: {type(error).__name__}{between}", ()
        record.exc_info = record.exc_text = None
        return True

"""What stands in each line of the log beside its words."""

import logging

from .request_ids import find_request_id


class RequestIdFilter(logging.Filter):
    """Gives each record the `request_id` in hand, `-` for none."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through."""
        # Django tells of a 404 when the request is out of its middleware already.
        asked = getattr(getattr(record, "request", None), "request_id", "")
        record.request_id = find_request_id() or asked or "-"
        return True

"""What the log may say: ids of borrowers may be phone numbers, so addresses stay out of it."""

import logging

from django.http import HttpRequest


class NoAddress(logging.Filter):
    """Puts the route in place of the address in Django's own lines about requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through, its arguments without the path."""
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            match = request.resolver_match
            route = f"/{match.route}" if match else "(no route)"
            addresses = {request.path, request.path_info, request.get_full_path()}
            # Django writes what is not ASCII in escapes.
            addresses |= {one.encode("unicode_escape").decode("ascii") for one in addresses}
            record.args = tuple(route if arg in addresses else arg for arg in record.args)
        return True

"""Functions that log entries as JSON, for a log host that users of the dashboard can't reach."""

import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

if TYPE_CHECKING:
    from lendingadmin.core.audit.models import Entry

#: The handler of this logger writes only the message, without time and level (settings.LOGGING).
logger = logging.getLogger("lendingadmin.core.audit.entries")


def write_on_commit(entries: "Sequence[Entry]") -> None:
    """Log each entry after it is committed, if AUDIT_LINES is on.

    An entry that was rolled back is not logged.
    """
    if settings.AUDIT_LINES:
        # `robust`, because an error of the log must not look like a failed commit.
        transaction.on_commit(lambda: _write(entries), robust=True)


def build_line(entry: "Entry") -> str:
    """Return an entry as one line of ASCII JSON, without empty values."""
    content = {field.attname: getattr(entry, field.attname) for field in entry._meta.fields}
    content["at"] = entry.at.isoformat()
    return json.dumps({name: value for name, value in content.items() if value})


def _write(entries: "Sequence[Entry]") -> None:
    for entry in entries:
        logger.info(build_line(entry))

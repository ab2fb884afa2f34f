"""The filter fields of the events list as conditions that an index serves (Spec: Events)."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q

from lendingadmin.sandbox.rules.filters import Clause
from lendingadmin.sandbox.rules.instants import read_timestamp
from lendingadmin.sandbox.rules.processing import Processing

FIELDS: dict[str, type] = {
    "accountId": str,
    "eventType": str,
    "timestamp": str,
    "status": int,
    "appVersionId": str,
    "category": str,
}
_COLUMNS = {
    "accountId": "account_id",
    "eventType": "event_type",
    "appVersionId": "app_version_id",
    "category": "category",
}
_NONE = Q(pk__in=())


def conditions(clauses: Iterable[Clause], now: datetime) -> Q:
    """Every clause must hold at `now`; raises Invalid for a timestamp that is none."""
    found = Q()
    for field, value in clauses:
        if field == "status":
            found &= _status(int(value), now)
        elif field == "timestamp":
            found &= Q(timestamp=read_timestamp(value, "filter"))
        else:
            found &= Q((_COLUMNS[field], value))
    return found


def _status(value: int, now: datetime) -> Q:
    match value:
        case Processing.WAITING:
            return Q(ready_at__gt=now)
        case Processing.DONE:
            return Q(ready_at__lte=now, has_errors=False)
        case Processing.WITH_ERRORS:
            return Q(ready_at__lte=now, has_errors=True)
    return _NONE

"""Kinds of data that were reported for an account, and kinds that are missing."""

from datetime import datetime, timedelta
from typing import NamedTuple

from lendingadmin.lending.client import AppClient
from lendingadmin.lending.values import EntityValueSet, Event, each, moment

from .kinds import KINDS, EventKind, find_kind

# Spec: Events, 5. Most assessments look at up to six months, and messages count for six months.
LOOKS_BACK = timedelta(days=183)
_READ = 50


class ReportedKind(NamedTuple):
    """A kind of data, with the number of its reported values and the time of the newest value.

    `latest` is None if no value was reported.
    """

    kind: EventKind
    values: int = 0
    latest: datetime | None = None

    @property
    def counted(self) -> str:
        """The number with its word: `12 messages`."""
        return self.kind.counted(self.values)


class Reported(NamedTuple):
    """All kinds of data; `is_whole` is False if some events of the period were not read."""

    kinds: list[ReportedKind]
    is_whole: bool

    @property
    def missing(self) -> list[EventKind]:
        """The kinds without any value."""
        return [one.kind for one in self.kinds if not one.values]


def read_reported(app: AppClient, account_id: str, until: datetime) -> Reported:
    """Return the kinds reported for an account in the six months before a time.

    Raises LendingError.
    """
    page = app.events.list(filters={"accountId": account_id}, order="desc", page_size=_READ)
    own = [event for event in each(page.items) if event.account_id in (account_id, None)]
    return Reported(count_kinds(own, until), page.next_page_token is None)


def count_kinds(events: list[Event], until: datetime) -> list[ReportedKind]:
    """Return each kind with the number of its values in events of the six months before a time."""
    found = {key: ReportedKind(kind) for key, kind in KINDS.items()}
    for event in events:
        when = moment(event.timestamp)
        if when is None or not until - LOOKS_BACK <= when <= until:
            continue
        for entry in each(event.data):
            kind = find_kind(entry.kind) if isinstance(entry, EntityValueSet) else None
            values = sum(1 for _ in entry.values or ()) if kind else 0
            if kind and values:
                seen = found[kind.key]
                latest = max(when, seen.latest or when)
                found[kind.key] = ReportedKind(kind, seen.values + values, latest)
    return list(found.values())

"""Whether the trail is whole: every entry as it was written, none missing, none put in."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext_noop as _

from lendingadmin.audit import chain
from lendingadmin.audit.anchor import Link
from lendingadmin.audit.models import ArchivedStretch, Entry

# Entries in memory at a time.
SLICE = 2_000
# So far behind an entry that does not fit is looked for one that follows the entry before it.
_PUT_IN_AT_MOST = 100

CHANGED = _("it was changed")
NO_MAC = _("it has no mac: something else than the dashboard wrote it, or took the mac away")
MISSING = _("what stood before it is missing")
INSERTED = _("it was put in")
FORGED = _("it is said to be archived, and something else than the dashboard said so")
CUT = _("it, and what stood behind it, is missing or was changed")


class Break(NamedTuple):
    """An entry that does not fit into the chain; `what` says in which way."""

    entry_id: int
    at: datetime
    what: str


class Verifier:
    """Walks the trail from an entry on, or from its first; counts what it read as it goes.

    `unchained` entries are older than the chain, which vouches for none of them. `chained` ones
    were compared, and `last` is the newest of these. `reached` is the entry at which it stands.
    Where entries are archived it begins behind the last of these, whose stretches are compared too;
    what stands in their files is not.
    """

    def __init__(self, after: Link | None = None) -> None:
        self.unchained = self.chained = 0
        self.last: Entry | None = None
        self.reached = after or Link()
        self.is_at_end = False
        self._previous = self.reached.mac

    def find_breaks(self, at_most: int | None = None) -> Iterator[Break]:
        """Each break in the chain, from the oldest entry on, in slices of the primary key.

        With `at_most` it stops behind so many entries, rounded up to a slice.
        """
        yield from _find_archived_breaks()
        while not self.is_at_end:
            rows = self._read_slice()
            for entry in rows:
                if found := self._check(entry):
                    yield found
                self.reached = Link(entry.pk, entry.mac)
            self.is_at_end = len(rows) < SLICE
            if at_most is not None and self.chained + self.unchained >= at_most:
                return

    def _read_slice(self) -> list[Entry]:
        """The next entries; behind what was archived, before this walk or during it."""
        while True:
            rows = list(Entry.objects.filter(pk__gt=self.reached.entry_id).order_by("pk")[:SLICE])
            # Asked behind the entries: where they were read without some, this names those.
            archived = ArchivedStretch.objects.last()
            if archived is None or archived.last_id <= self.reached.entry_id:
                return rows
            self.reached = Link(archived.last_id, archived.last_mac)
            self._previous = archived.last_mac

    def _check(self, entry: Entry) -> Break | None:
        if not entry.mac and not self._previous and not self.chained:
            self.unchained += 1
            return None
        self.chained, self.last = self.chained + 1, entry
        matched = chain.match(self._previous, entry)
        if all(matched):
            self._previous = entry.mac
            return None
        following = Entry.objects.filter(pk__gt=entry.pk).order_by("pk")[:_PUT_IN_AT_MOST]
        if chain.follows(self._previous, following):
            what = INSERTED
        else:
            what = NO_MAC if not entry.mac else MISSING if matched.is_own else CHANGED
            self._previous = entry.mac
        return Break(entry.pk, entry.at, what)


def _find_archived_breaks() -> Iterator[Break]:
    """The stretches of archived entries that are not as the dashboard wrote them, and entries that
    stand in the table before the last one's end.
    """
    mac = entry_mac = ""
    last_id = 0
    for stretch in ArchivedStretch.objects.order_by("pk"):
        is_next = stretch.first_id > last_id and stretch.previous_mac == entry_mac
        if not (is_next and chain.is_stretch_signed(mac, stretch)):
            yield Break(stretch.first_id, stretch.at, FORGED)
        mac, entry_mac, last_id = stretch.mac, stretch.last_mac, stretch.last_id
    for entry in Entry.objects.filter(pk__lte=last_id).order_by("pk")[:_PUT_IN_AT_MOST]:
        yield Break(entry.pk, entry.at, INSERTED)

"""Verification of the trail: no entry was changed, removed or inserted."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext_noop as _

from lendingadmin.core.audit import chain
from lendingadmin.core.audit.anchor import Link
from lendingadmin.core.audit.models import Entry

# Number of entries that are in memory at a time.
SLICE = 2_000
# If an entry does not fit, the check reads this number of further entries, and looks for the entry
# that follows the last good entry.
_PUT_IN_AT_MOST = 100

CHANGED = _("the entry was changed")
NO_MAC = _(
    "the entry has no check code, so something other than the dashboard wrote or changed the entry"
)
MISSING = _("entries before this entry are missing")
INSERTED = _("the entry was inserted")
CUT = _("this entry and all later entries are missing or were changed")


class Break(NamedTuple):
    """An entry that does not fit into the chain; `what` describes the fault."""

    entry_id: int
    at: datetime
    what: str


class Verifier:
    """Checker of the entries after the entry `after`, or of all entries.

    `compared` is the number of compared entries, and `last` the newest of them. `reached` is the
    last entry that was checked.
    """

    def __init__(self, after: Link | None = None) -> None:
        self.compared = 0
        self.last: Entry | None = None
        self.reached = after or Link()
        self.is_at_end = False
        self._previous = self.reached.mac

    def find_breaks(self, at_most: int | None = None) -> Iterator[Break]:
        """Yield each break in the chain, the oldest first. Entries are read in slices.

        If `at_most` is given, the check stops after about this number of entries.
        """
        while not self.is_at_end:
            found = Entry.objects.filter(pk__gt=self.reached.entry_id).order_by("pk")
            rows = list(found[:SLICE])
            for entry in rows:
                if found_break := self._check(entry):
                    yield found_break
                self.reached = Link(entry.pk, entry.mac)
            self.is_at_end = len(rows) < SLICE
            if at_most is not None and self.compared >= at_most:
                return

    def _check(self, entry: Entry) -> Break | None:
        self.compared, self.last = self.compared + 1, entry
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

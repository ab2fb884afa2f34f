"""How many exports a process sends at once: a slow reader keeps a thread, and pages need some."""

import threading
from collections import Counter
from weakref import finalize

from django.utils.translation import gettext as _

from lendingadmin.core.monitoring import metrics
from lendingadmin.lending.errors import Throttled
from lendingadmin.lending.forks import ForkSafe

#: Of the sixteen threads of a process (Procfile), and of these for one person.
MOST, MOST_OF_ONE = 2, 1


class ExportPlaces(ForkSafe):
    """Counts the exports that are under way in this process, by person."""

    def reset(self) -> None:
        """Nothing is under way in a new process."""
        self._lock = threading.Lock()
        self._taken: Counter[int] = Counter()

    def take(self, person_id: int) -> None:
        """Take a place. Raises Throttled where there is none."""
        with self._lock:
            if self._taken[person_id] >= MOST_OF_ONE:
                raise Throttled(
                    _("An export of yours is under way: let it end first. Nothing was exported.")
                )
            if self._taken.total() >= MOST:
                raise Throttled(
                    _("Others are exporting just now: try again soon. Nothing was exported.")
                )
            self._taken[person_id] += 1
        metrics.EXPORTS.inc()

    def give_back(self, person_id: int) -> None:
        """Give a place back."""
        with self._lock:
            self._taken[person_id] -= 1
            if self._taken[person_id] <= 0:
                del self._taken[person_id]
        metrics.EXPORTS.dec()


places = ExportPlaces()


class ExportPlace:
    """A place among those of this process; it is given back once, at the latest with its object."""

    def __init__(self, person_id: int) -> None:
        places.take(person_id)
        self.give_back = finalize(self, places.give_back, person_id)

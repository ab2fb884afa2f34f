"""Fourteen daily updates of the portfolio: thirteen from the sandbox's history, one of today."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.portfolio.snapshot_job import CountWalk, begin_snapshot
from lendingadmin.lending.codec import decode
from lendingadmin.lending.pages import Page
from lendingadmin.lending.resource import read_items
from lendingadmin.lending.values import Loan
from lendingadmin.people.index import tasks as people_tasks
from lendingadmin.people.index.walk import BorrowerWalk

from .cast import Cast, moved_to


class _PastWalk(CountWalk):
    """The usual walk, but through the loans as they were on a past day."""

    loans: list[Any]

    def list_pages(self) -> Iterator[Page[Loan]]:
        """Yield the loans of that day as one page."""
        yield Page(read_items(self.loans, Loan), None, self.row.began_at)

    def end_list(self, until: float) -> None:
        """Do not save totals of lists, because people open lists only of the newest update."""


def read_people(app: LendingApp) -> None:
    """Read the borrowers into the index, so that pages have names from the first minute."""
    index = people_tasks.start(app.app_id)
    while index and BorrowerWalk.run_slice(index.pk) is not None:
        pass


def read_past(app: LendingApp, history: Path) -> None:
    """Update the portfolio once for each past day of the file, if the file exists."""
    if not history.exists():
        return
    for line in history.read_bytes().splitlines():
        past: Any = decode(line)
        moment = datetime.fromisoformat(past["at"])
        row = begin_snapshot(app.app_id, None, now=moment)
        if row is None:
            return
        walk = _PastWalk(row)
        walk.loans = past["loans"]
        walk.read(until=0)
        moved_to(row, moment, "ended_at")


def read_today(app: LendingApp, cast: Cast) -> None:
    """Update the portfolio, as the worker does every few minutes."""
    row = begin_snapshot(app.app_id, cast.officer)
    while row and CountWalk.run_slice(row.pk) is not None:
        pass

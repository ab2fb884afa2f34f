"""Twenty people work a queue through two hosts, one of which dies: nobody is called by two, and
nobody is left out.

PROOF_LOANS sizes it; 500 is what is promised. It prints what it found (`-s`).
"""

import os
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from threading import Event
from typing import NamedTuple

import pytest

from tests.collections.service import CallService
from tests.faults.server import FaultServer
from tests.proof.dashboard import Dashboard, Session, database
from tests.proof.desk import Page

pytestmark = pytest.mark.exhaustive
PEOPLE = 20
QUEUE = "/apps/kenya/collections/late-1-7/"
_COUNT = """
import django
django.setup()
from lendingadmin.desk.portfolio import snapshot_job
from tests.policies.setting import ALWAYS, set_calling
set_calling(hours=ALWAYS, has_holidays=False)
row = snapshot_job.begin_snapshot("kenya", None)
while row and snapshot_job.CountWalk.run_slice(row.pk) is not None:
    pass
"""
_CALLS = """
import django
django.setup()
from lendingadmin.desk.collections.models import Call, Lease
for call in Call.objects.select_related("called_by"):
    print(call.borrower_id, call.called_by.username)
print("leases", Lease.objects.count())
"""


class Held(NamedTuple):
    """That a person was shown a borrower, from when until when they may have called."""

    borrower_id: str
    name: str
    begin: float
    end: float


class Floor:
    """The people at work, and whom each was shown."""

    def __init__(self, dashboard: Dashboard, hosts: list[str], half: int) -> None:
        self.dashboard, self.hosts, self.half = dashboard, hosts, half
        self.held: list[Held] = []
        self.half_done = Event()

    def work(self, number: int) -> None:
        """Press Next and note the call until nobody is left.

        Where a host dies, or its database is busy, the person presses Next again, at the other one.
        """
        turn = number % 2
        try:
            while not self._work_at(Session(self.dashboard, f"support{number}", self.hosts[turn])):
                turn = 1 - turn
        except BaseException:
            self.half_done.set()
            raise

    def _work_at(self, session: Session) -> bool:
        """Whether the person came to the end of the queue."""
        # A page gives the cookie without which nothing is posted.
        if not _is_whole(session.get(QUEUE)):
            return False
        answer = session.post(f"{QUEUE}next", {})
        while match := re.search(r"/calls/([^/]+)/$", answer.location):
            begin = time.monotonic()
            page = session.get(answer.location)
            token = re.search(r'name="token" value="([^"]+)"', page.text)
            loan = re.search(r'<option value="([^"]+)"', page.text)
            # Until here the person may call: what comes next lets the borrower go.
            self.held.append(Held(match[1], session.person, begin, time.monotonic()))
            if len(self.held) >= self.half:
                self.half_done.set()
            if not _is_whole(page):
                return False
            assert token and loan, page.text[:2000]
            fields = {"outcome": "reached", "token": token[1], "loan": loan[1]}
            answer = session.post(answer.location, fields)
        return _is_whole(answer) and answer.location.endswith(QUEUE)


def _is_whole(page: Page) -> bool:
    """Whether the host answered; 503 says that the database is busy, and nothing was saved."""
    assert page.status in (0, 200, 302, 503), (page.status, page.text[:500])
    return page.status in (200, 302)


def find_overlaps(held: list[Held]) -> list[tuple[Held, Held]]:
    """Whom two people had at once."""
    return [
        (one, other)
        for one, other in combinations(held, 2)
        if one.borrower_id == other.borrower_id and one.name != other.name
        if one.begin < other.end and other.begin < one.end
    ]


def test_two_who_have_one_at_once_are_found() -> None:
    one, other = Held("B-1", "a", 1, 3), Held("B-1", "b", 2, 4)
    assert find_overlaps([one, other, Held("B-2", "b", 2, 4), Held("B-1", "a", 2, 9)]) == [
        (one, other),
        (other, Held("B-1", "a", 2, 9)),
    ]
    assert find_overlaps([one, Held("B-1", "b", 3, 4)]) == []


def test_nobody_is_called_by_two_and_nobody_is_left_out(
    tmp_path: Path, fault_server: FaultServer
) -> None:
    loans = int(os.environ.get("PROOF_LOANS", "60"))
    service = CallService(fault_server)
    for number in range(loans):
        service.add(number, 1 + number % 7)
    with database(tmp_path) as address:
        dashboard = Dashboard(tmp_path, fault_server.url, address, PEOPLE, 900)
        try:
            dashboard.run_python(_COUNT)
            floor = Floor(dashboard, [dashboard.url, dashboard.start_host()], loans // 2)
            began = time.monotonic()
            with ThreadPoolExecutor(PEOPLE) as pool:
                people = [pool.submit(floor.work, n) for n in range(1, PEOPLE + 1)]
                assert floor.half_done.wait(300)
                dashboard.kill_host()
                for one in people:
                    one.result(300)
            took = time.monotonic() - began
            *calls, leases = dashboard.run_python(_CALLS).splitlines()
        finally:
            dashboard.stop()
    called = Counter(line.split()[0] for line in calls)
    print(f"{PEOPLE} people, {loans} loans, {took:.0f} s; called: {len(called)}; {leases}")  # noqa: T201
    assert set(called) == {f"B-{number}" for number in range(loans)}
    assert set(called.values()) == {1}
    assert find_overlaps(floor.held) == []

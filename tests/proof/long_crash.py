"""Every point of every fault; run by `make prove-money`, a fault at a time on each core.

What comes before the request is out is the same whatever the fault, so only the first fault goes
through those points. PROOF_EVERY takes only every so many-th point, for a shorter run.
"""

import itertools
import os

import pytest

from lendingadmin.core.staff.models import User
from tests.proof.clock import Clock
from tests.proof.crashing import crash_everywhere, crash_groups, first_sent, prove
from tests.proof.desk import InProcess
from tests.proof.hostile import FAULTS, Hostile
from tests.proof.results import note

pytestmark = pytest.mark.django_db(transaction=True)


_EVERY = int(os.environ.get("PROOF_EVERY", "1"))


@pytest.mark.parametrize("fault", FAULTS)
def test_every_point(hostile: Hostile, manager_desk: InProcess, clock: Clock, fault: str) -> None:
    loans = iter(hostile.loans)
    first = 1 if fault == "honest" else first_sent(hostile, manager_desk, loans)
    points = crash_everywhere(hostile, manager_desk, fault, loans, itertools.count(first, _EVERY))
    states = prove(hostile, manager_desk, clock)
    last = first + points * _EVERY
    note("crash", fault=fault, last=last, ended=points, states=states)


def test_every_point_of_a_group(
    hostile: Hostile, manager_desk: InProcess, manager: User, clock: Clock
) -> None:
    points = itertools.count(1, max(1, _EVERY // 4))
    ended = crash_groups(hostile, manager, iter(hostile.loans), points)
    states = prove(hostile, manager_desk, clock)
    note(
        "crash",
        fault="in turn, in groups",
        last=ended * max(1, _EVERY // 4),
        ended=ended,
        states=states,
    )

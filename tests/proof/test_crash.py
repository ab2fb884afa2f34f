"""A process that ends at once, at any point between form and receipt, and what is true after it.

Here a sample: every fault, a few points each, other ones for each fault. `make prove-money` takes
all points of all faults (long_crash.py).
"""

import itertools

import pytest

from lendingadmin.core.staff.models import User
from tests.proof.clock import Clock
from tests.proof.crashing import crash_everywhere, crash_groups, prove
from tests.proof.desk import InProcess
from tests.proof.hostile import FAULTS, Hostile

pytestmark = pytest.mark.django_db(transaction=True)
_EVERY = 197


def test_whatever_a_crash_leaves_no_claim_is_untrue(
    hostile: Hostile, manager_desk: InProcess, clock: Clock
) -> None:
    loans = iter(hostile.loans)
    ended = 0
    for number, fault in enumerate(FAULTS):
        points = itertools.count(1 + number * 37 % _EVERY, _EVERY)
        ended += crash_everywhere(hostile, manager_desk, fault, loans, points)
    assert ended >= 2 * len(FAULTS), "too few points: is the right code watched?"
    states = prove(hostile, manager_desk, clock)
    assert set(states) == {"recorded", "refused", "not_sent", "presumed", "not_found"}


def test_nor_does_one_that_ends_while_it_records_a_group(
    hostile: Hostile, manager_desk: InProcess, manager: User, clock: Clock
) -> None:
    ended = crash_groups(hostile, manager, iter(hostile.loans), itertools.count(1, 23))
    assert ended >= 10, "too few points: is the right code watched?"
    states = prove(hostile, manager_desk, clock)
    assert set(states) == {"recorded", "refused", "not_sent", "presumed", "not_found"}

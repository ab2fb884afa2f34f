"""Whatever people, faults, crashes and time do, in any order, nothing untrue is claimed.

In the suite a few dozen examples, the same each time; `make prove-money` plays others, and more:
PROOF_EXAMPLES, PROOF_STEPS.
"""

import itertools
import os
from typing import Any

import pytest
from django.test import Client
from django_tasks_db.models import DBTaskResult
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import run_state_machine_as_test

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Reading, Repayment
from tests.policies.setting import set_limits
from tests.proof.clock import Clock
from tests.proof.crashing import APP
from tests.proof.desk import InProcess
from tests.proof.hostile import Hostile
from tests.proof.machine import HEAD, LIMIT, Machine, Scene
from tests.proof.results import note
from tests.roles import give_roles

_EXAMPLES = int(os.environ.get("PROOF_EXAMPLES", "24"))
_STEPS = int(os.environ.get("PROOF_STEPS", "12"))
_SUITE = "PROOF_EXAMPLES" not in os.environ


@pytest.mark.django_db(transaction=True)
def test_in_any_order_nothing_untrue_is_claimed(
    hostile: Hostile, clock: Clock, support: User, manager: User, settings: Any
) -> None:
    set_limits(APP, amount=str(LIMIT))
    people = {"support": support, "manager": manager}
    for name, role in (("colleague", "support"), (HEAD, "manager")):
        people[name] = User.objects.create_user(name)
        give_roles(people[name], role)
    loans = zip(hostile.loans[::2], hostile.loans[1::2], strict=True)
    examples = itertools.count()

    def sign_in(name: str) -> InProcess:
        client = Client()
        client.force_login(people[name])
        return InProcess(client, people[name])

    def scene() -> Scene:
        next(examples)
        hostile.honest()
        return Scene(hostile, clock, next(loans), sign_in)

    play: Any = lambda: Machine(scene, _forget)  # noqa: E731
    run_state_machine_as_test(
        play,
        settings=hypothesis_settings(
            max_examples=_EXAMPLES,
            stateful_step_count=_STEPS,
            deadline=None,
            derandomize=_SUITE,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    note("machine", examples=next(examples), steps=Machine.steps)


def _forget() -> None:
    """The next example starts with an empty journal; what was claimed is judged by then."""
    Reading.objects.all().delete()
    Repayment.objects.update(retry_of=None)
    Repayment.objects.all().delete()
    DBTaskResult.objects.all().delete()

"""The run of `make prove-hosts`, made small: the same people, hosts, restarts and kills. Then,
without any process, that each of its judgements can fail.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tests.proof.claims import Row
from tests.proof.hostile import Event
from tests.proof.hosts import CALM, KILLS, ROLLING, SHORT, Found, Stretch, judge, run, tell
from tests.proof.invariants import World
from tests.proof.visitors import Asked, Notes
from tests.proxies import needs_nginx


@needs_nginx
def test_restarts_lose_nothing_and_kills_lose_nothing_in_silence(tmp_path: Path) -> None:
    found = run(tmp_path, SHORT)
    print("\n".join(tell(found)))  # noqa: T201
    assert judge(found) == {}


def make_event(kind: str, call: int = 1) -> Event:
    return Event(0.0, kind, call, "L-1", "P1-1", Decimal("5.00"), "dashboard", "honest")


def make_row(state: str = "recorded") -> Row:
    return Row(7, "L-1", "P1-1", Decimal("5.00"), state, "", True, "support1", "")


def make_found() -> Found:
    """One repayment of one person, in three stretches of ten seconds; all is well."""
    stretches = [Stretch(CALM, 0, 10), Stretch(ROLLING, 10, 20), Stretch(KILLS, 20, 30)]
    asked = [Asked(at, 1.0, "lists", 200) for at in (1.0, 11.0, 21.0)]
    events = [make_event(kind) for kind in ("arrived", "committed", "acknowledged")]
    world = World(events, [make_row()])
    notes = Notes(asked, {7: ("L-1", "P1-1")})
    return Found(SHORT, "postgres", notes, stretches, Counter(), 5.0, world, {"locks": 0})


def test_where_all_is_well_nothing_is_found() -> None:
    assert judge(make_found()) == {}
    assert "| lists | 3 | 1,000 | 1,000 |" in list(tell(make_found()))


def ask_in(begin: float, seconds: float, status: int) -> Callable[[Found], Found]:
    def change(found: Found) -> Found:
        found.notes.asked.append(Asked(begin, seconds, "lists", status))
        return found

    return change


def replay(*kinds: str, state: str = "recorded") -> Callable[[Found], Found]:
    """Let the service have logged these, and the journal the one row in this state."""
    events = [make_event(kind, call) for call, kind in enumerate(kinds, start=1)]
    return lambda found: replace(found, world=World(events, [make_row(state)]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (ask_in(12, 1, 502), "rolling restart: 1 × 502"),
        (ask_in(2, 1, 0), "calm: 1 × connection closed"),
        (ask_in(22, 1, 500), "lists: 500"),
        (lambda found: replace(found, sign_in=61.0), "61 s"),
        (lambda found: replace(found, left={"locks": 1}), "locks: 1"),
        (replay("arrived", "acknowledged"), "rp-7 ('L-1', 'P1-1'): at the service 0 times"),
        (replay("arrived", "committed", "acknowledged", "committed"), "the service has 2, 10.00"),
        (replay("arrived", "committed", state="not_sent"), "the journal has 0, 0"),
        (replay("arrived", "committed", state="unknown"), "rp-7 is unknown"),
        (replay(), "nothing was recorded"),
    ],
)
def test_each_judgement_can_fail(change: Callable[[Found], Found], words: str) -> None:
    faults = judge(change(make_found()))
    assert words in [one for faults_here in faults.values() for one in faults_here]


def test_what_a_kill_met_may_fail_and_is_counted() -> None:
    found = ask_in(18, 4, 502)(ask_in(25, 1, 0)(make_found()))
    assert judge(found) == {}
    assert "| kills | 10 | 3 | 1 × closed, 1 × 502 |" in list(tell(found))

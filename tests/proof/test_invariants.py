"""Each invariant sees what breaks it, and lets pass what may be."""

from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest

from tests.proof import invariants
from tests.proof.claims import Receipt, Row
from tests.proof.hostile import Event
from tests.proof.invariants import START, World, broken

KEY = ("L-1", "TX")


def event(kind: str, fault: str = "honest", by: str = "dashboard", at: float = 0) -> Event:
    return Event(at, kind, 1, "L-1", "TX" if by == "dashboard" else "O", Decimal(10), by, fault)


def row(state: str, number: int = 1, external_id: str = "TX", approved_by: str = "") -> Row:
    was_sent = state not in ("pending",)
    return Row(number, "L-1", external_id, Decimal(10), state, "", was_sent, "maker", approved_by)


def says(saved: str, words: str = "", effect: str = "", not_seen: bool = False) -> Receipt:
    return Receipt(1, "", saved, effect, not_seen, False, words)


ARRIVED, COMMITTED, SAID_YES = event("arrived"), event("committed"), event("acknowledged")
LIED = event("acknowledged", "ok_without_commit")
PAID = {"L-1": START + 10}

GOOD = {
    "an honest one": World(
        [ARRIVED, COMMITTED, SAID_YES],
        [row("recorded")],
        {1: says("It is recorded.")},
        balances=PAID,
    ),
    "lost, and nobody knows": World([ARRIVED], [row("unknown")], {1: says("Not known yet.")}),
    "sent again with a warning": World(
        [ARRIVED, COMMITTED] * 2 + [SAID_YES],
        [row("not_found"), row("recorded", 2)],
        warned=Counter({KEY: 1}),
    ),
    "approved by another": World(
        [ARRIVED, COMMITTED, SAID_YES], [row("recorded", approved_by="head")], limit=Decimal(9)
    ),
    "a lie that is told of": World(
        [ARRIVED, LIED],
        [row("recorded")],
        {1: says("It is recorded.", effect="not yet", not_seen=True)},
    ),
    "presumed, and another payment explains it": World(
        [ARRIVED, event("committed", by="other")], [row("presumed")], balances=PAID
    ),
    "a lie beside another payment": World(
        [ARRIVED, LIED, event("committed", by="other")],
        [row("recorded")],
        {1: says("It is recorded.", effect="seen")},
        balances=PAID,
    ),
}
BAD: dict[str, tuple[Callable[[World], Iterator[str]], World]] = {
    "twice": (
        invariants.at_the_service_once,
        World([COMMITTED, COMMITTED], [row("not_found"), row("recorded", 2)]),
    ),
    "sent twice": (invariants.each_row_is_sent_once, World([ARRIVED, ARRIVED], [row("sent")])),
    "sent above the limit by one person": (
        invariants.nothing_goes_alone,
        World([ARRIVED], [row("sent")], limit=Decimal(9)),
    ),
    "sent above the limit, approved by who entered it": (
        invariants.nothing_goes_alone,
        World([ARRIVED], [row("sent", approved_by="maker")], limit=Decimal(9)),
    ),
    "sent without a row": (invariants.each_row_is_sent_once, World([ARRIVED], [])),
    "lost": (invariants.nothing_is_lost, World([COMMITTED], [])),
    "refused, yet there": (invariants.refused_is_not_there, World([COMMITTED], [row("refused")])),
    "not sent, yet there": (invariants.refused_is_not_there, World([COMMITTED], [row("not_sent")])),
    "recorded, yet not there": (invariants.recorded_is_true, World([ARRIVED], [row("recorded")])),
    "recorded, and never answered": (
        invariants.recorded_is_true,
        World([ARRIVED, COMMITTED], [row("recorded")]),
    ),
    "a lie that is not told of": (
        invariants.untrue_recorded_says_so,
        World([ARRIVED, LIED], [row("recorded")], {1: says("It is recorded.")}),
    ),
    "presumed as certain": (
        invariants.worded_as_known,
        World([], [row("presumed")], {1: says("It is recorded.")}),
    ),
    "no trace as not recorded": (
        invariants.worded_as_known,
        World([], [row("not_found")], {1: says("Not known yet.", "It was not recorded.")}),
    ),
    "told as if the service's answer were known": (
        invariants.worded_as_known,
        World(
            [],
            [row("presumed")],
            {1: says("Probably recorded.", "The service never confirmed it.")},
        ),
    ),
    "one rise for two": (
        invariants.landed_is_paid,
        World(
            [ARRIVED, COMMITTED, SAID_YES],
            [row("recorded"), row("presumed", 2, "TX-2")],
            balances=PAID,
        ),
    ),
    "presumed beside what a person rightly says": (
        invariants.landed_is_paid,
        World(
            [ARRIVED, COMMITTED],
            [row("resolved")._replace(resolution="recorded"), row("presumed", 2, "TX-2")],
            balances=PAID,
        ),
    ),
    "two open": (
        invariants.one_open_intent,
        World([], [row("unknown"), row("sent", 2, "TX-2")]),
    ),
    "money that nobody knows of": (
        invariants.sums_agree,
        World([COMMITTED], [row("not_sent")], balances=PAID),
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_may_be_breaks_nothing(name: str) -> None:
    assert broken(GOOD[name]) == {}


@pytest.mark.parametrize("name", BAD)
def test_what_must_not_be_is_seen(name: str) -> None:
    check, world = BAD[name]
    assert list(check(world))
    assert (check.__doc__ or "").strip() in broken(world)

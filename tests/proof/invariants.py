"""What must be true of money, whatever happened: each a function from what the service's own log
says and what the dashboard claims to the sentences that break it.

The log says what was committed; the claims are pages and exports. The dashboard's database is asked
nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from tests.proof.claims import Receipt, Row
from tests.proof.hostile import Event

NOTHING_SAVED = ("awaiting", "declined", "pending", "refused", "not_sent")
IN_DOUBT = ("sent", "unknown", "presumed", "not_found", "resolved")
OPEN = ("pending", "sent", "unknown")
START = Decimal("1000.00")
# Seconds before a call in which its baseline was read: what other money moved since, its readings
# may show.
BEFORE = 15.0

Key = tuple[str, str]


@dataclass
class World:
    """Everything that an invariant may look at.

    warned   how often people sent this externalId of a loan again after they had been warned that
             it may double, and agreed
    balances what the service says stands as paid, by loan
    limit    above which a repayment needs a second person
    """

    events: list[Event]
    rows: list[Row]
    receipts: Mapping[int, Receipt] = field(default_factory=dict)
    warned: Counter[Key] = field(default_factory=Counter)
    balances: Mapping[str, Decimal] = field(default_factory=dict)
    limit: Decimal = Decimal("Infinity")

    def __post_init__(self) -> None:
        own = [event for event in self.events if event.by == "dashboard"]
        self.committed = _count(event for event in own if event.kind == "committed")
        self.arrived = _count(event for event in own if event.kind == "arrived")
        self.acknowledged = _count(event for event in own if event.kind == "acknowledged")
        self.lies = _count(
            event
            for event in own
            if event.kind == "acknowledged" and event.fault == "ok_without_commit"
        )

    def count(self, states: Iterable[str]) -> Counter[Key]:
        """How many rows of each externalId stand in one of these states."""
        wanted = set(states)
        return Counter((row.loan, row.external_id) for row in self.rows if row.state in wanted)


def _count(events: Iterable[Event]) -> Counter[Key]:
    return Counter((event.loan, event.external_id) for event in events)


def at_the_service_once(world: World) -> Iterator[str]:
    """No externalId is at the service twice, unless a person re-sent it and was warned."""
    for key, times in world.committed.items():
        if times > 1 + world.warned[key]:
            yield f"{key} was committed {times} times, warned of {world.warned[key]} times"


def each_row_is_sent_once(world: World) -> Iterator[str]:
    """No row of the journal goes out twice, and nothing goes out without a row."""
    rows = Counter((row.loan, row.external_id) for row in world.rows if row.was_sent)
    for key, times in world.arrived.items():
        if times > rows[key]:
            yield f"{key} arrived {times} times, for {rows[key]} rows that say they were sent"


def nothing_goes_alone(world: World) -> Iterator[str]:
    """What is above the limit was sent with a second person's approval, and no other way."""
    for row in world.rows:
        if row.was_sent and row.amount > world.limit and row.approved_by in ("", row.person):
            yield f"rp-{row.number} of {row.person} was sent, approved by “{row.approved_by}”"


def nothing_is_lost(world: World) -> Iterator[str]:
    """What the service committed for the dashboard stands in the journal, and not as nothing."""
    live = world.count(("recorded", *IN_DOUBT))
    for key, times in world.committed.items():
        if times > live[key]:
            yield f"{key} was committed {times} times, {live[key]} rows hold it possible"


def refused_is_not_there(world: World) -> Iterator[str]:
    """What is refused or not sent is not at the service."""
    nothing, live = world.count(NOTHING_SAVED), world.count(("recorded", *IN_DOUBT))
    for key, rows in nothing.items():
        surplus = world.committed[key] - live[key]
        if surplus > 0:
            yield f"{key} says {rows} times that nothing was saved, yet {surplus} are committed"


def recorded_is_true(world: World) -> Iterator[str]:
    """`recorded` is untrue only where the service acknowledged what it did not commit."""
    for key, rows in world.count(("recorded",)).items():
        if rows > world.committed[key] + world.lies[key]:
            yield f"{key} stands as recorded {rows} times, {world.committed[key]} are committed"
        if rows > world.acknowledged[key]:
            yield f"{key} stands as recorded {rows} times, {world.acknowledged[key]} were answered"


def untrue_recorded_says_so(world: World) -> Iterator[str]:
    """Where the service lied, the receipt says that the effect was not seen."""
    for row in world.rows:
        key = (row.loan, row.external_id)
        receipt = world.receipts.get(row.number)
        if row.state != "recorded" or world.committed[key] or receipt is None:
            continue
        if receipt.not_seen or receipt.effect == "unreadable" or _others_moved_it(world, key):
            continue
        yield f"rp-{row.number} {key} is not there, and its receipt says “{receipt.effect}”"


def _others_moved_it(world: World, key: Key) -> bool:
    """Whether other money landed on the loan since the balances were read before it was sent."""
    sent = [e.at for e in world.events if (e.loan, e.external_id) == key and e.kind == "arrived"]
    moved = [e.at for e in world.events if e.loan == key[0] and e.kind == "committed"]
    return any(other > one - BEFORE for one in sent for other in moved)


_SAVED = {
    "recorded": ("It is recorded.",),
    "awaiting": ("Nothing was recorded.",),
    "declined": ("Nothing was recorded.",),
    "refused": ("Nothing was recorded.",),
    "not_sent": ("Nothing was recorded.", "Nothing was recorded, according to our records."),
    "pending": ("Not known yet.",),
    "sent": ("Not known yet.",),
    "unknown": ("Not known yet.",),
    "presumed": ("Probably recorded.",),
    "not_found": ("Not known yet.",),
    "resolved": (
        "It is recorded, decided by a person.",
        "Nothing was recorded, decided by a person.",
    ),
}
_NEVER_SAID = {
    "presumed": ("acknowledged", "was recorded", "is recorded", "the service never"),
    "not_found": ("not recorded", "nothing was recorded", "nothing of it", "the service never"),
    "unknown": ("not recorded", "nothing was recorded", "the service never"),
}


def worded_as_known(world: World) -> Iterator[str]:
    """A receipt says what its state allows: `presumed` and `no trace` never as certain."""
    for row in world.rows:
        receipt = world.receipts.get(row.number)
        if receipt is None:
            continue
        if receipt.saved not in _SAVED[row.state]:
            yield f"rp-{row.number} is {row.state} and says “{receipt.saved}”"
        for words in _NEVER_SAID.get(row.state, ()):
            if words in receipt.words.lower():
                yield f"rp-{row.number} is {row.state} and says “{words}”"


def one_open_intent(world: World) -> Iterator[str]:
    """A loan has at most one open intent that is not set aside."""
    of_loan: dict[str, list[Row]] = {}
    for row in world.rows:
        if row.state in OPEN:
            of_loan.setdefault(row.loan, []).append(row)
    for loan, rows in of_loan.items():
        aside = [row for row in rows if (r := world.receipts.get(row.number)) and r.set_aside]
        if len(rows) - len(aside) > 1:
            yield f"{loan} has {len(rows)} open intents, {len(aside)} of them set aside"


def sums_agree(world: World) -> Iterator[str]:
    """Balances, less what the second system posted, are what the journal says or doubts."""
    amounts: dict[Key, list[Decimal]] = {}
    for row in world.rows:
        if row.state not in NOTHING_SAVED:
            amounts.setdefault((row.loan, row.external_id), []).append(row.amount)
    held: Counter[str] = Counter()
    for event in world.events:
        if event.kind != "committed":
            continue
        of_row = amounts.get((event.loan, event.external_id), [])
        if event.by == "other":
            held[event.loan] += event.amount  # type: ignore[assignment]
        elif event.amount in of_row:
            of_row.remove(event.amount)
            held[event.loan] += event.amount  # type: ignore[assignment]
    for loan, paid in world.balances.items():
        if paid - START != held[loan]:
            yield f"{loan} has {paid - START} paid, {held[loan]} is accounted for"


def landed_is_paid(world: World) -> Iterator[str]:
    """What is presumed to have landed never exceeds what `paid` shows beyond what did land."""
    known: Counter[str] = Counter()
    presumed: Counter[str] = Counter()
    there = world.committed.copy()
    for row in world.rows:
        key = (row.loan, row.external_id)
        # A person may say that a payment was recorded which never was: that is theirs to answer.
        is_true = row.state == "recorded" or row.resolution == "recorded"
        if is_true and there[key]:
            there[key] -= 1
            known[row.loan] += row.amount  # type: ignore[assignment]
        elif row.state == "presumed":
            presumed[row.loan] += row.amount  # type: ignore[assignment]
    for loan, paid in world.balances.items():
        left = paid - START - known[loan]
        if presumed[loan] > left:
            yield f"{loan} has {presumed[loan]} presumed, and only {left} is left of what was paid"


INVARIANTS: tuple[Callable[[World], Iterator[str]], ...] = (
    at_the_service_once,
    each_row_is_sent_once,
    nothing_goes_alone,
    nothing_is_lost,
    refused_is_not_there,
    recorded_is_true,
    untrue_recorded_says_so,
    worded_as_known,
    one_open_intent,
    sums_agree,
    landed_is_paid,
)


def broken(world: World) -> dict[str, list[str]]:
    """What breaks each invariant, by its name in words; empty when all hold."""
    found = {(check.__doc__ or "").strip(): list(check(world)) for check in INVARIANTS}
    return {name: faults for name, faults in found.items() if faults}

"""Many people at once, at a service that breaks its word, with processes killed on the way."""

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.proof.claims import journal, receipt
from tests.proof.crashing import APP
from tests.proof.dashboard import Dashboard, Session, database
from tests.proof.desk import Confirm, fill_in, form_url, open_confirm, press
from tests.proof.hostile import FAULTS, Hostile
from tests.proof.invariants import Key, World, broken

# A caller that is left hanging holds its thread for ten seconds: these come less often.
_HANGING = tuple(name for name in FAULTS if "hanging" in name or "drip" in name)
_QUICK = tuple(name for name in FAULTS if name not in (*_HANGING, "honest"))
_CHECK_ALL_BUT = "recorded"


@dataclass
class Plan:
    """How much: `late` and `hang` in seconds, `share` of all calls that are broken."""

    people: int = 50
    repayments: int = 2000
    share: float = 0.2
    hang: float = 11.0
    late: float = 60.0
    weight: int = 4
    others_every: float = 0.4
    quiet: int = 20
    seed: int = 1


@dataclass
class Notes:
    """What people remember: the receipts they were led to, the warnings they agreed to, and the
    forms that ended in a fault of the dashboard's own."""

    receipts: set[int] = field(default_factory=set)
    agreed: dict[str, Key] = field(default_factory=dict)
    attempts: int = 0
    stopped: int = 0
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Person(threading.Thread):
    """Somebody who records one repayment after the other until enough were recorded by all."""

    def __init__(self, number: int, plan: Plan, notes: Notes, loans: list[str], at: Dashboard):
        super().__init__(daemon=True)
        self.number, self.plan, self.notes, self.loans = number, plan, notes, loans
        self.random = random.Random(plan.seed * 1000 + number)
        self.browser = Session(at, f"support{number}")
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while self._goes_on():
                self.record_one()
        except BaseException as error:
            self.error = error

    def _goes_on(self) -> bool:
        with self.notes.lock:
            self.notes.attempts += 1
            enough = len(self.notes.receipts) >= self.plan.repayments
            return not enough and self.notes.attempts < self.plan.repayments * 4

    def record_one(self) -> None:
        loan = self.random.choice(self.loans)
        amount = f"{self.random.randrange(100, 50000) / 100:.2f}"
        # Every tenth comes from a statement that two colleagues work through.
        shared = self.random.random() < 0.1
        key = (loan, f"S-{loan}" if shared else f"P{self.number}-{self.notes.attempts}")
        url = fill_in(self.browser, form_url(APP, loan), key[1], amount)
        confirm = open_confirm(self.browser, url) if url else None
        if confirm is None:
            self.notes.stopped += 1
            return
        self._send(confirm, key)

    def _send(self, confirm: Confirm, key: Key) -> None:
        agree = self.random.random() < 0.5
        if agree and confirm.warns:
            self.notes.agreed[confirm.url] = key
        if self.random.random() < 0.1:
            twin = threading.Thread(target=press, args=(self.browser, confirm, agree))
            twin.start()
            self._press(confirm, agree)
            twin.join()
        else:
            self._press(confirm, agree)

    def _press(self, confirm: Confirm, agree: bool) -> None:
        """Press the button; when the connection breaks, press the same again, as people do."""
        for _ in range(5):
            page = press(self.browser, confirm, agree)
            if page.status:
                break
            time.sleep(0.5)
        with self.notes.lock:
            if page.status == 500:
                self.notes.faults.append(confirm.url)
            if page.receipt:
                self.notes.receipts.add(page.receipt)
            else:
                self.notes.stopped += 1


def run(folder: Path, plan: Plan) -> dict[str, Any]:
    """Play it and give back the figures; `broken` holds what breaks each invariant."""
    loans = max(100, plan.repayments // 3)
    started = time.monotonic()
    with (
        Hostile(folder, loans, plan.seed, plan.hang, plan.late) as hostile,
        database(folder) as address,
    ):
        dashboard = Dashboard(folder, hostile.url, address, plan.people, plan.quiet)
        try:
            notes = _play(hostile, dashboard, plan)
            played = time.monotonic() - started
            return _settled(hostile, dashboard, notes, address) | {"seconds": round(played)}
        finally:
            dashboard.stop()


def _play(hostile: Hostile, dashboard: Dashboard, plan: Plan) -> Notes:
    notes = Notes()
    hostile.plan_share(plan.share, plan.seed, (*_QUICK * plan.weight, *_HANGING))
    hostile.pay_at_random(plan.others_every)
    people = [
        Person(number, plan, notes, hostile.loans, dashboard)
        for number in range(1, plan.people + 1)
    ]
    for person in people:
        person.start()
    for part in (1, 2):
        while len(notes.receipts) < plan.repayments * part // 3 and any(
            person.is_alive() for person in people
        ):
            time.sleep(0.05)
        dashboard.kill_a_worker()
        dashboard.kill_the_reconciler()
    for person in people:
        person.join()
    errors = [person.error for person in people if person.error]
    if errors:
        raise errors[0]
    return notes


def _settled(hostile: Hostile, dashboard: Dashboard, notes: Notes, address: str) -> dict[str, Any]:
    """Time to resolve, then the judgement; late commits come after what is late was given up."""
    hostile.pay_at_random(0)
    hostile.plan_share(0)
    dashboard.reconcile_later(2, 1, 1)
    hostile.honest()
    dashboard.reconcile_later(65)
    manager = Session(dashboard, "manager0")
    rows = journal(manager, APP)
    world = World(hostile.events(), rows)
    receipts = {
        row.number: receipt(manager, APP, row.number)
        for row in rows
        if row.state != _CHECK_ALL_BUT or not world.committed[row.loan, row.external_id]
    }
    warned = Counter(notes.agreed.values())
    world = World(hostile.events(), rows, receipts, warned, hostile.balances())
    found = broken(world)
    forgotten = notes.receipts - {row.number for row in rows}
    if forgotten:
        found["Every receipt that people saw is in the journal."] = sorted(map(str, forgotten))
    if notes.faults:
        found["No form ends in a fault of the dashboard's own."] = notes.faults
    calls = [event for event in world.events if event.kind == "arrived"]
    return {
        "database": address.partition(":")[0],
        "repayments": len(rows),
        "calls": len(calls),
        "faulted": sum(event.fault != "honest" for event in calls),
        "others": sum(e.by == "other" and e.kind == "committed" for e in world.events),
        "states": dict(Counter(row.state for row in rows)),
        "stopped": notes.stopped,
        "lies": sum(world.lies.values()),
        "warned": sum(warned.values()),
        "twice": sum(times > 1 for times in world.committed.values()),
        "broken": found,
    }

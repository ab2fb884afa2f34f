"""People record repayments through nginx before two hosts, while processes are killed, restarted
and upgraded; then the service's count is compared with the journal.

On SQLite there is one host, with two web processes.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from lendingadmin.money.repayments.states import RepaymentState
from tests.proof.claims import journal, receipt
from tests.proof.crashing import APP
from tests.proof.dashboard import database
from tests.proof.fleet import Fleet, run_fleet
from tests.proof.hostile import Event, Hostile
from tests.proof.invariants import OPEN, World, broken
from tests.proof.visitors import Asked, Notes, Visitor, people_at_work, sign_in_all

CALM, ROLLING, KILLS = "calm", "rolling restart", "kills"
LANDED = ("recorded", "presumed")
# Seconds. nginx asks a host again that it found closed (fail_timeout); then the next may stop.
_PAUSE = 7.0
_LEFT = """
import json
import django
django.setup()
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from lendingadmin.desk.collections.models import Lease
from lendingadmin.core.gateway.models import DatabaseTokenStore
from django.conf import settings
locks = 0
if connection.vendor == "postgresql":
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database"
            " WHERE locktype = 'advisory' AND datname = current_database()"
        )
        locks = cursor.fetchone()[0]
store = DatabaseTokenStore(
    settings.LENDING_AUTH_URL, settings.LENDING_CLIENT_ID, settings.LENDING_SCOPE
)
leased = store.load().leased_until
print(json.dumps({
    "lease of the token": int(bool(leased and leased > timezone.now())),
    "leases of borrowers": Lease.objects.count(),
    "running tasks": DBTaskResult.objects.filter(status="RUNNING").count(),
    "advisory locks": locks,
}))
"""


@dataclass
class Plan:
    """How much, in seconds: people `arrive` over so many, work for `seconds` at least, and have as
    many as `between` from one kill to the next."""

    people: int = 50
    arrive: float = 30.0
    seconds: float = 300.0
    calm: float = 20.0
    between: float = 4.0
    collects: bool = True
    seed: int = 1


SHORT = Plan(people=10, arrive=2.0, seconds=20.0, calm=1.0, between=1.0, collects=False)


@dataclass
class Stretch:
    """A part of the time; `begin` and `end` by the monotonic clock."""

    name: str
    begin: float
    end: float


@dataclass
class Found:
    """What a run came to."""

    plan: Plan
    database: str
    notes: Notes
    stretches: list[Stretch]
    kills: Counter[str]
    sign_in: float
    world: World
    left: dict[str, int]
    seconds: float = 0.0


def run(folder: Path, plan: Plan) -> Found:
    """Play it, let checks come due, and read both sides."""
    began = time.monotonic()
    loans = plan.people * 12
    with (
        Hostile(folder, loans, plan.seed) as service,
        database(folder) as address,
        run_fleet(folder, service.url, address, plan.people, collects=plan.collects) as fleet,
    ):
        play = _Play(fleet, plan, service.loans)
        play.run()
        fleet.stop(*fleet.workers)
        for minutes in (("2", "1", "1"), ("65",)):
            fleet.run("-m", "tests.proof.later", *minutes)
        fleet.run("manage.py", "audit", "verify")
        left = json.loads(fleet.run("-c", _LEFT))
        world = _read_world(fleet, play.notes, service)
    return Found(
        plan, address.partition(":")[0], play.notes, play.stretches, play.kills, play.sign_in,
        world, left, time.monotonic() - began,
    )  # fmt: skip


class _Play:
    """What happens to the fleet while people work."""

    def __init__(self, fleet: Fleet, plan: Plan, loans: list[str]) -> None:
        self.fleet, self.plan, self.loans = fleet, plan, loans
        self.random = random.Random(plan.seed)
        self.notes = Notes()
        self.stretches: list[Stretch] = []
        self.kills: Counter[str] = Counter()
        self.sign_in = 0.0

    def run(self) -> None:
        """Calm, a rolling restart, kills, and again, until the time is over."""
        visitors = [
            Visitor(self.fleet, f"support{number}", self.notes)
            for number in range(1, self.plan.people + 1)
        ]
        self.sign_in = sign_in_all(visitors, self.plan.arrive)
        with people_at_work(visitors, self.loans, self.plan.seed):
            until = time.monotonic() + self.plan.seconds
            while True:
                self._be_calm()
                with self._stretch(ROLLING):
                    self._restart_in_turn()
                with self._stretch(KILLS):
                    self._kill_in_turn()
                if time.monotonic() > until:
                    break
            self._be_calm()

    @contextmanager
    def _stretch(self, name: str) -> Iterator[None]:
        begin = time.monotonic()
        yield
        self.stretches.append(Stretch(name, begin, time.monotonic()))

    def _be_calm(self) -> None:
        with self._stretch(CALM):
            time.sleep(self.plan.calm)

    def _restart_in_turn(self) -> None:
        """As an upgrade does, which finds its migrations applied: one host, then the other."""
        self.fleet.release()
        for host, worker in zip(self.fleet.hosts, self.fleet.workers, strict=True):
            self.fleet.stop(host, worker)
            host.start()
            worker.start()
            host.wait_until_ready()
            time.sleep(_PAUSE)

    def _kill_in_turn(self) -> None:
        acts: list[Callable[[], None]] = [self._kill_a_child, self._kill_a_host]
        acts += [self._kill_a_child, self._kill_a_host, self._release]
        acts += [lambda one=one: self._kill_a_worker(one) for one in self.fleet.workers]  # type: ignore[misc]
        if self.fleet.redis:
            acts.append(self._kill_redis)
        self.random.shuffle(acts)
        for act in acts:
            act()
            time.sleep(self.plan.between)
        for host in self.fleet.hosts:
            host.wait_until_ready()
        time.sleep(_PAUSE)

    def _kill_a_child(self) -> None:
        self.random.choice(self.fleet.hosts).kill_a_child(self.random)
        self.kills["kill -9 of a process of a host"] += 1

    def _kill_a_host(self) -> None:
        host = self.random.choice(self.fleet.hosts)
        host.kill()
        self.kills["kill -9 of a host"] += 1
        time.sleep(self.plan.between)
        host.start()
        host.wait_until_ready()

    def _kill_a_worker(self, worker: Any) -> None:
        worker.kill()
        self.kills["kill -9 of a worker"] += 1
        worker.start()

    def _kill_redis(self) -> None:
        assert self.fleet.redis
        self.fleet.redis.kill()
        self.kills["kill -9 of Redis"] += 1
        time.sleep(self.plan.between)
        self.fleet.redis.start()

    def _release(self) -> None:
        self.fleet.release()
        self.kills["release again, on both hosts at once"] += 1


def _read_world(fleet: Fleet, notes: Notes, service: Hostile) -> World:
    manager = Visitor(fleet, "manager0", Notes())
    manager.sign_in()
    rows = journal(manager, APP)
    doubted = [row.number for row in rows if row.state != "recorded"]
    receipts = {number: receipt(manager, APP, number) for number in doubted}
    rows = journal(manager, APP)
    return World(service.events(), rows, receipts, Counter(), service.balances())


def name_stretch(asked: Asked, stretches: list[Stretch]) -> str:
    """In which stretch it was asked; what was under way at a kill is the kills'."""
    of_it = [
        one.name for one in stretches
        if asked.begin < one.end and asked.begin + asked.seconds > one.begin
    ]  # fmt: skip
    return KILLS if KILLS in of_it else of_it[0] if of_it else CALM


def judge(found: Found) -> dict[str, list[str]]:
    """What is broken, by what must hold; empty when all does."""
    faults = broken(found.world)
    for check in (*_OF_MONEY, *_OF_ANSWERS):
        if broken_here := list(check(found)):
            faults[(check.__doc__ or "").strip()] = broken_here
    return faults


def both_sides_count_the_same(found: Found) -> Iterator[str]:
    """The service counts what the journal counts, to the cent."""
    landed = [row.amount for row in found.world.rows if row.state in LANDED]
    committed = [one.amount for one in _list_committed(found)]
    if not committed:
        yield "nothing was recorded"
    if (len(landed), sum(landed)) != (len(committed), sum(committed)):
        yield f"the journal has {len(landed)}, {sum(landed)}"
        yield f"the service has {len(committed)}, {sum(committed)}"


def told_is_there_once(found: Found) -> Iterator[str]:
    """What a person was told is recorded is at the service once, and in the journal."""
    recorded = {row.number for row in found.world.rows if row.state == "recorded"}
    for number, key in found.notes.told.items():
        times = found.world.committed[key]
        if times != 1 or number not in recorded:
            yield f"rp-{number} {key}: at the service {times} times"


def nothing_is_there_twice(found: Found) -> Iterator[str]:
    """Nothing is recorded twice."""
    for key, times in found.world.committed.items():
        if times > 1:
            yield f"{key}: {times} times"


def nothing_is_left_open(found: Found) -> Iterator[str]:
    """No outcome stays open, and no lease, lock or task is left behind."""
    yield from (f"rp-{row.number} is {row.state}" for row in found.world.rows if row.state in OPEN)
    yield from (f"{name}: {count}" for name, count in found.left.items() if count)


def restarts_are_not_seen(found: Found) -> Iterator[str]:
    """Where nothing is killed, every request is answered, also while hosts restart in turn."""
    for name in (CALM, ROLLING):
        for status, count in count_errors(found)[name].items():
            yield f"{name}: {count} × {status or 'connection closed'}"


def no_page_fails_by_itself(found: Found) -> Iterator[str]:
    """No page fails with a fault of our own."""
    for one in found.notes.asked:
        if one.status == 500:
            yield f"{one.kind}: {one.status}"


def an_office_signs_in(found: Found) -> Iterator[str]:
    """All sign in within a minute, from one address."""
    if found.sign_in > 60:
        yield f"{found.sign_in:.0f} s"


Check = Callable[[Found], Iterator[str]]
_OF_MONEY: tuple[Check, ...] = (
    both_sides_count_the_same,
    told_is_there_once,
    nothing_is_there_twice,
    nothing_is_left_open,
)
_OF_ANSWERS: tuple[Check, ...] = (
    restarts_are_not_seen,
    no_page_fails_by_itself,
    an_office_signs_in,
)


def _list_committed(found: Found) -> list[Event]:
    return [one for one in found.world.events if one.kind == "committed" and one.by == "dashboard"]


def count_errors(found: Found) -> dict[str, Counter[int]]:
    """By stretch, how often each status came that says that a request was not done."""
    counted: dict[str, Counter[int]] = {name: Counter() for name in (CALM, ROLLING, KILLS)}
    for asked in found.notes.asked:
        if asked.status == 0 or asked.status >= 500:
            counted[name_stretch(asked, found.stretches)][asked.status] += 1
    return counted


def tell(found: Found) -> Iterator[str]:
    """What happened, as tables in Markdown."""
    where = "two hosts, PostgreSQL"
    if found.database == "sqlite":
        where = "one host with two web processes, SQLite"
    yield from _make_table(f"| {where} | |", "|---|---:|", _list_figures(found))
    pages = "| page | answers | p50, ms | p95, ms |"
    yield from _make_table(pages, "|---|---:|---:|---:|", _list_pages(found.notes.asked))
    stretches = "| phase | seconds | requests | no answer, refused or failed |"
    yield from _make_table(stretches, "|---|---:|---:|---|", _list_stretches(found))


def _make_table(head: str, rule: str, rows: Iterator[tuple[object, ...]]) -> Iterator[str]:
    yield from (head, rule)
    for cells in rows:
        yield "| " + " | ".join(map(str, cells)) + " |"
    yield ""


def _list_figures(found: Found) -> Iterator[tuple[object, ...]]:
    world, notes = found.world, found.notes
    worked = sum(one.end - one.begin for one in found.stretches)
    amounts = [one.amount for one in _list_committed(found)]
    yield "people at work", found.plan.people
    yield "seconds until all had signed in, from one address", f"{found.sign_in:.1f}"
    yield "sign-ins refused with 429, then repeated", sum(one.status == 429 for one in notes.asked)
    yield "seconds of work", f"{worked:.0f}"
    requests = sum(one.begin > found.stretches[0].begin for one in notes.asked)
    yield "requests", f"{requests:,}"
    yield "requests a second", f"{requests / worked:.1f}"
    yield "repayments in the journal", f"{len(world.rows):,}"
    for state, count in sorted(Counter(row.state for row in world.rows).items()):
        yield f"… {RepaymentState(state).label}", f"{count:,}"
    yield "at the service", f"{len(amounts):,}"
    yield "at the service, KES", f"{sum(amounts, Decimal(0)):,}"
    yield "shown to people as recorded", f"{len(notes.told):,}"
    yield "confirmed again after no answer", notes.pressed_again
    yield "recorded twice", len(list(nothing_is_there_twice(found)))
    yield "shown as recorded, but lost", len(list(told_is_there_once(found)))
    for name, count in sorted(found.kills.items()):
        yield name, count


def _list_pages(asked: list[Asked]) -> Iterator[tuple[object, ...]]:
    for kind in sorted({one.kind for one in asked}):
        took = sorted(one.seconds for one in asked if one.kind == kind and one.status in (200, 302))
        if took:
            middle, late = took[len(took) // 2], took[len(took) * 95 // 100]
            yield kind, f"{len(took):,}", f"{middle * 1000:,.0f}", f"{late * 1000:,.0f}"


def _list_stretches(found: Found) -> Iterator[tuple[object, ...]]:
    names = Counter(name_stretch(one, found.stretches) for one in found.notes.asked)
    for name, errors in count_errors(found).items():
        seconds = sum(one.end - one.begin for one in found.stretches if one.name == name)
        words = [f"{count} × {status or 'closed'}" for status, count in sorted(errors.items())]
        yield name, f"{seconds:.0f}", f"{names[name]:,}", ", ".join(words) or "0"

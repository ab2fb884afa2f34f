"""The state machine: people, faults, crashes, restarts and time, in any order.

What it holds is what people know: the confirm pages that are open in their tabs, and how often they
agreed to a warning. What it judges by is the service's log and the dashboard's pages.
"""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from io import StringIO
from typing import NamedTuple, TypeVar

from django.core.management import call_command
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.proof.claims import Receipt, Row, journal, receipt
from tests.proof.clock import Clock
from tests.proof.crash import exit_at, in_child
from tests.proof.crashing import APP, restart
from tests.proof.desk import (
    Browser,
    Confirm,
    approve_url,
    fill_in,
    form_url,
    open_confirm,
    press,
)
from tests.proof.hostile import FAULTS, Hostile
from tests.proof.invariants import Key, World, broken
from tests.repayments.threads import at_once

PEOPLE = ("support", "colleague", "manager")
# Approves, resolves and sets aside what the others entered.
HEAD = "head"
# Some of the amounts need a second person.
LIMIT = Decimal(50)
_PEOPLE = some.sampled_from(PEOPLE)
_APPROVERS = some.sampled_from((HEAD, HEAD, "manager"))
_LOANS = some.integers(0, 1)
_IDS = some.sampled_from(("TX-1", "TX-1", "TX-2", ""))
_AMOUNTS = some.sampled_from(("75.25", "75.25", "20.00"))
_FAULTS = some.sampled_from(tuple(FAULTS))
_TWO_LOST = some.tuples(
    some.sampled_from(("commit_late", "commit_late", "lose_answer", "lose_request")),
    some.sampled_from(("lose_request", "lose_request", "commit_late", "lose_answer")),
)
_THEN = some.sets(some.sampled_from(("late", "statement", "look")), min_size=1)
_PAUSES = some.sampled_from(
    (
        {"seconds": 5},
        {"seconds": 35},  # past SEND_WITHIN
        {"minutes": 2},  # past SENDER_LOST
        {"minutes": 17},  # past REPAYMENT_QUIET
        {"minutes": 17},
        {"hours": 25},  # past the watching
    )
)
_PICK = some.integers(0, 20)


class Tab(NamedTuple):
    """The confirm step, open in somebody's tab."""

    person: str
    key: Key
    confirm: Confirm


class Scene(NamedTuple):
    """What one example is played in. `sign_in` opens a browser session of a person."""

    hostile: Hostile
    clock: Clock
    loans: tuple[str, str]
    sign_in: Callable[[str], Browser]


class Machine(RuleBasedStateMachine):
    """One example; `make_scene` gives it loans that nobody else has touched."""

    steps = 0

    def __init__(self, make_scene: Callable[[], Scene], at_end: Callable[[], None]) -> None:
        super().__init__()
        self.scene, self.at_end = make_scene(), at_end
        self.hostile, self.clock = self.scene.hostile, self.scene.clock
        self.seen_lines = len(self.hostile.events())
        self.tabs: list[Tab] = []
        self.agreed: dict[str, Key] = {}
        self.rows: list[Row] = []
        self.receipts: dict[int, tuple[Row, Receipt]] = {}

    @initialize()
    def everybody_signs_in(self) -> None:
        self.browsers = {person: self.scene.sign_in(person) for person in (*PEOPLE, HEAD)}

    # --- at the form ---------------------------------------------------------------------

    @rule(person=_PEOPLE, loan=_LOANS, external_id=_IDS, amount=_AMOUNTS)
    def enter(self, person: str, loan: int, external_id: str, amount: str) -> None:
        self._open(person, form_url(APP, self.scene.loans[loan]), loan, external_id, amount)

    @precondition(lambda self: any(row.state in _RESENDABLE for row in self.rows))
    @rule(person=_PEOPLE, pick=_PICK)
    def enter_again(self, person: str, pick: int) -> None:
        row = _one([row for row in self.rows if row.state in _RESENDABLE], pick)
        loan = self.scene.loans.index(row.loan)
        url = form_url(APP, row.loan, row.number)
        self._open(person, url, loan, row.external_id, str(row.amount))

    def _open(self, person: str, url: str, loan: int, external_id: str, amount: str) -> None:
        browser = self.browsers[person]
        confirm_url = fill_in(browser, url, external_id, amount)
        confirm = open_confirm(browser, confirm_url) if confirm_url else None
        if confirm:
            self.tabs.append(Tab(person, (self.scene.loans[loan], external_id), confirm))

    @precondition(lambda self: self.tabs)
    @rule(pick=_PICK)
    def reload_the_confirm_page(self, pick: int) -> None:
        tab = _one(self.tabs, pick)
        confirm = open_confirm(self.browsers[tab.person], tab.confirm.url)
        if confirm:
            self.tabs.append(tab._replace(confirm=confirm))

    # --- pressing the button -------------------------------------------------------------

    @precondition(lambda self: self.tabs)
    @rule(pick=_PICK, agree=some.booleans(), fault=_FAULTS)
    def send(self, pick: int, agree: bool, fault: str) -> None:
        self.hostile.plan(fault)
        self._press(_one(self.tabs, pick), agree)

    @precondition(lambda self: self.tabs)
    @rule(first=_PICK, second=_PICK, agree=some.booleans(), fault=_FAULTS)
    def send_two_at_once(self, first: int, second: int, agree: bool, fault: str) -> None:
        """Twice the same tab is a double click; two of a person are two tabs, else a colleague."""
        self.hostile.plan(fault)
        tabs = [_one(self.tabs, first), _one(self.tabs, second)]
        results = at_once(2, lambda number: self._press(tabs[number], agree))
        errors = [result for result in results if isinstance(result, Exception)]
        assert not errors, errors

    @precondition(lambda self: self.tabs)
    @rule(pick=_PICK, agree=some.booleans(), fault=_FAULTS, point=some.integers(1, 400))
    def send_and_crash(self, pick: int, agree: bool, fault: str, point: int) -> None:
        self.hostile.plan(fault)

        def act() -> None:
            exit_at(point)
            press(self.browsers[tab.person], tab.confirm, agree)

        tab = _one(self.tabs, pick)
        self._note_agreed(tab, agree)
        in_child(act)

    def _press(self, tab: Tab, agree: bool) -> None:
        self._note_agreed(tab, agree)
        page = press(self.browsers[tab.person], tab.confirm, agree)
        assert page.status in (200, 302), page

    def _note_agreed(self, tab: Tab, agree: bool) -> None:
        if agree and tab.confirm.warns:
            self.agreed[tab.confirm.url] = tab.key

    # --- approving -----------------------------------------------------------------------

    @precondition(lambda self: self._waiting)
    @rule(person=_APPROVERS, pick=_PICK, agree=some.booleans(), fault=_FAULTS)
    def approve(self, person: str, pick: int, agree: bool, fault: str) -> None:
        self.hostile.plan(fault)
        self._approve(person, _one(self._waiting, pick), agree)

    @precondition(lambda self: self._waiting)
    @rule(pick=_PICK, agree=some.booleans(), fault=_FAULTS)
    def approve_two_at_once(self, pick: int, agree: bool, fault: str) -> None:
        self.hostile.plan(fault)
        row, people = _one(self._waiting, pick), (HEAD, "manager")
        results = at_once(2, lambda number: self._approve(people[number], row, agree))
        errors = [result for result in results if isinstance(result, Exception)]
        assert not errors, errors

    @precondition(lambda self: self._waiting)
    @rule(pick=_PICK, fault=_FAULTS, point=some.integers(1, 400))
    def approve_and_crash(self, pick: int, fault: str, point: int) -> None:
        self.hostile.plan(fault)
        row = _one(self._waiting, pick)

        def act() -> None:
            exit_at(point)
            self._approve(HEAD, row, agree=True)

        in_child(act)

    @precondition(lambda self: self._waiting)
    @rule(person=_APPROVERS, pick=_PICK)
    def decline(self, person: str, pick: int) -> None:
        row = _one(self._waiting, pick)
        self._post(person, row, "decline", {"decline-reason": "the statement says otherwise"})

    @property
    def _waiting(self) -> list[Row]:
        return [row for row in self.rows if row.state == "awaiting"]

    def _approve(self, person: str, row: Row, agree: bool) -> None:
        page = open_confirm(self.browsers[person], approve_url(APP, row.number))
        if page:
            answer = press(self.browsers[person], page, agree)
            assert answer.status in (200, 302), answer

    # --- two on one loan -----------------------------------------------------------------

    @rule(person=_PEOPLE, loan=_LOANS, amount=_AMOUNTS, faults=_TWO_LOST, then=_THEN)
    def lose_two_on_a_loan(
        self, person: str, loan: int, amount: str, faults: tuple[str, str], then: set[str]
    ) -> None:
        """The first is set aside for the next customer, and the second is lost as well."""
        self._enter_and_send(person, loan, amount, faults[0])
        for row in self._rows_of(loan):
            if row.state == "unknown":
                self._set_aside(row)
        self._enter_and_send(person, loan, amount, faults[1])
        self._go_on(loan, then)

    @rule(person=_PEOPLE, loan=_LOANS, amount=_AMOUNTS, faults=_TWO_LOST, then=_THEN)
    def lose_one_after_what_left_no_trace(
        self, person: str, loan: int, amount: str, faults: tuple[str, str], then: set[str]
    ) -> None:
        """The quiet time of the first passes before the second is lost."""
        self._enter_and_send(person, loan, amount, faults[0])
        self.time_passes({"minutes": 17})
        for _ in range(3):
            self._look_at_all(loan)
            self.time_passes({"seconds": 5})
        self._enter_and_send(person, loan, amount, faults[1])
        self._go_on(loan, then)

    def _go_on(self, loan: int, then: set[str]) -> None:
        """What is late is committed, a manager reads the operator's statement, everybody looks."""
        if "late" in then:
            self.hostile.commit_late_now()
        if "statement" in then:
            self._settle_by_the_statement(loan)
        if "look" in then:
            self.time_passes({"seconds": 5})
            self._look_at_all(loan)

    def _settle_by_the_statement(self, loan: int) -> None:
        """A manager who knows what the service holds says so, and says nothing of the rest."""
        events = self.hostile.events(since=self.seen_lines)
        there = {(e.loan, e.external_id) for e in events if e.kind == "committed"}
        for row in self._rows_of(loan):
            if row.state in _SETTLEABLE and (row.loan, row.external_id) in there:
                words = {"resolution": "recorded", "reason": "it is on the statement"}
                self._post(HEAD, row, "resolve", words)
                self.receipts.pop(row.number, None)

    def _look_at_all(self, loan: int) -> None:
        for row in self._rows_of(loan):
            self._post("manager", row, "check", {})

    def _enter_and_send(self, person: str, loan: int, amount: str, fault: str) -> None:
        before = len(self.tabs)
        self.enter(person, loan, f"TX-{len(self.hostile.events())}", amount)
        if len(self.tabs) > before:
            self.hostile.plan(fault)
            self._press(self.tabs[-1], agree=True)
            for row in self._rows_of(loan):
                if row.state == "awaiting":
                    self._approve(HEAD, row, agree=True)

    def _rows_of(self, loan: int) -> list[Row]:
        self.rows = journal(self.browsers["manager"], APP)
        return [row for row in self.rows if row.loan == self.scene.loans[loan]]

    # --- what happens around -------------------------------------------------------------

    @rule(loan=_LOANS, amount=_AMOUNTS)
    def the_second_system_posts(self, loan: int, amount: str) -> None:
        self.hostile.pay(self.scene.loans[loan], amount)

    @rule()
    def what_is_late_is_committed(self) -> None:
        self.hostile.commit_late_now()

    @rule(pause=_PAUSES)
    def time_passes(self, pause: dict[str, float]) -> None:
        self.clock.move(**pause)
        self.everybody_signs_in()

    @rule()
    def reconcile(self) -> None:
        call_command("reconcile", stdout=StringIO())

    @precondition(lambda self: self.rows)
    @rule(person=_PEOPLE, pick=_PICK)
    def check_now(self, person: str, pick: int) -> None:
        self._post(person, _one(self.rows, pick), "check", {})

    # --- what a manager decides ----------------------------------------------------------

    @precondition(lambda self: any(row.state in _SETTLEABLE for row in self.rows))
    @rule(pick=_PICK, resolution=some.sampled_from(("recorded", "not_recorded")))
    def settle(self, pick: int, resolution: str) -> None:
        row = _one([row for row in self.rows if row.state in _SETTLEABLE], pick)
        self._post(HEAD, row, "resolve", {"resolution": resolution, "reason": "the statement says"})

    @precondition(lambda self: any(row.state == "unknown" for row in self.rows))
    @rule(pick=_PICK)
    def set_aside(self, pick: int) -> None:
        self._set_aside(_one([row for row in self.rows if row.state == "unknown"], pick))

    def _set_aside(self, row: Row) -> None:
        self._post(HEAD, row, "set-aside", {"aside-reason": "the next customer waits"})
        self.receipts.pop(row.number, None)

    def _post(self, person: str, row: Row, act: str, fields: dict[str, str]) -> None:
        page = self.browsers[person].post(f"/apps/{APP}/repayments/{row.number}/{act}", fields)
        assert page.status in (200, 302), page

    # --- what must be true ---------------------------------------------------------------

    @invariant()
    def nothing_untrue_is_claimed(self) -> None:
        type(self).steps += 1
        if not hasattr(self, "browsers"):
            return
        browser = self.browsers["manager"]
        for row in journal(browser, APP):
            known = self.receipts.get(row.number)
            if known is None or known[0] != row:
                told = receipt(browser, APP, row.number)
                self.receipts[row.number] = (row, told)
        self.rows = journal(browser, APP)
        self._judge({number: told for number, (_, told) in self.receipts.items()})

    def _judge(self, receipts: dict[int, Receipt]) -> None:
        events = self.hostile.events(since=self.seen_lines)
        paid = self.hostile.balances()
        balances = {loan: paid[loan] for loan in self.scene.loans}
        agreed = Counter(self.agreed.values())
        world = World(events, self.rows, receipts, agreed, balances, LIMIT)
        found = broken(world)
        assert not found, found

    def teardown(self) -> None:
        try:
            if hasattr(self, "browsers"):
                self.hostile.commit_late_now()
                restart(self.clock)
                self.everybody_signs_in()
                self.receipts.clear()
                self.nothing_untrue_is_claimed()
                left = [row for row in self.rows if row.state in ("pending", "sent")]
                assert not left, f"nobody concluded {left}"
        finally:
            self.at_end()


Thing = TypeVar("Thing")
_RESENDABLE = ("declined", "refused", "not_sent", "not_found")
_SETTLEABLE = ("unknown", "presumed", "not_found")


def _one(things: list[Thing], pick: int) -> Thing:
    """One of them; the newest for 0, so that examples shrink to it."""
    return things[-1 - pick % len(things)]

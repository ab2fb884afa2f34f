"""The crash loop: for each fault, a process that ends at every point between form and receipt."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from io import StringIO

from django.core.management import call_command
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import sending
from lendingadmin.money.repayments.services import Intent, Request
from tests.proof.claims import journal, receipt
from tests.proof.clock import Clock
from tests.proof.crash import exit_at, in_child
from tests.proof.desk import Browser, Confirm, Page, fill_in, form_url, open_confirm, press
from tests.proof.hostile import FAULTS, Hostile
from tests.proof.invariants import World, broken

APP = "kenya"
AMOUNT = "75.25"
GROUP = 4
FAULTS_IN_TURN = list(FAULTS)


def crash_everywhere(
    hostile: Hostile, browser: Browser, fault: str, loans: Iterator[str], points: Iterable[int]
) -> int:
    """Let one child after the other record a repayment and end at its n-th point, until one lives
    to its end. Each on a loan of its own. Returns how many ended early."""
    for ended, number in enumerate(points):
        if crash_once(hostile, browser, fault, next(loans), number):
            return ended
    raise AssertionError("no child lived to its end")


def crash_once(hostile: Hostile, browser: Browser, fault: str, loan: str, number: int) -> bool:
    """One child that ends at its n-th point; whether it lived. Then the person presses again."""
    hostile.plan_loans({loan: fault})
    confirm = _ready(browser, loan, f"{fault}-{number}")
    lived = in_child(lambda: _press_and_end(browser, confirm, number))
    press(browser, confirm)
    return lived


def crash_groups(
    hostile: Hostile, person: User, loans: Iterator[str], points: Iterable[int]
) -> int:
    """Let one child after the other record a group and end at its n-th point, until one lives to
    its end. Each meets other faults, on loans of its own. Returns how many ended early."""
    for ended, number in enumerate(points):
        faults = [FAULTS_IN_TURN[(number + at) % len(FAULTS_IN_TURN)] for at in range(GROUP)]
        planned = {next(loans): fault for fault in faults}
        hostile.plan_loans(planned)
        intents = [_build_intent(loan, f"{fault}-{number}") for loan, fault in planned.items()]
        lived = in_child(lambda intents=intents, number=number: _record(intents, person, number))  # type: ignore[misc]
        # The worker that takes them up again.
        sending.record_all(intents, person)
        if lived:
            return ended
    raise AssertionError("no child lived to its end")


def _build_intent(loan: str, external_id: str) -> Intent:
    now = timezone.now()
    request = Request(APP, loan, "", external_id, Decimal(AMOUNT), now, now, currency_code="KES")
    return Intent(request, f"group-{external_id}-{loan}", agreed=False)


def _record(intents: Sequence[Intent], person: User, number: int) -> None:
    exit_at(number, is_group=True)
    sending.record_all(intents, person)


def first_sent(hostile: Hostile, browser: Browser, loans: Iterator[str]) -> int:
    """The first point at which the request is out. Before it no fault makes a difference."""
    low, high = 0, 1
    while not _is_out(hostile, browser, next(loans), high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if _is_out(hostile, browser, next(loans), middle):
            high = middle
        else:
            low = middle
    return high


def _is_out(hostile: Hostile, browser: Browser, loan: str, number: int) -> bool:
    confirm = _ready(browser, loan, f"probe-{loan}")
    lived = in_child(lambda: _press_and_end(browser, confirm, number))
    return lived or any(e.loan == loan and e.kind == "arrived" for e in hostile.events())


def _ready(browser: Browser, loan: str, external_id: str) -> Confirm:
    """The confirm step. As a person would, opens the form again where the loan can't be read.

    Nothing is sent before that step, so what is proved begins after it.
    """
    for _ in range(3):
        url = fill_in(browser, form_url(APP, loan), external_id, AMOUNT)
        confirm = open_confirm(browser, url) if url else None
        if confirm:
            return confirm
    raise AssertionError(f"the form of {loan} led nowhere")


def _press_and_end(browser: Browser, confirm: Confirm, number: int) -> Page:
    exit_at(number)
    return press(browser, confirm)


def restart(clock: Clock) -> None:
    """What the reconciler does once it runs again: ended, and watched past the quiet time."""
    for step in ({"minutes": 2}, {"minutes": 16}, {"minutes": 2}, {"minutes": 2}):
        clock.move(**step)
        reconcile_all()


def reconcile_all() -> None:
    """Pass after pass, until nothing is due any more."""
    for _ in range(100):
        said = StringIO()
        call_command("reconcile", stdout=said)
        if "0 ended, 0 checked" in said.getvalue():
            return
    raise AssertionError("the reconciler never comes to an end")


def judged(hostile: Hostile, browser: Browser, states: Iterable[str] | None = None) -> World:
    """Log and claims of this moment. Receipts are opened of the rows in these states (all)."""
    wanted = None if states is None else set(states)
    rows = journal(browser, APP)
    receipts = {
        row.number: receipt(browser, APP, row.number)
        for row in rows
        if wanted is None or row.state in wanted
    }
    rows = journal(browser, APP)
    return World(hostile.events(), rows, receipts, balances=hostile.balances())


def prove(hostile: Hostile, browser: Browser, clock: Clock) -> Counter[str]:
    """After the crashes: restart, judge, let what is late be committed, judge again.

    Returns how many rows stand in which state.
    """
    restart(clock)
    world = judged(hostile, browser)
    assert not broken(world), broken(world)
    open_still = [row for row in world.rows if row.state in ("pending", "sent", "unknown")]
    assert not open_still, f"nobody concluded {open_still}"
    hostile.commit_late_now()
    clock.move(hours=1)
    reconcile_all()
    late = judged(hostile, browser)
    assert not broken(late), broken(late)
    return Counter(row.state for row in late.rows)

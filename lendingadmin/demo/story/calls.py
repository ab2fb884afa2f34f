"""Twelve calls on two days, with promises and a dispute."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.collections import promises
from lendingadmin.desk.collections.services import Entered, keep_call
from lendingadmin.desk.collections.states import Outcome

from .cast import Book, Cast, at, number_keys

if TYPE_CHECKING:
    from .journal import Entry

# Each call: result, caller, days ago, time, note.
_OTHERS = (
    (Outcome.DISPUTE, "brian", 1, "15:20", "Says that the last instalment was paid at the agent."),
    (Outcome.NO_ANSWER, "officer", 1, "09:05", ""),
    (Outcome.NO_ANSWER, "officer", 1, "09:12", "Try in the evening."),
    (Outcome.REACHED, "officer", 1, "09:20", "Sells at the market, has money on Saturday."),
    (Outcome.WRONG_NUMBER, "brian", 1, "10:02", "Another person has this number now."),
    (Outcome.NO_ANSWER, "brian", 1, "10:09", ""),
    (Outcome.REACHED, "brian", 1, "10:31", "Asks for the balance by SMS."),
    (Outcome.HARDSHIP, "amina", 1, "14:40", "In hospital since last week."),
    (Outcome.NO_ANSWER, "officer", 0, "08:35", ""),
)


def make(app: LendingApp, cast: Cast, book: Book, recorded: Sequence["Entry"]) -> None:
    """Save the calls, with three promises (fulfilled, broken, for today) and a dispute."""
    keys, today = number_keys("call"), timezone.localdate()
    broken, due, *others = book.late
    kept = recorded[0]
    for debt, amount, made, promised in (
        (kept.debt, kept.repayment.amount, 3, 1),
        (broken, Decimal(1_500), 5, 3),
        (due, Decimal(2_000), 1, 0),
    ):
        entered = Entered(
            *(debt.borrower_id, debt.account_id, debt.queue, Outcome.PROMISE),
            amount=amount,
            day=today - timedelta(days=promised),
        )
        keep_call(app, entered, next(keys), cast.officer, now=at(app, made, "11:15"))
    for debt, (outcome, name, days_ago, clock, note) in zip(others, _OTHERS, strict=False):
        entered = Entered(debt.borrower_id, debt.account_id, debt.queue, outcome, note)
        keep_call(app, entered, next(keys), getattr(cast, name), now=at(app, days_ago, clock))


def judge(app: LendingApp) -> None:
    """Judge the promises, as the worker does every few minutes."""
    promises.judge_promises(app, timezone.now())

"""Large portfolio, which is written directly to the database. With HTTP this would take hours.

On the same day, the n-th borrower and loan are the same on every machine. If a portfolio is not
complete, the missing loans are added at its end.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import NamedTuple

from django.db import connection, transaction

from lendingadmin.sandbox.models import Borrower, Loan, Repayment
from lendingadmin.sandbox.rules.instants import day_start
from lendingadmin.sandbox.schemas.inputs import NewBorrower
from lendingadmin.sandbox.seed import book, filler, people
from lendingadmin.sandbox.store import borrowers

LOANS_EACH = 2  # loans of one borrower
_COUNTRY = "kenya"  # the app with the names, sums and networks of the portfolio
_BATCH = 250  # borrowers that each process has in memory at a time
_FIRST = timedelta(days=400)  # age of the first record; each next record is a second younger


class Batch(NamedTuple):
    """Unsaved rows: borrowers, loans with their records, and repayments."""

    borrowers: list[Borrower]
    loans: list[Loan]
    repayments: list[Repayment]


def seed(app_id: str, count: int, now: datetime) -> Iterator[int]:
    """Fill an app up to `count` loans; yield the number of loans before and after each batch."""
    there = Loan.objects.filter(app_id=app_id).count()
    yield there
    first, last = -(-there // LOANS_EACH), -(-count // LOANS_EACH)
    starts = range(first, last, _BATCH)
    build = partial(_build_batch, app_id, last, day_start(now.date()))
    connection.close()  # processes must not share a connection
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for made in _in_turn(pool, build, starts):
            with transaction.atomic():
                filler.save(*made)
            yield Loan.objects.filter(app_id=app_id).count()


def _in_turn(
    pool: ProcessPoolExecutor, build: Callable[[int], Batch], starts: Sequence[int]
) -> Iterator[Batch]:
    """Yield the batches in order.

    Only a few batches are built in advance, because they need memory.
    """
    rest = iter(starts)
    waiting = [pool.submit(build, start) for start in islice(rest, (os.cpu_count() or 1) * 2)]
    while waiting:
        made = waiting.pop(0).result()
        waiting += [pool.submit(build, start) for start in islice(rest, 1)]
        yield made


def _build_batch(app_id: str, last: int, today: datetime, start: int) -> Batch:
    made = Batch([], [], [])
    for n in range(start, min(start + _BATCH, last)):
        body = people.build_borrower(_COUNTRY, n, today) | {"borrowerId": f"b-{n:07d}"}
        at = today - _FIRST + timedelta(seconds=n * LOANS_EACH)
        sent = NewBorrower.model_validate(body).document()
        made.borrowers.append(
            borrowers.build_borrower(app_id, sent, filler.build_uid("borrower", app_id, n), at)
        )
        for number in range(LOANS_EACH):
            _add_loan(made, app_id, n, number, body, today)
    return made


def _add_loan(
    made: Batch, app_id: str, n: int, number: int, holder: people.Body, today: datetime
) -> None:
    place = n * LOANS_EACH + number
    planned = book.plan_loan(_COUNTRY, place, holder, today, filler.PRODUCTS)
    planned.body["accountId"] = f"l-{place:07d}"
    loan, paid = filler.build_loan(
        app_id,
        planned,
        number + 1,
        filler.build_uid("loan", app_id, place),
        made_at=today - _FIRST + timedelta(seconds=place),
        now=today,
    )
    made.loans.append(loan)
    made.repayments.extend(paid)

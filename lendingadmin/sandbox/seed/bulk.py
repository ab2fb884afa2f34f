"""A large book, written directly to the database, because over HTTP it would take hours.

The n-th borrower and loan are the same on every machine on the same day. An incomplete book is
continued at its end.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from lendingadmin.sandbox.catalogue.products import answer_products, find_product
from lendingadmin.sandbox.models import Borrower, Loan, LoanRecord, Repayment
from lendingadmin.sandbox.rules.accounts import Payment
from lendingadmin.sandbox.rules.instants import day_start
from lendingadmin.sandbox.rules.opening import open_account
from lendingadmin.sandbox.schemas.contracts import NewLoan, NewRepayment
from lendingadmin.sandbox.schemas.inputs import NewBorrower
from lendingadmin.sandbox.seed import book, filler, people
from lendingadmin.sandbox.store import borrowers, loans, repayments

LOANS_EACH = 2  # loans of one borrower
_COUNTRY = "kenya"  # whose names, sums and networks the book has
_BATCH = 250  # borrowers that are held in memory at once, by each process
_FIRST = timedelta(days=400)  # ago, the first record was made; each further one a second later
_PRODUCTS = [product.model_dump(by_alias=True) for product in answer_products()]


class Batch(NamedTuple):
    """Unsaved rows: loans with their records and repayments."""

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
    connection.close()  # a connection must not cross a fork
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for made in _in_turn(pool, build, starts):
            _save(made)
            yield Loan.objects.filter(app_id=app_id).count()


def _in_turn(
    pool: ProcessPoolExecutor, build: Callable[[int], Batch], starts: Sequence[int]
) -> Iterator[Batch]:
    """Yield the batches in order. Only a few are built ahead, because they use much memory."""
    rest = iter(starts)
    waiting = [pool.submit(build, start) for start in islice(rest, (os.cpu_count() or 1) * 2)]
    while waiting:
        made = waiting.pop(0).result()
        waiting += [pool.submit(build, start) for start in islice(rest, 1)]
        yield made


def _save(made: Batch) -> None:
    with transaction.atomic():
        Borrower.objects.bulk_create(made.borrowers)
        Loan.objects.bulk_create(made.loans)
        LoanRecord.objects.bulk_create([loan.record for loan in made.loans])
        Repayment.objects.bulk_create(made.repayments)


def _build_batch(app_id: str, last: int, today: datetime, start: int) -> Batch:
    made = Batch([], [], [])
    for n in range(start, min(start + _BATCH, last)):
        body = people.build_borrower(_COUNTRY, n, today) | {"borrowerId": f"b-{n:07d}"}
        at = today - _FIRST + timedelta(seconds=n * LOANS_EACH)
        sent = NewBorrower.model_validate(body).document()
        made.borrowers.append(
            borrowers.build_borrower(app_id, sent, _build_uid("borrower", app_id, n), at)
        )
        for number in range(LOANS_EACH):
            _add_loan(made, app_id, n, number, body, today)
    return made


def _add_loan(
    made: Batch, app_id: str, n: int, number: int, holder: people.Body, today: datetime
) -> None:
    place = n * LOANS_EACH + number
    planned = book.plan_loan(_COUNTRY, place, holder, today, _PRODUCTS)
    body = planned.body | {"accountId": f"l-{place:07d}"}
    sent = NewLoan.model_validate(body)
    product = find_product(body["productId"])
    assert product is not None  # noqa: S101 - of the list that the plan was given
    opening = open_account(product, sent.contract, None, sent.start_date.date())
    held = {
        "category": holder["category"],
        "loanType": product.style.value,
        "sequenceNo": number + 1,
    }
    at = today - _FIRST + timedelta(seconds=place)
    loan = loans.build_loan(
        app_id, sent.document(), opening, held, _build_uid("loan", app_id, place), at
    )
    made.loans.append(loan)
    made.repayments.extend(_build_repayments(loan, planned.payments, opening.contract, today))


def _build_repayments(
    loan: Loan, planned: Sequence[book.Payment], contract: dict[str, Any], today: datetime
) -> list[Repayment]:
    """Return the repayments of a loan; also set the values of the loan that depend on them."""
    paid: list[Payment] = []
    rows = []
    for one in planned:
        amount = filler.compute_amount(one, contract, paid)
        sent = NewRepayment.model_validate(filler.build_repayment(one, amount)).document()
        rows.append(repayments.build_repayment(loan, sent, today))
        paid.append(Payment(one.paid_at, amount))
    if paid:
        repayments.replay_repayments(loan, paid)
    return rows


def _build_uid(*parts: object) -> UUID:
    return UUID(int=people.seed_random("uid", *parts).getrandbits(128), version=4)

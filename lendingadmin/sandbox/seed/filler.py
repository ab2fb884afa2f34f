"""Functions that save the plan of `book.plan` in the database, and list loans on past days.

All records are built and checked as the API does it. The records of an app are saved in one
transaction, because this would take a minute with HTTP.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from lendingadmin.sandbox.catalogue.products import answer_products, find_product
from lendingadmin.sandbox.models import Borrower, Loan, LoanRecord, Repayment
from lendingadmin.sandbox.rules.accounts import Payment, charge, replay
from lendingadmin.sandbox.rules.amounts import round_cents
from lendingadmin.sandbox.rules.entity_values import read_data
from lendingadmin.sandbox.rules.instants import write_timestamp
from lendingadmin.sandbox.rules.opening import open_account, read_arrears, read_lines
from lendingadmin.sandbox.schemas.contracts import NewLoan, NewRepayment
from lendingadmin.sandbox.schemas.inputs import NewAssessment, NewBorrower, NewEvent
from lendingadmin.sandbox.seed import book
from lendingadmin.sandbox.seed.people import seed_random
from lendingadmin.sandbox.store import assessments, borrowers, events, loans, repayments
from lendingadmin.sandbox.store.writing import write

PRODUCTS = [product.model_dump(by_alias=True) for product in answer_products()]


def fill(app_id: str, now: datetime) -> Counter[str]:
    """Fill an app; return the number of added records by collection.

    An app that already has borrowers is not changed.
    """
    if Borrower.objects.filter(app_id=app_id).exists():
        return Counter()
    clients = book.plan(app_id, now, PRODUCTS)
    made, paid = list[Loan](), list[Repayment]()
    rows = [
        borrowers.build_borrower(
            app_id,
            NewBorrower.model_validate(client.body).document(),
            build_uid("borrower", app_id, n),
            now,
        )
        for n, client in enumerate(clients)
    ]
    for client in clients:
        for number, planned in enumerate(client.loans, start=1):
            uid = build_uid("loan", app_id, len(made))
            loan, its_repayments = build_loan(app_id, planned, number, uid, made_at=now, now=now)
            made.append(loan)
            paid += its_repayments
    with write():
        save(rows, made, paid)
        added = Counter(borrowers=len(rows), loans=len(made), repayments=len(paid))
        for client in clients:  # this is done after the loans, because assessments read the loans
            for body in client.reports.events:
                event = NewEvent.model_validate(body)
                data = read_data(event.data, "data")
                events.create(app_id, event.document() | {"data": data}, now)
            for body in client.reports.assessments:
                asked = NewAssessment.model_validate(body)
                assessments.create(
                    app_id, asked.account_id, asked.assessment_type, asked.timestamp, now
                )
            added["events"] += len(client.reports.events)
            added["assessments"] += len(client.reports.assessments)
    return added


def save(rows: Sequence[Borrower], made: Sequence[Loan], paid: Sequence[Repayment]) -> None:
    """Save new borrowers, and loans with their records and repayments."""
    Borrower.objects.bulk_create(rows)
    Loan.objects.bulk_create(made)
    LoanRecord.objects.bulk_create([loan.record for loan in made])
    Repayment.objects.bulk_create(paid)


def build_loan(
    app_id: str, planned: book.Loan, number: int, uid: UUID, *, made_at: datetime, now: datetime
) -> tuple[Loan, list[Repayment]]:
    """Return a planned loan and its repayments, not saved yet.

    `number` is the number of the loan among those of the borrower; `made_at` is its creation time.
    """
    body = planned.body
    sent = NewLoan.model_validate(body)
    product = find_product(body["productId"])
    assert product is not None  # noqa: S101 - the plan uses only products of this list
    opening = open_account(product, sent.contract, None, sent.start_date.date())
    holder = {
        "category": body["category"],
        "loanType": product.style.value,
        "sequenceNo": number,
    }
    loan = loans.build_loan(app_id, sent.document(), opening, holder, uid, made_at)
    paid, rows = list[Payment](), list[Repayment]()
    for one in planned.payments:
        amount = compute_amount(one, opening.contract, paid)
        repayment = NewRepayment.model_validate(build_repayment(one, amount)).document()
        rows.append(repayments.build_repayment(loan, repayment, now))
        paid.append(Payment(one.paid_at, amount))
    if paid:
        repayments.replay_repayments(loan, paid)
    return loan, rows


def list_past(app_id: str, moments: Sequence[datetime]) -> Iterator[dict[str, Any]]:
    """Yield the loans of an app as the service would have listed them at each moment.

    Contracts are left out, because they never change.
    """
    rows = Loan.objects.filter(app_id=app_id).select_related("record").order_by("id")
    found = list(rows.prefetch_related("repayments"))
    for at in moments:
        listed = []
        for loan in found:
            if loan.start_date > at:
                continue
            made = [one for one in loan.repayments.all() if one.value_date <= at]
            repayments.replay_repayments(
                loan, [Payment(one.value_date, Decimal(one.amount)) for one in made]
            )
            answer = loans.answer_loan(loan, at).model_dump(by_alias=True, exclude={"contract"})
            created_at = write_timestamp(loan.start_date - timedelta(hours=1))
            listed.append(answer | {"createdAt": created_at})
        yield {"at": write_timestamp(at), "loans": listed}


def compute_amount(
    payment: book.Payment, contract: Mapping[str, Any], made: Sequence[Payment]
) -> Decimal:
    """Return the amount of a payment for a contract, after the repayments `made`.

    The amount is rounded to cents. A settlement is the amount owed on that day with penalties, by
    the rules of the sandbox.
    """
    if payment.instalment is not None:
        due = Decimal(contract["installments"][payment.instalment - 1]["amounts"]["repayment"])
        return round_cents(due * payment.share)
    arrears = read_arrears(contract)
    account = replay(read_lines(contract["installments"]), arrears, made)
    charge(account.lines, arrears, payment.paid_at)
    return sum((line.unpaid() for line in account.lines), Decimal(0))


def build_repayment(payment: book.Payment, amount: Decimal) -> dict[str, Any]:
    """Return the body of a planned repayment (Spec: Loans, MakeRepayment)."""
    return {
        "externalId": payment.external_id,
        "amount": amount,
        "transactionDate": write_timestamp(payment.paid_at),
        "channel": payment.channel,
        "network": payment.network,
        "notes": payment.notes,
    }


def build_uid(*parts: object) -> UUID:
    """Return a random uid, which is always the same for the same parts."""
    return UUID(int=seed_random("uid", *parts).getrandbits(128), version=4)

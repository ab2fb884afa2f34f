"""Tells a running sandbox the book of `book.plan`, through its HTTP API, on several threads."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from lendingadmin.sandbox.rules import accounts
from lendingadmin.sandbox.rules.amounts import cents
from lendingadmin.sandbox.rules.instants import write_timestamp
from lendingadmin.sandbox.rules.opening import read_arrears, read_lines
from lendingadmin.sandbox.seed.book import Client, Loan, Payment, plan
from lendingadmin.sandbox.seed.countries import APPS
from lendingadmin.sandbox.seed.reports import Reports
from lendingadmin.sandbox.seed.wire import Service

_THREADS = 6


@dataclass(frozen=True)
class Filled:
    """What one filling of an app added; all zero when the app was full already."""

    app_id: str
    borrowers: int = 0
    loans: int = 0
    repayments: int = 0
    events: int = 0
    assessments: int = 0

    def __add__(self, other: "Filled") -> "Filled":
        return Filled(
            self.app_id,
            self.borrowers + other.borrowers,
            self.loans + other.loans,
            self.repayments + other.repayments,
            self.events + other.events,
            self.assessments + other.assessments,
        )


def fill(service: Service, app_id: str, now: datetime) -> Filled:
    """Fill one app. An app that is full is left alone, one half filled is completed.

    Raises FillError when the sandbox refuses something or stops answering.
    """
    clients = plan(app_id, now, service.products())
    *others, last = clients_in_order(clients)
    # The last client is told after all others: with this one's last loan there, the app is full.
    if service.loan(app_id, str(last.loans[-1].body["accountId"])) is not None:
        return Filled(app_id)
    with ThreadPoolExecutor(_THREADS) as pool:
        told = list(pool.map(lambda client: _tell(service, app_id, client), others))
    return sum([*told, _tell(service, app_id, last)], Filled(app_id))


def clients_in_order(clients: tuple[Client, ...]) -> list[Client]:
    """The clients as planned, one whose last word is a loan moved to the end."""
    last = next(
        client for client in reversed(clients) if client.loans and not client.reports.assessments
    )
    return [client for client in clients if client is not last] + [last]


def apps() -> tuple[str, ...]:
    """The apps that a seed exists for."""
    return tuple(APPS)


def _tell(service: Service, app_id: str, client: Client) -> Filled:
    borrowers = service.create(app_id, "borrowers", client.body) is not None
    told = Filled(app_id, borrowers=int(borrowers))
    for loan in client.loans:
        created = service.create(app_id, "loans", loan.body)
        if created is not None and not _paid(created):
            told += Filled(app_id, loans=1, repayments=_repay(service, app_id, loan, created))
    return told + _report(service, app_id, client.reports)


def _report(service: Service, app_id: str, reports: Reports) -> Filled:
    """Events and assessments, after the loans that the assessments look at."""
    events, asked = (
        sum(service.create(app_id, collection, body) is not None for body in bodies)
        for collection, bodies in (
            ("events", reports.events),
            ("assessments", reports.assessments),
        )
    )
    return Filled(app_id, events=events, assessments=asked)


def _repay(service: Service, app_id: str, loan: Loan, created: Mapping[str, Any]) -> int:
    made: list[accounts.Payment] = []
    for payment in loan.payments:
        amount = amount_of(payment, created["contract"], made)
        service.repay(app_id, str(created["accountId"]), repayment(payment, amount))
        made.append(accounts.Payment(payment.paid_at, amount))
    return len(made)


def amount_of(
    payment: Payment, contract: Mapping[str, Any], made: Sequence[accounts.Payment]
) -> Decimal:
    """What to pay under a contract with instalments, after the repayments `made`; whole cents.

    Settling takes what was owed on that day, penalties included, as the sandbox's rules have it.
    """
    if payment.instalment is not None:
        due = Decimal(contract["installments"][payment.instalment - 1]["amounts"]["repayment"])
        return cents(due * payment.share)
    arrears = read_arrears(contract)
    account = accounts.replay(read_lines(contract["installments"]), arrears, made)
    accounts.charge(account.lines, arrears, payment.paid_at)
    return sum((line.unpaid() for line in account.lines), Decimal(0))


def repayment(payment: Payment, amount: Decimal) -> dict[str, Any]:
    """The body of a planned repayment (Spec: Loans, MakeRepayment)."""
    return {
        "externalId": payment.external_id,
        "amount": amount,
        "transactionDate": write_timestamp(payment.paid_at),
        "channel": payment.channel,
        "network": payment.network,
        "notes": payment.notes,
    }


def _paid(loan: Mapping[str, Any]) -> bool:
    return Decimal(loan["balances"]["repayment"]["paid"] or 0) > 0

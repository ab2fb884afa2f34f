"""Fill a running sandbox with the plan of `book.plan`, through the HTTP API on several threads."""

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import requests

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.rules.accounts import Payment, charge, replay
from lendingadmin.sandbox.rules.amounts import round_cents
from lendingadmin.sandbox.rules.instants import write_timestamp
from lendingadmin.sandbox.rules.opening import read_arrears, read_lines
from lendingadmin.sandbox.seed import book

_THREADS = 6
_TIMEOUT = (2, 30)


class FillError(Exception):
    """Error: the sandbox refused a call or did not answer.

    The sentence names the call and the reason.
    """


class Service:
    """The running sandbox, called as by any client (Spec: Authentication)."""

    def __init__(self, address: str, project_id: str, client_id: str, secret: str) -> None:
        self._address = address.rstrip("/")
        self._project = quote(project_id, safe="")
        self._form = {
            "client_id": client_id,
            "client_secret": secret,
            "grant_type": "client_credentials",
            "scope": "platform.lending",
        }
        self._local = threading.local()
        self._token = self._fetch_token()

    def products(self) -> list[Mapping[str, Any]]:
        """Return the project's products (Spec: Products, List)."""
        _, answer = self._call("GET", f"/v1/projects/{self._project}/products")
        return list(answer["products"])

    def loan(self, app_id: str, account_id: str) -> Mapping[str, Any] | None:
        """Return one loan, or None if it does not exist (Spec: Loans, Get)."""
        status, answer = self._call("GET", self._app(app_id, "loans", account_id), refused=(404,))
        return None if status == 404 else answer

    def create(self, app_id: str, collection: str, body: Mapping[str, Any]) -> Any | None:
        """Create a record and return the answer; None if the record already exists (409)."""
        status, answer = self._call("POST", self._app(app_id, collection), body, refused=(409,))
        return None if status == 409 else answer

    def repay(self, app_id: str, account_id: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Record a repayment and return the loan (Spec: Loans, MakeRepayment)."""
        path = self._app(app_id, "loans", account_id) + ":makeRepayment"
        answer: Mapping[str, Any] = self._call("POST", path, body)[1]
        return answer

    def _app(self, app_id: str, *parts: str) -> str:
        path = f"/v1/projects/{self._project}/apps/{quote(app_id, safe='')}"
        return "/".join((path, *(quote(part, safe="") for part in parts)))

    def _session(self) -> requests.Session:
        if not hasattr(self._local, "session"):
            session = requests.Session()
            session.trust_env = False
            self._local.session = session
        session = self._local.session
        assert isinstance(session, requests.Session)  # noqa: S101 - for the type checker
        return session

    def _fetch_token(self) -> str:
        try:
            response = self._session().post(
                f"{self._address}/v1/oauth2/token", data=self._form, timeout=_TIMEOUT
            )
        except requests.RequestException as error:
            raise FillError(f"No sandbox answers at {self._address}.") from error
        if response.status_code != 200:
            raise FillError(f"The sandbox gave no token: {response.status_code}.")
        return str(response.json()["access_token"])

    def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        refused: tuple[int, ...] = (),
    ) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else wire.write(body)
        try:
            response = self._session().request(
                method, self._address + path, data=data, headers=headers, timeout=_TIMEOUT
            )
        except requests.RequestException as error:
            raise FillError(f"{method} {path}: the sandbox stopped answering.") from error
        if response.status_code in refused:
            return response.status_code, None
        if not response.ok:
            raise FillError(f"{method} {path}: {response.status_code} {response.text[:300]}")
        return response.status_code, wire.read_own(response.text)


def fill(service: Service, app_id: str, now: datetime) -> Counter[str]:
    """Fill one app and return the number of added records by collection; none if it was full.

    A half-filled app is completed. Raise FillError if the sandbox refuses something or stops
    answering.
    """
    clients = book.plan(app_id, now, service.products())
    *others, last = order_clients(clients)
    # The last client comes after all others: with this one's last loan there, the app is full.
    if service.loan(app_id, str(last.loans[-1].body["accountId"])) is not None:
        return Counter()
    with ThreadPoolExecutor(_THREADS) as pool:
        added = list(pool.map(lambda client: _fill_client(service, app_id, client), others))
    return sum([*added, _fill_client(service, app_id, last)], Counter())


def order_clients(clients: tuple[book.Client, ...]) -> list[book.Client]:
    """Return the planned clients; one whose last record is a loan is moved to the end."""
    last = next(
        client for client in reversed(clients) if client.loans and not client.reports.assessments
    )
    return [client for client in clients if client is not last] + [last]


def _fill_client(service: Service, app_id: str, client: book.Client) -> Counter[str]:
    """Create a borrower, then the loans, then the reports, because assessments read the loans."""
    added = Counter(borrowers=int(service.create(app_id, "borrowers", client.body) is not None))
    for loan in client.loans:
        created = service.create(app_id, "loans", loan.body)
        if created is not None and not created["balances"]["repayment"]["paid"]:
            added["loans"] += 1
            added["repayments"] += _repay(service, app_id, loan, created)
    for collection, bodies in client.reports._asdict().items():
        for body in bodies:
            added[collection] += service.create(app_id, collection, body) is not None
    return added


def _repay(service: Service, app_id: str, loan: book.Loan, created: Mapping[str, Any]) -> int:
    made: list[Payment] = []
    for payment in loan.payments:
        amount = compute_amount(payment, created["contract"], made)
        service.repay(app_id, str(created["accountId"]), build_repayment(payment, amount))
        made.append(Payment(payment.paid_at, amount))
    return len(made)


def compute_amount(
    payment: book.Payment, contract: Mapping[str, Any], made: Sequence[Payment]
) -> Decimal:
    """Return a payment's amount under a contract with instalments, after the repayments `made`.

    The amount is rounded to cents. A settlement is the amount owed on that day, penalties
    included, by the sandbox's rules.
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

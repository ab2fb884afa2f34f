"""A caller of the sandbox that is no client of ours: requests, and JSON with Decimals."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import requests
import simplejson

from tests.sandbox_process import SandboxProcess


class Answer:
    """A response with its JSON, if any."""

    def __init__(self, response: requests.Response) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.text = response.text
        self.body: Any = (
            simplejson.loads(response.text, use_decimal=True) if response.text else None
        )

    @property
    def description(self) -> str:
        """The error_description; a KeyError where there is none."""
        return str(self.body["error_description"])


class Caller:
    """Calls one app of the sandbox with a token of its own."""

    def __init__(
        self,
        sandbox: SandboxProcess,
        app_id: str,
        scope: str = "platform.lending",
        client: tuple[str, str] = ("sandbox", "sandbox-secret"),
    ) -> None:
        self.base_url = sandbox.base_url
        self.app = f"/v1/projects/demo/apps/{app_id}"
        self.session = requests.Session()
        self.session.trust_env = False
        form = {"client_id": client[0], "client_secret": client[1], "scope": scope}
        answer = Answer(
            self.session.post(
                f"{sandbox.auth_url}/v1/oauth2/token",
                data={**form, "grant_type": "client_credentials"},
            )
        )
        self.session.headers["Authorization"] = f"Bearer {answer.body['access_token']}"

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One call; a path without /v1 is one of the app."""
        whole = path if path.startswith("/v1") else self.app + path
        data = simplejson.dumps(body, use_decimal=True).encode() if body is not None else raw
        sent = {"Content-Type": "application/json"} if data is not None else {}
        return Answer(
            self.session.request(
                method,
                self.base_url + whole,
                data=data,
                params=params,
                headers={**sent, **(headers or {})},
                allow_redirects=False,
            )
        )

    def get(self, path: str, **params: str) -> Answer:
        """GET with query parameters."""
        return self.call("GET", path, params=params)

    def post(self, path: str, body: object) -> Answer:
        """POST a JSON body."""
        return self.call("POST", path, body)

    def borrower(self, borrower_id: str = "b", **fields: object) -> Any:
        """A new borrower."""
        answer = self.post("/borrowers", new_borrower(borrower_id, **fields))
        assert answer.status == 200, answer.text
        return answer.body

    def loan(self, account_id: str = "l", **fields: object) -> Any:
        """A new loan of borrower `b`."""
        answer = self.post("/loans", new_loan(account_id, **fields))
        assert answer.status == 200, answer.text
        return answer.body


def new_borrower(borrower_id: str = "b", **fields: object) -> dict[str, object]:
    """A borrower's body."""
    return {"borrowerId": borrower_id, "category": "individual", **fields}


def new_loan(account_id: str = "l", **fields: object) -> dict[str, object]:
    """A loan's body: 1,200.00 over six months, from ten days ago."""
    return {
        "accountId": account_id,
        "borrowerId": "b",
        "startDate": ago(days=10),
        "loanAmount": Decimal("1200.00"),
        "contract": {"productId": "term-6-months"},
    } | fields


def repayment(amount: object, **fields: object) -> dict[str, object]:
    """A repayment's body, of a minute ago."""
    return {"externalId": "X1", "amount": amount, "transactionDate": ago(minutes=1)} | fields


def ago(**time: float) -> str:
    """A timestamp that long ago; negative is to come."""
    return (datetime.now(UTC) - timedelta(**time)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def new_event(**fields: object) -> dict[str, object]:
    """An event's body: three texts of money to borrower `b`, captured a minute ago."""
    return {
        "accountId": "borrower:b",
        "eventType": "personal_data.captured",
        "timestamp": ago(minutes=1),
        "data": [{"kind": "lending.example/sms", "values": [sms(days=n) for n in (1, 2, 3)]}],
    } | _taken_now(fields)


def sms(body: str = "You have received Ksh1,000.00 from JANE", **time: float) -> dict[str, object]:
    """A text from a mobile-money service, that long ago."""
    return {
        "address": "MPESA",
        "direction": "inbound",
        "smsId": None,
        "read": True,
        "timestamp": millis_ago(**time),
        "rawBody": body,
    }


def millis_ago(**time: float) -> int:
    """Epoch milliseconds of a moment that long ago."""
    return int((datetime.now(UTC) - timedelta(**time)).timestamp() * 1000)


def new_assessment(**fields: object) -> dict[str, object]:
    """An assessment's body: of borrower `b`, as of now."""
    return {
        "accountId": "borrower:b",
        "assessmentType": "assessmentTypes/credit-90-days",
        "timestamp": ago(seconds=0),
    } | _taken_now(fields)


def _taken_now(fields: dict[str, object]) -> dict[str, object]:
    """The fields; one that is a function is called, since a table is made when it is collected."""
    return {name: value() if callable(value) else value for name, value in fields.items()}

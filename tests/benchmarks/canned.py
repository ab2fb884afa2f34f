"""A lending service that answers at once, always the same: what is measured before it is not it.

`gunicorn tests.benchmarks.canned:app`; CANNED_DELAY is the seconds that each answer but a token's
takes, CANNED_LOANS and CANNED_BORROWERS how many of these its lists have.
"""

import json
import os
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

DELAY = float(os.environ.get("CANNED_DELAY", "0"))
LOANS = int(os.environ.get("CANNED_LOANS", "50"))
BORROWERS = int(os.environ.get("CANNED_BORROWERS", "0"))


def loan(number: int) -> dict[str, Any]:
    """A loan as full as a real one, and no two alike: contract, six instalments, balances."""
    # Figures that share no digits from loan to loan, so that a page compresses as a real one does.
    mixed = number * 7919 % 99_991
    unpaid, overdue = mixed * 1.37, mixed * 1.37 % 4_001
    balance = {"due": overdue, "paid": mixed / 3, "total": mixed * 2, "unpaid": unpaid}
    balance = {name: round(part, 2) for name, part in (balance | {"overdue": overdue}).items()}
    return {
        "accountId": f"L-{number:06}",
        "accountNo": 10_000_000 + number,
        "uid": f"00000000-0000-4000-8000-{number:012}",
        "name": f"projects/demo/apps/kenya/loans/L-{number:06}",
        "createdAt": "2026-06-01T08:00:00.000Z",
        "loanType": "term",
        "borrowerId": f"B-{mixed % 500:04}",
        "category": "individual",
        "sequenceNo": 1,
        "productId": "term-6-months",
        "loanAmount": float(mixed),
        "status": 2 + mixed % 2,
        "performanceStatus": 1 + mixed % 5,
        "startDate": f"2026-06-{1 + mixed % 28:02}T00:00:00.000Z",
        "maturityDate": f"2026-11-{1 + mixed % 28:02}T23:59:59.999Z",
        "settlementDate": None,
        "result": None,
        "schedule": {"daysLate": mixed % 97, "nextInstallment": None},
        "balances": dict.fromkeys(
            ("fees", "penalty", "interest", "principal", "repayment"), balance
        ),
        "contract": {
            "productId": "term-6-months",
            "versionNo": 1,
            "terms": {"period": "180 days", "fees": [], "penalty": None, "interest": {}},
            "amounts": {"principal": 1000.00, "disbursement": 970.00, "repayment": 1200.75},
            "interestRates": {"APR": 0.42, "AER": 0.51},
            "installments": [
                {
                    "sequenceNo": place,
                    "startDate": f"2026-{5 + place:02}-01T00:00:00.000Z",
                    "dueDate": f"2026-{5 + place:02}-28T23:59:59.999Z",
                    "amounts": {"repayment": 200.12, "principal": 170.0, "interest": 30.12},
                }
                for place in range(1, 7)
            ],
        },
    }


_BORROWER = {
    "borrowerId": "B-0001",
    "category": "individual",
    "status": 1,
    "individual": {"surname": "WANJIRU", "othernames": "ANNE"},
    "devices": [],
    "loans": [],
    "settings": {},
}


_TYPE = {"assessmentTypeId": "scoring", "name": "assessmentTypes/scoring", "category": "loan"}


def _queued() -> dict[str, Any]:
    now = datetime.now(UTC)
    expiry = f"{now + timedelta(days=1):%Y-%m-%dT%H:%M:%S}.000Z"
    metadata = {"status": "queued", "startTime": _now(), "endTime": None, "expiryTime": expiry}
    return {"operationId": "1", "done": False, "metadata": metadata, "result": None}


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def _answer(path: str, query: dict[str, list[str]]) -> bytes:
    if path.endswith("/token"):
        return b'{"access_token": "t", "token_type": "Bearer", "expires_at": 3600}'
    time.sleep(DELAY)
    collection = path.rstrip("/").rsplit("/", 1)[-1]
    if "getOffers" in path:
        return json.dumps(_queued()).encode()
    if "/assessments/" in path:
        return json.dumps({"assessmentId": collection, "status": 0, "createdAt": _now()}).encode()
    if collection == "assessmentTypes":
        return json.dumps({"assessmentTypes": [_TYPE], "nextPageToken": None}).encode()
    if collection == "loans":
        return _page(*_range(query, LOANS))
    if collection == "borrowers" and BORROWERS:
        return _page_of_borrowers(*_range(query, BORROWERS))
    if collection in ("borrowers", "assessments", "events", "products"):
        return json.dumps({collection: [], "nextPageToken": None}).encode()
    return json.dumps(loan(1) if "/loans/" in path else _BORROWER).encode()


def _range(query: dict[str, list[str]], count: int) -> tuple[int, int, str | None]:
    """The first of a page, the first of the next, and the next page's token."""
    start = int(query.get("pageToken", ["0"])[0])
    end = min(start + int(query.get("pageSize", ["1000"])[0]), count)
    return start, end, str(end) if end < count else None


_pages: dict[tuple[int, int], bytes] = {}


def _page(start: int, end: int, token: str | None) -> bytes:
    if (start, end) not in _pages:
        body = {"loans": [loan(number) for number in range(start, end)], "nextPageToken": token}
        _pages[start, end] = json.dumps(body).encode()
    return _pages[start, end]


def _page_of_borrowers(start: int, end: int, token: str | None) -> bytes:
    from tests.benchmarks.population import make_borrower

    borrowers = [make_borrower(number) for number in range(start, end)]
    return json.dumps({"borrowers": borrowers, "nextPageToken": token}).encode()


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The service as a WSGI application."""
    body = _answer(environ["PATH_INFO"], parse_qs(environ["QUERY_STRING"]))
    # A repayment is never acknowledged, so that its page goes on looking.
    status = "504 Gateway Timeout" if "makeRepayment" in environ["PATH_INFO"] else "200 OK"
    start_response(
        status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    )
    return [body]

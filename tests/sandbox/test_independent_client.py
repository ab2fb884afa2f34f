"""A client that is none of ours does the whole job: Authlib's, after the spec alone."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from authlib.integrations.requests_client import OAuth2Session

from tests.sandbox_process import SandboxProcess, running_sandbox

BORROWER, LOAN = "cust:0042", "loan 1"


class Lender:
    """An app of a sandbox, spoken to with floats and `json()` as most programs do."""

    def __init__(self, sandbox: SandboxProcess, **options: Any) -> None:
        self.session = OAuth2Session(
            sandbox.client_id,
            sandbox.client_secret,
            scope="platform.lending",
            token_endpoint=f"{sandbox.auth_url}/v1/oauth2/token",
            token_endpoint_auth_method="client_secret_post",
            grant_type="client_credentials",
            **options,
        )
        self.session.trust_env = False
        self.session.fetch_token()
        self.base = f"{sandbox.base_url}/v1/projects/{sandbox.project_id}"

    def call(self, method: str, path: str, body: Any = None, **params: str) -> Any:
        response = self.session.request(
            method, f"{self.base}/apps/independent{path}", json=body, params=params, timeout=10
        )
        assert response.ok, response.text
        return response.json() if response.content else None


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("independent")
    with running_sandbox(folder, processing_seconds=0.3) as started:
        yield started


def at(**before: float) -> str:
    return (datetime.now(UTC) - timedelta(**before)).isoformat()


def until(ask: Callable[[], Any], done: Callable[[Any], bool]) -> Any:
    for _ in range(100):
        found = ask()
        if done(found):
            return found
        time.sleep(0.1)
    raise AssertionError(found)


def texts() -> list[dict[str, Any]]:
    """Three months of a market trader's messages: money in twice a week, some of it out again."""
    now = datetime.now(UTC)
    found = []
    for day in range(1, 85, 3):
        for direction, body in (
            ("inbound", f"You have received Ksh {4000 + 10 * day}.00 from JANE WAMBUI"),
            ("inbound", f"Ksh {900 + day}.00 sent to KPLC PREPAID"),
            ("outbound", "On my way"),
        ):
            found.append(
                {
                    "smsId": str(len(found)),
                    "address": "MPESA",
                    "direction": direction,
                    "read": 1,
                    "timestamp": int((now - timedelta(days=day)).timestamp() * 1000),
                    "rawBody": body,
                }
            )
    return found


def test_the_whole_job(quick: SandboxProcess) -> None:
    lender = Lender(quick)
    made = lender.call(
        "POST",
        "/borrowers",
        {
            "borrowerId": BORROWER,
            "category": "individual",
            "individual": {"surname": "Wambui", "othernames": "Jane", "noOfDependants": 1},
            "devices": [{"deviceId": "d-1", "deviceType": "phone", "osName": "Android"}],
            "settings": {"timezone": "Africa/Nairobi"},
        },
    )
    assert made["individual"]["surname"] == "WAMBUI"
    assert made["devices"][0]["serialNumber"] is None

    account = f"borrower:{BORROWER}"
    event = lender.call(
        "POST",
        "/events",
        {
            "accountId": account,
            "eventType": "personal_data.captured",
            "timestamp": at(minutes=1),
            "category": "sms",
            "data": [{"kind": "lending.example/sms", "values": texts()}],
        },
    )
    processed = until(
        lambda: lender.call("GET", "/events", filter=f"accountId:{account} category:sms"),
        lambda page: page["events"][0]["status"] == 1,
    )
    assert [one["eventId"] for one in processed["events"]] == [event["eventId"]]

    kinds = lender.session.get(f"{quick.base_url}/v1/assessmentTypes").json()["assessmentTypes"]
    kind = next(one for one in kinds if one["category"] == "credit" and one["status"] == 1)
    assessment = lender.call(
        "POST",
        "/assessments",
        {"accountId": account, "assessmentType": kind["name"], "timestamp": at()},
    )
    assert assessment["result"] is None
    assessed = until(
        lambda: lender.call("GET", f"/assessments/{assessment['uid']}"),
        lambda one: one["result"] is not None,
    )
    assert (assessed["status"], assessed["result"]["type"]) == (1, "authorized")

    asked = {"assessmentType": kind["name"], "timestamp": at(), "requestId": "r-1"}
    queued = lender.call("POST", f"/borrowers/{BORROWER}:getOffers", asked)
    assert (queued["done"], queued["result"]) == (False, None)
    offer = until(
        lambda: lender.call("POST", f"/borrowers/{BORROWER}/getOffers", {"requestId": "r-1"}),
        lambda operation: operation["done"],
    )
    assert offer["metadata"]["status"] == "completed"
    response = offer["result"]["response"]

    summary = {key: response[key] for key in ("creditLimit", "products", "interestRateWaiver")}
    contracts = lender.call(
        "POST",
        f"/borrowers/{BORROWER}:getOfferContracts",
        {"offerSummary": summary, "amount": response["creditLimit"], "startDate": at()},
    )
    assert [one["productId"] for one in contracts] == [
        one["productId"] for one in response["products"]
    ]

    contract = contracts[0]
    loan = lender.call(
        "POST",
        "/loans",
        {
            "accountId": LOAN,
            "borrowerId": BORROWER,
            "contract": contract,
            "startDate": contract["startDate"],
            "requestId": offer["metadata"]["requestId"],
            "assessmentId": offer["metadata"]["assessmentId"],
        },
    )
    assert (loan["contract"], loan["status"], loan["result"]) == (contract, 2, None)

    path = f"/loans/{LOAN}"
    first = contract["installments"][0]["amounts"]["repayment"]
    for number, form in enumerate((":", "/")):
        owed = lender.call("GET", path)["balances"]["repayment"]["unpaid"]
        amount = first if number == 0 else owed
        sent = {"externalId": f"T-{number}", "amount": amount, "transactionDate": at(seconds=1)}
        loan = lender.call("POST", f"{path}{form}makeRepayment", sent)
        assert loan["balances"]["repayment"]["unpaid"] == pytest.approx(owed - amount)
    assert (loan["status"], loan["result"]["type"]) == (3, "settled")
    assert loan["settlementDate"] is not None
    assert lender.call("GET", f"/borrowers/{BORROWER}")["loans"][0]["completionDate"]
    found = lender.call("GET", "/loans", filter=f"borrowerId:{BORROWER} status:3")
    assert [one["accountId"] for one in found["loans"]] == [LOAN]


@pytest.mark.exhaustive
def test_a_token_that_expires_is_renewed_by_the_client(tmp_path: Path) -> None:
    with running_sandbox(tmp_path, token_seconds=2) as started:
        lender = Lender(started, leeway=0)
        old = dict(lender.session.token)
        assert old["token_type"] == "Bearer"
        assert lender.call("GET", "/loans")["loans"] == []
        time.sleep(max(0.0, old["expires_at"] + 1.1 - time.time()))
        refused = OAuth2Session(token=old | {"expires_at": None}).get(f"{lender.base}/products")
        assert refused.status_code == 401
        assert "expired" in refused.json()["error_description"]
        assert lender.call("GET", "/loans")["loans"] == []
        assert lender.session.token["access_token"] != old["access_token"]

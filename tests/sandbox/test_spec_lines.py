"""Each line of the spec's "Rules that hold", "Errors" and "Limits", by name, and only these.

The name of a test is the line's place; its docstring is what the line says. Further tests of the
same things stand where README.md's mapping says.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.calling import (
    Caller,
    ago,
    new_assessment,
    new_borrower,
    new_event,
    new_loan,
    repayment,
    sms,
)
from tests.sandbox_process import SandboxProcess, running_sandbox

HISTORY = "assessmentTypes/loan-history-180-days"


def polled(ask: Any, done: Any) -> Any:
    for _ in range(100):
        if done(found := ask()):
            return found
        time.sleep(0.1)
    raise AssertionError(found)


def test_rule_1(lender: Caller) -> None:
    """A getOffers request with assessment type, timestamp and requestId creates an operation in
    `queued` with `done` false and `result` null. A later call with the requestId returns the
    operation; once finished it shows `completed`, `done` true and `endTime` set."""
    asked = {"assessmentType": HISTORY, "timestamp": ago(), "requestId": "r"}
    path = "/borrowers/b:getOffers"
    first = lender.post(path, asked).body
    assert (first["metadata"]["status"], first["done"], first["result"]) == ("queued", False, None)
    last = polled(
        lambda: lender.post(path, {"requestId": "r"}).body, lambda operation: operation["done"]
    )
    assert last["operationId"] == first["operationId"]
    assert (last["metadata"]["status"], last["done"]) == ("completed", True)
    assert last["metadata"]["endTime"] is not None
    assert last["result"] is not None


def test_rule_2(lender: Caller) -> None:
    """A new assessment has `result` null; `result` is filled after processing."""
    made = lender.post("/assessments", new_assessment()).body
    assert (made["status"], made["result"]) == (0, None)
    path = f"/assessments/{made['assessmentId']}"
    found = polled(lambda: lender.get(path).body, lambda one: one["status"] != 0)
    assert found["result"] is not None


def test_rule_3(lender: Caller) -> None:
    """A new loan has `result` null; `result` is filled after the account is closed."""
    made = lender.loan()
    assert made["result"] is None
    path, owed = "/loans/l:makeRepayment", made["balances"]["repayment"]["unpaid"]
    assert lender.post(path, repayment(owed - 1)).body["result"] is None
    assert lender.post(path, repayment(1)).body["result"] is not None
    assert lender.get("/loans/l").body["result"] is not None


def test_rule_4_repayment(lender: Caller) -> None:
    """Repayment is accepted only on a loan in state `open`."""
    lender.loan("pending", startDate=ago(days=-1))
    lender.loan("open")
    closing = lender.loan("closed")["balances"]["repayment"]["unpaid"]
    assert lender.post("/loans/closed:makeRepayment", repayment(closing)).status == 200
    for state, status in (("pending", 422), ("open", 200), ("closed", 422)):
        before = lender.get(f"/loans/{state}").body["balances"]
        answer = lender.post(f"/loans/{state}:makeRepayment", repayment(1))
        assert answer.status == status, state
        changed = lender.get(f"/loans/{state}").body["balances"] != before
        assert changed == (status == 200)


def test_rule_4_delete(lender: Caller) -> None:
    """Delete is refused on a loan in state `open` or `closed`."""
    lender.loan("open")
    closing = lender.loan("closed")["balances"]["repayment"]["unpaid"]
    lender.post("/loans/closed:makeRepayment", repayment(closing))
    lender.loan("pending", startDate=ago(days=-1))
    for state, status in (("open", 422), ("closed", 422), ("pending", 204)):
        assert lender.call("DELETE", f"/loans/{state}").status == status, state
        assert lender.get(f"/loans/{state}").status == (404 if status == 204 else 200)


@pytest.mark.parametrize("change", [{"pageToken": "d3Jvbmc="}, {"pageSize": "2"}])
def test_error_400(lender: Caller, change: dict[str, str]) -> None:
    """Wrong `pageToken` or changed `pageSize`; `error_description` is `Invalid page token`."""
    lender.loan("1")
    lender.loan("2")
    params = {
        "pageSize": "1",
        "pageToken": lender.get("/loans", pageSize="1").body["nextPageToken"],
    }
    assert lender.get("/loans", **params).status == 200
    answer = lender.get("/loans", **params | change)
    assert (answer.status, answer.description) == (400, "Invalid page token")


@pytest.mark.exhaustive
def test_error_401(tmp_path: Path) -> None:
    """Expired access token."""
    with running_sandbox(tmp_path, token_seconds=1) as started:
        caller = Caller(started, "app")
        time.sleep(1.1)
        answer = caller.get("/loans")
    assert answer.status == 401
    assert "expired" in answer.description


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_error_404(caller: Caller, method: str) -> None:
    """Get or patch of a borrower that does not exist."""
    body = {"settings": {}} if method == "PATCH" else None
    answer = caller.call(method, "/borrowers/nobody", body)
    assert answer.status == 404
    assert answer.description


def test_error_409_borrower(lender: Caller) -> None:
    """Create of a borrower that already exists."""
    answer = lender.post("/borrowers", new_borrower(category="company"))
    assert answer.status == 409
    assert answer.description
    assert lender.get("/borrowers/b").body["category"] == "individual"


def test_error_409_event(lender: Caller) -> None:
    """Create of an event with an existing accountId, eventType and timestamp."""
    event = new_event()
    assert lender.post("/events", event).status == 200
    answer = lender.post("/events", event | {"data": event["data"]})
    assert answer.status == 409
    assert answer.description
    assert lender.post("/events", event | {"timestamp": ago(minutes=2)}).status == 200


LISTS = ("/borrowers", "/loans", "/assessments", "/events", "/v1/assessmentTypes",
         "/v1/projects/demo/products")  # fmt: skip


@pytest.mark.parametrize("path", LISTS)
def test_limit_of_pages(caller: Caller, path: str) -> None:
    """Maximum page size | 1000 items | All list operations that support pagination."""
    assert caller.get(path, pageSize="1000").status == 200
    answer = caller.get(path, pageSize="1001")
    assert answer.status == 400
    assert answer.description.startswith("pageSize")


@pytest.mark.exhaustive
def test_default_page_of_loans(tmp_path: Path) -> None:
    """Default page size | 1000 | Loans list."""
    with running_sandbox(tmp_path, "--seed-loans", "1002") as started:
        caller = Caller(started, "large")
        page = caller.get("/loans").body
        assert len(page["loans"]) == 1000
        rest = caller.get("/loans", pageSize="1000", pageToken=page["nextPageToken"]).body
        assert (len(rest["loans"]), rest["nextPageToken"]) == (2, None)


@pytest.mark.exhaustive
def test_default_page_of_events(sandbox: SandboxProcess, lender: Caller) -> None:
    """Default page size | 1000 | events list."""
    app_id = lender.app.rsplit("/", 1)[1]

    def fill(part: int) -> None:
        caller = Caller(sandbox, app_id)
        for number in range(part, 1001, 4):
            event = new_event(timestamp=ago(minutes=number + 1), data=[_empty()])
            assert caller.post("/events", event).status == 200

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fill, range(4)))
    page = lender.get("/events").body
    assert len(page["events"]) == 1000
    assert len(lender.get("/events", pageToken=page["nextPageToken"]).body["events"]) == 1


def _empty() -> dict[str, object]:
    return {"kind": "lending.example/sms", "values": []}


def test_limit_of_event_data(lender: Caller) -> None:
    """Event data size | under 5 MB | Events create."""
    assert lender.post("/events", new_event(data=[_long(4_900_000)])).status == 200
    answer = lender.post("/events", new_event(timestamp=ago(minutes=9), data=[_long(5_000_000)]))
    assert answer.status == 413
    assert answer.description
    assert len(lender.get("/events").body["events"]) == 1


def _long(size: int) -> dict[str, object]:
    return _empty() | {"values": [sms("x" * size, days=1)]}


@pytest.mark.exhaustive
def test_duration_of_offers_and_assessments(tmp_path: Path) -> None:
    """getOffers normally at most 120 seconds, assessments within 90: here the setting says."""
    with running_sandbox(tmp_path, processing_seconds=4) as started:
        caller = Caller(started, "app")
        caller.borrower()
        began = time.monotonic()
        made = caller.post("/assessments", new_assessment()).body
        path = f"/assessments/{made['assessmentId']}"
        polled(lambda: caller.get(path).body, lambda one: one["result"] is not None)
        assert 3 < time.monotonic() - began < 90


def _score(caller: Caller, *days: float, kind: str = "credit-90-days") -> Any:
    """The outcome for texts of money that many days old."""
    texts = [sms(f"You have received Ksh{900 + n}.00 from JANE", days=day)
             for n, day in enumerate(days)]  # fmt: skip
    data = [_empty() | {"values": texts}]
    assert caller.post("/events", new_event(data=data)).status == 200
    asked = new_assessment(assessmentType=f"assessmentTypes/{kind}")
    return caller.post("/assessments", asked).body["result"]


@pytest.mark.parametrize(("first", "type_"), [(80, "authorized"), (91, "invalid")])
def test_window_of_an_assessment(instant: Caller, first: float, type_: str) -> None:
    """Assessment evaluation window | at most 90 days for most assessments."""
    found = _score(instant, *(first + n / 100 for n in range(40)))
    assert (found["type"] == "invalid") == (type_ == "invalid"), found


def test_an_error_has_an_error_description(lender: Caller) -> None:
    """Error bodies carry an `error_description` field."""
    for answer in (
        lender.get("/loans/none"),
        lender.get("/nothing"),
        lender.call("PUT", "/loans"),
        lender.post("/loans", new_loan(loanAmount="12")),
        lender.call("POST", "/loans", raw=b"{}", headers={"Content-Type": "text/plain"}),
    ):
        assert answer.status >= 400
        assert isinstance(answer.body["error_description"], str)
        assert answer.body["error_description"]

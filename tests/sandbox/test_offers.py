"""Offers over HTTP (Spec: Borrowers, 4; Offer operation; Rules that hold, 1)."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.calling import Answer, Caller, ago, repayment
from tests.sandbox_process import running_sandbox

D = Decimal
CREDIT, HISTORY = "assessmentTypes/credit-90-days", "assessmentTypes/loan-history-180-days"
FIELDS = {"name", "operationId", "done", "metadata", "result"}
METADATA = {
    "status", "startTime", "endTime", "expiryTime", "projectId", "appId", "accountId",
    "requestId", "assessmentId",
}  # fmt: skip
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
BOTH_FORMS = pytest.mark.parametrize("form", [":", "/"])


def ask(lender: Caller, request_id: str | None = "r-1", form: str = ":", **fields: Any) -> Answer:
    """Ask for offers after a look at how loans were repaid."""
    whole = {"requestId": request_id, "assessmentType": HISTORY, "timestamp": ago()} | fields
    return lender.post(f"/borrowers/b{form}getOffers", whole)


def poll(lender: Caller, request_id: str = "r-1") -> Any:
    """The operation once it is done."""
    for _ in range(200):
        answer = lender.post("/borrowers/b:getOffers", {"requestId": request_id})
        assert answer.status == 200, answer.text
        if answer.body["done"]:
            return answer.body
        time.sleep(0.05)
    raise AssertionError("the operation is never done")


def repay(lender: Caller, account_id: str, amount: int = 6000) -> None:
    """A loan of 150 days ago whose every instalment was paid the day before it fell due."""
    loan = lender.loan(
        account_id,
        startDate=ago(days=150),
        loanAmount=amount,
        contract={"productId": "flex-salary"},
    )
    for number, one in enumerate(loan["contract"]["installments"], start=1):
        sent = repayment(one["amounts"]["repayment"], transactionDate=ago(days=151 - 30 * number))
        assert lender.post(f"/loans/{account_id}:makeRepayment", sent).status == 200
    assert lender.get(f"/loans/{account_id}").body["status"] == 3


@BOTH_FORMS
def test_a_request_starts_an_operation_that_is_queued_and_then_completed(
    lender: Caller, form: str
) -> None:
    repay(lender, "old")
    answer = ask(lender, form=form)
    assert answer.status == 200
    started = answer.body
    assert set(started) == FIELDS
    assert started["name"] == f"operations/{started['operationId']}"
    assert (started["done"], started["result"]) == (False, None)
    metadata = started["metadata"]
    assert set(metadata) == METADATA
    assert (metadata["status"], metadata["endTime"]) == ("queued", None)
    assert re.fullmatch(MOMENT, metadata["startTime"])
    assert metadata["expiryTime"] > metadata["startTime"]
    app_id = lender.app.rsplit("/", 1)[1]
    assert [metadata[name] for name in ("projectId", "appId", "accountId", "requestId")] == [
        "demo", app_id, "borrower:b", "r-1",
    ]  # fmt: skip
    found = poll(lender)
    assert found["done"] is True
    ended = found["metadata"].pop("endTime")
    assert re.fullmatch(MOMENT, ended)
    assert ended > metadata["startTime"]
    assert found["metadata"].pop("status") == "completed"
    assert {**found["metadata"], "status": "queued", "endTime": None} == metadata
    assert {key: found[key] for key in ("name", "operationId")} == {
        key: started[key] for key in ("name", "operationId")
    }
    again = lender.post(f"/borrowers/b{form}getOffers", {"requestId": "r-1"}).body
    assert again["result"] == found["result"]


def test_an_offer_follows_from_the_assessment_it_names(lender: Caller) -> None:
    for number in range(4):
        repay(lender, f"old-{number}")
    assessment_id = ask(lender).body["metadata"]["assessmentId"]
    done = poll(lender)
    result, response = done["result"], done["result"]["response"]
    assert set(result) == {"error", "response"}
    assert result["error"] is None
    assert set(response) == {"creditLimit", "products", "interestRateWaiver", "validFrom"}
    assert response["validFrom"] == done["metadata"]["endTime"]
    assessment = lender.get(f"/assessments/{assessment_id}").body
    assert (assessment["accountId"], assessment["requestId"]) == ("borrower:b", "r-1")
    assert assessment["assessmentType"] == HISTORY
    outcome = assessment["result"]
    # Four loans of three instalments, all in time: 4 × (3 × 12 + 25) × 2 points above 300.
    assert (outcome["type"], outcome["creditScore"]) == ("authorized", 788)
    # Rating A: twice the largest loan repaid, half the product's premium, 0.02 waived.
    assert response["creditLimit"] == 12000
    assert response["interestRateWaiver"] == D("0.02")
    premiums = {
        one["productId"]: one["terms"]["interest"]["riskPremiumRate"]
        for one in response["products"]
    }
    assert premiums == {
        "term-6-months": D("0.03"), "term-12-months": D("0.025"), "flex-weekly": D("0.04"),
        "flex-salary": D("0.03"), "bullet-30-days": D("0.06"),
    }  # fmt: skip


def test_the_response_of_an_offer_is_what_a_preview_takes(lender: Caller) -> None:
    for number in range(2):
        repay(lender, f"old-{number}")
    ask(lender)
    response = poll(lender)["result"]["response"]
    summary = {name: response[name] for name in ("creditLimit", "products", "interestRateWaiver")}
    answer = lender.post("/borrowers/b:getOfferContracts", {"offerSummary": summary})
    assert answer.status == 200
    assert [one["productId"] for one in answer.body] == [
        one["productId"] for one in response["products"]
    ]


def test_what_is_owed_when_it_is_asked_for_lowers_the_limit_and_stays(lender: Caller) -> None:
    lender.call("PATCH", "/borrowers/b", {"loans": [
        {"loanId": "elsewhere", "payableAmount": 900, "paidAmount": D("99.50")},
        {"loanId": "done", "payableAmount": 9000, "completionDate": ago(days=300)},
    ]})  # fmt: skip
    for number in range(2):
        repay(lender, f"old-{number}")
    ask(lender)
    owed = lender.loan("new", loanAmount=100)["balances"]["repayment"]["unpaid"]
    ask(lender, "r-2")
    # Rating D: as much as the largest loan repaid, less what is owed, down to whole tens.
    first = poll(lender)["result"]["response"]
    second = poll(lender, "r-2")["result"]["response"]
    assert first["creditLimit"] == 5190
    assert second["creditLimit"] == (6000 - D("800.50") - owed) // 10 * 10 < 5100
    # The first offer was made before that loan; it stays as it was.
    assert poll(lender)["result"]["response"] == first


def test_a_repayment_whose_value_date_has_come_is_no_longer_owed(lender: Caller) -> None:
    for number in range(2):
        repay(lender, f"old-{number}")
    owed = lender.loan("new", loanAmount=1000)["balances"]["repayment"]["unpaid"]
    sent = repayment(500, valueDate=ago(seconds=-1))
    assert lender.post("/loans/new:makeRepayment", sent).status == 200
    time.sleep(1.1)
    ask(lender)
    limit = poll(lender)["result"]["response"]["creditLimit"]
    assert limit == (6000 - owed + 500) // 10 * 10


def test_nobody_without_data_is_offered_anything(lender: Caller) -> None:
    ask(lender, assessmentType=CREDIT)
    result = poll(lender)["result"]
    assert result["response"] is None
    assert result["error"].startswith("no_data: ")


def test_a_borrower_in_arrears_is_declined_with_why(lender: Caller) -> None:
    lender.loan(startDate=ago(days=100))
    ask(lender)
    assert poll(lender)["result"] == {
        "error": "arrears_over_30_days: A loan is more than 30 days late.", "response": None,
    }  # fmt: skip


def test_a_request_id_never_starts_a_second_operation(lender: Caller) -> None:
    first = ask(lender).body
    for answer in (
        ask(lender),
        ask(lender, assessmentType=CREDIT, timestamp=ago(days=3)),
        ask(lender, assessmentType="assessmentTypes/none"),
        ask(lender, form="/", timestamp=None),
    ):
        assert answer.status == 200
        assert answer.body["operationId"] == first["operationId"]
        assert answer.body["metadata"]["assessmentId"] == first["metadata"]["assessmentId"]
    assert len(lender.get("/assessments").body["assessments"]) == 1


def test_a_request_id_sent_by_many_at_once_starts_one_operation(lender: Caller) -> None:
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: ask(lender, timestamp=ago(minutes=1)), range(24)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body["operationId"] for answer in answers}) == 1
    assert len(lender.get("/assessments").body["assessments"]) == 1


def test_the_same_request_id_of_another_borrower_is_another_operation(lender: Caller) -> None:
    lender.borrower("c")
    first = ask(lender).body
    body = {"requestId": "r-1", "assessmentType": HISTORY, "timestamp": ago()}
    second = lender.post("/borrowers/c:getOffers", body).body
    assert second["operationId"] != first["operationId"]
    assert second["metadata"]["accountId"] == "borrower:c"
    assert ask(lender, "r-2").body["operationId"] != first["operationId"]


def test_a_deleted_borrowers_operations_are_gone(lender: Caller) -> None:
    first = ask(lender).body
    assert lender.call("DELETE", "/borrowers/b").status == 204
    lender.borrower("b")
    assert lender.post("/borrowers/b:getOffers", {"requestId": "r-1"}).status == 404
    assert ask(lender).body["operationId"] != first["operationId"]


@pytest.mark.parametrize(("category", "usual"), [("individual", CREDIT), ("company", HISTORY)])
def test_what_is_left_out_is_chosen(caller: Caller, category: str, usual: str) -> None:
    caller.borrower(category=category)
    answer = ask(caller, None, assessmentType=None, timestamp=ago(minutes=1))
    metadata = answer.body["metadata"]
    assert metadata["requestId"]
    assessment = caller.get(f"/assessments/{metadata['assessmentId']}").body
    assert assessment["assessmentType"] == usual
    assert poll(caller, metadata["requestId"])["operationId"] == answer.body["operationId"]
    other = ask(caller, None, assessmentType=HISTORY, timestamp=None).body["metadata"]
    assert other["requestId"] != metadata["requestId"]
    assessment = caller.get(f"/assessments/{other['assessmentId']}").body
    assert assessment["timestamp"] == other["startTime"]


@pytest.mark.exhaustive
def test_an_operation_outlives_a_restart_and_expires(tmp_path: Path) -> None:
    times = {"processing_seconds": 1, "offer_seconds": 6}
    with running_sandbox(tmp_path, **times) as first:
        caller = Caller(first, "app")
        caller.borrower()
        started = ask(caller).body
    assert started["done"] is False
    with running_sandbox(tmp_path, **times | {"processing_seconds": 3000}) as second:
        caller.base_url = second.base_url
        done = poll(caller)
        assert done["operationId"] == started["operationId"]
        answer = ask(caller)
        deadline = time.monotonic() + 20
        while answer.status == 200 and time.monotonic() < deadline:
            time.sleep(0.1)
            answer = ask(caller)
        assert answer.status == 404
        assert answer.body["error"] == "expired"
        expired = started["metadata"]["expiryTime"]
        assert "r-1" in answer.description and answer.description.endswith(expired)
        assert ago() >= expired
        assert len(caller.get("/assessments").body["assessments"]) == 1

"""Loans over HTTP (Spec: Loan, Loans, Rules that hold)."""

import re
import time
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import pytest

from tests.sandbox.calling import Caller, ago, new_loan, repayment

FIELDS = {
    "uid", "name", "status", "createdAt", "accountId", "accountNo", "loanType", "borrowerId",
    "lenderId", "category", "sequenceNo", "productId", "contract", "loanAmount", "balances",
    "startDate", "maturityDate", "schedule", "settlementDate", "performanceStatus", "result",
    "assessmentId", "appVersionId", "requestId", "settings", "labels",
}  # fmt: skip
PENDING, OPEN, CLOSED = 1, 2, 3


def test_a_new_loan_has_every_field(lender: Caller) -> None:
    loan = lender.loan("l:1", labels={"branch": "Kisumu"}, lenderId="me", requestId="r")
    assert set(loan) == FIELDS
    assert loan["name"] == f"{lender.app[4:]}/loans/l:1"
    assert loan["status"] == OPEN
    assert loan["loanType"] == "term"
    assert loan["category"] == "individual"
    assert loan["sequenceNo"] == 1
    assert loan["loanAmount"] == Decimal(1200)
    assert loan["performanceStatus"] == 1
    assert loan["schedule"]["daysLate"] == 0
    assert loan["schedule"]["nextInstallment"] == loan["contract"]["installments"][0]
    assert loan["maturityDate"] == loan["contract"]["installments"][-1]["dueDate"]
    assert loan["settlementDate"] is loan["result"] is loan["assessmentId"] is None
    assert (loan["labels"], loan["lenderId"], loan["requestId"]) == (
        {"branch": "Kisumu"},
        "me",
        "r",
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", loan["createdAt"])
    assert lender.loan("l:2")["sequenceNo"] == 2


def test_a_loan_is_found_by_account_id_and_by_uid(lender: Caller) -> None:
    loan = lender.loan("l:1 é%")
    assert lender.get("/loans/" + quote("l:1 é%", safe="")).body == loan
    assert lender.get("/loans/" + loan["uid"]).body == loan
    paid = lender.post(f"/loans/{loan['uid']}:makeRepayment", repayment(10))
    assert paid.body["accountId"] == "l:1 é%"


def test_a_loan_of_another_app_or_project_is_not_there(lender: Caller) -> None:
    uid = lender.loan()["uid"]
    elsewhere = lender.app.replace("/demo/", "/else/") + "/loans/"
    for path in ("/v1/projects/demo/apps/other/loans/", elsewhere):
        for key in ("l", uid):
            answer = lender.get(path + key)
            assert answer.status == 404
            assert "does not exist" in answer.description


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_loan_that_does_not_exist_gets_404(lender: Caller, method: str) -> None:
    answer = lender.call(method, "/loans/none")
    assert answer.status == 404
    assert "none does not exist" in answer.description


def test_an_existing_account_gets_409_and_stays(lender: Caller) -> None:
    before = lender.loan()
    answer = lender.post("/loans", new_loan(loanAmount=7))
    assert answer.status == 409
    assert "already exists" in answer.description
    assert lender.get("/loans/l").body == before


def test_a_contract_with_instalments_is_kept_to_the_last_key(lender: Caller) -> None:
    built = lender.loan("first")["contract"]
    contract = built | {"reference": {"deep": [Decimal("0.10000000000000000001"), None]}}
    loan = lender.loan("second", contract=contract)
    assert loan["contract"] == contract
    text = lender.get("/loans/second").text
    assert "0.10000000000000000001" in text
    assert loan["balances"] == lender.get("/loans/first").body["balances"]


def test_the_product_may_be_named_by_either_id_in_either_place(lender: Caller) -> None:
    product = lender.get("/v1/projects/demo/products").body["products"][3]
    for number, name in enumerate((product["productId"], product["uid"])):
        assert lender.loan(f"a{number}", productId=name, contract={})["loanType"] == "flex"
        assert lender.loan(f"b{number}", contract={"productId": name})["loanType"] == "flex"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"accountId": None}, "accountId"),
        ({"accountId": "a/b"}, "accountId"),
        ({"accountId": "a:makeRepayment"}, "accountId"),
        ({"contract": None}, "contract"),
        ({"contract": []}, "contract"),
        ({"startDate": None}, "startDate"),
        ({"startDate": "tomorrow"}, "startDate"),
        ({"borrowerId": None}, "borrowerId"),
        ({"borrowerId": "nobody"}, "borrowerId"),
        ({"contract": {}}, "productId"),
        ({"productId": "none"}, "productId"),
        ({"contract": {"productId": 7}}, "contract.productId"),
        ({"loanAmount": "1200"}, "loanAmount"),
        ({"loanAmount": 0}, "loanAmount"),
        ({"loanAmount": None}, "loanAmount"),
        ({"labels": []}, "labels"),
        ({"contract": {"productId": "term-6-months", "terms": []}}, "contract.terms"),
        (
            {"contract": {"productId": "term-6-months", "installments": [{}]}},
            "contract.installments[0].dueDate",
        ),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(
    lender: Caller, change: dict[str, object], field: str
) -> None:
    answer = lender.post("/loans", new_loan() | change)
    assert answer.status == 400
    assert answer.description.startswith(field + ": "), answer.description
    assert lender.get("/loans").body == {"loans": [], "nextPageToken": None}


def test_a_loan_is_pending_until_its_start_and_then_open(lender: Caller) -> None:
    loan = lender.loan("soon", startDate=ago(seconds=-2))
    assert loan["status"] == PENDING
    answer = lender.post("/loans/soon:makeRepayment", repayment(1))
    assert answer.status == 422
    assert "pending" in answer.description
    time.sleep(2.1)
    assert lender.get("/loans/soon").body["status"] == OPEN
    assert lender.post("/loans/soon:makeRepayment", repayment(1)).status == 200


def test_only_a_pending_loan_can_be_deleted(lender: Caller) -> None:
    lender.loan("pending", startDate=ago(days=-3))
    answer = lender.call("DELETE", "/loans/pending")
    assert (answer.status, answer.text) == (204, "")
    assert lender.get("/loans/pending").status == 404


@pytest.mark.parametrize("state", ["open", "closed"])
def test_delete_is_refused_on_a_loan_that_is(lender: Caller, state: str) -> None:
    settle(lender, lender.loan()) if state == "closed" else lender.loan()
    answer = lender.call("DELETE", "/loans/l")
    assert answer.status == 422
    assert state in answer.description
    assert lender.get("/loans/l").status == 200


def test_a_late_loan_shows_arrears_penalties_and_how_it_performs(lender: Caller) -> None:
    loan = lender.loan("late", startDate=ago(days=75))
    # Instalments of 30 days: the first fell due 46 days ago, the second 16 days ago.
    first, second, third = loan["contract"]["installments"][:3]
    assert loan["schedule"] == {"daysLate": 46, "nextInstallment": third}
    assert loan["performanceStatus"] == 3
    overdue = loan["balances"]["principal"]["overdue"]
    assert overdue == first["amounts"]["principal"] + second["amounts"]["principal"]
    # 3 % of the first instalment's principal twice (5 and 35 days after), of the second's once.
    expected = round(first["amounts"]["principal"] * Decimal("0.03"), 2) * 2
    expected += round(second["amounts"]["principal"] * Decimal("0.03"), 2)
    assert loan["balances"]["penalty"]["total"] == expected


def settle(lender: Caller, loan: Any) -> Any:
    """Pay everything that is owed."""
    unpaid = loan["balances"]["repayment"]["unpaid"]
    answer = lender.post(f"/loans/{loan['accountId']}:makeRepayment", repayment(unpaid))
    assert answer.status == 200, answer.text
    return answer.body

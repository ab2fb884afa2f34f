"""Every field of the spec's tables is in the answers, with its type, or null where it may be."""

import re
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
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
)

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CHECKS: dict[str, Any] = {
    "string": lambda value: isinstance(value, str),
    "uid": lambda value: isinstance(value, str) and UID.fullmatch(value),
    "timestamp": lambda value: isinstance(value, str) and MOMENT.fullmatch(value),
    "date": lambda value: isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value),
    "number": lambda value: isinstance(value, int | Decimal) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
STORED = {"uid": "uid", "name": "string", "status": "number", "createdAt": "timestamp"}
BORROWER = STORED | {
    "borrowerId": "string", "category": "string", "startDate": "timestamp", "borrowerNo": "number",
    "individual": "object?", "company": "object?", "devices": "array", "loans": "array",
    "settings": "object", "profiles": "object?", "identity": "object?", "demographic": "object?",
}  # fmt: skip
INDIVIDUAL = {
    "surname": "string?", "othernames": "string?", "dateOfBirth": "date?", "sex": "string?",
    "governmentIdNo": "string?", "countryOfResidence": "string?", "emailAddress": "string?",
    "phoneNumber": "string?", "employmentStatus": "string?", "maritalStatus": "string?",
    "educationLevel": "string?", "noOfDependants": "number?", "fingerprints": "array",
    "photos": "array",
}  # fmt: skip
DEVICE = {
    "deviceId": "string", "deviceType": "string?", "modelNumber": "string?", "osName": "string?",
    "osVersion": "string?", "createdAt": "timestamp", "active": "boolean",
    "serialNumber": "string?", "equipmentId": "string?", "otherEquipmentId": "string?",
}  # fmt: skip
SUMMARY = {
    "loanId": "string", "principalAmount": "number?", "payableAmount": "number?",
    "paidAmount": "number?", "startDate": "timestamp?", "endDate": "timestamp?",
    "nextPaymentDate": "timestamp?", "completionDate": "timestamp?", "assessmentId": "string?",
}  # fmt: skip
LOAN = STORED | {
    "accountId": "string", "accountNo": "number", "loanType": "string", "borrowerId": "string",
    "lenderId": "string?", "category": "string", "sequenceNo": "number", "productId": "string",
    "contract": "object", "loanAmount": "number", "balances": "object", "startDate": "timestamp",
    "maturityDate": "timestamp", "schedule": "object", "settlementDate": "timestamp?",
    "performanceStatus": "number", "result": "object?", "assessmentId": "string?",
    "appVersionId": "string", "requestId": "string", "settings": "object?", "labels": "object?",
}  # fmt: skip
BALANCE = dict.fromkeys(("due", "paid", "total", "unpaid", "overdue"), "number")
KINDS = {"fees", "penalty", "interest", "principal", "repayment"}
INSTALLMENT = {
    "sequenceNo": "number", "startDate": "timestamp", "dueDate": "timestamp", "amounts": "object",
}  # fmt: skip
OUTCOME = {"type": "string", "reason": "string?", "message": "string?"}
WHOLE = {
    "startDate": "2026-05-01T10:00:00+03:00",
    "individual": {
        "surname": "Obi", "othernames": "Ada Eze", "dateOfBirth": "1990-02-28", "sex": "female",
        "governmentIdNo": "77", "countryOfResidence": "NG", "emailAddress": "a@example.com",
        "phoneNumber": "+2347000000000", "employmentStatus": "employed",
        "maritalStatus": "single", "educationLevel": "degree", "noOfDependants": 2,
        "fingerprints": ["one"], "photos": [{"url": "two"}],
    },
    "company": {"kind": "shop"},
    "devices": [{
        "deviceId": "d", "deviceType": "phone", "modelNumber": "m", "osName": "android",
        "osVersion": "14", "createdAt": "2026-01-02T03:04:05.678Z", "active": False,
        "serialNumber": "s", "equipmentId": "e", "otherEquipmentId": "o",
    }],
    "loans": [{
        "loanId": "x", "principalAmount": 100, "payableAmount": Decimal("120.50"),
        "paidAmount": 0, "startDate": "2026-01-02T03:04:05.678Z",
        "endDate": "2026-03-02T03:04:05.678Z", "nextPaymentDate": "2026-02-02T03:04:05.678Z",
        "completionDate": "2026-03-01T03:04:05.678Z", "assessmentId": "a",
    }],
    "settings": {"timezone": "Africa/Lagos"},
    "profiles": {"p": 1}, "identity": {"i": 2}, "demographic": {"d": 3},
}  # fmt: skip


def check(found: dict[str, Any], table: dict[str, str]) -> None:
    """Exactly these fields, each of its type; a question mark lets null pass."""
    assert set(found) == set(table)
    for field, kind in table.items():
        may_be_null = kind.endswith("?") and found[field] is None
        assert may_be_null or CHECKS[kind.removesuffix("?")](found[field]), (field, found[field])


def check_borrower(found: dict[str, Any]) -> None:
    """A borrower and everything in it."""
    check(found, BORROWER)
    if found["individual"]:
        check(found["individual"], INDIVIDUAL)
    for device in found["devices"]:
        check(device, DEVICE)
    for loan in found["loans"]:
        check(loan, SUMMARY)


def check_loan(found: dict[str, Any]) -> None:
    """A loan and everything in it."""
    check(found, LOAN)
    assert set(found["balances"]) == KINDS
    for balance in found["balances"].values():
        check(balance, BALANCE)
    check(found["schedule"], {"daysLate": "number", "nextInstallment": "object?"})
    if found["schedule"]["nextInstallment"]:
        check(found["schedule"]["nextInstallment"], INSTALLMENT)
        check(found["schedule"]["nextInstallment"]["amounts"], dict.fromkeys(KINDS, "number"))
    if found["result"]:
        check(found["result"], OUTCOME)


@pytest.mark.parametrize(
    "sent",
    [{}, {"individual": {}, "devices": [{"deviceId": "d"}], "loans": [{"loanId": "x"}]}, WHOLE],
    ids=["nothing", "the least of each", "everything"],
)
def test_a_borrower_has_every_field_in_every_answer(caller: Caller, sent: dict[str, Any]) -> None:
    created = caller.borrower(**sent)
    check_borrower(created)
    patched = caller.call("PATCH", "/borrowers/b", {"settings": sent.get("settings", {})}).body
    (listed,) = caller.get("/borrowers").body["borrowers"]
    assert caller.get("/borrowers/b").body == created == patched == listed


def test_what_was_sent_about_a_borrower_comes_back(caller: Caller) -> None:
    found = caller.borrower(**WHOLE)
    upper = {"surname": "OBI", "othernames": "ADA EZE"}
    assert found["individual"] == WHOLE["individual"] | upper  # type: ignore[operator]
    assert found["startDate"] == "2026-05-01T07:00:00.000Z"
    for field in set(WHOLE) - {"individual", "startDate"}:
        assert found[field] == WHOLE[field], field


def test_what_was_not_sent_is_null_or_empty(caller: Caller) -> None:
    found = caller.borrower(individual={}, devices=[{"deviceId": "d"}], loans=[{"loanId": "x"}])
    nulls = {"company", "profiles", "identity", "demographic"}
    assert {field for field, value in found.items() if value is None} == nulls
    assert found["settings"] == {}
    person, (device,), (loan,) = found["individual"], found["devices"], found["loans"]
    assert person.pop("fingerprints") == person.pop("photos") == []
    assert set(person.values()) == {None}
    assert (device.pop("deviceId"), device.pop("active")) == ("d", True)
    assert device.pop("createdAt") == found["createdAt"]
    assert set(device.values()) == {None}
    assert loan.pop("loanId") == "x"
    assert set(loan.values()) == {None}


def test_a_loan_has_every_field_in_every_state(lender: Caller) -> None:
    """Spec: Rules that hold, 3: `result` is null until the account is closed."""
    pending = lender.loan("pending", startDate=ago(days=-3))
    late = lender.loan("late", startDate=ago(days=75), settings={"a": 1}, labels={"b": [2]})
    partly = lender.post("/loans/late:makeRepayment", repayment(10)).body
    paid = repayment(partly["balances"]["repayment"]["unpaid"])
    closed = lender.post("/loans/late:makeRepayment", paid).body
    for loan in (pending, late, partly, closed):
        check_loan(loan)
    for loan in (pending, late, partly):
        assert loan["result"] is loan["settlementDate"] is None
    assert closed["result"]["type"] == "settled"
    assert closed["settlementDate"] is not None
    assert (closed["settings"], closed["labels"]) == ({"a": 1}, {"b": [2]})
    assert lender.get("/loans").body["loans"] == [pending, closed]
    for summary in lender.get("/borrowers/b").body["loans"]:
        check(summary, SUMMARY)


def test_a_record_created_by_many_at_once_is_created_once(caller: Caller) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: caller.post("/borrowers", new_borrower()), range(8)))
        assert sorted(one.status for one in answers) == [200] + [409] * 7
        answers = list(pool.map(lambda _: caller.post("/loans", new_loan()), range(8)))
        assert sorted(one.status for one in answers) == [200] + [409] * 7
        for path, body in (("/events", new_event()), ("/assessments", new_assessment())):
            answers = list(pool.map(caller.post, [path] * 8, [body] * 8))
            assert sorted(one.status for one in answers) == [200] + [409] * 7
    assert len(caller.get("/borrowers/b").body["loans"]) == 1

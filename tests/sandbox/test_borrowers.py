"""Borrowers over HTTP (Spec: Borrower, Borrowers)."""

from decimal import Decimal
from urllib.parse import quote

import pytest

from tests.sandbox.calling import Caller, ago, new_borrower

FIELDS = {
    "uid", "name", "status", "createdAt", "borrowerId", "borrowerNo", "category", "startDate",
    "individual", "company", "devices", "loans", "settings", "profiles", "identity", "demographic",
}  # fmt: skip
TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def test_a_new_borrower_has_every_field(caller: Caller) -> None:
    sent = new_borrower(
        "b:1",
        startDate="2026-05-01T10:00:00+03:00",
        individual={"surname": "Ochieng'", "othernames": "Ama", "dateOfBirth": "1990-02-28"},
        devices=[{"deviceId": "d1", "osName": "android"}],
        settings={"timezone": "Africa/Nairobi"},
    )
    answer = caller.post("/borrowers", sent)
    assert answer.status == 200
    found = answer.body
    assert set(found) == FIELDS
    assert found["name"] == f"{caller.app[4:]}/borrowers/b:1"
    assert found["status"] == 1
    assert isinstance(found["borrowerNo"], int)
    assert found["startDate"] == "2026-05-01T07:00:00.000Z"
    assert found["individual"]["surname"] == "OCHIENG'"
    assert found["individual"]["othernames"] == "AMA"
    assert found["individual"]["fingerprints"] == found["individual"]["photos"] == []
    assert found["individual"]["emailAddress"] is None
    device = found["devices"][0]
    assert device["active"] is True
    assert device["serialNumber"] is device["equipmentId"] is device["otherEquipmentId"] is None
    assert device["createdAt"] == found["createdAt"]
    assert caller.get("/borrowers/" + quote("b:1", safe="")).body == found


def test_an_existing_borrower_gets_409_and_stays(caller: Caller) -> None:
    before = caller.borrower("b", individual={"surname": "first"})
    answer = caller.post("/borrowers", new_borrower("b", individual={"surname": "second"}))
    assert answer.status == 409
    assert "b already exists" in answer.description
    assert caller.get("/borrowers/b").body == before


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_a_borrower_that_does_not_exist_gets_404(caller: Caller, method: str) -> None:
    answer = caller.call(method, "/borrowers/none", {"settings": {}} if method == "PATCH" else None)
    assert answer.status == 404
    assert "none does not exist" in answer.description


def test_patch_replaces_the_sent_lists_and_nothing_else(caller: Caller) -> None:
    before = caller.borrower(
        "b",
        individual={"surname": "Obi"},
        devices=[{"deviceId": "old"}, {"deviceId": "older"}],
        settings={"a": "1", "b": "2"},
    )
    answer = caller.call(
        "PATCH", "/borrowers/b", {"devices": [{"deviceId": "new"}], "settings": {"c": "3"}}
    )
    assert answer.status == 200
    assert [device["deviceId"] for device in answer.body["devices"]] == ["new"]
    assert answer.body["settings"] == {"c": "3"}
    rest = FIELDS - {"devices", "settings"}
    assert {key: answer.body[key] for key in rest} == {key: before[key] for key in rest}
    assert caller.get("/borrowers/b").body == answer.body


def test_patch_keeps_to_the_rules_of_create(lender: Caller) -> None:
    answer = lender.call("PATCH", "/borrowers/b", {"individual": {"surname": "Łuczak"}})
    assert answer.body["individual"]["surname"] == "ŁUCZAK"
    assert lender.call("PATCH", "/borrowers/b", {"devices": None}).body["devices"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [({}, "body"), ({"shoeSize": 4}, "body"), ({"category": None}, "category")],
)
def test_patch_needs_something_to_change(
    lender: Caller, body: dict[str, object], field: str
) -> None:
    answer = lender.call("PATCH", "/borrowers/b", body)
    assert answer.status == 400
    assert answer.description.startswith(field + ": ")


def test_delete_removes_a_borrower_without_loans(lender: Caller) -> None:
    lender.loan("pending", startDate=ago(days=-5))
    refused = lender.call("DELETE", "/borrowers/b")
    assert refused.status == 422
    assert "loan accounts" in refused.description
    lender.call("DELETE", "/loans/pending")
    answer = lender.call("DELETE", "/borrowers/b")
    assert (answer.status, answer.text) == (204, "")
    assert lender.get("/borrowers/b").status == 404


def test_loans_are_what_was_sent_and_the_accounts_held_here(caller: Caller) -> None:
    elsewhere = {
        "loanId": "old-1",
        "principalAmount": Decimal("99.90"),
        "payableAmount": 120,
        "paidAmount": 120,
        "startDate": "2024-01-01T00:00:00.000Z",
        "endDate": "2024-03-01T23:59:59.999Z",
        "nextPaymentDate": None,
        "completionDate": "2024-02-20T10:00:00.000Z",
        "assessmentId": None,
    }
    caller.borrower("b", loans=[elsewhere])
    loan = caller.loan("l", assessmentId="a1")
    first, second = caller.get("/borrowers/b").body["loans"]
    assert first == elsewhere
    assert second == {
        "loanId": "l",
        "principalAmount": Decimal("1200.00"),
        "payableAmount": loan["balances"]["repayment"]["total"],
        "paidAmount": 0,
        "startDate": loan["startDate"],
        "endDate": loan["maturityDate"],
        "nextPaymentDate": loan["schedule"]["nextInstallment"]["dueDate"],
        "completionDate": None,
        "assessmentId": "a1",
    }
    listed = caller.get("/borrowers").body["borrowers"][0]["loans"]
    assert listed == [first, second]
    # A caller that reads the list, changes it and sends it back must not double the account.
    again = caller.call("PATCH", "/borrowers/b", {"loans": [first, second]})
    assert again.body["loans"] == [first, second]


@pytest.mark.parametrize(
    "borrower_id", ["a:b", "50%", "a?b#c", "é 漢字", "a+b", "x&y=z", "%2F", "a.b"]
)
def test_ids_of_any_other_kind_work(caller: Caller, borrower_id: str) -> None:
    assert caller.borrower(borrower_id)["borrowerId"] == borrower_id
    assert caller.get("/borrowers/" + quote(borrower_id, safe="")).body["borrowerId"] == borrower_id


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"borrowerId": "a/b"}, "borrowerId"),
        ({"borrowerId": ".."}, "borrowerId"),
        ({"borrowerId": ""}, "borrowerId"),
        ({"borrowerId": None}, "borrowerId"),
        ({"borrowerId": 7}, "borrowerId"),
        ({"borrowerId": " a"}, "borrowerId"),
        ({"borrowerId": "a\nb"}, "borrowerId"),
        ({"borrowerId": "x" * 201}, "borrowerId"),
        ({"borrowerId": "x:getOffers"}, "borrowerId"),
        ({"category": "firm"}, "category"),
        ({"category": None}, "category"),
        ({"startDate": "2026-01-01"}, "startDate"),
        ({"individual": "me"}, "individual"),
        ({"individual": {"surname": 7}}, "individual.surname"),
        ({"individual": {"dateOfBirth": "31/12/1990"}}, "individual.dateOfBirth"),
        ({"individual": {"noOfDependants": "2"}}, "individual.noOfDependants"),
        ({"devices": {}}, "devices"),
        ({"devices": [{"deviceId": "a"}, {"osName": "b"}]}, "devices[1].deviceId"),
        ({"devices": [{"deviceId": "a", "active": "yes"}]}, "devices[0].active"),
        ({"loans": [{"loanId": "a", "paidAmount": "12"}]}, "loans[0].paidAmount"),
        ({"settings": {"timezone": 3}}, "settings.timezone"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(
    caller: Caller, change: dict[str, object], field: str
) -> None:
    answer = caller.post("/borrowers", new_borrower("b") | change)
    assert answer.status == 400
    assert answer.description.startswith(field + ": "), answer.description
    assert caller.get("/borrowers").body == {"borrowers": [], "nextPageToken": None}

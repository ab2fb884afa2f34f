"""Lists over HTTP (Spec: Shared list behaviour; Errors; Limits)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.sandbox.calling import Caller, ago, repayment
from tests.sandbox_process import SandboxProcess

INVALID = "Invalid page token"
FILTERS = (
    "accountId accountNo loanType borrowerId status appVersionId assessmentId performanceStatus"
)


@pytest.fixture(scope="module")
def book(sandbox: SandboxProcess) -> Caller:
    """An app with two borrowers and loans of every state."""
    caller = Caller(sandbox, "lists-of-loans")
    caller.borrower("b")
    caller.borrower("c:1", category="company")
    caller.loan("good")
    caller.loan("ahead", startDate=ago(days=-9), assessmentId="as:1")
    for late in (10, 40, 70, 100):
        caller.loan(f"late-{late}", startDate=ago(days=29 + late))
    caller.loan("firm", borrowerId="c:1", contract={"productId": "bullet-30-days"})
    unpaid = caller.loan("done")["balances"]["repayment"]["unpaid"]
    caller.post("/loans/done:makeRepayment", repayment(unpaid))
    return caller


ALL = ["good", "ahead", "late-10", "late-40", "late-70", "late-100", "firm", "done"]


def listed(caller: Caller, **params: str) -> list[str]:
    answer = caller.get("/loans", **params)
    assert answer.status == 200, answer.text
    assert set(answer.body) == {"loans", "nextPageToken"}
    return [loan["accountId"] for loan in answer.body["loans"]]


def test_a_list_is_by_created_at_and_can_be_turned_round(book: Caller) -> None:
    assert listed(book) == ALL
    assert listed(book, order="asc") == ALL
    assert listed(book, order="desc") == ALL[::-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("accountId:good", ["good"]),
        ("accountId:nothing", []),
        ("loanType:bullet", ["firm"]),
        ("borrowerId:c:1", ["firm"]),
        ("status:1", ["ahead"]),
        ("status:2", ["good", "late-10", "late-40", "late-70", "late-100", "firm"]),
        ("status:3", ["done"]),
        ("status:77", []),
        ("appVersionId:v1", ALL),
        ("appVersionId:v2", []),
        ("assessmentId:as:1", ["ahead"]),
        ("performanceStatus:1", ["good", "ahead", "firm", "done"]),
        ("performanceStatus:2", ["late-10"]),
        ("performanceStatus:3", ["late-40"]),
        ("performanceStatus:4", ["late-70"]),
        ("performanceStatus:5", ["late-100"]),
        ("performanceStatus:9", []),
        ("accountNo:999999999999999999", []),
        ("status:2 performanceStatus:1", ["good", "firm"]),
        ("  status:2   loanType:bullet ", ["firm"]),
        ("status:2 status:3", []),
    ],
)
def test_every_filter_field(book: Caller, text: str, expected: list[str]) -> None:
    assert listed(book, filter=text) == expected
    assert listed(book, filter=text, order="desc") == expected[::-1]


def test_filters_agree_with_what_the_loans_say(book: Caller) -> None:
    loans = book.get("/loans").body["loans"]
    for field in FILTERS.split():
        for loan in loans:
            if loan[field] is not None:
                same = [one["accountId"] for one in loans if one[field] == loan[field]]
                assert listed(book, filter=f"{field}:{loan[field]}") == same


@pytest.mark.parametrize("text", ["colour:red", "status", "status:", "status:open", "accountNo:-1"])
def test_a_filter_that_is_none_is_refused(book: Caller, text: str) -> None:
    answer = book.get("/loans", filter=text)
    assert answer.status == 400
    assert answer.description.startswith("filter: ")


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_follow_each_other_and_the_last_has_no_token(book: Caller, order: str) -> None:
    seen: list[str] = []
    params = {"pageSize": "3", "order": order}
    sizes = []
    while True:
        answer = book.get("/loans", **params).body
        sizes.append(len(answer["loans"]))
        seen += [loan["accountId"] for loan in answer["loans"]]
        if answer["nextPageToken"] is None:
            break
        params["pageToken"] = answer["nextPageToken"]
    assert sizes == [3, 3, 2]
    assert seen == (ALL if order == "asc" else ALL[::-1])


def test_a_full_last_page_has_no_token(book: Caller) -> None:
    assert book.get("/loans", pageSize=str(len(ALL))).body["nextPageToken"] is None


@pytest.mark.parametrize(
    "change",
    [
        {"pageSize": "4"},
        {"pageSize": None},
        {"filter": "status:2"},
        {"filter": None},
        {"order": "desc"},
        {"pageToken": "nonsense"},
        {"pageToken": "bm9uc2Vuc2U="},
        {"pageToken": ""},
        {"pageToken": "é"},
    ],
)
def test_a_token_holds_only_for_the_request_it_was_given_for(
    book: Caller, change: dict[str, Any]
) -> None:
    params = {"pageSize": "3", "filter": "appVersionId:v1"}
    token = book.get("/loans", **params).body["nextPageToken"]
    assert book.get("/loans", **params, pageToken=token).status == 200
    changed = {**params, "pageToken": token, **change}
    answer = book.get(
        "/loans", **{key: value for key, value in changed.items() if value is not None}
    )
    assert (answer.status, answer.description) == (400, INVALID)


def test_a_token_holds_only_in_its_own_collection(book: Caller) -> None:
    token = book.get("/loans", pageSize="1").body["nextPageToken"]
    assert book.get("/borrowers", pageSize="1", pageToken=token).description == INVALID
    other = "/v1/projects/demo/apps/another/loans"
    assert book.get(other, pageSize="1", pageToken=token).description == INVALID


@pytest.mark.parametrize("path", ["/loans", "/borrowers", "/v1/assessmentTypes"])
@pytest.mark.parametrize("size", ["0", "1001", "-1", "ten", "1.5", "", "99999999999"])
def test_page_sizes_are_1_to_1000(book: Caller, path: str, size: str) -> None:
    answer = book.get(path, pageSize=size)
    assert answer.status == 400
    assert answer.description.startswith("pageSize: ")
    assert book.get(path, pageSize="1000").status == book.get(path, pageSize="1").status == 200


def test_an_order_that_is_none_is_refused(book: Caller) -> None:
    answer = book.get("/loans", order="sideways")
    assert answer.status == 400
    assert answer.description.startswith("order: ")


@pytest.mark.parametrize(
    "path", ["/borrowers", "/v1/projects/demo/products", "/v1/assessmentTypes"]
)
@pytest.mark.parametrize("name", ["filter", "order"])
def test_lists_without_filter_or_order_refuse_them(book: Caller, path: str, name: str) -> None:
    answer = book.get(path, **{name: "asc"})
    assert answer.status == 400
    assert answer.description.startswith(name + ": ")


def test_borrowers_can_be_paged(book: Caller) -> None:
    first = book.get("/borrowers", pageSize="1").body
    second = book.get("/borrowers", pageSize="1", pageToken=first["nextPageToken"]).body
    ids = [one["borrowerId"] for page in (first, second) for one in page["borrowers"]]
    assert ids == ["b", "c:1"]
    assert second["nextPageToken"] is None


def test_a_new_app_is_there_and_empty(book: Caller, sandbox_app: str) -> None:
    for name in ("loans", "borrowers"):
        answer = book.get(f"/v1/projects/demo/apps/{sandbox_app}/{name}")
        assert answer.body == {name: [], "nextPageToken": None}


@pytest.mark.exhaustive
def test_a_page_has_1000_by_default(sandbox: SandboxProcess, lender: Caller) -> None:
    app_id = lender.app.rsplit("/", 1)[1]

    def fill(part: int) -> None:
        caller = Caller(sandbox, app_id)
        for number in range(part, 1001, 4):
            caller.loan(f"l{number}", contract={"productId": "bullet-30-days"})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fill, range(4)))
    first = lender.get("/loans").body
    assert len(first["loans"]) == 1000
    last = lender.get("/loans", pageToken=first["nextPageToken"], pageSize="1000").body
    assert len(last["loans"]) == 1
    assert last["nextPageToken"] is None
    assert len({loan["accountNo"] for loan in first["loans"] + last["loans"]}) == 1001

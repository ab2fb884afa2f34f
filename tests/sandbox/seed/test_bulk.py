"""`manage.py sandbox --seed-loans N`: a book in bulk is as one that was told over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.calling import Caller, repayment
from tests.sandbox_process import running_sandbox

COUNT = 60


def filled(folder: Path, count: int, app_id: str = "large") -> tuple[Any, Any]:
    """The borrowers and loans of a sandbox that was started with so many."""
    folder.mkdir(exist_ok=True)
    arguments = ("--seed-loans", str(count), "--seed-app", app_id)
    with running_sandbox(folder, *arguments) as started:
        caller = Caller(started, app_id)
        return caller.get("/borrowers").body["borrowers"], caller.get("/loans").body["loans"]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any]:
    folder = tmp_path_factory.mktemp("bulk")
    return folder, *filled(folder, COUNT)


def test_it_holds_loans_of_every_state_with_borrowers_and_repayments(
    book: tuple[Path, Any, Any],
) -> None:
    _, borrowers, loans = book
    assert len(loans) == COUNT
    assert {loan["status"] for loan in loans} == {1, 2, 3}
    assert {loan["performanceStatus"] for loan in loans} == {1, 2, 3, 4, 5}
    held = {borrower["borrowerId"]: borrower["loans"] for borrower in borrowers}
    assert {one["category"] for one in borrowers} == {"individual", "company"}
    for loan in loans:
        summaries = {one["loanId"]: one for one in held[loan["borrowerId"]]}
        paid = summaries[loan["accountId"]]["paidAmount"]
        assert paid == loan["balances"]["repayment"]["paid"]
        assert (loan["result"] is not None) == (loan["status"] == 3)
    assert sum(loan["balances"]["repayment"]["paid"] > 0 for loan in loans) > COUNT / 2
    assert [loan["createdAt"] for loan in loans] == sorted(loan["createdAt"] for loan in loans)


def test_it_is_the_same_every_time_and_goes_on_where_it_ended(
    book: tuple[Path, Any, Any], tmp_path: Path
) -> None:
    folder, borrowers, loans = book
    assert filled(folder, COUNT) == (borrowers, loans)
    begun = filled(tmp_path, COUNT // 3)
    assert len(begun[1]) == COUNT // 3
    assert filled(tmp_path, COUNT) == (borrowers, loans)


def test_its_loans_can_be_worked_with(book: tuple[Path, Any, Any]) -> None:
    folder, _, loans = book
    chosen = next(loan for loan in loans if loan["status"] == 2 and loan["schedule"]["daysLate"])
    with running_sandbox(folder) as started:
        caller = Caller(started, "large")
        path = f"/loans/{chosen['accountId']}"
        before = caller.get(path).body["balances"]["repayment"]["unpaid"]
        paid = caller.post(f"{path}:makeRepayment", repayment(1)).body
        assert paid["balances"]["repayment"]["unpaid"] == before - 1
        done = caller.post(
            f"{path}:makeRepayment", repayment(paid["balances"]["repayment"]["unpaid"])
        )
        assert done.body["status"] == 3
        assert caller.post("/loans", {}).status == 400
        assert caller.borrower("b-new")["borrowerNo"]


def test_people_are_encrypted_in_bulk_too(book: tuple[Path, Any, Any]) -> None:
    folder, borrowers, _ = book
    phones = {one["individual"]["phoneNumber"] for one in borrowers if one["individual"]}
    content = b"".join(file.read_bytes() for file in folder.iterdir())
    assert b"l-0000001" in content
    assert len(phones) > 5
    for phone in phones:
        assert phone.encode() not in content

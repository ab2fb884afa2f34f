"""A sandbox that fills itself, seen from outside, and the history of its loans."""

import itertools
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lendingadmin.sandbox.catalogue.products import answer_products
from lendingadmin.sandbox.seed.book import Client, Story, plan
from tests.sandbox.calling import Caller
from tests.sandbox_process import running_sandbox

CATALOGUE = [product.model_dump(by_alias=True) for product in answer_products()]
PERFORMANCE = {
    **dict.fromkeys((Story.NEW, Story.ON_TIME, Story.PARTLY), (2, 1)),
    **dict.fromkeys((Story.SETTLED_EARLY, Story.SETTLED, Story.SETTLED_LATE), (3, 1)),
    Story.PENDING: (1, 1),
    Story.LATE_30: (2, 2),
    Story.LATE_60: (2, 3),
    Story.LATE_90: (2, 4),
    Story.LATE_MORE: (2, 5),
}


class Filled(NamedTuple):
    """A sandbox after its first start, and the folder that it used."""

    folder: Path
    kenya: Caller
    ghana: Caller


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """A sandbox of its own: the apps that have a seed are other tests' too."""
    folder = tmp_path_factory.mktemp("filled")
    arguments = ("--fill", "--history", str(folder / "history"))
    with running_sandbox(folder, *arguments) as process:
        yield Filled(folder, Caller(process, "kenya"), Caller(process, "ghana"))


@pytest.fixture(scope="module")
def clients() -> tuple[Client, ...]:
    return plan("ghana", datetime.now(UTC), CATALOGUE)


def _read_paid(loan: dict[str, Any]) -> Decimal:
    return Decimal(loan["balances"]["repayment"]["paid"])


def test_the_service_has_each_loan_in_its_state(
    filled: Filled, clients: tuple[Client, ...]
) -> None:
    planned = {loan.body["accountId"]: loan for client in clients for loan in client.loans}
    there = {loan["accountId"]: loan for loan in filled.ghana.get("/loans").body["loans"]}
    assert set(there) == set(planned)
    wrong = {
        account_id: (loan.story, there[account_id]["status"])
        for account_id, loan in planned.items()
        if PERFORMANCE[loan.story]
        != (there[account_id]["status"], there[account_id]["performanceStatus"])
    }
    assert not wrong
    unpaid = {key for key, loan in planned.items() if not loan.payments}
    assert {key for key, loan in there.items() if not _read_paid(loan)} == unpaid


def test_the_service_has_everything_else_of_the_plan(
    filled: Filled, clients: tuple[Client, ...]
) -> None:
    reports = [client.reports for client in clients]
    for collection, count in (
        ("borrowers", len(clients)),
        ("events", sum(len(one.events) for one in reports)),
        ("assessments", sum(len(one.assessments) for one in reports)),
    ):
        assert len(filled.ghana.get(f"/{collection}").body[collection]) == count


def test_a_full_app_is_left_alone(filled: Filled) -> None:
    there = filled.kenya.get("/loans").body
    with running_sandbox(filled.folder, "--fill", "--history", str(filled.folder / "again")) as two:
        assert Caller(two, "kenya").get("/loans").body == there
    assert not (filled.folder / "again").exists()


def test_the_history_leads_to_the_loans_of_today(filled: Filled) -> None:
    days = [json.loads(line) for line in (filled.folder / "history").read_text().splitlines()]
    now = {loan["accountId"]: loan for loan in filled.kenya.get("/loans").body["loans"]}
    assert len(days) == 13
    assert [day["at"] for day in days] == sorted(day["at"] for day in days)
    counts = [len(day["loans"]) for day in days]
    assert counts == sorted(counts) and counts[0] < counts[-1] < len(now)
    for earlier, later in itertools.pairwise(days):
        paid = {loan["accountId"]: _read_paid(loan) for loan in later["loans"]}
        assert all(_read_paid(one) <= paid[one["accountId"]] for one in earlier["loans"])
    totals = [sum(map(_read_paid, day["loans"])) for day in days]
    assert totals[0] < totals[-1] < sum(map(_read_paid, now.values()))
    same = {"accountId", "uid", "borrowerId", "productId", "loanAmount", "startDate"}
    for loan in days[0]["loans"]:
        assert {key: loan[key] for key in same} == {
            key: now[loan["accountId"]][key] for key in same
        }

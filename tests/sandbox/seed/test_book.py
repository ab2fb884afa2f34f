"""The seeded book, held against the sandbox's own rules."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from lendingadmin.sandbox.catalogue.products import PRODUCTS, answer_products, find_product
from lendingadmin.sandbox.rules import accounts
from lendingadmin.sandbox.rules.accounts import find_position
from lendingadmin.sandbox.rules.opening import Opening, open_account
from lendingadmin.sandbox.rules.status import LoanStatus, find_loan_status
from lendingadmin.sandbox.seed.book import Client, Loan, Story, plan
from lendingadmin.sandbox.seed.filler import compute_amount

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
CATALOGUE = [product.model_dump(by_alias=True) for product in answer_products()]
APPS = ("kenya", "ghana")

OPEN_ON_TIME = (Story.NEW, Story.ON_TIME, Story.PARTLY)
LATE = {
    Story.LATE_30: (1, 30),
    Story.LATE_60: (31, 60),
    Story.LATE_90: (61, 90),
    Story.LATE_MORE: (91, 1000),
}
SETTLED = (Story.SETTLED_EARLY, Story.SETTLED, Story.SETTLED_LATE)


class Outcome(NamedTuple):
    """Where a loan stands once everything planned for it was told."""

    loan: Loan
    status: LoanStatus
    days_late: int
    resolved_at: datetime | None
    maturity: datetime
    excess: Decimal
    payments: list[accounts.Payment]


def _outcome(loan: Loan, now: datetime) -> Outcome:
    product = find_product(loan.body["productId"])
    assert product is not None
    start = datetime.fromisoformat(loan.body["startDate"])
    opening: Opening = open_account(product, loan.body["contract"], None, start.date())
    made: list[accounts.Payment] = []
    for payment in loan.payments:
        made.append(
            accounts.Payment(payment.paid_at, compute_amount(payment, opening.contract, made))
        )
    account = accounts.replay(opening.lines, opening.arrears, made)
    stands = find_position(account.lines, opening.arrears, now)
    status = find_loan_status(start, account.resolved_at, now)
    return Outcome(
        loan, status, stands.days_late, account.resolved_at, opening.maturity, account.excess, made
    )


def _outcomes(app_id: str, now: datetime = NOW) -> Iterator[Outcome]:
    for client in plan(app_id, now, CATALOGUE):
        yield from (_outcome(loan, now) for loan in client.loans)


@pytest.fixture(scope="module", params=APPS)
def outcomes(request: pytest.FixtureRequest) -> list[Outcome]:
    return list(_outcomes(request.param))


def test_there_are_enough_of_everything() -> None:
    clients = [client for app_id in APPS for client in plan(app_id, NOW, CATALOGUE)]
    told = Counter(loan.story for client in clients for loan in client.loans)
    assert len(clients) >= 200
    assert told.total() >= 400
    assert set(told) == set(Story)
    assert Counter(client.body["category"] for client in clients)["company"] >= 20


def test_the_book_is_the_same_every_time() -> None:
    assert plan("kenya", NOW, CATALOGUE) == plan("kenya", NOW, CATALOGUE)


def test_the_book_keeps_its_ids_on_another_day() -> None:
    def ids(clients: tuple[Client, ...]) -> set[str]:
        loans = {str(loan.body["accountId"]) for client in clients for loan in client.loans}
        return loans | {str(client.body["borrowerId"]) for client in clients}

    later = NOW + timedelta(days=40)
    assert ids(plan("ghana", NOW, CATALOGUE)) == ids(plan("ghana", later, CATALOGUE))


def test_each_loan_stands_where_its_story_says(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        story = outcome.loan.story
        if story is Story.PENDING:
            assert outcome.status is LoanStatus.PENDING
        elif story in SETTLED:
            assert outcome.status is LoanStatus.CLOSED, outcome
        elif story in LATE:
            shortest, longest = LATE[story]
            assert outcome.status is LoanStatus.OPEN
            assert shortest <= outcome.days_late <= longest, outcome
        else:
            assert story in OPEN_ON_TIME
            assert (outcome.status, outcome.days_late) == (LoanStatus.OPEN, 0), outcome


def test_settled_loans_were_settled_early_on_time_or_late(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.resolved_at is None:
            continue
        early = outcome.maturity - outcome.resolved_at
        if outcome.loan.story is Story.SETTLED_EARLY:
            assert early > timedelta(days=2)
        elif outcome.loan.story is Story.SETTLED:
            assert timedelta(0) <= early <= timedelta(days=2)
        else:
            assert early < timedelta(0)


def test_repayments_come_in_order_between_the_start_and_now(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        moments = [payment.value_date for payment in outcome.payments]
        assert moments == sorted(moments)
        start = datetime.fromisoformat(outcome.loan.body["startDate"])
        assert all(start <= moment < NOW for moment in moments), outcome


def test_nobody_pays_too_much_or_nothing(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        assert outcome.excess == 0, outcome
        assert all(payment.amount > 0 for payment in outcome.payments)


def test_external_ids_are_unique(outcomes: list[Outcome]) -> None:
    ids = Counter(payment.external_id for one in outcomes for payment in one.loan.payments)
    assert max(ids.values()) == 1


@pytest.mark.parametrize("now", [NOW.replace(hour=0, minute=5), NOW.replace(hour=23, minute=55)])
def test_the_stories_hold_at_the_ends_of_the_day(now: datetime) -> None:
    for outcome in _outcomes("ghana", now):
        late = outcome.loan.story in LATE
        assert (outcome.days_late > 0) == late, outcome
        assert all(payment.value_date < now for payment in outcome.payments)


@pytest.mark.parametrize(
    ("app_id", "least", "most"), [("kenya", 1000, 20_000_000), ("ghana", 100, 2_000_000)]
)
def test_sums_are_round_and_plausible(app_id: str, least: int, most: int) -> None:
    for client in plan(app_id, NOW, CATALOGUE):
        for loan in client.loans:
            contract: Mapping[str, Any] = loan.body["contract"]
            amount = contract["amounts"]["principal"]
            assert least <= amount <= most
            assert amount % least in (0, least / 2)


def test_contracts_leave_the_schedule_to_the_service() -> None:
    for client in plan("kenya", NOW, CATALOGUE):
        assert all("installments" not in loan.body["contract"] for loan in client.loans)


def test_products_that_are_no_longer_offered_are_not_used() -> None:
    retired = {product.product_id for product in PRODUCTS if not product.active}
    used = {loan.body["productId"] for c in plan("kenya", NOW, CATALOGUE) for loan in c.loans}
    assert retired
    assert not used & retired

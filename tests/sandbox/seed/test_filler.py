"""The filling of a running sandbox, seen from outside."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import requests

from lendingadmin.sandbox.catalogue.products import answer_products
from lendingadmin.sandbox.seed.book import Client, Story, plan
from lendingadmin.sandbox.seed.filler import FillError, Service, fill, order_clients
from tests.sandbox_process import SandboxProcess, running_sandbox

APP = "ghana"
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


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    """A sandbox of its own: the apps that have a seed are other tests' too."""
    with running_sandbox(tmp_path_factory.mktemp("filled")) as process:
        yield process


@pytest.fixture(scope="module")
def own_service(process: SandboxProcess) -> Service:
    return Service(process.base_url, "demo", process.client_id, process.client_secret)


@pytest.fixture(scope="module")
def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture(scope="module")
def clients(now: datetime) -> tuple[Client, ...]:
    return plan(APP, now, CATALOGUE)


@pytest.fixture(scope="module")
def filled(own_service: Service, clients: tuple[Client, ...], now: datetime) -> Counter[str]:
    """Filled after an earlier filling was cut short: one client is there already, one in part."""
    first, second, *_ = [client for client in clients if client.loans]
    own_service.create(APP, "borrowers", first.body)
    own_service.create(APP, "borrowers", second.body)
    own_service.create(APP, "loans", second.loans[0].body)
    reported = next(client for client in clients if client.reports.events)
    if reported not in (first, second):
        own_service.create(APP, "borrowers", reported.body)
    own_service.create(APP, "events", reported.reports.events[0])
    return fill(own_service, APP, now)


def _loans(process: SandboxProcess) -> list[dict[str, object]]:
    form = {
        "grant_type": "client_credentials",
        "client_id": process.client_id,
        "client_secret": process.client_secret,
        "scope": "platform.lending",
    }
    token = requests.post(f"{process.auth_url}/v1/oauth2/token", data=form, timeout=10).json()
    answer = requests.get(
        f"{process.base_url}/v1/projects/demo/apps/{APP}/loans",
        headers={"Authorization": f"Bearer {token['access_token']}"},
        timeout=30,
    ).json()
    assert answer["nextPageToken"] is None
    loans: list[dict[str, object]] = answer["loans"]
    return loans


def test_what_is_there_already_is_skipped(
    filled: Counter[str], clients: tuple[Client, ...]
) -> None:
    assert filled["borrowers"] == len(clients) - 2
    assert filled["loans"] == sum(len(client.loans) for client in clients) - 1
    reports = [client.reports for client in clients]
    assert filled["events"] == sum(len(one.events) for one in reports) - 1
    assert filled["assessments"] == sum(len(one.assessments) for one in reports)


def test_the_service_has_each_loan_in_its_state(
    filled: Counter[str], process: SandboxProcess, clients: tuple[Client, ...]
) -> None:
    planned = {loan.body["accountId"]: loan.story for c in clients for loan in c.loans}
    skipped = next(c for c in clients[1:] if c.loans).loans[0].body["accountId"]
    there = {str(loan["accountId"]): loan for loan in _loans(process)}
    assert set(there) == set(planned)
    wrong = {
        account: (story, loan["status"], loan["performanceStatus"])
        for account, story in planned.items()
        if account != skipped
        for loan in [there[account]]
        if (loan["status"], loan["performanceStatus"]) != PERFORMANCE[story]
    }
    assert not wrong


def test_a_full_app_is_recognised_before_anything_is_sent(
    filled: Counter[str], own_service: Service, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sent(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(own_service, "create", sent)
    monkeypatch.setattr(own_service, "repay", sent)
    assert fill(own_service, APP, now) == Counter()


def test_the_last_client_told_has_a_loan_to_be_recognised_by(clients: tuple[Client, ...]) -> None:
    ordered = order_clients(clients)
    assert ordered[-1].loans
    assert not ordered[-1].reports.assessments  # told after its loans
    assert Counter(map(id, ordered)) == Counter(map(id, clients))


def test_a_wrong_secret_is_told(process: SandboxProcess) -> None:
    with pytest.raises(FillError, match="gave no token"):
        Service(process.base_url, "demo", "sandbox", "wrong")


def test_a_sandbox_that_is_not_there_is_told() -> None:
    with pytest.raises(FillError, match=r"No sandbox answers at http://127\.0\.0\.1:9"):
        Service("http://127.0.0.1:9", "demo", "sandbox", "sandbox-secret")


def test_a_refusal_is_told_with_the_services_own_words(own_service: Service) -> None:
    with pytest.raises(FillError, match=r"POST .*/borrowers: 4\d\d .*error_description"):
        own_service.create(APP, "borrowers", {"borrowerId": "", "category": "individual"})

"""The loans list and the loan page: against the sandbox, and against services that are odd."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.readers import LendingApp
from lendingadmin.staff.models import User
from tests.faults.behaviours import reply, token
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User | None], Client]


@pytest.fixture
def desk(client_of: ClientOf, viewer: User) -> Client:
    return client_of(viewer)


def test_list_and_page(desk: Client, app: LendingApp, book: Caller) -> None:
    listed = desk.get(f"/apps/{app.app_id}/loans/").content.decode()
    assert f"/apps/{app.app_id}/loans/l/" in listed
    assert "1,200.00" in listed
    page = desk.get(f"/apps/{app.app_id}/loans/l/").content.decode()
    for words in ("Still owed", "Overdue", "Next instalment", "Schedule", "Balances", "Contract"):
        assert words in page
    assert page.count("<tr") >= 6 + 5
    assert "Record a repayment" not in page


def test_support_may_record(
    app: LendingApp, book: Caller, client_of: ClientOf, support: User
) -> None:
    page = client_of(support).get(f"/apps/{app.app_id}/loans/l/").content.decode()
    assert f"/apps/{app.app_id}/loans/l/repayments/new" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?borrowerId=b", True),
        ("?borrowerId=nobody", False),
        ("?accountId=l", True),
        ("?accountId=other", False),
        ("?status=2", True),
        ("?status=3", False),
        ("?performanceStatus=1", True),
        ("?loanType=none", False),
        ("?order=desc&pageSize=25", True),
    ],
)
def test_filters_reach_the_service(
    desk: Client, app: LendingApp, book: Caller, query: str, found: bool
) -> None:
    page = desk.get(f"/apps/{app.app_id}/loans/{query}").content.decode()
    assert (f"/apps/{app.app_id}/loans/l/" in page) == found
    assert found or "No loan matches this filter" in page


def test_pages_follow_one_another(desk: Client, app: LendingApp, book: Caller) -> None:
    for number in range(30):
        book.loan(f"more-{number}")
    first = desk.get(f"/apps/{app.app_id}/loans/?pageSize=25")
    following = first.context["list"].next_url
    second = desk.get(following)
    accounts = [
        loan.account_id for shown in (first, second) for loan in shown.context["list"].items
    ]
    assert len(accounts) == len(set(accounts)) == 31
    stale = desk.get(following.replace("pageSize=25", "pageSize=50")).content.decode()
    assert "this is the first page again" in stale


def test_an_id_that_nobody_has_is_a_card(desk: Client, app: LendingApp) -> None:
    answer = desk.get(f"/apps/{app.app_id}/loans/nobody/")
    assert answer.status_code == 404
    assert "The service does not know this record" in answer.content.decode()


def test_an_app_that_is_not_configured_does_not_exist(desk: Client, app: LendingApp) -> None:
    assert desk.get("/apps/other/loans/").status_code == 404


def test_pages_with_personal_data_are_not_stored(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    answer = desk.get(f"/apps/{app.app_id}/loans/l/")
    assert "no-store" in answer.headers["Cache-Control"]


GOOD = {
    "accountId": "L-1",
    "borrowerId": "B-1",
    "status": 2,
    "performanceStatus": 1,
    "loanAmount": 1000,
    "startDate": "2026-01-01T00:00:00.000Z",
    "settlementDate": "2026-02-01T00:00:00.000Z",
    "balances": {"repayment": {"due": 1, "paid": 2, "total": 3, "unpaid": 1, "overdue": 1}},
    "schedule": {"daysLate": 3, "nextInstallment": {"dueDate": "2026-02-01T00:00:00.000Z"}},
    "result": {"type": "settled", "reason": None, "message": None},
    "contract": {
        "terms": {"period": "90 days", "fees": [{"kind": "x", "value": 1}], "penalty": {"rate": 1}},
        "amounts": {"principal": 1000},
        "interestRates": {"APR": 0.3},
        "installments": [{"sequenceNo": 1, "dueDate": "2026-02-01T00:00:00.000Z", "amounts": {}}],
    },
}
ODD: list[object] = [None, True, -1, 1.5, "text", "", [], [None, 1, "x", []], {}, {"x": {"y": []}}]


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a JSON value, the whole included."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path] * bool(path) + [
        place for key, item in inner for place in places(item, (*path, key))
    ]


def with_odd(value: Any, path: tuple[str | int, ...], odd: object) -> Any:
    """The value with something else at one place."""
    changed = copy.deepcopy(value)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = odd
    return changed


@pytest.mark.parametrize("path", places(GOOD), ids=lambda path: ".".join(map(str, path)))
def test_no_odd_value_anywhere_breaks_a_page(
    client_of: ClientOf,
    support: User,
    fault_server: FaultServer,
    settings: Any,
    path: tuple[str | int, ...],
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    desk = client_of(support)
    for odd in ODD:
        loan = with_odd(GOOD, path, odd)
        listed = simplejson.dumps({"loans": [loan, odd], "nextPageToken": None})
        fault_server.on("GET /v1/projects/demo/apps/kenya/loans?", reply(listed))
        fault_server.on("GET /v1/projects/demo/apps/kenya/loans/", reply(simplejson.dumps(loan)))
        for address in ("loans/", "loans/L-1/", "loans/L-1/repayments/new"):
            answer = desk.get(f"/apps/kenya/{address}")
            assert answer.status_code == 200, (address, odd)

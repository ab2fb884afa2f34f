"""A loan that only has a uid has a link to its page wherever it is listed."""

import pytest
from django.test import Client

from tests.faults.behaviours import reply
from tests.paging.service import PATHS, PagedService
from tests.portfolio.conftest import counted, outstanding
from tests.search.words import results_of

pytestmark = pytest.mark.django_db
LOAN = {"uid": "u-1", "borrowerId": "B-1", "accountNo": 7, "loanAmount": 5}
PAGE = "/apps/kenya/loans/u-1/"


@pytest.mark.parametrize(
    "account", [{}, {"accountId": None}, {"accountId": 5}, {"accountId": ".."}]
)
@pytest.mark.parametrize("where", ["loans/", "borrowers/B-1/panels/loans"])
def test_in_a_list(desk: Client, service: PagedService, where: str, account: object) -> None:
    service.give("loans", {"": ([LOAN | account], None)})  # type: ignore[operator]
    page = desk.get(f"/apps/kenya/{where}").content.decode()
    assert f'href="{PAGE}"' in page


def test_by_its_number(desk: Client, service: PagedService) -> None:
    service.give("loans", {"": ([LOAN], None)})
    answer = desk.get(results_of(desk, "kenya", "7"), {"whole": "1"})
    assert answer.headers.get("Location") == PAGE


def test_its_page(desk: Client, service: PagedService) -> None:
    service.server.on(f"GET {PATHS['loans']}/u-1", reply(LOAN))
    assert desk.get(PAGE).status_code == 200


def test_in_the_count_of_the_portfolio(service: PagedService) -> None:
    twice = LOAN | {"balances": {"repayment": {"unpaid": 60}}}
    service.give("loans", {"": ([twice], "t"), "t": ([twice, {"accountId": "L-2"}], None)})
    row = counted()
    assert (row.loans_read, row.unreadable) == (2, 0)
    assert outstanding(row) == [60, 1]

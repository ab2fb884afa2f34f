"""Cash of a day: what each person recorded of it, what was counted, and the difference."""

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import proof
from lendingadmin.money.repayments import cash
from lendingadmin.money.repayments.models import CashCount, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import ClientOf
from tests.repayments.rows import NOON, row

pytestmark = pytest.mark.django_db
DAY, COUNT = "/apps/kenya/repayments/day/", "/apps/kenya/repayments/day/count"
THAT_DAY = date(2026, 3, 10)


def take(by: User, amount: str, **fields: object) -> Repayment:
    return row(by, amount=amount, **{"created_at": NOON, "external_id_minted": True, **fields})


def read_version(page: str) -> str:
    """What a page of the day says of the counts that it shows."""
    found = re.search(r'name="version" value="(\d+)"', page)
    assert found
    return found[1]


def count(desk: Client, till: str, amount: str) -> str:
    version = read_version(desk.get(f"{DAY}?date=2026-03-10").content.decode())
    sent = {"till": till, "amount": amount, "version": version}
    answer = desk.post(f"{COUNT}?date=2026-03-10", sent, follow=True)
    return answer.content.decode()


def list_tills() -> list[tuple[str, str, Decimal, Decimal | None]]:
    return [
        (one.person, one.currency, one.recorded, one.difference)
        for one in cash.list_tills(lending_app("kenya"), THAT_DAY)
    ]


def test_only_recorded_cash_of_the_day_of_entry_lies_in_a_till(
    support: User, manager: User
) -> None:
    take(support, "100.50")
    take(support, "20", transaction_date=NOON - timedelta(days=3))
    take(support, "7", currency_code="USD")
    take(manager, "1")
    take(manager, "900", external_id_minted=False)
    take(manager, "900", state=RepaymentState.UNKNOWN)
    take(manager, "900", created_at=NOON + timedelta(days=1), app_id="kenya")
    take(manager, "900", app_id="ghana")
    assert list_tills() == [
        (manager.username, "KES", Decimal(1), None),
        (support.username, "KES", Decimal("120.5"), None),
        (support.username, "USD", Decimal(7), None),
    ]


@pytest.mark.parametrize(
    ("fields", "is_cash"),
    [
        ({"channel": "physical", "network": "Cash"}, True),
        ({"channel": "", "network": ""}, True),
        ({"channel": "physical", "network": "Cash", "external_id_minted": False}, True),
        ({"channel": "mobile", "network": "M-PESA"}, False),
        ({"channel": "mobile", "network": ""}, False),
        ({"channel": "", "network": "Equity"}, False),
    ],
)
def test_the_same_money_is_in_the_till_or_with_its_network_and_never_both(
    support: User, fields: dict[str, object], is_cash: bool
) -> None:
    take(support, "100", **fields)
    assert [one[2] for one in list_tills()] == ([Decimal(100)] if is_cash else [])
    parts = proof.read_day(lending_app("kenya"), THAT_DAY, NOON).entries
    assert len(parts["cash"].numbers) == is_cash
    assert len(parts["unchecked"].numbers) == (not is_cash)


def test_what_was_counted_stands_beside_it_and_the_newest_count_counts(
    desk: Client, support: User
) -> None:
    take(support, "1200")
    first = count(desk, f"{support.pk}:KES", "1,100")
    assert ">-100.00<" in first.replace("−", "-").replace("KES\xa0", "").replace("KES ", "")
    count(desk, f"{support.pk}:KES", "1200")
    assert list_tills() == [(support.username, "KES", Decimal(1200), Decimal(0))]
    assert [one.amount for one in CashCount.objects.all()] == [1100, 1200]
    entries = Entry.objects.filter(action=cash.COUNT)
    assert {(one.outcome, one.saved, one.app_id) for one in entries} == {
        ("counted", "yes", "kenya")
    }


@pytest.mark.parametrize("version", ["older", "", "x"])
def test_a_count_of_an_older_page_replaces_none_that_it_has_not_shown(
    desk: Client, client_of: ClientOf, support: User, manager: User, version: str
) -> None:
    take(support, "1200")
    shown = read_version(desk.get(f"{DAY}?date=2026-03-10").content.decode())
    count(client_of(manager), f"{support.pk}:KES", "1200")
    [newest] = CashCount.objects.all()
    sent = {"till": f"{support.pk}:KES", "amount": "1,100"}
    sent["version"] = shown if version == "older" else version
    refused = desk.post(f"{COUNT}?date=2026-03-10", sent)
    page = refused.content.decode()
    assert refused.status_code == 409
    assert f'data-newer-count="{newest.pk}"' in page and 'value="1,100"' in page
    assert re.search(rf'value="{support.pk}:KES" selected', page)
    assert list_tills() == [(support.username, "KES", Decimal(1200), Decimal(0))]
    # The page has shown it now.
    again = desk.post(f"{COUNT}?date=2026-03-10", sent | {"version": read_version(page)})
    assert again.status_code == 302 and CashCount.objects.count() == 2


def test_what_is_wrong_with_a_count_makes_no_older_page_newer(
    desk: Client, client_of: ClientOf, support: User, manager: User
) -> None:
    sent = {"till": f"{support.pk}:KES", "version": "0"}
    take(support, "1200")
    count(client_of(manager), f"{support.pk}:KES", "1200")
    wrong = desk.post(f"{COUNT}?date=2026-03-10", sent | {"amount": "many"}).content.decode()
    assert read_version(wrong) == "0"
    sent |= {"amount": "5", "version": read_version(wrong)}
    assert desk.post(f"{COUNT}?date=2026-03-10", sent).status_code == 409


def test_the_same_count_twice_is_one(desk: Client, support: User) -> None:
    sent = {"till": f"{support.pk}:KES", "amount": "50", "version": "0"}
    answers = [desk.post(f"{COUNT}?date=2026-03-10", sent) for _ in range(2)]
    assert [one.status_code for one in answers] == [302, 302]
    assert CashCount.objects.count() == 1


def test_another_till_that_was_counted_since_stands_against_nothing(
    desk: Client, support: User, manager: User, client_of: ClientOf
) -> None:
    count(client_of(manager), f"{manager.pk}:KES", "700")
    sent = {"till": f"{support.pk}:KES", "amount": "50", "version": "0"}
    assert desk.post(f"{COUNT}?date=2026-03-10", sent).status_code == 302


def test_cash_of_nothing_recorded_can_be_counted_too(desk: Client, support: User) -> None:
    count(desk, f"{support.pk}:KES", "50")
    assert list_tills() == [(support.username, "KES", Decimal(0), Decimal(50))]


@pytest.mark.parametrize("amount", ["", "-1", "many", "1e9"])
def test_what_is_no_amount_is_said_beside_it_and_kept(
    desk: Client, support: User, amount: str
) -> None:
    page = count(desk, f"{support.pk}:KES", amount)
    assert ('id="id_amount_error"' in page and f'value="{amount}"' in page) or not amount
    assert 'aria-invalid="true"' in page
    assert not CashCount.objects.exists()


def test_nobody_counts_a_till_that_is_not_offered(
    desk: Client, support: User, manager: User
) -> None:
    page = count(desk, f"{manager.pk}:KES", "50")
    assert 'id="id_till_error"' in page and not CashCount.objects.exists()


def test_by_transaction_date_no_till_is_shown(desk: Client, support: User) -> None:
    take(support, "1200")
    assert 'id="cash"' in desk.get(f"{DAY}?date=2026-03-10").content.decode()
    page = desk.get(f"{DAY}?date=2026-03-10&by=transactionDate").content.decode()
    assert 'id="cash"' not in page


def test_who_may_not_record_counts_nothing(client_of: ClientOf, viewer: User) -> None:
    assert client_of(viewer).post(COUNT, {"till": f"{viewer.pk}:KES"}).status_code == 403

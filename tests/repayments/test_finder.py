"""What was recorded here is found by its transaction id, by its receipt and by its own number."""

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from tests.conftest import ClientOf
from tests.repayments.rows import row
from tests.roles import take_roles
from tests.search.words import results_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("words", ["QK7-42X 9", "qk742x9", "ＱＫ７４２Ｘ９", "QK742X9"])
def test_by_its_transaction_id_however_it_is_written(
    desk: Client, support: User, words: str
) -> None:
    mine = row(support, external_id="QK7-42X 9")
    row(support, account_id="other", external_id="QK7-42X 8")
    page = desk.get(results_of(desk, "kenya", words)).content.decode()
    assert page.count("data-match") == 1
    assert f'href="{mine.get_absolute_url()}"' in page


def test_by_its_own_number(desk: Client, support: User) -> None:
    mine = row(support)
    page = desk.get(results_of(desk, "kenya", f"RP-{mine.pk}")).content.decode()
    assert f'href="{mine.get_absolute_url()}"' in page
    assert "data-match" not in desk.get(results_of(desk, "ghana", f"rp-{mine.pk}")).content.decode()


@pytest.mark.parametrize("words", ["KENYA-2026-000123", "kenya-2026-123", "2026-000123"])
def test_by_the_number_of_its_receipt(desk: Client, support: User, words: str) -> None:
    mine = row(support, receipt_year=2026, receipt_sequence=123)
    row(support, receipt_year=2025, receipt_sequence=123)
    page = desk.get(results_of(desk, "kenya", words)).content.decode()
    assert page.count("data-match") == 1
    assert f'href="{mine.get_absolute_url()}"' in page
    found = desk.get("/apps/kenya/repayments/", {"record": words}).content.decode()
    assert mine.external_id in found and "1 repayment" not in found
    assert "data-match" not in desk.get(results_of(desk, "ghana", words)).content.decode()


def test_only_for_those_who_may_see_it(client_of: ClientOf, support: User, viewer: User) -> None:
    row(support, external_id="QK742X9")
    take_roles(viewer)
    desk = client_of(viewer)
    assert "data-match" not in desk.get(results_of(desk, "kenya", "QK742X9")).content.decode()

"""Opening a page again writes nothing to the dashboard's own database.

One page does: a borrower's edit form keeps, sealed, what the record was when the form was opened.
"""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.people.search.encrypted_words import encrypt_words
from tests.conftest import ClientOf
from tests.repayments.rows import row
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db

WRITES = ("INSERT", "UPDATE", "DELETE")
# Below /apps/<app>/, except those that begin with a slash.
PAGES = [
    "", "borrowers/", "borrowers/new", "borrowers/b/?whole=1",
    "borrowers/b/panels/record", "borrowers/b/delete",
    "borrowers/b/offers/new",
    "loans/", "loans/new", "loans/l/", "loans/l/delete", "loans/l/repayments/new",
    "assessments/", "assessments/new", "events/", "events/new",
    "repayments/", "repayments/unknown/", "repayments/day/", "find", "find/for/{l}", "find/last",
    "/products/", "/assessment-types/", "/audit/", "/glossary/",
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_is_opened_again_writes_nothing(
    page: str, client_of: ClientOf, manager: User, app: LendingApp, book: Caller
) -> None:
    page = page.format(l=encrypt_words(manager, "l"))
    address = page if page.startswith("/") else f"/apps/{app.app_id}/{page}"
    desk = client_of(manager)
    first = desk.get(address)
    assert first.status_code in (200, 302), first.status_code
    with CaptureQueriesContext(connection) as seen:
        desk.get(address)
    assert [one["sql"] for one in seen if one["sql"].startswith(WRITES)] == []


def test_a_receipt_that_is_opened_again_writes_nothing(client_of: ClientOf, manager: User) -> None:
    desk, receipt = client_of(manager), row(manager).get_absolute_url()
    desk.get(receipt)
    with CaptureQueriesContext(connection) as seen:
        assert desk.get(receipt).status_code == 200
    assert [one["sql"] for one in seen if one["sql"].startswith(WRITES)] == []

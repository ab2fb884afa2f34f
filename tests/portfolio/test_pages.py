"""The home page."""

import pytest
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from tests.conftest import ClientOf
from tests.roles import hold_only
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db
ROLE = "viewer"


def test_the_start_page_is_that_of_the_first_app(desk: Client, app: LendingApp) -> None:
    answer = desk.get("/", follow=True)
    assert answer.redirect_chain == [(f"/apps/{app.app_id}/", 302)]
    assert "<h1>Home</h1>" in answer.content.decode()


def only(person: User, *permissions: str) -> None:
    """Leave the person these rights alone."""
    hold_only(person, *permissions)


def test_a_borrower_s_loans_are_for_those_who_may_list_loans(
    app: LendingApp, book: Caller, client_of: ClientOf, viewer: User
) -> None:
    only(viewer, "lending.borrowers.get", "dashboard.borrowers.names")
    page = client_of(viewer).get(f"/apps/{app.app_id}/borrowers/b/?whole=1").content.decode()
    assert "WANJIRU" in page
    assert "Loan accounts" not in page

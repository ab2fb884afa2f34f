"""The desk and its find box."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from lendingadmin.readers import LendingApp
from lendingadmin.staff.models import User
from tests.faults.behaviours import refusal
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User | None], Client]


@pytest.fixture
def desk(client_of: ClientOf, viewer: User) -> Client:
    return client_of(viewer)


def test_the_start_page_is_the_desk_of_the_first_app(desk: Client, app: LendingApp) -> None:
    answer = desk.get("/", follow=True)
    assert answer.redirect_chain == [(f"/apps/{app.app_id}/", 302)]
    assert "Nothing is unknown" in answer.content.decode()


@pytest.mark.parametrize(
    ("wanted", "target"),
    [("b", "borrowers/b/"), ("borrower:b", "borrowers/b/"), ("l", "loans/l/"), (" l ", "loans/l/")],
)
def test_find_opens_the_record(
    desk: Client, app: LendingApp, book: Caller, wanted: str, target: str
) -> None:
    answer = desk.get(f"/apps/{app.app_id}/find", {"q": wanted})
    assert answer.headers["Location"] == f"/apps/{app.app_id}/{target}"


def test_find_offers_both_where_both_have_the_id(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    book.loan("b")
    page = desk.get(f"/apps/{app.app_id}/find", {"q": "b"}).content.decode()
    assert f"/apps/{app.app_id}/loans/b/" in page
    assert f"/apps/{app.app_id}/borrowers/b/" in page


@pytest.mark.parametrize("wanted", ["nobody", "..", ".", "a\x00b", "a/b", "x" * 300])
def test_no_match_says_so(desk: Client, app: LendingApp, wanted: str) -> None:
    page = desk.get(f"/apps/{app.app_id}/find", {"q": wanted}).content.decode()
    assert "No match" in page


def test_could_not_look_is_not_no_match(
    desk: Client,
    app: LendingApp,
    book: Caller,
    fault_proxy: Callable[[str], FaultServer],
    settings: Any,
) -> None:
    proxy = fault_proxy(book.base_url)
    proxy.on("/borrowers/", refusal(500, "down"))
    settings.LENDING_BASE_URL = proxy.url
    page = desk.get(f"/apps/{app.app_id}/find", {"q": "nobody"}).content.decode()
    assert "No match" not in page
    assert "The service has a fault" in page
    half = desk.get(f"/apps/{app.app_id}/find", {"q": "l"})
    assert half.status_code == 200
    assert f"/apps/{app.app_id}/loans/l/" in half.content.decode()


def only(person: User, *permissions: str) -> None:
    """Leave the person these rights alone."""
    person.groups.clear()
    names = [permission.partition(".")[2] for permission in permissions]
    person.user_permissions.set(Permission.objects.filter(codename__in=names))


def test_find_looks_up_only_what_the_person_may_read(
    app: LendingApp, book: Caller, client_of: ClientOf, viewer: User
) -> None:
    only(viewer, "lending.loans.get")
    desk = client_of(viewer)
    assert desk.get(f"/apps/{app.app_id}/find", {"q": "l"}).status_code == 302
    assert "No match" in desk.get(f"/apps/{app.app_id}/find", {"q": "b"}).content.decode()


def test_a_borrower_s_loans_are_for_those_who_may_list_loans(
    app: LendingApp, book: Caller, client_of: ClientOf, viewer: User
) -> None:
    only(viewer, "lending.borrowers.get")
    page = client_of(viewer).get(f"/apps/{app.app_id}/borrowers/b/?whole=1").content.decode()
    assert "WANJIRU" in page
    assert "Loan accounts" not in page

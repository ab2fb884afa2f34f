"""“Show the API call”: only for those with the right, with personal data and the token masked."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client

from lendingadmin.readers import LendingApp
from lendingadmin.staff.models import User
from lendingadmin.web.masking import MASK, masked
from tests.sandbox.calling import Caller

ClientOf = Callable[[User | None], Client]


def test_personal_trees_keys_and_secrets_are_masked_and_the_rest_stays() -> None:
    value = {
        "borrowerId": "b-1",
        "status": 1,
        "individual": {"surname": "WANJIRU", "noOfDependants": 2, "photos": ["x"], "sex": None},
        "devices": [{"deviceId": "d", "osName": "android", "active": True}],
        "settings": {"timezone": "Africa/Nairobi"},
        "access_token": "secret",
        "amount": Decimal("10.50"),
    }
    assert masked(value) == {
        "borrowerId": "b-1",
        "status": 1,
        "individual": {"surname": MASK, "noOfDependants": MASK, "photos": [MASK], "sex": None},
        "devices": [{"deviceId": MASK, "osName": "android", "active": True}],
        "settings": {"timezone": MASK},
        "access_token": MASK,
        "amount": Decimal("10.50"),
    }


def test_further_keys_are_masked_where_they_are_named() -> None:
    assert masked({"result": {"a": "x"}, "b": [{"result": 1}]}, {"result"}) == {
        "result": {"a": MASK},
        "b": [{"result": MASK}],
    }


def test_long_lists_are_cut_with_their_count() -> None:
    assert masked(list(range(8))) == [0, 1, 2, 3, 4, "… and 3 more"]


@pytest.mark.django_db
def test_a_manager_sees_the_calls_of_a_page_and_nobody_s_name(
    app: LendingApp, book: Caller, client_of: ClientOf, manager: User
) -> None:
    page = client_of(manager).get(f"/apps/{app.app_id}/borrowers/b/?whole=1").content.decode()
    panel = page.partition('class="card calls')[2]
    assert "5 calls to the service" in panel
    assert f"/v1/projects/demo/apps/{app.app_id}/borrowers/b" in panel
    assert "borrowers.get" in panel and "loans.list" in panel
    assert "curl -X GET" in panel
    assert "WANJIRU" not in panel
    assert "+254700000001" not in panel
    assert f"Bearer {MASK}" in panel


@pytest.mark.django_db
def test_others_do_not(app: LendingApp, book: Caller, client_of: ClientOf, officer: User) -> None:
    page = client_of(officer).get(f"/apps/{app.app_id}/borrowers/b/?whole=1").content.decode()
    assert "to the service" not in page.partition("<main")[2]

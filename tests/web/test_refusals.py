"""What somebody was refused is in the trail, without flooding it."""

import pytest
from django.core.cache import cache

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from tests.conftest import ClientOf
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db
DELETE = "/apps/kenya/loans/L-254700186215/delete"


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def list_refusals() -> list[tuple[str, str, str]]:
    rows = Entry.objects.filter(action="access", outcome="refused").order_by("pk")
    return list(rows.values_list("username", "app_id", "subject"))


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
def test_once_a_minute_for_each_person_and_page_and_without_the_address(
    client_of: ClientOf, viewer: User, support: User, headers: dict[str, str]
) -> None:
    for person in (viewer, support):
        browser = client_of(person)
        for _ in range(3):
            answer = browser.get(DELETE, headers=headers)
            assert list_marks(answer, "finding") == ["role"]
    browser.get("/audit/", headers=headers)
    assert list_refusals() == [
        ("viewer", "kenya", "loan-delete"),
        ("support", "kenya", "loan-delete"),
        ("support", "", "audit"),
    ]
    assert not Entry.objects.filter(url__contains="186215").exists()


def test_who_is_not_signed_in_is_asked_to_sign_in_and_that_is_no_refusal(
    client_of: ClientOf, client: object, db: None
) -> None:
    answer = client.get(DELETE)  # type: ignore[attr-defined]
    assert answer.status_code == 302
    assert list_refusals() == []

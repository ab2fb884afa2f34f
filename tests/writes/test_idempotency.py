"""One-use tokens: of one person, for one form, for so long; and the drafts under them."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import RequestFactory
from django.utils import timezone

from lendingadmin.core.staff import retention
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import idempotency
from lendingadmin.web.models import Draft

pytestmark = pytest.mark.django_db


def request_of(person: User) -> Any:
    request = RequestFactory().get("/")
    request.user = person
    return request


def test_a_token_comes_back_as_what_makes_it_unique(support: User) -> None:
    request = request_of(support)
    one, two = idempotency.issue_key(request, "a"), idempotency.issue_key(request, "a")
    assert idempotency.check_key(request, "a", one) != idempotency.check_key(request, "a", two)
    assert (
        idempotency.check_key(request, "a", idempotency.issue_key(request, "a", "kept-one"))
        == "kept-one"
    )


def test_a_token_is_of_one_person_and_one_form(support: User, manager: User) -> None:
    token = idempotency.issue_key(request_of(support), "a")
    for request, purpose, text in (
        (request_of(manager), "a", token),
        (request_of(support), "b", token),
        (request_of(support), "a", token + "x"),
        (request_of(support), "a", ""),
    ):
        with pytest.raises(idempotency.StaleKey):
            idempotency.check_key(request, purpose, text)


def test_a_token_is_good_for_so_long(support: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token = idempotency.issue_key(request_of(support), "a")
    monkeypatch.setattr(idempotency, "LIFETIME", timedelta(seconds=-1))
    with pytest.raises(idempotency.StaleKey):
        idempotency.check_key(request_of(support), "a", token)


def test_minting_stores_nothing(support: User) -> None:
    idempotency.issue_key(request_of(support), "a")
    assert not Draft.objects.exists()


def test_a_draft_is_kept_sealed_for_its_person_and_replaced(support: User, manager: User) -> None:
    request = request_of(support)
    idempotency.save_draft(request, "a", "idempotency_key", {"notes": "private"})
    idempotency.save_draft(request, "a", "idempotency_key", {"notes": "changed"})
    assert idempotency.load_draft(request, "a", "idempotency_key") == {"notes": "changed"}
    assert idempotency.load_draft(request, "b", "idempotency_key") is None
    assert idempotency.load_draft(request_of(manager), "a", "idempotency_key") is None
    idempotency.delete_draft("idempotency_key")
    assert idempotency.load_draft(request, "a", "idempotency_key") is None


def test_forms_never_finished_are_forgotten(support: User) -> None:
    idempotency.save_draft(request_of(support), "a", "old", {})
    idempotency.save_draft(request_of(support), "a", "young", {})
    Draft.objects.filter(token="old").update(created_at=timezone.now() - timedelta(hours=13))
    retention.delete_over()
    assert [draft.token for draft in Draft.objects.all()] == ["young"]

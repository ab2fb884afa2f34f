"""One-use tokens: of one person, for one form, for so long; and the drafts under them."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import RequestFactory
from django.utils import timezone

from lendingadmin.staff.models import User
from lendingadmin.web import onetime
from lendingadmin.web.models import Draft

pytestmark = pytest.mark.django_db


def request_of(person: User) -> Any:
    request = RequestFactory().get("/")
    request.user = person
    return request


def test_a_token_comes_back_as_what_makes_it_unique(support: User) -> None:
    request = request_of(support)
    one, two = onetime.mint(request, "a"), onetime.mint(request, "a")
    assert onetime.check(request, "a", one) != onetime.check(request, "a", two)
    assert onetime.check(request, "a", onetime.mint(request, "a", "kept-one")) == "kept-one"


def test_a_token_is_of_one_person_and_one_form(support: User, manager: User) -> None:
    token = onetime.mint(request_of(support), "a")
    for request, purpose, text in (
        (request_of(manager), "a", token),
        (request_of(support), "b", token),
        (request_of(support), "a", token + "x"),
        (request_of(support), "a", ""),
    ):
        with pytest.raises(onetime.Stale):
            onetime.check(request, purpose, text)


def test_a_token_is_good_for_so_long(support: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token = onetime.mint(request_of(support), "a")
    monkeypatch.setattr(onetime, "LIFETIME", timedelta(seconds=-1))
    with pytest.raises(onetime.Stale):
        onetime.check(request_of(support), "a", token)


def test_minting_stores_nothing(support: User) -> None:
    onetime.mint(request_of(support), "a")
    assert not Draft.objects.exists()


def test_a_draft_is_kept_sealed_for_its_person_and_replaced(support: User, manager: User) -> None:
    request = request_of(support)
    onetime.keep(request, "a", "nonce", {"notes": "private"})
    onetime.keep(request, "a", "nonce", {"notes": "changed"})
    assert onetime.kept(request, "a", "nonce") == {"notes": "changed"}
    assert onetime.kept(request, "b", "nonce") is None
    assert onetime.kept(request_of(manager), "a", "nonce") is None
    onetime.discard("nonce")
    assert onetime.kept(request, "a", "nonce") is None


def test_forms_never_finished_are_forgotten(support: User) -> None:
    onetime.keep(request_of(support), "a", "old", {})
    onetime.keep(request_of(support), "a", "young", {})
    Draft.objects.filter(token="old").update(created_at=timezone.now() - timedelta(hours=13))
    onetime.tidy()
    assert [draft.token for draft in Draft.objects.all()] == ["young"]

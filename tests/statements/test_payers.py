"""Who pays which loan, as somebody said: kept, proposed the next time, seen by right, revoked."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import payers
from lendingadmin.desk.statements.models import Batch, PayerLink
from lendingadmin.desk.statements.rows import About
from tests.conftest import ClientOf
from tests.roles import hold_only

from .batches.steps import BASE, check, decide, list_rows, pay
from .desk import DeskService

pytestmark = pytest.mark.django_db
HASHED = "A" * 64


@pytest.fixture
def kept(clerk: Client, service: DeskService) -> Batch:
    """Somebody chose a loan for an unnamed payment and kept who pays it."""
    service.add("L-1")
    batch = check(clerk, pay("for my aunt", phones={0: "254700012345"}, names={0: "ANN KAMAU"}))
    decide(clerk, batch, 1, action="choose", loan="L-1")
    page = clerk.get(f"{BASE}{batch.file_id}/batch/rows/1/1").content.decode()
    assert 'name="keep"' in page
    decide(clerk, batch, 1, action="accept", reason="", keep="on")
    return batch


def test_the_next_payment_of_the_payer_is_proposed_and_not_accepted(
    clerk: Client, kept: Batch
) -> None:
    again = check(clerk, pay("again", phones={0: "0254700012345"}, names={0: "A. KAMAU"}) + b"\n")
    assert list_rows(again) == [("L-1", "link", "proposed", "open")]


@pytest.mark.parametrize("keep", [{}, {"keep": "on"}], ids=["not ticked", "ticked"])
def test_the_tick_beside_a_shown_loan_keeps_the_payer(
    clerk: Client, service: DeskService, keep: dict[str, str]
) -> None:
    service.add("L-1")
    batch = check(clerk, pay("x y", phones={0: "254700012345"}))
    decide(clerk, batch, 1, action="take", loan="L-1", **keep)
    assert PayerLink.objects.filter(account_id="L-1").exists() == bool(keep)


def test_without_the_tick_nothing_is_kept(clerk: Client, service: DeskService) -> None:
    service.add("L-1")
    batch = check(clerk, pay("x y", phones={0: "254700012345"}))
    decide(clerk, batch, 1, action="choose", loan="L-1")
    decide(clerk, batch, 1, action="accept", reason="")
    assert not PayerLink.objects.exists()


def test_it_is_seen_and_revoked(clerk: Client, kept: Batch) -> None:
    page = clerk.get(f"{BASE}payers/").content.decode()
    link = PayerLink.objects.get()
    assert "ANN KAMAU" in link.shown and "254700012345" in link.shown
    assert f"<bdi>{link.shown}</bdi>" in page and "L-1" in page
    clerk.post(f"{BASE}payers/{link.pk}/revoke")
    assert not PayerLink.objects.exists()
    assert 'data-finding="empty"' in clerk.get(f"{BASE}payers/").content.decode()
    again = check(clerk, pay("again", phones={0: "254700012345"}) + b"\n")
    assert list_rows(again) == [("", "", "no-loan", "open")]


def test_who_may_not_see_payers_sees_none_here(
    client_of: ClientOf, officer: User, kept: Batch
) -> None:
    hold_only(officer, "dashboard.statements.read")
    page = client_of(officer).get(f"{BASE}payers/").content.decode()
    assert "L-1" in page and "KAMAU" not in page and "2547" not in page


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (About(phone="254700012345"), About(phone="+254 700 012345", payer="X"), True),
        (About(phone="254700012345"), About(phone="254700012346"), False),
        (
            About(phone="25470****345", payer="ANN K"),
            About(phone="25470****345", payer="K Ann"),
            True,
        ),
        (
            About(phone="25470****345", payer="ANN K"),
            About(phone="25470****345", payer="BO K"),
            False,
        ),
        (About(phone=HASHED), About(phone=HASHED.lower()), True),
        (About(payer="Ann Kamau"), About(payer="KAMAU, ANN"), True),
        (About(), About(), False),
        (About(phone="25470****345"), About(phone="25470****345"), False),
    ],
)
def test_what_a_payer_is_known_by(one: About, other: About, is_same: bool) -> None:
    keys = payers.list_keys("kenya", one)
    assert bool(keys and keys == payers.list_keys("kenya", other)) == is_same
    assert not keys or keys != payers.list_keys("ghana", one)


def test_a_key_of_before_still_finds_it(kept: Batch, settings: Any) -> None:
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another"
    found = payers.find_loans("kenya", [About(phone="254700012345"), About(payer="nobody")])
    assert found == [{"L-1"}, set()]


@pytest.mark.parametrize("again", [False, True], ids=["once", "said again under the new key"])
def test_what_is_found_is_kept_under_the_newest_key(
    kept: Batch, settings: Any, again: bool
) -> None:
    payment, shown = About(phone="254700012345"), PayerLink.objects.get().shown
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another"
    if again:
        [link] = PayerLink.objects.all()
        link.pk, link.shown, link.payer = None, shown, payers.list_keys("kenya", payment)[0]
        link.save()
    assert payers.find_loans("kenya", [payment]) == [{"L-1"}]
    settings.SECRET_KEY_FALLBACKS = []
    assert payers.find_loans("kenya", [payment]) == [{"L-1"}]
    assert PayerLink.objects.get().shown == shown


def test_no_secret_is_in_the_row(kept: Batch) -> None:
    link = PayerLink.objects.get()
    assert "2547" not in link.payer and settings.SECRET_KEY not in link.payer

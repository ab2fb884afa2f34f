"""What was lent here from an offer, and what that leaves of its limit."""

from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteFound, WriteResolution, WriteState
from lendingadmin.records.offers import lent
from lendingadmin.records.offers.models import OfferLoan, OfferRequest
from tests.faults.behaviours import refusal, reset
from tests.offers.service import ASKED, CONTRACTS, OFFER, OfferService
from tests.offers.test_loan import LOAN, start

pytestmark = pytest.mark.django_db(transaction=True)
LENT = 'id="lent"'
MORE_THAN_LEFT = 'data-finding="more-than-left"'


def left_of(offer: OfferRequest) -> tuple[list[str], Decimal, Decimal | None]:
    found = lent.read_lent(offer)
    return [one.account_id for one in found.loans], found.total, found.left


def test_of_an_offer_from_which_nothing_was_lent_nothing_is_said(
    desk: Client, service: OfferService, offered: OfferRequest
) -> None:
    assert left_of(offered) == ([], Decimal(0), Decimal(5000))
    for address in (OFFER, f"{CONTRACTS}{ASKED}", LOAN):
        page = desk.get(address).content.decode()
        assert LENT not in page and "data-lent" not in page


def test_a_loan_made_here_counts_on_every_page_of_the_offer(
    desk: Client, service: OfferService, offered: OfferRequest
) -> None:
    form = start(desk)
    for _ in range(2):
        assert desk.post(LOAN, form).status_code == 302
    assert left_of(offered) == ([form["accountId"]], Decimal(1000), Decimal(4000))
    page = desk.get(OFFER).content.decode()
    assert LENT in page and "remaining: 4,000.00 (estimate)" in page
    assert f'href="/apps/kenya/loans/{form["accountId"]}/"' in page
    page = desk.get(f"{CONTRACTS}{ASKED}").content.decode()
    lent_here = page.partition("data-lent")[2].partition("</small>")[0]
    assert "1,000.00" in lent_here and "4,000.00" in lent_here
    assert MORE_THAN_LEFT not in desk.get(LOAN).text


def test_more_than_is_left_warns_and_the_service_decides(
    desk: Client, service: OfferService, offered: OfferRequest
) -> None:
    for _ in range(4):
        desk.post(LOAN, start(desk))
    assert MORE_THAN_LEFT not in desk.get(LOAN).text
    desk.post(LOAN, start(desk))
    page = desk.get(LOAN).text
    assert MORE_THAN_LEFT in page and "KES" in page
    assert desk.post(LOAN, start(desk)).status_code == 302
    assert left_of(offered)[1:] == (Decimal(6000), Decimal(-1000))


def test_what_was_refused_is_not_lent(
    desk: Client, service: OfferService, offered: OfferRequest
) -> None:
    service.on_create = refusal(400, "no")
    desk.post(LOAN, start(desk))
    assert OfferLoan.objects.count() == 1
    assert left_of(offered) == ([], Decimal(0), Decimal(5000))


def test_what_nobody_knows_counts_until_it_is_known(
    desk: Client, service: OfferService, offered: OfferRequest
) -> None:
    service.on_create = reset()
    desk.post(LOAN, start(desk) | {"accountId": "MINE"})
    assert left_of(offered) == (["MINE"], Decimal(1000), Decimal(4000))
    page = desk.get(OFFER).content.decode()
    assert f'href="{Write.objects.get().get_absolute_url()}">Needs checking</a>' in page
    assert 'href="/apps/kenya/loans/MINE/"' not in page


@pytest.fixture
def write(offered: OfferRequest, officer: User) -> Write:
    """A loan of 1,000 from the offer, sent under the id L-1."""
    lent.note_intent(offered, "key-1", "L-1", Decimal(1000))
    return Write.objects.create(
        idempotency_key="key-1", person=officer, app_id="kenya", operation="loans.create",
        subject="L-1", state=WriteState.UNKNOWN, created_at=timezone.now(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({"state": WriteState.SENT}, True),
        ({"state": WriteState.UNKNOWN}, True),
        ({"state": WriteState.UNKNOWN, "found": WriteFound.THERE}, True),
        ({"state": WriteState.UNKNOWN, "found": WriteFound.NOT_SEEN}, True),
        ({"state": WriteState.SAVED}, True),
        ({"state": WriteState.NOT_SAVED}, False),
        ({"state": WriteState.RESOLVED, "resolution": WriteResolution.SAVED}, True),
        ({"state": WriteState.RESOLVED, "resolution": WriteResolution.NOT_SAVED}, False),
    ],
)
def test_what_is_known_of_the_write_decides(
    offered: OfferRequest, write: Write, fields: dict[str, str], counts: bool
) -> None:
    Write.objects.filter(pk=write.pk).update(**fields)
    assert bool(lent.read_lent(offered).loans) == counts


def test_the_same_account_id_entered_again_is_one_loan(
    offered: OfferRequest, write: Write, officer: User
) -> None:
    lent.note_intent(offered, "key-2", "L-1", Decimal(1000))
    again = {"person": officer, "app_id": "kenya", "operation": "loans.create", "subject": "L-1"}
    Write.objects.create(idempotency_key="key-2", state=WriteState.SAVED, **again)
    assert left_of(offered) == (["L-1"], Decimal(1000), Decimal(4000))
    assert not lent.read_lent(offered).loans[0].is_open


def test_a_loan_that_was_deleted_here_counts_no_more(
    offered: OfferRequest, write: Write, officer: User
) -> None:
    Write.objects.filter(pk=write.pk).update(state=WriteState.SAVED)
    deletion = Write.objects.create(
        idempotency_key="key-3", person=officer, app_id="kenya", operation="loans.delete",
        subject="L-1", state=WriteState.UNKNOWN,
    )  # fmt: skip
    assert left_of(offered)[0] == ["L-1"]
    Write.objects.filter(pk=deletion.pk).update(state=WriteState.SAVED)
    assert left_of(offered) == ([], Decimal(0), Decimal(5000))


def test_an_amount_that_is_not_known_leaves_open_what_is_left(
    offered: OfferRequest, write: Write
) -> None:
    OfferLoan.objects.update(amount=None)
    assert left_of(offered) == (["L-1"], Decimal(0), None)


@pytest.mark.parametrize("amount", [None, "1000", Decimal("NaN"), Decimal(10) ** 15])
def test_what_is_no_amount_is_kept_as_none(offered: OfferRequest, amount: object) -> None:
    lent.note_intent(offered, "key-9", "L-9", amount)
    assert OfferLoan.objects.get().amount is None

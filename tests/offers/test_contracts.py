"""Contract previews side by side."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from html import unescape
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.values import OffersResponse
from lendingadmin.records.offers.forms import PreviewForm
from lendingadmin.records.offers.models import OfferRequest
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal
from tests.offers.conftest import Ask
from tests.offers.service import ASKED, CONTRACTS, OfferService, exact
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_day_that_is_proposed_has_begun_at_the_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half an hour past midnight in Nairobi it is the day before in UTC."""
    nairobi = ZoneInfo("Africa/Nairobi")
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 30, 21, 30, tzinfo=UTC))
    with timezone.override(nairobi):
        form = PreviewForm(offer=OffersResponse({}), app=LendingApp("kenya", "KES", nairobi))
    assert form["startDate"].initial == date(2026, 11, 30)


class TestSideBySide:
    def test_what_is_asked_of_the_service(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        desk.get(CONTRACTS + ASKED)
        sent = exact(service.server.last(":getOfferContracts").body)
        assert sent == {
            "offerSummary": {
                "creditLimit": "5000",
                "products": [
                    {
                        "productId": "short",
                        "terms": {"interest": {"riskPremiumRate": "#0.03"}},
                        "x-kept": "1",
                    },
                    {"productId": "long", "terms": {"interest": {"riskPremiumRate": "#0.06"}}},
                ],
                "interestRateWaiver": "#0.01",
            },
            "amount": "#1000.00",
            "startDate": "2026-12-01T00:00:00.000Z",
        }

    def test_the_figures_the_marks_and_the_differences(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        page = desk.get(CONTRACTS + ASKED)
        short, long = page.context["columns"]
        assert (short.name, long.name) == ("Short loan", "Long loan")
        assert (short.receives, short.cost) == (Decimal("980.00"), Decimal("45.50"))
        assert (long.receives, long.cost) == (Decimal("1000"), Decimal("60.00"))
        assert (short.cheapest, short.lightest) == (True, False)
        assert (long.cheapest, long.lightest) == (False, True)
        lines = [[cell.behind for cell in line.cells] for line in page.context["lines"]]
        assert [None, Decimal("14.50")] in lines and [Decimal("495.50"), None] in lines
        text = page.content.decode()
        assert "14.50" in text and "2 × 530.00" in text and "30.6 %" in text
        assert text.count('<svg class="chart') == 2  # one for each contract

    def test_products_are_chosen_by_their_names(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        page = desk.get(CONTRACTS + ASKED)
        choices = page.context["form"]["product"].field.choices
        assert list(choices) == [("short", "Short loan"), ("long", "Long loan")]

    def test_the_address_that_is_copied_is_the_one_that_shows_the_same_again(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        page = desk.get(CONTRACTS + ASKED)
        (address,) = re.findall('data-copy="(http[^"]+)"', page.content.decode())
        again = desk.get(unescape(address))
        assert unescape(address).endswith(CONTRACTS + ASKED)
        assert [column.cost for column in again.context["columns"]] == [
            column.cost for column in page.context["columns"]
        ]

    def test_an_address_that_can_be_shared_has_an_amount_that_all_may_write(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        typed = "?amount=1%2C500&startDate=2026-12-01&product=short&product=long"
        moved = desk.get(CONTRACTS + typed)
        assert moved.status_code == 302
        assert moved.headers["Location"] == CONTRACTS + typed.replace("1%2C500", "1500")
        assert not service.server.hits(":getOfferContracts")
        page = desk.get(moved.headers["Location"])
        assert page.status_code == 200
        assert page.context["form"].cleaned_data["amount"] == 1500

    def test_the_tables_have_every_instalment_of_every_contract(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        page = desk.get(CONTRACTS + ASKED).content.decode()
        tables = re.findall(r'<table class="rows schedule[^>]*>.*?</table>', page, re.DOTALL)
        assert [table.count('data-label="Instalment"') for table in tables] == [1, 2]
        assert "1,025.50" in tables[0] and tables[1].count("530.00") == 2
        assert "31 Dec 2026" in tables[0] and "1 Feb 2027" in tables[1]

    def test_only_chosen_products_are_previewed(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        desk.get(f"{CONTRACTS}{ASKED}&product=long")
        sent = exact(service.server.last(":getOfferContracts").body)
        assert [one["productId"] for one in sent["offerSummary"]["products"]] == ["long"]

    @pytest.mark.parametrize(
        "query",
        ["?amount=1,00,0&startDate=2026-12-01", "?amount=-1", "?amount=1e3&startDate=x",
         "?amount=1.005&startDate=2026-12-01", "?amount=1&startDate=0001-01-01", ""],
    )  # fmt: skip
    def test_what_cannot_be_asked_is_told_beside_its_field(
        self, desk: Client, service: OfferService, offered: OfferRequest, query: str
    ) -> None:
        page = desk.get(CONTRACTS + query)
        assert page.status_code == 200
        assert service.server.hits(":getOfferContracts") == 0
        assert bool(query) == ("errorlist" in page.content.decode())

    def test_an_amount_that_is_no_number_stays_for_the_person_to_see(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        page = desk.get(CONTRACTS + "?amount=1,000.5.5&startDate=2026-12-01").content.decode()
        assert '<input type="text" name="amount" value="1,000.5.5"' in page

    def test_a_refusal_keeps_the_form_and_says_why(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        words = "amount: 1000.00 is under the floor of long, 2000"
        service.server.on(":getOfferContracts", refusal(422, words))
        page = desk.get(CONTRACTS + ASKED)
        assert words in page.content.decode() and 'value="1000.00"' in page.content.decode()

    def test_a_viewer_opens_the_shared_address_without_an_offer_being_asked_for(
        self,
        client_of: ClientOf,
        viewer: User,
        service: OfferService,
        offered: OfferRequest,
    ) -> None:
        page = client_of(viewer).get(CONTRACTS + ASKED).content.decode()
        assert "Short loan" in page and f"{CONTRACTS}/short/loan" not in page
        assert service.asked == []

    @pytest.mark.parametrize("known", [True, False])
    def test_without_an_offer_nothing_is_asked(
        self, desk: Client, service: OfferService, asked: Ask, known: bool
    ) -> None:
        if known:
            asked()
        page = desk.get(CONTRACTS + ASKED)
        assert list_marks(page, "finding") == ["no-offer" if known else "made-elsewhere"]
        assert service.server.hits("getOffer") == 0

    def test_an_expired_offer_warns_and_is_previewed(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        OfferRequest.objects.update(expiry_time=timezone.now() - timedelta(days=1))
        page = desk.get(CONTRACTS + ASKED).content.decode()
        assert 'data-finding="offer-expired"' in page and "Short loan" in page

"""Contract previews side by side, and the loan made of one: what was shown is what goes back."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
import simplejson
from django.test import Client
from django.utils import timezone

from lendingadmin.audit.models import Entry
from lendingadmin.offers.models import OfferRequest
from lendingadmin.staff.models import User
from lendingadmin.web.models import Draft
from tests.faults.behaviours import refusal, reset
from tests.offers.conftest import Ask
from tests.offers.service import CONTRACT, OFFER, OfferService, contract, hidden

pytestmark = pytest.mark.django_db(transaction=True)
ASKED = "?amount=1000.00&startDate=2026-12-01"
CONTRACTS = OFFER + "contracts"
LOAN = f"{CONTRACTS}/short/loan{ASKED}"


def exact(text: str | bytes) -> Any:
    """JSON with every number as its digits: 1.50 is not 1.5; how an exponent is spelled is one."""
    return simplejson.loads(text, parse_float=lambda digits: f"#{Decimal(digits)}", parse_int=str)


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
        lines = {line.label: line for line in page.context["lines"]}
        assert [cell.behind for cell in lines["Total cost"].cells] == [None, Decimal("14.50")]
        assert [cell.behind for cell in lines["Instalments"].cells] == [Decimal("495.50"), None]
        text = page.content.decode()
        assert "14.50" in text and "2 × 530.00" in text and "30.6 %" in text
        assert text.count('<svg class="chart') == 2

    def test_only_chosen_products_are_previewed(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        desk.get(f"{CONTRACTS}{ASKED}&product=long")
        sent = exact(service.server.last(":getOfferContracts").body)
        assert [one["productId"] for one in sent["offerSummary"]["products"]] == ["long"]

    @pytest.mark.parametrize(
        "query",
        ["?amount=1,000&startDate=2026-12-01", "?amount=-1", "?amount=1e3&startDate=x",
         "?amount=1.005&startDate=2026-12-01", "?amount=1&startDate=0001-01-01", ""],
    )  # fmt: skip
    def test_what_cannot_be_asked_is_told_beside_its_field(
        self, desk: Client, service: OfferService, offered: OfferRequest, query: str
    ) -> None:
        page = desk.get(CONTRACTS + query)
        assert page.status_code == 200
        assert service.server.hits(":getOfferContracts") == 0
        assert bool(query) == ("errorlist" in page.content.decode())

    def test_a_refusal_keeps_the_form_and_says_why(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        words = "amount: 1000.00 is under the floor of long, 2000"
        service.server.on(":getOfferContracts", refusal(422, words))
        page = desk.get(CONTRACTS + ASKED)
        assert words in page.content.decode() and 'value="1000.00"' in page.content.decode()

    def test_a_viewer_opens_the_shared_address_without_an_offer_being_asked_for(
        self,
        client_of: Callable[[User | None], Client],
        viewer: User,
        service: OfferService,
        offered: OfferRequest,
    ) -> None:
        page = client_of(viewer).get(CONTRACTS + ASKED).content.decode()
        assert "Short loan" in page and "Make this loan" not in page
        assert service.asked == []

    @pytest.mark.parametrize("known", [True, False])
    def test_without_an_offer_nothing_is_asked(
        self, desk: Client, service: OfferService, asked: Ask, known: bool
    ) -> None:
        if known:
            asked()
        page = desk.get(CONTRACTS + ASKED).content.decode()
        assert ("led to no offer yet" if known else "not asked for here") in page
        assert service.server.hits("getOffer") == 0

    def test_an_expired_offer_warns_and_is_previewed(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        OfferRequest.objects.update(expiry_time=timezone.now() - timedelta(days=1))
        page = desk.get(CONTRACTS + ASKED).content.decode()
        assert "The offer expired" in page and "Short loan" in page


def start(desk: Client, address: str = LOAN) -> dict[str, str]:
    """The loan's form as the page offers it."""
    page = desk.get(address)
    assert page.status_code == 200, page.content.decode()
    minted = re.search(r'name="accountId" value="(LN-\d{6}-[0-9A-F]{8})"', page.content.decode())
    assert minted
    return {"token": hidden(page, "token"), "accountId": minted[1], "lenderId": ""}


class TestALoanOfAPreview:
    def test_what_was_previewed_is_what_is_posted_to_the_last_key_and_digit(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        form = start(desk)
        answer = desk.post(LOAN, form)
        assert answer.headers["Location"] == f"/apps/kenya/loans/{form['accountId']}/"
        (posted,) = service.created
        body = exact(posted)
        assert body.pop("contract") == exact(CONTRACT)
        assert list(exact(CONTRACT)) == list(exact(posted)["contract"])
        assert body == {
            "accountId": form["accountId"],
            "borrowerId": "B-1",
            "productId": "short",
            "loanType": "payday",
            "category": "individual",
            "loanAmount": "#1000.00",
            "startDate": "2026-12-01T00:00:00.000Z",
            "maturityDate": "2026-12-31T23:59:59.999Z",
            "requestId": "r-1",
            "assessmentId": "as-1",
        }
        entry = Entry.objects.get(action="loans.create")
        assert (entry.subject, entry.saved) == (form["accountId"], "yes")

    def test_what_was_shown_goes_out_though_the_service_would_now_say_otherwise(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        form = start(desk)
        service.contracts = [contract("short", "9999.00", "9999.00")]
        desk.post(LOAN, form | {"contract": "{}", "loanAmount": "1"})
        assert exact(service.created[0])["contract"] == exact(CONTRACT)
        assert service.server.hits(":getOfferContracts") == 1

    def test_the_account_id_and_the_lender_are_the_persons(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        desk.post(LOAN, start(desk) | {"accountId": "a/b é", "lenderId": "LB"})
        body = exact(service.created[0])
        assert (body["accountId"], body["lenderId"]) == ("a/b é", "LB")

    def test_twice_makes_one_loan(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        form = start(desk)
        first, again = desk.post(LOAN, form), desk.post(LOAN, form)
        assert first.headers["Location"] == again.headers["Location"]
        assert len(service.created) == 1

    @pytest.mark.parametrize("account_id", ["", "..", "a\nb", "x" * 256, "a\u200bb"])
    def test_an_id_that_cannot_be_keeps_the_contract(
        self, desk: Client, service: OfferService, offered: OfferRequest, account_id: str
    ) -> None:
        form = start(desk)
        page = desk.post(LOAN, form | {"accountId": account_id})
        assert page.status_code == 200 and service.created == []
        desk.post(LOAN, {**form, "token": hidden(page, "token")})
        assert exact(service.created[0])["contract"] == exact(CONTRACT)
        assert service.server.hits(":getOfferContracts") == 1

    @pytest.mark.parametrize(
        ("behaviour", "saved"),
        [(refusal(409, "accountId: exists"), "no"), (reset(), "unknown")],
    )
    def test_a_fault_keeps_input_and_contract_under_a_new_token(
        self,
        desk: Client,
        service: OfferService,
        offered: OfferRequest,
        behaviour: Any,
        saved: str,
    ) -> None:
        form = start(desk) | {"accountId": "MINE-1"}
        service.on_create = behaviour
        page = desk.post(LOAN, form)
        text = page.content.decode()
        assert f"<strong>{saved}</strong>" in text and 'value="MINE-1"' in text
        assert "Look whether loan MINE-1 is there" in text
        assert hidden(page, "token") != form["token"]
        service.on_create = None
        desk.post(LOAN, form | {"token": hidden(page, "token")})
        assert exact(service.created[-1])["contract"] == exact(CONTRACT)

    @pytest.mark.parametrize("how", ["stale", "of another product", "of another person"])
    def test_a_form_that_is_not_this_ones_previews_anew_and_sends_nothing(
        self,
        desk: Client,
        service: OfferService,
        offered: OfferRequest,
        client_of: Callable[[User | None], Client],
        manager: User,
        how: str,
    ) -> None:
        other = {
            "stale": lambda: {"token": "made up", "accountId": "A", "lenderId": ""},
            "of another product": lambda: start(desk, LOAN.replace("short", "long")),
            "of another person": lambda: start(client_of(manager)),
        }[how]()
        page = desk.post(LOAN, other)
        assert "open for too long" in page.content.decode()
        assert service.created == []
        desk.post(LOAN, other | {"token": hidden(page, "token")})
        assert exact(service.created[0])["contract"] == exact(CONTRACT)

    def test_an_empty_form_sends_nothing(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        assert "open for too long" in desk.post(LOAN).content.decode()
        assert service.created == []

    def test_of_several_contracts_of_one_product_the_chosen_one(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        service.contracts = [CONTRACT, contract("short", "1100.00", "1100.00")]
        address = f"{LOAN}&place=2"
        desk.post(address, start(desk, address))
        assert exact(service.created[0])["contract"]["amounts"]["repayment"] == "#1100.00"

    @pytest.mark.parametrize(
        "address",
        [LOAN.replace("short", "none"), LOAN.partition("?")[0], LOAN.replace("r-1", "r-9")],
    )
    def test_what_no_preview_has_is_not_found(
        self, desk: Client, service: OfferService, offered: OfferRequest, address: str
    ) -> None:
        assert desk.get(address).status_code == 404

    def test_the_contract_is_sealed_between_the_steps(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        from django.db import connection

        start(desk)
        assert "installments" in Draft.objects.get().entered
        with connection.cursor() as cursor:
            cursor.execute("select entered from web_draft")
            assert "installments" not in cursor.fetchone()[0]

    def test_without_catalogue_and_borrower_the_loan_is_made_all_the_same(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        service.server.on("GET /v1/projects/demo/products", refusal(503))
        service.server.on("borrowers/B-1 ", refusal(503))
        service.server.on("GET /v1/projects/demo/apps/kenya/borrowers/B-1", refusal(503))
        desk.post(LOAN, start(desk))
        body = exact(service.created[0])
        assert "loanType" not in body and "category" not in body
        assert body["contract"] == exact(CONTRACT)

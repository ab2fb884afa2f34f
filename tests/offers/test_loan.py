"""The loan made of a preview: what was shown is what goes back."""

import re

import pytest
from django.core.exceptions import NON_FIELD_ERRORS
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.models import Write
from lendingadmin.records.offers.models import OfferRequest
from lendingadmin.web.models import Draft
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reset
from tests.offers.service import (
    ASKED,
    CONTRACT,
    CONTRACTS,
    OfferService,
    contract,
    exact,
    hidden,
)

pytestmark = pytest.mark.django_db(transaction=True)
LOAN = f"{CONTRACTS}/short/loan{ASKED}"


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

    def test_a_doubt_leads_to_its_own_page(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        form = start(desk) | {"accountId": "MINE-1"}
        service.on_create = reset()
        page = desk.post(LOAN, form, follow=True)
        assert 'data-saved="unknown"' in page.content.decode()
        assert desk.post(LOAN, form).headers["Location"] == page.request["PATH_INFO"]
        assert len(service.created) == 1

    def test_it_is_entered_again_under_the_same_account_id(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        service.on_create = reset()
        desk.post(LOAN, start(desk) | {"accountId": "MINE-1"})
        write = Write.objects.get()
        page = desk.get(f"{write.again_at}&again={write.idempotency_key}")
        assert hidden(page, "accountId") == "MINE-1"
        assert [one.level_tag for one in page.context["messages"]] == ["warning"]

    def test_a_refusal_keeps_input_and_contract_under_a_new_token(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        form = start(desk) | {"accountId": "MINE-1"}
        service.on_create = refusal(409, "accountId: exists")
        page = desk.post(LOAN, form)
        text = page.content.decode()
        assert 'data-saved="no"' in text and 'value="MINE-1"' in text
        assert 'href="/apps/kenya/loans/?accountId=MINE-1"' in text
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
        client_of: ClientOf,
        manager: User,
        how: str,
    ) -> None:
        other = {
            "stale": lambda: {"token": "made up", "accountId": "A", "lenderId": ""},
            "of another product": lambda: start(desk, LOAN.replace("short", "long")),
            "of another person": lambda: start(client_of(manager)),
        }[how]()
        page = desk.post(LOAN, other)
        assert page.context["form"].has_error(NON_FIELD_ERRORS, "stale")
        assert service.created == []
        desk.post(LOAN, other | {"token": hidden(page, "token")})
        assert exact(service.created[0])["contract"] == exact(CONTRACT)

    def test_an_empty_form_sends_nothing(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        assert desk.post(LOAN).context["form"].has_error(NON_FIELD_ERRORS, "stale")
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
            cursor.execute("select entered from ui_draft")
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

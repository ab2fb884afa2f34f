"""Any one parameter is enough: of getOffers' three, of the two that a preview is made for."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import NON_FIELD_ERRORS
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import reconciliation
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.records.offers import outcomes
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.faults.behaviours import refusal, reply, reset
from tests.offers.service import (
    BORROWER,
    CONTRACTS,
    DONE,
    OFFER,
    TYPE,
    OfferService,
    exact,
    hidden,
    operation,
)
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)
NEW = f"{BORROWER}/offers/new"
ALL = f"{BORROWER}/offers/"


def send(desk: Client, **fields: str) -> Any:
    """The form with these fields and no others."""
    token = hidden(desk.get(NEW), "token")
    empty = {"assessmentType": "", "timestamp": "", "requestId": ""}
    return desk.post(NEW, empty | fields | {"token": token}, follow=True)


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ({"assessmentType": TYPE}, {"assessmentType": TYPE}),
        ({"timestamp": "2026-11-20T10:30"}, {"timestamp": "2026-11-20T07:30:00.000Z"}),
        ({"requestId": "r-1"}, {"requestId": "r-1"}),
    ],
)
def test_an_offer_is_asked_for_by_any_one_of_its_parameters(
    desk: Client, service: OfferService, fields: dict[str, str], body: dict[str, str]
) -> None:
    service.operation = operation(**DONE)
    page = send(desk, **fields)
    assert service.asked == [body]
    row = OfferRequest.objects.get()
    assert (row.request_id, row.state) == ("r-1", OfferState.DONE)
    assert page.redirect_chain[-1][0] == OFFER
    assert "KES 5,000.00" in page.content.decode()


def test_an_offer_is_not_asked_for_by_nothing(desk: Client, service: OfferService) -> None:
    page = send(desk)
    assert page.context["form"].has_error(NON_FIELD_ERRORS, "nothing")
    assert 'class="errorlist nonfield"' in page.text
    assert service.asked == []


def test_what_the_service_called_the_request_is_how_it_is_followed(
    desk: Client, service: OfferService, officer: User
) -> None:
    service.operation = operation("theirs/1")
    page = send(desk, assessmentType=TYPE)
    row = OfferRequest.objects.get()
    assert (row.request_id, row.asked_by, row.assessment_type) == ("theirs/1", officer, TYPE)
    assert row.state == OfferState.RUNNING
    assert page.redirect_chain[-1][0] == row.get_absolute_url()
    assert service.asked == [{"assessmentType": TYPE}, {"requestId": "theirs/1"}]


@pytest.mark.parametrize("request_id", [None, "", "..", "x" * 256, 7, "a\x00b"])
def test_a_request_that_the_service_gives_no_usable_name_is_told_and_never_polled(
    desk: Client, service: OfferService, request_id: object
) -> None:
    service.operation = operation(request_id)  # type: ignore[arg-type]
    page = send(desk, assessmentType=TYPE)
    assert page.redirect_chain[-1][0] == ALL
    assert "not-named" in list_marks(page, "finding")
    assert len(service.asked) == 1 and not OfferRequest.objects.exists()


def test_without_a_request_id_what_is_in_doubt_says_that_it_cannot_be_looked_for(
    desk: Client, service: OfferService
) -> None:
    service.server.once(":getOffers", reset())
    page = send(desk, assessmentType=TYPE)
    write = Write.objects.get()
    assert page.redirect_chain[-1][0] == write.get_absolute_url()
    assert write.state == WriteState.UNKNOWN
    reconciliation.check_due_writes()
    assert outcomes.NO_REQUEST_ID in desk.get(write.get_absolute_url()).content.decode()
    assert {one.why for one in write.checks.all()} == {outcomes.NO_REQUEST_ID}
    assert len(service.asked) == 1 and not OfferRequest.objects.exists()


def test_a_refused_request_of_another_id_is_not_asked_for_again(
    desk: Client, service: OfferService
) -> None:
    service.server.on(":getOffers", refusal(404, "no such request"))
    page = send(desk, requestId="nowhere")
    assert "no such request" in page.content.decode()
    desk.get(f"{BORROWER}/offers/nowhere/")
    assert len(service.asked) == 1


def test_what_is_known_of_a_request_stays_when_it_is_asked_for_by_its_id(
    desk: Client, service: OfferService, asked: Callable[..., OfferRequest]
) -> None:
    asked()
    send(desk, requestId="r-1")
    assert OfferRequest.objects.get().assessment_type == TYPE


@pytest.mark.parametrize(
    ("query", "sent", "title"),
    [
        ("?amount=1000.00", {"amount": "#1000.00"}, "KES 1,000.00 from a day chosen"),
        ("?amount=1000.00&startDate=", {"amount": "#1000.00"}, "KES 1,000.00 from a day chosen"),
        ("?startDate=2026-12-01", {"startDate": "2026-12-01T00:00:00.000Z"}, "1 Dec 2026"),
    ],
)
def test_contracts_are_previewed_for_an_amount_or_a_day_alone(
    desk: Client,
    service: OfferService,
    offered: OfferRequest,
    query: str,
    sent: dict[str, str],
    title: str,
) -> None:
    page = desk.get(CONTRACTS + query)
    body = exact(service.server.last(":getOfferContracts").body)
    body.pop("offerSummary")
    assert body == sent
    assert title in page.content.decode()
    assert len(page.context["columns"]) == 2


@pytest.mark.parametrize("query", ["?amount=", "?amount=&startDate=", "?startDate="])
def test_contracts_are_not_previewed_for_nothing(
    desk: Client, service: OfferService, offered: OfferRequest, query: str
) -> None:
    page = desk.get(CONTRACTS + query)
    assert page.context["form"].has_error("amount", "nothing")
    assert 'id="id_amount_error"' in page.text
    assert service.server.hits(":getOfferContracts") == 0


@pytest.mark.parametrize("query", ["?amount=1000.00", "?startDate=2026-12-01"])
def test_a_loan_is_made_of_such_a_preview(
    desk: Client, service: OfferService, offered: OfferRequest, query: str
) -> None:
    address = f"{CONTRACTS}/short/loan{query}"
    page = desk.get(address)
    form = {"token": hidden(page, "token"), "accountId": hidden(page, "accountId")}
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", reply({"accountId": "x"}))
    desk.post(address, form)
    (created,) = service.created
    assert exact(created)["startDate"]

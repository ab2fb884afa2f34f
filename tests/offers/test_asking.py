"""Asking for an offer, and the page that waits for it."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.caching import shared
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reset
from tests.offers.conftest import Ask
from tests.offers.service import (
    BORROWER,
    CONTRACTS,
    DONE,
    OFFER,
    RESPONSE,
    TYPE,
    OfferService,
    at,
    hidden,
    operation,
)
from tests.repayments.threads import at_once
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)
NEW = f"{BORROWER}/offers/new"


def filled(page: Any, **fields: str) -> dict[str, str]:
    """The form as the page offers it."""
    usual = {
        "token": hidden(page, "token"),
        "requestId": hidden(page, "requestId"),
        "timestamp": hidden(page, "timestamp"),
        "assessmentType": TYPE,
    }
    return usual | fields


def send(desk: Client, **fields: str) -> Any:
    return desk.post(NEW, filled(desk.get(NEW), **fields))


def test_the_form_shows_what_each_type_is_and_is_limited_to(
    desk: Client, service: OfferService
) -> None:
    page = desk.get(NEW).content.decode()
    for words in ("Credit, 90 days", "available", "3 months", "individual"):
        assert words in page
    for words in ("mobile", "android", "borrower", "Nairobi time"):
        assert words in page


def test_what_was_asked_is_sent_written_down_and_audited(
    desk: Client, service: OfferService, officer: User
) -> None:
    answer = send(desk, timestamp="2026-11-20T10:30")
    row = OfferRequest.objects.get()
    assert answer.headers["Location"] == row.get_absolute_url()
    assert service.asked == [
        {
            "assessmentType": TYPE,
            "timestamp": "2026-11-20T07:30:00.000Z",
            "requestId": row.request_id,
        }
    ]
    assert (row.app_id, row.borrower_id, row.asked_by) == ("kenya", "B-1", officer)
    assert row.state == OfferState.RUNNING and row.expiry_time is not None
    assert Entry.objects.get(action="borrowers.getOffers").subject == "B-1"


def test_the_same_form_again_lands_on_the_first_request(
    desk: Client, service: OfferService
) -> None:
    form = filled(desk.get(NEW))
    first, again = desk.post(NEW, form), desk.post(NEW, form)
    assert first.headers["Location"] == again.headers["Location"]
    assert len(service.asked) == 1


def test_a_refusal_keeps_the_form_and_its_request_id(desk: Client, service: OfferService) -> None:
    service.server.on(":getOffers", refusal(400, "assessmentType: deprecated since May"))
    form = filled(desk.get(NEW))
    page = desk.post(NEW, form)
    assert "assessmentType: deprecated since May" in page.content.decode()
    assert 'data-saved="no"' in page.content.decode()
    assert hidden(page, "requestId") == form["requestId"]
    assert OfferRequest.objects.get().state == OfferState.REFUSED


def test_what_is_in_doubt_is_looked_for_by_its_request_id(
    desk: Client, service: OfferService
) -> None:
    service.server.once(":getOffers", reset())
    page = send(desk)
    row = OfferRequest.objects.get()
    assert page.headers["Location"] == row.get_absolute_url()
    desk.get(row.get_absolute_url())
    assert service.asked[-1] == {"requestId": row.request_id}
    row.refresh_from_db()
    assert row.state == OfferState.RUNNING


@pytest.mark.parametrize(
    "fields",
    [
        {"assessmentType": "assessmentTypes/none"},
        {"timestamp": "yesterday"},
        {"timestamp": "0001-01-01T00:00"},
        {"requestId": ".."},
        {"token": "made up"},
    ],
)
def test_what_is_wrong_sends_nothing(
    desk: Client, service: OfferService, fields: dict[str, str]
) -> None:
    assert send(desk, **fields).status_code == 200
    assert service.asked == []


def test_types_that_cannot_be_read_lose_nothing_typed(desk: Client, service: OfferService) -> None:
    form = filled(desk.get(NEW), timestamp="2026-11-20T10:30")
    service.server.on("GET /v1/assessmentTypes", refusal(503))
    page = desk.post(NEW, form)
    card = page.context["card"]
    assert card.status == 503 and f'data-announce="{card.title}"' in page.text
    assert "2026-11-20T10:30" in page.text
    assert service.asked == []


class TestThePageThatWaits:
    def test_polls_by_request_id_alone_with_growing_pauses(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked()
        page = desk.get(OFFER).content.decode()
        assert "load delay:1s" in page and "status?polls=0" in page
        assert f'class="button" href="{OFFER}"' in page
        shared.clear()
        fragment = desk.get(OFFER + "status?polls=0").content.decode()
        assert "load delay:2s" in fragment and "<html" not in fragment
        assert service.asked == [{"requestId": "r-1"}] * 2

    def test_many_who_look_at_once_cost_one_call(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked()
        for _ in range(5):
            desk.get(OFFER + "status")
        assert len(service.asked) == 1

    def test_many_who_look_at_the_same_moment_cost_one_call(
        self, service: OfferService, officer: User, client_of: ClientOf, asked: Ask
    ) -> None:
        asked()
        desks = [client_of(officer) for _ in range(6)]
        service.seconds = 0.5
        found = at_once(6, lambda number: desks[number].get(OFFER + "status").status_code)
        assert (found, len(service.asked)) == ([200] * 6, 1)

    def test_past_the_normal_time_it_asks_no_more_by_itself(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        long_ago = timezone.now() - timedelta(seconds=121)
        asked(asked_at=long_ago, last_asked_at=long_ago)
        page = desk.get(OFFER).content.decode()
        assert "overdue" in list_marks(page, "finding") and 'hx-trigger="load delay' not in page
        assert f'class="button" href="{OFFER}"' in page

    def test_a_fault_is_a_card_in_a_fragment_that_goes_on(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked()
        service.server.on(":getOffers", refusal(500, "out of order"))
        answer = desk.get(OFFER + "status?polls=2")
        page = answer.content.decode()
        assert answer.status_code == 200
        assert "out of order" in page and "load delay:8s" in page

    def test_the_outcome_stands_beside_the_products_own_terms(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked()
        service.operation = operation(**DONE)
        page = desk.get(OFFER).content.decode()
        assert "KES 5,000.00" in page and "Short loan" in page and "Handling fee" in page
        for rate in ("3 %", "6 %", "24 %", "26 %"):
            assert rate in page
        for told in ("Interest waived", "1 %", "Valid from", "20 Nov 2026, 11:00", "Expires"):
            assert told in page
        assert "data-poll " not in page
        calls = len(service.asked)
        desk.get(OFFER)
        assert len(service.asked) == calls, "the last word is not asked for again"

    def test_an_offer_is_shown_where_the_products_cannot_be_read(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        service.server.on("GET /v1/projects/demo/products", refusal(503, "closed"))
        page = desk.get(OFFER).content.decode()
        assert "closed" in page and "KES 5,000.00" in page and "short" in page

    @pytest.mark.parametrize(
        ("products", "words", "preview"),
        [
            ([], "has no products for this borrower now", False),
            (None, "has no products for this borrower now", False),
            ("odd", "no products that this page can show", True),
        ],
    )
    def test_an_offer_without_products_says_so(
        self,
        desk: Client,
        service: OfferService,
        asked: Ask,
        products: object,
        words: str,
        preview: bool,
    ) -> None:
        asked()
        response = RESPONSE | {"creditLimit": 0, "products": products}
        service.operation = operation(done=True, result={"error": None, "response": response})
        page = desk.get(OFFER).content.decode()
        assert words in page and "KES 0.00" in page
        assert (f'action="{CONTRACTS}"' in page) == preview

    def test_an_error_is_shown_as_the_service_words_it(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked()
        words = "no_data: Too little is <known>."
        service.operation = operation(done=True, result={"error": words, "response": None})
        page = desk.get(OFFER).content.decode()
        assert "no_data: Too little is &lt;known&gt;." in page
        assert OfferRequest.objects.get().state == OfferState.FAILED

    def test_an_answer_that_still_runs_replaces_none_that_is_done(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        from lendingadmin.lending.values import OfferOperation
        from lendingadmin.records.offers import asking

        asking.note(offered, OfferOperation(operation()), timezone.now())
        offered.refresh_from_db()
        assert offered.state == OfferState.DONE and offered.response is not None


def test_the_answer_is_sealed_where_it_is_kept(offered: OfferRequest) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("select answer from offers_offerrequest")
        assert "creditLimit" not in cursor.fetchone()[0]


@pytest.mark.parametrize("key", ["_00", "x_0Ay", "~" * 256])
def test_ids_that_nobody_can_have_are_not_found(
    desk: Client, service: OfferService, key: str
) -> None:
    assert desk.get(f"{BORROWER}/offers/{key}/").status_code == 404
    assert desk.get(f"/apps/kenya/borrowers/{key}/offers/new").status_code == 404


def test_against_the_sandbox(desk: Client, app: LendingApp, book: Caller) -> None:
    new = f"/apps/{app.app_id}/borrowers/b/offers/new"
    form = filled(desk.get(new))
    answer = desk.post(new, form)
    page = desk.get(answer.headers["Location"]).content.decode()
    assert answer.status_code == 302 and 'data-state="running"' in page
    row = OfferRequest.objects.get()
    OfferRequest.objects.update(answered_at=None)
    for _ in range(40):
        shared.clear()
        desk.get(row.get_absolute_url() + "status")
        row.refresh_from_db()
        if row.is_finished:
            break
        time.sleep(0.1)
    assert row.state == OfferState.FAILED
    assert "no_data" in desk.get(row.get_absolute_url()).content.decode()


def test_the_service_decides_when_it_expires(
    desk: Client, service: OfferService, asked: Ask
) -> None:
    row = asked(expiry_time=None)
    service.operation["metadata"]["expiryTime"] = at(minutes=7)
    desk.get(OFFER)
    row.refresh_from_db()
    assert row.expiry_time is not None
    assert timedelta(minutes=6) < row.expiry_time - timezone.now() < timedelta(minutes=8)

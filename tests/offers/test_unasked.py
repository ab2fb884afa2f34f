"""What a page may not ask the service for by itself, and what a person may have it asked for."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.faults.behaviours import refusal
from tests.offers.conftest import Ask
from tests.offers.service import OFFER, OfferService, hidden

pytestmark = pytest.mark.django_db(transaction=True)


class TestWhatAPageMayNotAskByItself:
    @pytest.mark.parametrize("path", ["", "status"])
    def test_a_request_of_elsewhere(self, desk: Client, service: OfferService, path: str) -> None:
        answer = desk.get(OFFER + path)
        assert service.asked == []
        if not path:
            assert 'data-finding="made-elsewhere"' in answer.text
            assert f'action="{OFFER}ask"' in answer.text

    def test_another_borrowers_request_is_of_elsewhere(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked(borrower_id="B-2")
        assert 'data-finding="made-elsewhere"' in desk.get(OFFER).text
        assert service.asked == []

    @pytest.mark.parametrize("path", ["", "status"])
    def test_one_that_expired(
        self, desk: Client, service: OfferService, asked: Ask, path: str
    ) -> None:
        asked(expiry_time=timezone.now() - timedelta(seconds=1))
        assert 'data-finding="request-expired"' in desk.get(OFFER + path).text
        assert service.asked == []

    def test_one_that_the_service_never_told_the_end_of(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        then = timezone.now() - timedelta(hours=1)
        asked(expiry_time=None, asked_at=then, last_asked_at=then)
        desk.get(OFFER)
        assert service.asked == []

    def test_one_that_was_refused(self, desk: Client, service: OfferService, asked: Ask) -> None:
        asked(state=OfferState.REFUSED)
        assert 'data-state="refused"' in desk.get(OFFER).text
        assert service.asked == []

    def test_a_person_may_have_it_asked_for(
        self, desk: Client, service: OfferService, officer: User
    ) -> None:
        page = desk.get(OFFER)
        answer = desk.post(OFFER + "ask", {"token": hidden(page, "token")})
        assert answer.headers["Location"] == OFFER
        assert service.asked == [{"requestId": "r-1"}]
        assert OfferRequest.objects.get().asked_by == officer
        assert Entry.objects.filter(action="borrowers.getOffers").count() == 1

    def test_what_the_service_says_to_that_is_shown(
        self, desk: Client, service: OfferService
    ) -> None:
        words = "Offer request r-1 expired"
        service.server.on(":getOffers", refusal(404, words))
        page = desk.post(OFFER + "ask", {"token": hidden(desk.get(OFFER), "token")})
        assert words in page.text
        assert not OfferRequest.objects.exists()

    def test_without_a_token_nothing_is_asked(self, desk: Client, service: OfferService) -> None:
        assert desk.post(OFFER + "ask").status_code == 302
        assert service.asked == []

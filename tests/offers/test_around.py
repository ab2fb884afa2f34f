"""What stands around the part of an offer's page that polls, and for whom."""

import re
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
import simplejson
from django.test import Client
from django.utils import timezone

from lendingadmin.core.caching import shared
from lendingadmin.core.encryption import bind
from lendingadmin.core.staff.models import User
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal
from tests.offers.conftest import Ask
from tests.offers.service import BORROWER, DONE, OFFER, OfferService, hidden, operation
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)
ASK = f'action="{OFFER}ask"'
ANOTHER = f'href="{BORROWER}/offers/new'
NO_OFFER: dict[str, Any] = {"done": True, "result": {"error": "no_data", "response": None}}


class Parts(HTMLParser):
    """The elements with an id that lie outermost, and what they tell htmx to do."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.depth, self.swaps = 0, {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("input", "br", "path", "img"):
            return
        if self.depth == 0:
            told = dict(attrs)
            self.swaps[told.get("id")] = told.get("hx-swap-oob")
        self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag not in ("path",)


def fragment(desk: Client, state: str = "running") -> str:
    """What a page that was drawn in this state is given next."""
    shared.clear()
    return desk.get(f"{OFFER}status?polls=3&state={state}").content.decode()


def ends_with(service: OfferService, **fields: Any) -> None:
    service.operation = operation(**fields)
    service.operation["metadata"] |= {"status": "completed", "endTime": "2026-11-20T09:15:00.000Z"}


class TestWhatComesAlong:
    def test_while_it_runs_only_the_part_that_waits(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked()
        assert Parts(fragment(desk)).swaps == {"offer-status": None}

    @pytest.mark.parametrize(("fields", "words"), [(DONE, "offer made"), (NO_OFFER, "no offer")])
    def test_at_the_end_all_around_it_is_as_on_a_page_that_is_opened_then(
        self,
        desk: Client,
        service: OfferService,
        asked: Ask,
        fields: dict[str, Any],
        words: str,
    ) -> None:
        asked()
        before = desk.get(OFFER).content.decode()
        assert 'id="offer-pause"' in before and 'id="offer-around"' in before
        ends_with(service, **fields)
        told = fragment(desk)
        assert Parts(told).swaps == {
            "offer-status": None,
            "offer-around": "true",
            "offer-pause": "delete",
        }
        after = desk.get(OFFER).content.decode()
        assert 'id="offer-pause"' not in after and "running" not in after
        assert words in told and "running" not in told and "12:15" in told
        assert _around(told) == _around(after)

    def test_when_the_service_is_first_heard_of(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked(state=OfferState.ASKED)
        told = fragment(desk, "asked")
        assert Parts(told).swaps == {"offer-status": None, "offer-around": "true"}
        assert "state=running" in told and str(OfferState.ASKED.label) not in told

    def test_when_the_normal_time_is_over(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked(last_asked_at=timezone.now() - timedelta(seconds=121))
        told = fragment(desk)
        assert Parts(told).swaps["offer-pause"] == "delete"
        assert list_marks(told, "finding") == ["overdue"]
        assert f'class="button" href="{OFFER}"' in told and "data-poll" not in told

    def test_a_fault_of_a_look_does_not_speak_of_saving(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked()
        service.server.on(":getOffers", refusal(500, "out of order"))
        told = fragment(desk)
        assert "out of order" in told and "data-saved" not in told and "data-poll" in told

    def test_nothing_that_a_person_types_into_is_in_what_polls(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        asked()
        told = fragment(desk)
        assert "data-poll" in told and "<input" not in told and "<form" not in told


def _around(page: str) -> str:
    """The part around, without what is minted anew each time."""
    found = re.search(r'<div id="offer-around".*?>(.*?)</section>\s*</div>', page, re.DOTALL)
    assert found
    return re.sub(r'value="[^"]+"|\d+ [a-z]+ ago', "", found[1])


class TestAskingAnew:
    @pytest.mark.parametrize("state", [OfferState.RUNNING, OfferState.ASKED])
    @pytest.mark.parametrize("seconds", [60, 121])
    def test_while_one_waits_there_is_no_button_for_it(
        self, desk: Client, service: OfferService, asked: Ask, state: OfferState, seconds: int
    ) -> None:
        if state == OfferState.ASKED:
            service.server.on(":getOffers", refusal(503))
        asked(state=state, last_asked_at=timezone.now() - timedelta(seconds=seconds))
        page = desk.get(OFFER).content.decode()
        assert ASK not in page and ANOTHER not in page
        assert ("overdue" in list_marks(page, "finding")) == (seconds > 120)

    @pytest.mark.parametrize(
        ("fields", "this_one", "another"),
        [
            ({"state": OfferState.DONE}, False, True),
            ({"state": OfferState.FAILED}, False, True),
            ({"state": OfferState.REFUSED}, False, True),
            ({"state": OfferState.DONE, "expiry_time": "past"}, True, True),
            ({"state": OfferState.RUNNING, "expiry_time": "past"}, True, True),
            ({"state": OfferState.ASKED, "expiry_time": None, "last_asked_at": "past"}, True, True),
        ],
    )
    def test_else_what_makes_sense(
        self,
        desk: Client,
        service: OfferService,
        asked: Ask,
        fields: dict[str, Any],
        this_one: bool,
        another: bool,
    ) -> None:
        past = timezone.now() - timedelta(hours=2)
        asked(**{key: past if value == "past" else value for key, value in fields.items()})
        page = desk.get(OFFER).content.decode()
        assert (ASK in page, ANOTHER in page) == (this_one, another)
        assert service.asked == []

    def test_the_form_tells_of_one_that_waits_and_of_no_other(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        row = asked()
        words = 'data-finding="already-running"'
        assert words in desk.get(f"{BORROWER}/offers/new").content.decode()
        OfferRequest.objects.filter(pk=row.pk).update(expiry_time=timezone.now())
        assert words not in desk.get(f"{BORROWER}/offers/new").content.decode()


class TestEarlierRequests:
    def test_are_those_of_this_borrower(
        self, desk: Client, asked: Ask, service: OfferService
    ) -> None:
        asked()
        asked(request_id="r-2", borrower_id="B-2")
        page = desk.get(f"{BORROWER}/offers/").content.decode()
        assert OFFER in page and "r-2" not in page

    @pytest.mark.parametrize("state", [OfferState.RUNNING, OfferState.ASKED])
    def test_one_whose_time_is_over_is_not_called_running(
        self, desk: Client, asked: Ask, service: OfferService, state: OfferState
    ) -> None:
        asked(state=state, expiry_time=timezone.now())
        page = desk.get(f"{BORROWER}/offers/").content.decode()
        assert "expired" in page
        assert str(OfferState.RUNNING.label) not in page
        assert str(OfferState.ASKED.label) not in page

    @pytest.mark.parametrize(
        ("role", "may"),
        [("viewer", False), ("support", False), ("officer", True), ("manager", True)],
    )
    def test_lead_only_where_the_person_may_go(
        self,
        client_of: ClientOf,
        people: dict[str, User],
        offered: OfferRequest,
        role: str,
        may: bool,
    ) -> None:
        panel = {"HX-Request": "true"}
        answer = client_of(people[role]).get(f"{BORROWER}/offers/", headers=panel)
        page = answer.content.decode()
        assert (ANOTHER in page) == may
        assert (f'href="{OFFER}"' in page) == may
        assert (f'href="{OFFER}contracts"' in page) != may
        for address in re.findall('href="([^"]+)"', page):
            assert client_of(people[role]).get(address).status_code == 200


class TestSomebodyElsesAnswer:
    WORDS = 'data-finding="unidentified-record"'

    @pytest.mark.parametrize("fields", [{}, DONE, NO_OFFER])
    @pytest.mark.parametrize(
        "lie",
        [
            {"requestId": "r-lie"},
            {"accountId": "borrower:B-lie"},
            {"accountId": "agent:B-1"},
            {"appId": "app-lie"},
        ],
    )
    def test_is_not_shown_and_not_kept(
        self,
        desk: Client,
        service: OfferService,
        asked: Ask,
        fields: dict[str, Any],
        lie: dict[str, object],
    ) -> None:
        row = asked()
        service.operation = operation(**fields)
        service.operation["metadata"] |= lie
        for page in (desk.get(OFFER).content.decode(), fragment(desk)):
            assert "wrong-record" in list_marks(page, "finding") and "5,000.00" not in page
            assert "data-poll" in page and "-lie" not in page and "agent:" not in page
        row.refresh_from_db()
        assert (row.state, row.answer) == (OfferState.RUNNING, "")

    @pytest.mark.parametrize(
        "silent",
        [{"requestId": None}, {"accountId": None}, {"requestId": ""}, {"requestId": 71_717}],
    )
    def test_may_be_what_does_not_say_whose_it_is_and_nothing_is_lent_by_it(
        self, desk: Client, service: OfferService, asked: Ask, silent: dict[str, object]
    ) -> None:
        asked()
        service.operation = operation(**DONE)
        service.operation["metadata"] |= silent
        page = desk.get(OFFER).content.decode()
        assert self.WORDS in page and "5,000.00" in page and ASK in page
        assert f'action="{OFFER}contracts"' not in page
        query = "?amount=1000.00&startDate=2026-12-01"
        for address in (f"contracts{query}", f"contracts/short/loan{query}"):
            refused = desk.get(OFFER + address)
            assert refused.status_code == 502 and self.WORDS in refused.content.decode()
        assert service.server.hits(":getOfferContracts") == 0

    @pytest.mark.parametrize("same", [{}, {"appId": None}, {"accountId": "B-1"}])
    def test_is_not_what_names_the_same(
        self, desk: Client, service: OfferService, asked: Ask, same: dict[str, object]
    ) -> None:
        asked()
        service.operation = operation(**DONE)
        service.operation["metadata"] |= same
        page = desk.get(OFFER).content.decode()
        assert self.WORDS not in page and f'action="{OFFER}contracts"' in page

    def test_takes_no_loan_from_a_form_that_was_open(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        address = f"{OFFER}contracts/short/loan?amount=1000.00&startDate=2026-12-01"
        page = desk.get(address)
        form = {"token": hidden(page, "token"), "accountId": hidden(page, "accountId")}
        OfferRequest.objects.update(**bind(offered, answer='{"done": true}'))
        assert desk.post(address, form | {"lenderId": ""}).status_code == 502
        assert service.created == []

    def test_that_an_earlier_version_kept_is_not_shown(
        self, desk: Client, service: OfferService, offered: OfferRequest
    ) -> None:
        answer = simplejson.dumps(operation("r-lie", **DONE))
        OfferRequest.objects.update(**bind(offered, answer=answer))
        page = desk.get(OFFER).content.decode()
        assert self.WORDS in page and "5,000.00" not in page

    def test_is_no_last_word_for_a_person_who_asks_again(
        self, desk: Client, service: OfferService, asked: Ask
    ) -> None:
        row = asked()
        service.operation = operation("", **DONE)
        page = desk.get(OFFER)
        service.operation = operation()
        desk.post(OFFER + "ask", {"token": hidden(page, "token")})
        row.refresh_from_db()
        assert (row.state, row.is_named) == (OfferState.RUNNING, True)

"""Lists whose items are too large to come together: asked again for fewer, none lost, none twice.

The service is as strict as the spec (Shared list behaviour): a page token belongs to the page size
that it was given for, and another size is refused.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import AnswerTooLarge, UnfinishedList
from lendingadmin.lending.pages import leave_out_repeats, search
from lendingadmin.lending.values import Event
from tests.faults.behaviours import refusal, reply
from tests.faults.server import FaultServer, Wire
from tests.lending.rig import client_to

MAX_BYTES = 100_000


class StrictService:
    """Lists events of these sizes (bytes, about); each token is good for its page size alone."""

    def __init__(self, server: FaultServer, sizes: Sequence[int]) -> None:
        self.asked: list[tuple[int, int]] = []  # page size and place of each question
        self.events = [
            {"eventId": f"e{number}", "data": "x" * size} for number, size in enumerate(sizes)
        ]
        server.on("GET /v1/", self.answer)

    def answer(self, wire: Wire) -> bool:
        query = {k: v[0] for k, v in parse_qs(urlsplit(wire.request.path).query).items()}
        size = int(query.get("pageSize", "1000"))
        bound, _, place = query.get("pageToken", f"{size}@0").partition("@")
        if bound != str(size):
            return refusal(400, "Invalid page token")(wire)
        start = int(place)
        self.asked.append((size, start))
        end = start + size
        more = f"{size}@{end}" if end < len(self.events) else None
        collection = urlsplit(wire.request.path).path.rpartition("/")[2]
        return reply({collection: self.events[start:end], "nextPageToken": more})(wire)


Serve = Callable[[Sequence[int]], tuple[StrictService, AppClient]]


@pytest.fixture
def serve(fault_server: FaultServer) -> Serve:
    def make(sizes: Sequence[int]) -> tuple[StrictService, AppClient]:
        client = client_to(fault_server.url, max_bytes=MAX_BYTES)
        return StrictService(fault_server, sizes), client.app("kenya")

    return make


def ids(items: Any) -> list[str]:
    return [one.event_id for one in items]


def screens(app: AppClient, size: int) -> Iterator[list[str]]:
    """What a person sees who goes from page to page: each is asked for by its token alone."""
    token = None
    while True:
        page = app.events.list(page_size=size, page_token=token)
        yield ids(page.items)
        if (token := page.next_page_token) is None:
            return


LARGE, SMALL = 20_000, 10
ALL_LARGE = [LARGE] * 8
LARGE_LATER = [SMALL] * 21 + [LARGE] * 8 + [SMALL] * 30
ONE_AT_A_TIME = [SMALL] * 5 + [90_000] * 3 + [SMALL] * 5


@pytest.mark.parametrize("sizes", [ALL_LARGE, LARGE_LATER, ONE_AT_A_TIME])
@pytest.mark.parametrize("page_size", [10, 50, 1000])
def test_every_item_is_on_exactly_one_page(sizes: list[int], page_size: int, serve: Serve) -> None:
    service, app = serve(sizes)
    wanted = [event["eventId"] for event in service.events]
    assert [one for screen in screens(app, page_size) for one in screen] == wanted
    assert ids(app.events.iterate(page_size=page_size)) == wanted
    assert [one for page in app.events.pages(page_size=page_size) for one in ids(page.items)] == (
        wanted
    )


def test_a_quarter_is_asked_for_and_remembered_for_the_pages_that_follow(serve: Serve) -> None:
    service, app = serve(ALL_LARGE)
    assert list(screens(app, 50)) == [["e0", "e1", "e2"], ["e3", "e4", "e5"], ["e6", "e7"]]
    assert service.asked == [(50, 0), (12, 0), (3, 0), (3, 3), (3, 6)]
    assert app.events.list(page_size=50).page_size == 3


def test_without_a_page_size_a_quarter_of_the_service_s_own_is_asked_for(serve: Serve) -> None:
    service, app = serve(ALL_LARGE)
    assert ids(app.events.iterate()) == [f"e{number}" for number in range(8)]
    assert [size for size, _ in service.asked] == [1000, 250, 62, 15, 3, 3, 3]


def test_in_the_middle_of_a_list_it_starts_again_from_the_first_page(serve: Serve) -> None:
    service, app = serve(LARGE_LATER)
    first = app.events.list(page_size=20)
    service.asked.clear()
    second = app.events.list(page_size=20, page_token=first.next_page_token)
    assert ids(second.items) == ["e20", "e21", "e22", "e23", "e24"]
    assert service.asked == [(20, 20), (5, 0), (5, 5), (5, 10), (5, 15), (5, 20)]


def test_other_lists_do_the_same_within_one_walk(serve: Serve) -> None:
    service, app = serve(LARGE_LATER)
    uids = [borrower.raw["eventId"] for borrower in app.borrowers.iterate(page_size=20)]
    assert uids == [event["eventId"] for event in service.events]


def test_one_item_that_is_too_large_is_an_error_of_its_own(serve: Serve) -> None:
    service, app = serve([SMALL, MAX_BYTES * 2])
    with pytest.raises(AnswerTooLarge):
        list(app.events.iterate(page_size=4))
    assert service.asked == [(4, 0), (1, 0), (1, 1)]


def test_a_search_looks_past_large_items(serve: Serve) -> None:
    _, app = serve(LARGE_LATER)

    def is_wanted(event: Event) -> bool:
        return event.event_id == "e40"

    found = search(app.events.pages(page_size=25), is_wanted, at_most=100)
    assert found.found is not None and found.found.event_id == "e40"


def test_a_list_that_leads_back_is_still_noticed(fault_server: FaultServer) -> None:
    page = {"events": [{"eventId": "e0"}], "nextPageToken": "again"}
    fault_server.on("GET /v1/", reply(page))
    events = client_to(fault_server.url).app("kenya").events
    with pytest.raises(UnfinishedList):
        list(leave_out_repeats(events.pages()))
    with pytest.raises(UnfinishedList):
        list(events.pages())


def test_an_answer_that_says_it_is_too_large_is_not_read(fault_server: FaultServer) -> None:
    sent = []

    def behave(wire: Wire) -> bool:
        wire.send(b"HTTP/1.1 200 OK\r\nContent-Length: 900000000\r\n\r\n")
        sent.append(wire.pause(0.01))
        return False

    fault_server.on("GET /v1/", behave)
    client = client_to(fault_server.url, read_timeout=5.0)
    with pytest.raises(AnswerTooLarge):
        client.app("kenya").loans.get("L1")

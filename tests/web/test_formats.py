"""Each person's page in their own zone, and nobody's in another's: by real requests in turn."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from lendingadmin.core.caching import shared
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.web.display import formats
from lendingadmin.web.display.times import zone_name
from lendingadmin.web.middleware import LendingMiddleware
from tests.sandbox.calling import Caller, new_assessment

TEMPLATES = Path(__file__).parents[2] / "templates"
NEW_YORK = ZoneInfo("America/New_York")
MOMENT = re.compile(r'title="[^"]* UTC(, [^"]+ Nairobi time)?"[^>]*>\d+ \w+ \d{4}, ')


@pytest.fixture
def desks(people: dict[str, User], client_of: Callable[[User], Client]) -> dict[str, Client]:
    """The officer is in New York, support in the lender's zone."""
    User.objects.filter(pk=people["officer"].pk).update(zone=str(NEW_YORK))
    people["officer"].refresh_from_db()
    return {"away": client_of(people["officer"]), "here": client_of(people["support"])}


@pytest.mark.parametrize("turns", [("away", "here", "away"), ("here", "away", "here")])
def test_two_people_in_turn(
    turns: tuple[str, ...], app: LendingApp, book: Caller, desks: dict[str, Client]
) -> None:
    for place in turns:
        shown = desks[place].get(f"/apps/{app.app_id}/loans/l/").content.decode()
        assert (zone_name(NEW_YORK) in shown) == (place == "away")


def test_the_zone_of_the_moments_is_in_sight(
    app: LendingApp, book: Caller, desks: dict[str, Client]
) -> None:
    away = desks["away"].get(f"/apps/{app.app_id}/loans/l/").content.decode()
    assert '<span class="zone">Nairobi time (lender); yours: </span>New York time' in away
    assert re.search(r"as of <time[^>]*>\d\d:\d\d:\d\d</time> New York time", away)
    here = desks["here"].get(f"/apps/{app.app_id}/loans/l/").content.decode()
    assert re.search(r"as of <time[^>]*>\d\d:\d\d:\d\d</time> Nairobi time", here)
    assert "New York" not in here


def test_a_shared_poll_is_one_answer_in_two_zones(
    app: LendingApp, book: Caller, desks: dict[str, Client]
) -> None:
    """Within two seconds the second is shown what the service told the first."""
    made = book.post("/assessments", new_assessment()).body
    shared.clear()
    address = f"/apps/{app.app_id}/assessments/{made['assessmentId']}/"
    for place in ("away", "here", "away"):
        shown = MOMENT.findall(desks[place].get(address).content.decode())
        assert shown and all(bool(lenders) == (place == "away") for lenders in shown)


def test_exports_are_the_same_for_all(
    app: LendingApp, book: Caller, desks: dict[str, Client]
) -> None:
    bodies = set()
    for desk in desks.values():
        answer: Any = desk.get(f"/apps/{app.app_id}/loans/export.csv?technical=1")
        bodies.add(b"".join(answer.streaming_content))
    (body,) = bodies
    assert b"1200" in body


class TestMiddleware:
    @pytest.fixture
    def request_of(self) -> Iterator[HttpRequest]:
        request = RequestFactory().get("/")
        request.user = User(zone=str(NEW_YORK))
        yield request
        assert formats.zone() is None

    def test_a_view_reads_for_its_person(self, request_of: HttpRequest) -> None:
        view = LendingMiddleware(lambda _: HttpResponse(str(formats.zone())))
        assert view(request_of).getvalue() == str(NEW_YORK).encode()  # type: ignore[attr-defined]

    def test_it_is_over_after_an_exception(self, request_of: HttpRequest) -> None:
        def fail(_: HttpRequest) -> HttpResponse:
            raise ZeroDivisionError(str(formats.zone()))

        with pytest.raises(ZeroDivisionError, match="New_York"):
            LendingMiddleware(fail)(request_of)

    def test_what_is_streamed_is_made_for_nobody(self, request_of: HttpRequest) -> None:
        def stream(_: HttpRequest) -> StreamingHttpResponse:
            return StreamingHttpResponse(str(formats.zone()) for _ in range(2))

        answer: Any = LendingMiddleware(stream)(request_of)
        assert b"".join(answer.streaming_content) == b"NoneNone"

    def test_a_page_that_shows_no_figure_asks_for_nobody(self) -> None:
        # There is no person on this request: asking for one would fail.
        view = LendingMiddleware(lambda _: HttpResponse("alive"))
        assert view(RequestFactory().get("/healthz")).status_code == 200


def test_what_is_drawn_once_for_all_shows_nothing_in_a_persons_form() -> None:
    """`{% once %}` keeps its fragments: none may use a filter that asks who reads."""
    sources = {path: path.read_text() for path in TEMPLATES.rglob("*.html")}
    kept = {name for text in sources.values() for name in re.findall(r'{% once "([^"]+)"', text)}
    assert kept >= {"_head.html", "_sidebar.html", "_keys.html"}
    asking = re.compile(r"{% load [^%]*\b(money|times|rates|assessments|charts)\b")
    assert not [name for name in kept if asking.search(sources[TEMPLATES / name])]

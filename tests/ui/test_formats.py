"""Each person's page in their own form, and nobody's in another's: by real requests in turn."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from lendingadmin.caching import shared
from lendingadmin.display import formats
from lendingadmin.gateway import LendingApp
from lendingadmin.staff.models import User
from lendingadmin.ui.middleware import ReaderMiddleware
from tests.sandbox.calling import Caller, new_assessment

TEMPLATES = Path(__file__).parents[2] / "templates"
OWED = {"de": "1.200,00", "en": "1,200.00", "en-US": "1,200.00"}
MONTH = re.compile(r'datetime="(\d{4})[^"]*"[^>]*>([^<]+)</time>')
FORMS = {"de": r"\d+\. \S+ \d{4}", "en": r"\d+ [A-Z]\S+ \d{4}", "en-US": r"[A-Z]\S+ \d+, \d{4}"}


@pytest.fixture
def desks(people: dict[str, User], client_of: Callable[[User], Client]) -> Callable[[str], Client]:
    """Somebody who reads so, by locale; they sit in New York where they read German."""
    kept: dict[str, Client] = {}

    def desk(locale: str) -> Client:
        if locale not in kept:
            person = people[{"de": "officer", "en": "support", "en-US": "manager"}[locale]]
            person.locale = "" if locale == "en" else locale
            person.zone = "America/New_York" if locale == "de" else ""
            person.save()
            kept[locale] = client_of(person)
        return kept[locale]

    return desk


@pytest.mark.parametrize("turns", [("de", "en", "en-US", "de"), ("en", "de", "en")])
@pytest.mark.parametrize("page", ["loans/", "loans/l/", "borrowers/b/panels/loans"])
def test_two_people_in_turn(
    page: str, turns: tuple[str, ...], app: LendingApp, book: Caller, desks: Callable[[str], Client]
) -> None:
    for locale in turns:
        shown = desks(locale).get(f"/apps/{app.app_id}/{page}").content.decode()
        assert OWED[locale] in shown
        others = {OWED[one] for one in OWED} - {OWED[locale]}
        assert not any(other in shown for other in others)
        days = [text for _, text in MONTH.findall(shown) if re.search(r"\d{4}", text)]
        assert days and all(re.match(FORMS[locale], day) for day in days), days


def test_the_zone_of_the_moments_is_in_sight(
    app: LendingApp, book: Caller, desks: Callable[[str], Client]
) -> None:
    german = desks("de").get(f"/apps/{app.app_id}/loans/l/").content.decode()
    assert '<span class="zone">Nairobi time, yours </span>New York time' in german
    assert re.search(r"read <time[^>]*>\d\d:\d\d:\d\d</time> New York time", german)
    english = desks("en").get(f"/apps/{app.app_id}/loans/l/").content.decode()
    assert re.search(r"read <time[^>]*>\d\d:\d\d:\d\d</time> Nairobi time", english)
    assert "New York" not in english


def test_a_shared_poll_is_one_answer_in_two_forms(
    app: LendingApp, book: Caller, desks: Callable[[str], Client]
) -> None:
    """Within two seconds the second is shown what the service told the first."""
    kept = book.post("/assessments", new_assessment()).body
    shared.clear()
    address = f"/apps/{app.app_id}/assessments/{kept['assessmentId']}/"
    for locale in ("de", "en", "de"):
        shown = desks(locale).get(address).content.decode()
        days = [text for _, text in MONTH.findall(shown) if re.search(r"\d{4}", text)]
        assert days and all(re.match(FORMS[locale], day) for day in days), days


def test_exports_are_the_same_for_all(
    app: LendingApp, book: Caller, desks: Callable[[str], Client]
) -> None:
    bodies = set()
    for locale in ("de", "en", "en-US"):
        answer: Any = desks(locale).get(f"/apps/{app.app_id}/loans/export.csv")
        bodies.add(b"".join(answer.streaming_content))
    (body,) = bodies
    assert b"1200" in body and b"1.200,00" not in body


class TestMiddleware:
    @pytest.fixture
    def request_of(self) -> Iterator[HttpRequest]:
        request = RequestFactory().get("/")
        request.user = User(locale="de", zone="America/New_York")
        yield request
        assert (formats.locale(), formats.zone()) == ("en", None)

    def test_a_view_reads_for_its_person(self, request_of: HttpRequest) -> None:
        view = ReaderMiddleware(lambda _: HttpResponse(formats.locale()))
        assert view(request_of).getvalue() == b"de"  # type: ignore[attr-defined]

    def test_it_is_over_after_an_exception(self, request_of: HttpRequest) -> None:
        def fail(_: HttpRequest) -> HttpResponse:
            raise ZeroDivisionError(formats.locale())

        with pytest.raises(ZeroDivisionError, match="de"):
            ReaderMiddleware(fail)(request_of)

    def test_what_is_streamed_is_made_for_nobody(self, request_of: HttpRequest) -> None:
        def stream(_: HttpRequest) -> StreamingHttpResponse:
            return StreamingHttpResponse(formats.locale() for _ in range(2))

        answer: Any = ReaderMiddleware(stream)(request_of)
        assert b"".join(answer.streaming_content) == b"enen"

    def test_a_page_that_shows_no_figure_asks_for_nobody(self) -> None:
        # There is no person on this request: asking for one would fail.
        view = ReaderMiddleware(lambda _: HttpResponse("alive"))
        assert view(RequestFactory().get("/healthz")).status_code == 200


def test_what_is_drawn_once_for_all_shows_nothing_in_a_persons_form() -> None:
    """`{% once %}` keeps its fragments: none may use a filter that asks who reads."""
    sources = {path: path.read_text() for path in TEMPLATES.rglob("*.html")}
    kept = {name for text in sources.values() for name in re.findall(r'{% once "([^"]+)"', text)}
    assert kept >= {"_head.html", "_sidebar.html", "_keys.html"}
    asking = re.compile(r"{% load [^%]*\b(money|times|rates|assessments|charts)\b")
    assert not [name for name in kept if asking.search(sources[TEMPLATES / name])]

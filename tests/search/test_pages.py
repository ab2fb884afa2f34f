"""Finding a record by any id of it, and the three ends of a look: there, not there, not looked."""

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import WrongRecord
from lendingadmin.people.search import views
from lendingadmin.web.access import REFUSED
from tests.conftest import ClientOf
from tests.faults.behaviours import hang, refusal, reply, token
from tests.faults.server import FaultServer, Wire
from tests.roles import hold_only
from tests.sandbox.calling import Caller, new_assessment
from tests.search.words import place_of, read_places, results_of
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db
ROLE = "viewer"
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no slow service."""
    monkeypatch.setattr(views, "MOMENT", 8.0)


@pytest.fixture
def proxy(book: Caller, fault_proxy: Callable[[str], FaultServer], settings: Any) -> FaultServer:
    standing = fault_proxy(book.base_url)
    settings.LENDING_BASE_URL = standing.url
    return standing


def found(desk: Client, app: LendingApp, wanted: str, **more: str) -> str:
    answer = desk.get(results_of(desk, app.app_id, wanted), more)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    ("wanted", "target"),
    [("b", "borrowers/b/"), ("borrower:b", "borrowers/b/"), ("l", "loans/l/"), (" l ", "loans/l/")],
)
@pytest.mark.parametrize("more", [{}, {"whole": "1"}])
def test_one_match_leads_straight_to_the_record(
    desk: Client, app: LendingApp, book: Caller, wanted: str, target: str, more: dict[str, str]
) -> None:
    answer = desk.get(results_of(desk, app.app_id, wanted), more)
    assert answer.headers["Location"] == f"/apps/{app.app_id}/{target}"


def test_other_names_of_a_record_lead_to_its_own_page(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    loan = book.get("/loans/l").body
    assessment = book.post("/assessments", new_assessment()).body
    name = assessment["assessmentId"]
    wanted = {
        loan["uid"]: "loans/l/",
        str(loan["accountNo"]): "loans/l/",
        name: f"assessments/{name}/",
        assessment["uid"]: f"assessments/{name}/",
        # A UUID in capitals is the same UUID.
        loan["uid"].upper(): "loans/l/",
    }
    for other, target in wanted.items():
        answer = desk.get(results_of(desk, app.app_id, other))
        assert answer.headers["Location"] == f"/apps/{app.app_id}/{target}", other


@pytest.mark.parametrize("key", ["a b", "ünï-ço", "a:b:c", "100%?", "محمد", "_-.~"])
def test_odd_ids_are_found(desk: Client, app: LendingApp, book: Caller, key: str) -> None:
    book.borrower(key)
    answer = desk.get(results_of(desk, app.app_id, f"borrower:{key}"), follow=True)
    assert answer.resolver_match.kwargs["borrower_id"] == key


def test_an_id_with_a_slash_reaches_the_service_whole(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    found(desk, app, "a/../b")
    assert proxy.hits("/borrowers/a%2F..%2Fb") == proxy.hits("/loans/a%2F..%2Fb") == 1


def test_two_records_of_one_id_are_both_offered(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    book.loan("b")
    page = found(desk, app, "b")
    assert f'href="/apps/{app.app_id}/loans/b/"' in page
    assert f'href="/apps/{app.app_id}/borrowers/b/"' in page
    assert "2 matches." in page


def test_no_match_says_so_place_by_place(desk: Client, app: LendingApp, book: Caller) -> None:
    page = found(desk, app, "12")
    assert 'data-announce="Nothing found."' in page
    places = ("borrower", "loan", "number", "assessment")
    assert read_places(page) == dict.fromkeys(places, "none")
    assert "number" not in read_places(found(desk, app, "12a"))


@pytest.mark.parametrize("wanted", ["..", ".", "a\x00b", "a\x7fb", "x" * 201])
def test_what_can_be_no_id_is_not_asked_for(
    desk: Client, app: LendingApp, proxy: FaultServer, wanted: str
) -> None:
    page = found(desk, app, wanted)
    assert 'data-finding="not-looked-up"' in page and not read_places(page)
    assert views.NOTHING not in page and views.NOTHING_SO_FAR not in page
    at = place_of(desk, app.app_id, "borrower", wanted)
    assert desk.get(at).status_code == 404
    assert proxy.arrived == []


def test_could_not_look_is_not_no_match(desk: Client, app: LendingApp, proxy: FaultServer) -> None:
    proxy.on("/borrowers/", refusal(500, "down"))
    page = found(desk, app, "nobody")
    assert 'data-announce="Nothing found."' not in page
    assert f"{views.NOTHING_SO_FAR} {views.NOT_EVERYTHING}" in page
    places = read_places(page)
    assert (places["borrower"], places["loan"]) == ("fault", "none")
    # The one match is offered, and not followed: the borrower may have the same id.
    assert f'href="/apps/{app.app_id}/loans/l/"' in found(desk, app, "l")


def test_what_takes_longer_is_left_to_load_by_itself(
    desk: Client, app: LendingApp, proxy: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MOMENT", 1.0)
    proxy.on("/borrowers/", hang(30))
    page = found(desk, app, "l")
    assert f'href="/apps/{app.app_id}/loans/l/"' in page
    assert read_places(page)["borrower"] == "pending"
    assert page.count('hx-trigger="load"') == 1
    assert re.search(rf'hx-get="/apps/{app.app_id}/find/for/[^"/]+/in/borrower"', page)


def test_every_place_is_looked_at_at_the_same_time(
    desk: Client, app: LendingApp, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    # Nobody is answered before all four have asked.
    all_there = threading.Barrier(4, timeout=10)

    def meet(wire: Wire) -> bool:
        all_there.wait()
        return refusal(404)(wire)

    fault_server.default = meet
    fault_server.on("/oauth2/token", token())
    assert views.NOTHING in found(desk, app, "7", whole="1")


@pytest.mark.parametrize(
    ("place", "wanted", "target"),
    [
        ("borrower", "borrower:b", "borrowers/b/"),
        ("loan", "l", "loans/l/"),
        ("number", "4", ""),
        ("assessment", "a", ""),
    ],
)
def test_a_place_by_itself(
    desk: Client, app: LendingApp, book: Caller, place: str, wanted: str, target: str
) -> None:
    at = place_of(desk, app.app_id, place, wanted)
    alone = desk.get(at).content.decode()
    part = desk.get(at, headers=HTMX).content.decode()
    expected = {place: "found" if target else "none"}
    assert read_places(alone) == read_places(part) == expected
    if target:
        link = f'href="/apps/{app.app_id}/{target}"'
        assert link in alone and link in part
    assert "<html" in alone
    assert part.strip().startswith("<li")


def test_a_place_that_fails_says_so_and_offers_another_look(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    proxy.on("/loans/", refusal(500, "down"))
    at = place_of(desk, app.app_id, "loan", "l")
    part = desk.get(at, headers=HTMX).content.decode()
    assert read_places(part) == {"loan": "fault"}
    assert f'hx-get="{at}"' in part


def test_a_number_that_the_service_does_not_look_for_is_no_match_and_no_loan_of_others(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    other = {"accountId": "other", "accountNo": 8}
    proxy.on("/loans?", reply({"loans": [other], "nextPageToken": "more"}))
    page = found(desk, app, "7")
    assert read_places(page)["number"] == "fault"
    assert "other" not in page


def test_a_service_that_answers_with_another_loan_is_not_followed(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    proxy.on("/loans/mine", reply({"accountId": "theirs", "uid": "u"}))
    page = found(desk, app, "mine")
    assert "theirs" not in page
    assert WrongRecord.default_message in page


def test_a_loan_that_does_not_say_which_it_is_is_found_with_a_warning(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    proxy.on("/loans/mine", reply({"borrowerId": "b"}))
    page = found(desk, app, "mine")
    assert f'href="/apps/{app.app_id}/loans/mine/"' in page
    assert list_marks(page, "finding").count("unidentified-record") == 1


def only(person: User, *permissions: str) -> None:
    """Leave the person these rights alone."""
    hold_only(person, *permissions)


def test_only_what_the_person_may_read_is_looked_up(
    app: LendingApp, proxy: FaultServer, client_of: ClientOf, viewer: User
) -> None:
    only(viewer, "lending.loans.get")
    desk = client_of(viewer)
    assert desk.get(results_of(desk, app.app_id, "l")).status_code == 302
    page = found(desk, app, "7")
    assert views.NOTHING in page
    assert read_places(page) == {"loan": "none"}
    part = desk.get(place_of(desk, app.app_id, "borrower", "b"), headers=HTMX)
    assert REFUSED in part.content.decode()
    assert proxy.hits("/borrowers/") == proxy.hits("/assessments/") == proxy.hits("/loans?") == 0


def test_an_unknown_place_is_not_there(desk: Client, app: LendingApp) -> None:
    assert desk.get(place_of(desk, app.app_id, "cellar", "b")).status_code == 404
    assert desk.get(place_of(desk, app.app_id, "number", "b")).status_code == 404


def test_without_a_word_the_page_says_what_can_be_found(desk: Client, app: LendingApp) -> None:
    answer = desk.post(f"/apps/{app.app_id}/find", {"q": " "}, follow=True)
    page = answer.content.decode()
    assert 'data-finding="by-id-only"' in page
    assert "<code>borrower:</code>" in page
    assert 'id="last-opened"' in page


def test_without_scripts_the_box_asks_for_all_of_it(desk: Client, app: LendingApp) -> None:
    page = desk.get(f"/apps/{app.app_id}/find").content.decode()
    assert '<noscript><input type="hidden" name="whole" value="1"></noscript>' in page

"""Finding people from the box: who may, what is shown, and what is told of it to nobody."""

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import duties
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.lending.values import Assessment
from lendingadmin.people.index import cards
from lendingadmin.people.index.models import BorrowerIndex
from lendingadmin.people.search import views
from lendingadmin.people.search.encrypted_words import encrypt_words
from lendingadmin.people.search.models import SearchCount
from lendingadmin.records.assessments.known import put_assessments
from lendingadmin.records.assessments.models import AssessmentIndex
from lendingadmin.web import quotas
from lendingadmin.web.access import REFUSED
from lendingadmin.web.display.phones import group_phone
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import FaultServer
from tests.people_index.conftest import APP, index, make_borrower, put  # noqa: F401
from tests.roles import hold_only
from tests.search.words import read_places, results_of

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "support"
HTMX = {"HX-Request": "true"}
FIND = f"/apps/{APP}/find"


@pytest.fixture
def people(index: BorrowerIndex) -> BorrowerIndex:  # noqa: F811
    """Four of one name, of whom one has a number that ends in 3."""
    found = [
        make_borrower(f"ke-{n}", surname="Kamau", othernames="Ann", phoneNumber=f"+25470000000{n}")
        for n in (1, 2, 3, 4)
    ]
    with transaction.atomic():
        cards.put_borrowers(index, found, timezone.now())
    index.known = 4
    index.save()
    return index


def suggested(desk: Client, words: str) -> str:
    answer = desk.post(f"{FIND}/suggest", {"q": words}, headers=HTMX)
    assert answer.status_code == 200
    return answer.content.decode()


def results(desk: Client, words: str) -> str:
    answer = desk.post(FIND, {"q": words}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_box_suggests_names_with_phone_and_id(desk: Client, people: BorrowerIndex) -> None:
    page = suggested(desk, "kamau ann")
    assert page.count("data-match") == 4
    assert "Kamau Ann" in page and group_phone("+254700000003") in page and "ke-3" in page
    assert f'href="/apps/{APP}/borrowers/ke-3/"' in page


def test_a_digit_of_the_phone_tells_namesakes_apart(desk: Client, people: BorrowerIndex) -> None:
    page = suggested(desk, "ann kamau 3")
    assert page.count("data-match") == 1 and "ke-3" in page


def test_while_there_is_text_nobody_of_last_opened_is_shown(
    desk: Client, people: BorrowerIndex
) -> None:
    assert 'id="recall-title"' in suggested(desk, " ")
    page = suggested(desk, "otieno")
    assert 'id="recall-title"' not in page and 'data-finding="no-person"' in page


def test_the_results_say_who_and_how_old_the_index_is(desk: Client, people: BorrowerIndex) -> None:
    page = results(desk, "kamau")
    assert "4 matches." in page
    assert 'data-finding="index"' in page and "4 borrowers" in page


def test_a_name_alone_leads_to_nobody_s_page(desk: Client, people: BorrowerIndex) -> None:
    answer = desk.get(results_of(desk, APP, "kamau 3"))
    assert answer.status_code == 200 and answer.content.count(b"data-match") == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"complete_at": None, "state": "running", "seen": 3812}, "3812"),
        ({"complete_at": None, "state": "failed", "why": "Forbidden."}, "not complete: Forbidden."),
        ({"state": "running", "seen": 2}, "updating: 2 of about 4"),
        ({"state": "failed", "why": "It was down."}, "update failed: It was down."),
    ],
)
def test_it_says_where_the_index_is_not_whole(
    desk: Client, people: BorrowerIndex, changes: dict[str, Any], words: str
) -> None:
    BorrowerIndex.objects.update(**changes)
    assert words in results(desk, "kamau")
    assert words in suggested(desk, "kamau")


def test_without_an_index_it_says_so_and_ids_are_still_looked_up(desk: Client) -> None:
    page = results(desk, "kamau")
    assert 'data-finding="no-index"' in page
    assert read_places(page)["borrower"] == "fault" and 'data-announce="Nothing found."' not in page
    page = results(desk, "kamau ann")
    assert f"{views.NOTHING_SO_FAR} {views.NOT_EVERYTHING}" in page
    assert 'data-announce="Nothing found."' not in page


def test_a_name_that_the_whole_index_does_not_know_is_asked_for_as_an_id_only_by_the_person(
    desk: Client, people: BorrowerIndex, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    for path in ("borrowers", "assessments", "loans"):
        fault_server.on(f"/{path}/", refusal(404))
    fault_server.on("/loans/otieno", reply({"accountId": "otieno"}))
    page = results(desk, "otieno")
    assert fault_server.arrived == []
    assert views.NO_PERSON in page
    assert views.NOTHING not in page
    (address,) = re.findall(r'data-as-id href="([^"]+)"', page)
    assert desk.get(address).headers["Location"] == f"/apps/{APP}/loans/otieno/"
    # What is not of letters alone is asked for at once, and a word of which no index can tell.
    for words in ("maina1", "njeri-x"):
        assert "data-as-id" not in results(desk, words)
        assert fault_server.hits(f"/loans/{words}") == 1
    BorrowerIndex.objects.update(complete_at=None)
    assert "data-as-id" not in results(desk, "achieng")
    assert fault_server.hits("/loans/achieng") == 1


def test_a_name_that_is_known_may_be_looked_up_as_an_id_too(
    desk: Client, people: BorrowerIndex
) -> None:
    page = results(desk, "kamau")
    assert "4 matches." in page and "data-as-id" in page


def test_who_may_not_search_finds_by_id_only(
    people: BorrowerIndex, client_of: ClientOf, viewer: User
) -> None:
    desk = client_of(viewer)
    page = results(desk, "kamau")
    assert "ke-3" not in page and 'data-finding="by-id-only"' in page
    refused = desk.post(f"{FIND}/suggest", {"q": "kamau"}, headers=HTMX).content.decode()
    assert REFUSED in refused and "ke-3" not in refused
    assert not SearchCount.objects.exists()


def test_a_name_is_in_no_address_and_another_person_s_search_is_not_there(
    desk: Client, people: BorrowerIndex, client_of: ClientOf, officer: User
) -> None:
    address = desk.post(FIND, {"q": "Kamau"}).headers["Location"]
    assert "amau" not in address
    assert "Kamau" in desk.get(address).content.decode()
    assert client_of(officer).get(address).status_code == 404
    assert desk.get(f"{FIND}/for/{encrypt_words(officer, 'x')[:-4]}AAAA").status_code == 404
    assert desk.get(f"{FIND}?q=kamau").content.count(b"data-match") == 0


@pytest.mark.parametrize(
    "words",
    ["x" * 10_000, "\x00", "\u202e\u202c", "🙂", "%_*", "1" * 40, "  ", "<script>alert(1)</script>",
     "a\ud800b".encode("utf-8", "surrogatepass").decode("utf-8", "replace")],
)  # fmt: skip
def test_bad_input_finds_nobody_and_is_no_fault(
    desk: Client, people: BorrowerIndex, words: str
) -> None:
    for page in (suggested(desk, words), results(desk, words)):
        assert "<script>alert" not in page
        assert "ke-" not in re.split('id="(?:recall-title|last-opened)"', page)[0]


def test_searches_are_limited_for_each_person(
    desk: Client, people: BorrowerIndex, monkeypatch: pytest.MonkeyPatch, boss: Client
) -> None:
    limit = quotas.LIMITS[quotas.SEARCHES]
    monkeypatch.setitem(quotas.LIMITS, quotas.SEARCHES, limit._replace(most=2))
    assert "ke-3" in suggested(desk, "kamau") and "ke-3" in results(desk, "kamau")
    assert 'data-finding="too-often"' in suggested(desk, "kamau")
    held = desk.post(FIND, {"q": "kamau"})
    assert held.status_code == 429 and int(held.headers["Retry-After"]) <= 3_600
    assert str(limit.words) % {"most": 2} in held.content.decode()
    sent = {"who": "kamau", "amount": "1", "externalId": "X"}
    assert desk.post(f"/apps/{APP}/payment", sent).context["box"].has_error("who", "too_often")
    assert "ke-3" in suggested(boss, "kamau")


def test_the_trail_is_told_how_many_and_nothing_of_the_words(
    desk: Client, people: BorrowerIndex
) -> None:
    for _ in range(3):
        suggested(desk, "kamau")
    duties.run_duties()
    assert not Entry.objects.exists()
    SearchCount.objects.update(hour=timezone.now() - timedelta(hours=2))
    duties.run_duties()
    duties.run_duties()
    entry = Entry.objects.get()
    assert (entry.username, entry.action) == ("support", "dashboard.borrowers.search")
    assert entry.outcome == "3 searches"
    assert "kamau" not in f"{entry.subject} {entry.detail} {entry.outcome}".lower()


def test_names_are_no_markup(desk: Client, index: BorrowerIndex) -> None:  # noqa: F811
    with transaction.atomic():
        name = "<script>x</script> Kamau"
        cards.put_borrowers(index, [make_borrower("<b>", surname=name)], timezone.now())
    for page in (suggested(desk, "kamau"), results(desk, "kamau")):
        assert "<script>x" not in page and "&lt;script&gt;x" in page


# --- ids in other letters --------------------------------------------------------------------


@pytest.fixture
def counted(db: None) -> Snapshot:
    """A count of three hours ago with loans whose ids have capitals, and what it must not give."""
    ended = timezone.now() - timedelta(hours=3)
    older = Snapshot.objects.create(app_id=APP, state=Snapshot.State.DONE, ended_at=ended)
    row = Snapshot.objects.create(app_id=APP, state=Snapshot.State.DONE, ended_at=ended)
    other = Snapshot.objects.create(app_id="ghana", state=Snapshot.State.DONE, ended_at=ended)
    running = Snapshot.objects.create(app_id=APP)
    for key, of in (("L-K10", row), ("Lk", row), ("L-k9", older), ("L-k9", other)):
        SnapshotLoan.objects.create(snapshot=of, account_id=key, borrower_id="ke-1")
    SnapshotLoan.objects.create(snapshot=running, account_id="L-k9")
    return row


def make_service(server: FaultServer) -> FaultServer:
    """A service that knows the loan `L-K10` and nothing else."""
    server.on("POST /v1/oauth2/token", token())
    server.on("/loans/L-K10", reply({"accountId": "L-K10"}))
    return server


@pytest.mark.parametrize("words", ["l-k10", "L-k10", " l-K10 "])
def test_a_loan_in_other_letters_is_proposed_and_not_followed(
    desk: Client, counted: Snapshot, service: FaultServer, words: str
) -> None:
    page = results(desk, words)
    assert f'href="/apps/{APP}/loans/L-K10/"' in page
    assert read_places(page)["other-case"] == "found" and "3 h ago" in page
    assert service.hits(f"/loans/{words.strip()}") == 1


def test_as_it_was_typed_it_is_read_and_nothing_is_proposed(
    desk: Client, counted: Snapshot, service: FaultServer
) -> None:
    assert desk.get(results_of(desk, APP, "L-K10")).headers["Location"].endswith("/loans/L-K10/")
    # Gone at the service, or of an older count, another app or a count under way.
    service.on("/loans/L-K10", refusal(404))
    for words in ("L-K10", "l-k9", "l-k1", "l-k10%", "L_K10"):
        assert "other-case" not in read_places(results(desk, words)), words


def test_an_id_of_letters_alone_is_proposed_without_a_call(
    desk: Client, people: BorrowerIndex, counted: Snapshot, service: FaultServer
) -> None:
    assert f'href="/apps/{APP}/loans/Lk/"' in results(desk, "LK")
    assert service.arrived == []


def test_loans_are_proposed_to_those_who_may_open_them(
    client_of: ClientOf, viewer: User, counted: Snapshot, service: FaultServer
) -> None:
    for name, is_shown in (("borrowers.get", False), ("loans.get", True)):
        hold_only(viewer, name)
        shown = read_places(results(client_of(viewer), "l-k10"))
        assert ("other-case" in shown) == is_shown


def test_an_assessment_in_other_letters_is_proposed(desk: Client, service: FaultServer) -> None:
    known = AssessmentIndex.objects.create(app_id=APP)
    with transaction.atomic():
        put_assessments(known, [Assessment({"assessmentId": "As-7"})], timezone.now())
    page = results(desk, "aS-7")
    assert f'href="/apps/{APP}/assessments/As-7/"' in page
    assert read_places(page)["other-case"] == "found"
    assert "As-7" not in results(desk, "aS-70")


# --- their open loans ------------------------------------------------------------------------


@pytest.fixture
def count(db: None) -> Snapshot:
    """Three hours old: two open loans of ke-1, one of ke-2 on which nothing is overdue."""
    ended = timezone.now() - timedelta(hours=3)
    row = Snapshot.objects.create(app_id=APP, state=Snapshot.State.DONE, ended_at=ended)
    for key, holder, amount in (("a", "ke-1", "840.05"), ("b", "ke-1", "3.01"), ("c", "ke-2", "0")):
        SnapshotLoan.objects.create(
            snapshot=row,
            account_id=key,
            borrower_id=holder,
            is_open=True,
            overdue=Decimal(amount),
        )
    return row


def loans_of(html: str) -> dict[str, str]:
    """What stands of each person's loans, by borrower id."""
    rows = re.findall(r"<li>(.*?)</li>", html, flags=re.S)
    found = {}
    for row in rows:
        key = re.search(r'<span class="mono">([^<]+)</span>', row)
        said = re.search(r'<small title="Updated ([^"]+)">([^<]+)</small>', row)
        if key:
            found[key[1]] = unescape(f"{said[2]}, {said[1]}") if said else ""
    return found


def test_it_shows_how_many_open_loans_each_has_and_what_is_overdue(
    desk: Client, people: BorrowerIndex, count: Snapshot
) -> None:
    for page in (suggested(desk, "kamau"), results(desk, "kamau")):
        assert loans_of(page) == {
            "ke-1": "2 open loans, KES 843.06 overdue, 3 h ago",
            "ke-2": "1 open loan, nothing overdue, 3 h ago",
            "ke-3": "no open loan, 3 h ago",
            "ke-4": "no open loan, 3 h ago",
        }
    count.loans.filter(account_id="b").update(overdue=None)
    assert loans_of(suggested(desk, "kamau"))["ke-1"].startswith("2 open loans, overdue amount not")


def test_without_a_count_nothing_is_said_of_loans(
    desk: Client, people: BorrowerIndex, count: Snapshot
) -> None:
    Snapshot.objects.update(state=Snapshot.State.FAILED)
    for page in (suggested(desk, "kamau"), results(desk, "kamau")):
        assert loans_of(page) == dict.fromkeys(("ke-1", "ke-2", "ke-3", "ke-4"), "")


def test_where_a_loan_may_be_anybody_s_nobody_is_said_to_have_none(
    desk: Client, people: BorrowerIndex, count: Snapshot
) -> None:
    Snapshot.objects.update(without_borrower=1)
    found = loans_of(suggested(desk, "kamau"))
    assert found["ke-2"].startswith("1 open loan") and found["ke-3"] == ""


def test_who_may_not_list_loans_is_shown_none(
    client_of: ClientOf, viewer: User, people: BorrowerIndex, count: Snapshot
) -> None:
    for names, shown in (([], 0), (["loans.list"], 4)):
        hold_only(viewer, "borrowers.search", "borrowers.names", *names)
        found = loans_of(suggested(client_of(viewer), "kamau"))
        assert len([said for said in found.values() if said]) == shown and len(found) == 4


def test_the_loans_of_all_people_are_read_at_once(
    desk: Client, people: BorrowerIndex, count: Snapshot
) -> None:
    suggested(desk, "kamau")
    asked = []
    for words in ("kamau 3", "kamau"):
        with CaptureQueriesContext(connection) as made:
            assert "data-match" in suggested(desk, words)
        asked.append([one["sql"] for one in made if "portfolio_" in one["sql"]])
    assert [len(one) for one in asked] == [2, 2], asked

"""The name of a borrower beside each id: lists, headings and CSV; initials without the right."""

import csv
import io
import re
from typing import Any

import pytest
from django.conf import settings as configured
from django.contrib.auth.models import Group, Permission
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio.models import FIGURES_VERSION, Snapshot, SnapshotLoan
from lendingadmin.money.repayments.models import Mistake
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.people.index import cards
from lendingadmin.people.index.models import BorrowerCard, BorrowerIndex
from lendingadmin.people.index.tokens import name_key
from lendingadmin.people.search.models import Opened
from lendingadmin.records.notes.services import Record, write_note
from tests.conftest import ClientOf
from tests.events.samples import STAMP, body
from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import FaultServer
from tests.people_index.conftest import make_borrower
from tests.repayments.pages import enter
from tests.repayments.rows import row
from tests.roles import give_roles, group_of
from tests.sandbox.calling import Caller, new_assessment

pytestmark = pytest.mark.django_db(transaction=True)

# The index knows her by an older name than the service: what a page says shows whom it asked.
NAME, INITIALS, LIVE = "Adhiambo Old", "A. O.", "WANJIRU ANNE"
EVENT = f"borrower_3Ab/personal_5Fdata.captured/{STAMP.replace(':', '_3A')}"


def index_of(app_id: str) -> BorrowerIndex:
    return BorrowerIndex.objects.create(
        app_id=app_id, key_name=name_key(configured.PEOPLE_KEYS[0]), complete_at=timezone.now()
    )


def put(index: BorrowerIndex, *borrowers: Any) -> None:
    with transaction.atomic():
        cards.put_borrowers(index, borrowers, timezone.now())


@pytest.fixture
def known(app: LendingApp, book: Caller) -> BorrowerIndex:
    """The index of the app, which knows borrower `b`."""
    index = index_of(app.app_id)
    put(index, make_borrower("b", surname="Adhiambo", othernames="Old"))
    return index


@pytest.fixture
def filled(app: LendingApp, book: Caller, manager: User, support: User) -> dict[str, str]:
    """One of everything that is b's; what stands in an address for it, by a word."""
    assessment = book.post("/assessments", new_assessment()).body["assessmentId"]
    assert book.post("/events", body()).status == 200
    unknown = row(
        support, RepaymentState.UNKNOWN, app_id=app.app_id, account_id="l", borrower_id="b"
    )
    Write.objects.create(
        idempotency_key="form",
        person=manager,
        app_id=app.app_id,
        operation="borrowers.patch",
        subject="b",
        state=WriteState.UNKNOWN,
    )
    note = write_note(Record(app.app_id, "b"), "Asked to be called", manager, "note")
    return {
        "assessment": assessment,
        "receipt": str(unknown.pk),
        "event": EVENT,
        "note": str(note.pk),
    }


def add_counted(app_id: str, loan_id: str, borrower_id: str) -> None:
    """Make a complete update of an app with one loan."""
    done = {"state": Snapshot.State.DONE, "figures_version": FIGURES_VERSION}
    snapshot = Snapshot.objects.create(app_id=app_id, ended_at=timezone.now(), **done)
    SnapshotLoan.objects.create(
        snapshot=snapshot, account_id=loan_id, borrower_id=borrower_id, is_open=True
    )


def names_over(page: str, key: str, name: str = NAME) -> bool:
    """Whether the name stands before the id, in the same cell, heading or line."""
    found = re.search(
        rf'<bdi class="person" title="Updated [^"]+">{re.escape(name)}</bdi>'
        rf"(?:(?!</(?:td|li|dd|p)>).){{0,2000}}?\b{re.escape(key)}\b",
        page,
        re.DOTALL,
    )
    return found is not None


# The page, and the id that the name stands over: of the borrower, or of the loan or write.
PAGES = [
    ("loans/", "b"),
    ("loans/?borrowerId=b", "b"),
    ("loans/l/", "l"),
    ("loans/l/delete", "b"),
    ("loans/l/repayments/new", "l"),
    ("assessments/", "b"),
    ("assessments/{assessment}/", "b"),
    ("events/", "b"),
    ("events/{event}/", "b"),
    ("repayments/", "l"),
    ("repayments/unknown/", "l"),
    ("repayments/{receipt}/", "b"),
    ("", "l"),
    ("borrowers/b/panels/loans", "b"),
    ("borrowers/b/edit", "b"),
    ("borrowers/b/offers/new", "b"),
    ("borrowers/b/offers/", "b"),
    ("borrowers/b/offers/r-1/", "b"),
    ("borrowers/b/offers/r-1/contracts", "b"),
    ("writes/form/", "b"),
    ("borrowers/b/timeline/", "b"),
    ("loans/l/timeline/", "l"),
    ("borrowers/b/notes/new", "b"),
    ("loans/l/notes/new", "l"),
    ("notes/{note}/", "b"),
    ("notes/{note}/revise", "b"),
    ("collections/assignments/borrowers/b/", "b"),
]


def test_a_name_stands_over_the_id(
    boss: Client, app: LendingApp, known: BorrowerIndex, filled: dict[str, str]
) -> None:
    for page, key in PAGES:
        shown = boss.get(f"/apps/{app.app_id}/{page.format(**filled)}")
        assert (page, shown.status_code) == (page, 200)
        assert names_over(shown.content.decode(), key), (page, shown.content.decode())


# Home shows a viewer no single repayment.
OF_OTHERS = r"^$|delete|new$|edit|offers/new|r-1/$|writes|^notes/|^collections/"
OF_VIEWERS = [place for place in PAGES if not re.search(OF_OTHERS, place[0])]


def test_without_the_right_it_is_the_initials(
    client_of: ClientOf,
    viewer: User,
    app: LendingApp,
    known: BorrowerIndex,
    filled: dict[str, str],
) -> None:
    client = client_of(viewer)
    for page, key in OF_VIEWERS:
        shown = client.get(f"/apps/{app.app_id}/{page.format(**filled)}").content.decode()
        assert names_over(shown, key, INITIALS), (page, shown)
        assert NAME not in shown, page


def test_without_an_index_a_page_is_as_it_was(
    boss: Client, app: LendingApp, filled: dict[str, str]
) -> None:
    for page, key in PAGES:
        shown = boss.get(f"/apps/{app.app_id}/{page.format(**filled)}")
        assert (page, shown.status_code) == (page, 200)
        assert 'class="person"' not in shown.content.decode(), page
        assert key in shown.content.decode(), page


def test_a_name_that_is_markup_is_shown_as_text(
    boss: Client, app: LendingApp, known: BorrowerIndex, filled: dict[str, str]
) -> None:
    put(known, make_borrower("b", surname="<script>alert(1)</script>"))
    for page, _ in PAGES:
        shown = boss.get(f"/apps/{app.app_id}/{page.format(**filled)}").content.decode()
        assert "<script>alert" not in shown.lower(), page
        assert "&lt;script&gt;alert" in shown.lower(), page


def read_place(page: str) -> tuple[str, str]:
    """The title of the tab, and the breadcrumbs as text."""
    title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    crumbs = re.search(r'<nav class="crumbs".*?</nav>', page, re.DOTALL)
    assert title and crumbs
    return title[1].strip(), re.sub(r"<[^>]*>", "", crumbs[0])


# The page, the name that it knows, and the id after the name.
TITLED = [
    ("borrowers/b/timeline/", NAME, "b"),
    ("loans/l/", NAME, "l"),
    ("loans/l/timeline/", NAME, "l"),
    ("assessments/{assessment}/", NAME, "{assessment}"),
    ("repayments/{receipt}/", NAME, "rp-{receipt}"),
    # These read the borrower at the service, and then the index has the new name.
    ("borrowers/b/", LIVE, "b"),
    ("borrowers/b/panels/record", LIVE, "b"),
]


def test_titles_begin_with_the_name_and_breadcrumbs_have_it(
    boss: Client, app: LendingApp, known: BorrowerIndex, filled: dict[str, str]
) -> None:
    for page, name, key in TITLED:
        with CaptureQueriesContext(connection) as seen:
            shown = boss.get(f"/apps/{app.app_id}/{page.format(**filled)}").content.decode()
        title, crumbs = read_place(shown)
        key = key.format(**filled)
        assert title.startswith(f"{name} · {key} · "), (page, title)
        assert f"{name} · " in crumbs and key in crumbs, (page, crumbs)
        read = r'SELECT "people_index_borrowercard".*"borrower_id" IN'
        asked = [one["sql"] for one in seen if re.match(read, one["sql"])]
        assert len(asked) <= 1, (page, asked)


def test_without_the_right_titles_and_breadcrumbs_have_the_id(
    client_of: ClientOf,
    viewer: User,
    app: LendingApp,
    known: BorrowerIndex,
    filled: dict[str, str],
) -> None:
    client = client_of(viewer)
    for page, _, key in TITLED:
        shown = client.get(f"/apps/{app.app_id}/{page.format(**filled)}").content.decode()
        title, crumbs = read_place(shown)
        assert title.startswith(key.format(**filled) + " · "), (page, title)
        for hidden in (*NAME.split(), *LIVE.split(), INITIALS, "W. A."):
            assert hidden not in title + crumbs, (page, hidden)


# --- one query for a list ------------------------------------------------------------------


@pytest.mark.parametrize(
    "page", ["loans/?pageSize=100", "assessments/", "events/", "repayments/", "/audit/"]
)
def test_a_list_asks_once_for_its_names(
    boss: Client,
    app: LendingApp,
    book: Caller,
    known: BorrowerIndex,
    filled: dict[str, str],
    manager: User,
    page: str,
) -> None:
    address = page if page.startswith("/") else f"/apps/{app.app_id}/{page}"
    for number in range(6):
        key = f"b{number}"
        put(known, make_borrower(key, surname="More", othernames=str(number)))
        book.borrower(key)
        book.loan(f"l{number}", borrowerId=key)
        book.post("/assessments", new_assessment(accountId=f"borrower:{key}"))
        book.post("/events", body(accountId=f"borrower:{key}"))
        row(manager, app_id=app.app_id, borrower_id=key)
        audit.record(manager, "borrowers.patch", app_id=app.app_id, subject=key, outcome="saved")
    with CaptureQueriesContext(connection) as seen:
        shown = boss.get(address).content.decode()
    assert all(f">More {number}</bdi>" in shown for number in range(6))
    asked = [one["sql"] for one in seen if '"people_index_borrowercard"' in one["sql"]]
    assert len(asked) == 1, asked


# --- the loan page -------------------------------------------------------------------------


class TestTheLoanPage:
    def test_its_heading_is_the_person_with_the_loan_below(
        self, boss: Client, app: LendingApp, known: BorrowerIndex
    ) -> None:
        page = boss.get(f"/apps/{app.app_id}/loans/l/").content.decode()
        heading = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
        assert heading and NAME in heading[1] and f"/apps/{app.app_id}/borrowers/b/" in heading[1]
        assert "Loan <bdi>l</bdi>" in page[heading.end() :]

    def test_without_a_name_it_is_the_loan(
        self, boss: Client, app: LendingApp, book: Caller
    ) -> None:
        page = boss.get(f"/apps/{app.app_id}/loans/l/").content.decode()
        assert "<h1>l</h1>" in page

    def test_the_live_name_and_the_phone_come_after(
        self, boss: Client, app: LendingApp, known: BorrowerIndex
    ) -> None:
        page = boss.get(f"/apps/{app.app_id}/loans/l/").content.decode()
        (address,) = re.findall(r'<h1 hx-get="([^"]+)"', page)
        assert '<span id="borrower-phone"></span>' in page
        part = boss.get(address).content.decode()
        assert LIVE in part and NAME not in part
        assert 'id="borrower-phone" hx-swap-oob="true"' in part
        assert 'href="tel:+254700000001"' in part

    def test_neither_goes_to_somebody_without_the_right(
        self, client_of: ClientOf, viewer: User, app: LendingApp, known: BorrowerIndex
    ) -> None:
        address = f"/apps/{app.app_id}/borrowers/b/name?with=phone"
        part = client_of(viewer).get(address).content.decode()
        assert "W. A." in part
        assert "WANJIRU" not in part and "254700000001" not in part

    @pytest.mark.parametrize(("status", "shown"), [(503, NAME), (404, "<bdi>B-1</bdi>")])
    def test_what_the_index_knows_stands_in_for_a_service_that_does_not_answer(
        self, boss: Client, fault_server: FaultServer, settings: Any, status: int, shown: str
    ) -> None:
        settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
        put(index_of("kenya"), make_borrower("B-1", surname="Adhiambo", othernames="Old"))
        fault_server.on("POST /v1/oauth2/token", token())
        fault_server.on("/borrowers/B-1", refusal(status))
        part = boss.get("/apps/kenya/borrowers/B-1/name").content.decode()
        assert shown in part


# --- single places -------------------------------------------------------------------------


def test_the_step_before_a_repayment_names_the_borrower(
    client_of: ClientOf, support: User, app: LendingApp, known: BorrowerIndex, manager: User
) -> None:
    row(manager, app_id=app.app_id, account_id="l", borrower_id="b", external_id="TX")
    desk = client_of(support)
    page = desk.get(enter(desk, app, externalId="TX-2")).content.decode()
    heading = page[page.index("<h1>") : page.index("</h1>")]
    assert NAME in heading
    assert page.count(f">{NAME}</bdi>") == 3, "in the heading, the payment, and what looks alike"


def test_reported_mistakes_name_the_borrower(
    boss: Client, app: LendingApp, known: BorrowerIndex, manager: User, support: User
) -> None:
    repayment = row(manager, app_id=app.app_id, account_id="L-9", borrower_id="b")
    Mistake.objects.create(
        repayment=repayment,
        reported_by=support,
        reported_at=timezone.now(),
        note="wrong",
        idempotency_key="m",
    )
    for page in ("", "repayments/unknown/"):
        assert names_over(boss.get(f"/apps/{app.app_id}/{page}").content.decode(), "L-9"), page


def test_a_change_to_resolve_names_the_borrower(
    boss: Client, app: LendingApp, known: BorrowerIndex, support: User
) -> None:
    Write.objects.create(
        idempotency_key="lost",
        person=support,
        app_id=app.app_id,
        operation="borrowers.patch",
        subject="b",
        state=WriteState.UNKNOWN,
    )
    page = boss.get(f"/apps/{app.app_id}/").content.decode()
    decisions = page.partition('data-decision="write"')[2].partition("</ul>")[0]
    assert names_over(decisions, "b")


class TestTheTrail:
    @pytest.mark.parametrize(
        ("action", "subject", "is_named"),
        [
            ("borrowers.patch", "b", True),
            ("borrowers.getOffers", "b", True),
            ("assessments.create", "borrower:b", True),
            ("events.create", "borrower:b 2026-10-31T09:00:00.000Z", True),
            ("dashboard.personalContent.reveal", "borrower:b 2026-10-31T09:00:00.000Z", True),
            ("dashboard.borrowers.exportKept", "b", True),
            ("dashboard.assignments.change", "borrower:b", True),
            ("dashboard.collections.call", "borrower:b call-1", True),
            ("dashboard.collections.decide", "borrower:b stop-1", True),
            # Loan `l` is in the journal, loan `s` in the newest update.
            ("loans.makeRepayment", "l rp-1", True),
            ("receipt", "s rp-1", True),
            ("dashboard.collections.decide", "s promise-1", True),
            ("dashboard.statements.keepPayer", "l payer-1", True),
            ("dashboard.notes.write", "s", True),
            ("loans.delete", "l", True),
            # A loan, or a person of the dashboard, that happens to be called so.
            ("loans.delete", "b", False),
            ("dashboard.statements.record", "l", False),
            ("sign-in", "b", False),
        ],
    )
    def test_only_borrowers_are_named(
        self,
        boss: Client,
        app: LendingApp,
        known: BorrowerIndex,
        action: str,
        subject: str,
        is_named: bool,
        support: User,
    ) -> None:
        row(support, app_id=app.app_id, account_id="l", borrower_id="b")
        add_counted(app.app_id, "s", "b")
        audit.record(None, action, app_id=app.app_id, subject=subject, outcome="saved")
        page = boss.get("/audit/").content.decode()
        assert subject in page
        assert (NAME in page) == is_named

    def test_each_by_the_index_and_the_rights_of_its_own_app(
        self, boss: Client, manager: User, app: LendingApp, known: BorrowerIndex, settings: Any
    ) -> None:
        settings.LENDING_APPS = (app, app._replace(app_id="ghana"))
        put(index_of("ghana"), make_borrower("b", surname="Mensah"))
        give_roles(manager, "manager", apps=["ghana"])
        for app_id in (app.app_id, "ghana"):
            audit.record(None, "borrowers.patch", app_id=app_id, subject="b", outcome="saved")
        page = boss.get("/audit/").content.decode()
        assert page.index("Mensah") < page.index(NAME)
        sees = Group.objects.create(name="auditor")
        sees.permissions.add(Permission.objects.get(codename="audit.view"))
        manager.app_roles.filter(app_id="ghana").update(role=sees)
        page = boss.get("/audit/").content.decode()
        assert "Mensah" not in page and NAME in page


def test_last_opened_names_borrowers_and_their_loans(
    client_of: ClientOf, officer: User, app: LendingApp, known: BorrowerIndex, viewer: User
) -> None:
    desk, address = client_of(officer), f"/apps/{app.app_id}/find/last"
    opened = {"person": officer, "app_id": app.app_id, "at": timezone.now()}
    Opened.objects.create(kind="loan", key="b", **opened)
    assert NAME not in desk.get(address).content.decode()
    Opened.objects.create(kind="borrower", key="b", **opened)
    page = desk.get(address).content.decode()
    assert page.count(NAME) == 1 and names_over(page, "b")
    row(officer, app_id=app.app_id, account_id="l", borrower_id="b")
    Opened.objects.create(kind="loan", key="l", **opened)
    # An assessment that happens to be called like the loan.
    Opened.objects.create(kind="assessment", key="l", **opened)
    page = desk.get(address).content.decode()
    assert page.count(NAME) == 2 and names_over(page, "l")
    Opened.objects.update(person=viewer)
    page = client_of(viewer).get(address).content.decode()
    assert NAME not in page and names_over(page, "l", INITIALS)


# --- CSV -----------------------------------------------------------------------------------


def read_csv(answer: Any) -> list[dict[str, str]]:
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("name", ["loans", "assessments", "events", "repayments"])
def test_the_csv_begins_with_the_name(
    boss: Client, app: LendingApp, known: BorrowerIndex, filled: dict[str, str], name: str
) -> None:
    (found,) = read_csv(boss.get(f"/apps/{app.app_id}/{name}/export.csv?technical=1"))
    assert next(iter(found)) == "borrowerName"
    assert found["borrowerName"] == NAME
    BorrowerCard.objects.all().delete()
    (found,) = read_csv(boss.get(f"/apps/{app.app_id}/{name}/export.csv?technical=1"))
    assert found["borrowerName"] == ""


@pytest.mark.parametrize("name", ["loans", "assessments", "events", "repayments"])
def test_the_csv_of_somebody_without_the_right_has_initials(
    boss: Client, app: LendingApp, known: BorrowerIndex, filled: dict[str, str], name: str,
    manager: User,
) -> None:  # fmt: skip
    group = group_of(manager)
    group.permissions.remove(*group.permissions.filter(codename="borrowers.names"))
    (found,) = read_csv(boss.get(f"/apps/{app.app_id}/{name}/export.csv?technical=1"))
    assert found["borrowerName"] == INITIALS


def test_the_csv_asks_for_500_names_at_once(
    boss: Client, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    people = [make_borrower(f"B-{number}", surname=f"S{number}") for number in range(700)]
    put(index_of("kenya"), *people)
    loans = [{"accountId": f"L-{n}", "borrowerId": f"B-{n}"} for n in range(700)]
    fault_server.on("/loans", reply({"loans": [*loans, "odd"], "nextPageToken": None}))
    with CaptureQueriesContext(connection) as seen:
        rows = read_csv(boss.get("/apps/kenya/loans/export.csv?technical=1"))
    asked = [one["sql"] for one in seen if '"people_index_borrowercard"' in one["sql"]]
    assert len(asked) == 2
    assert [one["borrowerName"] for one in rows[:700]] == [f"S{n}" for n in range(700)]
    assert next(iter(rows[700].values())) == "odd"


def test_what_can_be_no_id_is_not_asked_for(
    boss: Client, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    put(index_of("kenya"), make_borrower("B-1", surname="Adhiambo", othernames="Old"))
    odd = ["B\x00", "\ud800", 7, None, ["B-1"], {"id": "B-1"}, "", ".", "x" * 5000, "B-1"]
    loans = [{"accountId": f"L-{n}", "borrowerId": value} for n, value in enumerate(odd)]
    fault_server.on("/loans", reply({"loans": loans, "nextPageToken": None}))
    page = boss.get("/apps/kenya/loans/")
    assert page.status_code == 200
    assert page.content.decode().count(NAME) == 1
    rows = read_csv(boss.get("/apps/kenya/loans/export.csv?technical=1"))
    assert [one["borrowerName"] for one in rows] == [""] * 9 + [NAME]

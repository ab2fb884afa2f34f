"""The timelines against the running sandbox: what stands on them, for whom, and what is missing."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements.models import StatementFile, StatementLine
from lendingadmin.money.repayments.models import Mistake, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.records.notes.services import Record, write_note
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.conftest import ClientOf
from tests.events.samples import body
from tests.faults.behaviours import html, reply, token
from tests.faults.server import FaultServer
from tests.repayments.rows import row
from tests.sandbox.calling import Caller, new_assessment

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "manager"


@pytest.fixture
def base(app: LendingApp, book: Caller) -> str:
    return f"/apps/{app.app_id}"


def words(page: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", page.content.decode())
    return re.sub(r"\s+", " ", text)


def month(page: Any) -> str:
    """What stands in the open month."""
    found = re.search(r'aria-labelledby="month">.*?</section>', page.content.decode(), re.DOTALL)
    assert found
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found[0]))


def enter(by: User, app: LendingApp, **fields: Any) -> Repayment:
    usual = {"app_id": app.app_id, "account_id": "l", "borrower_id": "b"}
    return row(by, **usual | fields)


@pytest.fixture
def filled(app: LendingApp, base: str, book: Caller, support: User, manager: User) -> Repayment:
    """One of everything, a moment ago."""
    assert book.post("/assessments", new_assessment()).status == 200
    assert book.post("/events", body(timestamp=f"{timezone.now():%Y-%m-%dT00:00:00.000Z}")).status
    now = timezone.now()
    paid = enter(
        support,
        app,
        external_id="QWE123",
        approved_by=manager,
        approved_at=now,
        receipt_year=2026,
        receipt_sequence=7,
    )
    Mistake.objects.create(
        repayment=paid,
        note="canarynote",
        reported_by=support,
        reported_at=now,
        reviewed_by=manager,
        reviewed_at=now,
        reviewed_as="no_mistake",
        idempotency_key="m",
    )
    file = StatementFile.objects.create(
        app_id=app.app_id, token="s", digest="s", created_by=support, network="M-PESA"
    )
    StatementLine.objects.create(
        file=file,
        position=1,
        number=12,
        kind="payment",
        receipt="QWE123",
        receipt_key=paid.external_id_key,
        amount=Decimal(100),
        moment=now,
        place="recorded",
        about="canarypayer",
    )
    # Of others, on no timeline of theirs.
    StatementLine.objects.create(
        file=file,
        position=2,
        number=77,
        kind="payment",
        receipt_key="OTHER",
        amount=1,
        moment=now,
        place="recorded",
    )
    enter(support, app, account_id="l2", borrower_id="b2", external_id="stranger")
    enter(support, app, account_id="l3", external_id="his-other-loan")
    write_note(Record(app.app_id, "b2"), "strangernote", support, "n3")
    write_note(Record(app.app_id, "b", "l3"), "note of the other loan", support, "n4")
    OfferRequest.objects.create(
        app_id=app.app_id,
        borrower_id="b",
        request_id="r",
        asked_by=manager,
        asked_at=now,
        last_asked_at=now,
        state=OfferState.DONE,
        assessment_type="assessmentTypes/credit",
    )
    Write.objects.create(
        idempotency_key="w",
        person=manager,
        app_id=app.app_id,
        operation="borrowers.patch",
        subject="b",
        state=WriteState.SAVED,
    )
    write_note(Record(app.app_id, "b"), "canarytext of the borrower", support, "n1")
    write_note(Record(app.app_id, "b", "l"), "canarytext of the loan", support, "n2")
    return paid


def test_all_that_is_known_of_a_borrower_stands_on_one_page(
    desk: Client, base: str, filled: Repayment
) -> None:
    page = desk.get(f"{base}/borrowers/b/timeline/")
    shown = month(page)
    for one in (
        "Assessment",
        "Event captured",
        f"Repayment rp-{filled.pk}",
        "receipt ",
        f"Approved repayment rp-{filled.pk}",
        f"Reported a mistake in repayment rp-{filled.pk}",
        f"Reviewed a mistake in repayment rp-{filled.pk}",
        "Row 12 of M-PESA",
        "Offer requested",
        "canarytext of the borrower",
        "Note on l",
        "canarytext of the loan",
    ):
        assert one in shown, one
    whole, html, timeline = words(page), page.content.decode(), page.context["timeline"]
    # The loan began ten days ago: in this month, or in one that leads to it.
    assert "loans" in {one.source.key for one in timeline.entries} or 'id="months"' in html
    assert "canarynote" not in whole and "canarypayer" not in whole
    assert "stranger" not in whole and "Row 77" not in whole
    assert "his-other-loan" in whole and "note of the other loan" in whole
    assert re.search(r'data-finding="read-loans">[^<]*<time[^>]*>\d\d:\d\d:\d\d<', html)
    sources = [reading.source for reading in timeline.own]
    keys = [one.key for one in sources]
    assert (keys[0], keys[-3:]) == ("writes", ["notes", "calls", "papers"])
    own = re.search(r'data-finding="own">(.*?)<time[^>]*>\d\d:\d\d:\d\d<', html, re.DOTALL)
    assert own and ", ".join(one.title for one in sources) in " ".join(own[1].split())
    read = Entry.objects.get(action="lending.borrowers.get")
    assert (read.subject, read.outcome) == ("borrower:b", "read")


def test_all_that_is_known_of_a_loan(desk: Client, base: str, filled: Repayment) -> None:
    page = desk.get(f"{base}/loans/l/timeline/")
    shown = words(page)
    for one in (
        f"Repayment rp-{filled.pk}",
        "Row 12 of M-PESA",
        "Note on the borrower",
        "canarytext of the loan",
        "canarytext of the borrower",
    ):
        assert one in shown, one
    sources = {one.source.key for one in page.context["timeline"].entries}
    assert "notes" in sources and not sources & {"events", "offers"}
    assert "other loan" not in shown and "other-loan" not in shown
    assert "stranger" not in shown and "Row 77" not in shown
    assert desk.get(f"{base}/loans/nowhere/timeline/").status_code == 404
    assert desk.get(f"{base}/loans/../timeline/").status_code == 404


def test_a_kind_and_a_month_stand_in_the_address(
    desk: Client, base: str, app: LendingApp, filled: Repayment, support: User
) -> None:
    old = enter(support, app, created_at=timezone.now() - timedelta(days=400))
    only = month(desk.get(f"{base}/borrowers/b/timeline/?kind=notes"))
    assert "canarytext" in only and "rp-" not in only
    there = f"{old.created_at.astimezone(app.zone):%Y-%m}"
    page = desk.get(f"{base}/borrowers/b/timeline/?kind=repayments")
    assert f"kind=repayments&amp;month={there}" in page.content.decode()
    past = month(desk.get(f"{base}/borrowers/b/timeline/?kind=repayments&month={there}"))
    assert f"rp-{old.pk}" in past and f"rp-{filled.pk}" not in past
    for wrong in ("kind=nothing", "month=never", "month=2026-13", "kind=%00"):
        assert desk.get(f"{base}/borrowers/b/timeline/?{wrong}").status_code == 404


def test_each_source_that_fails_is_named_and_the_others_stand(
    desk: Client, base: str, filled: Repayment, fault_server: FaultServer, settings: Any
) -> None:
    fault_server.on("/token", token())
    fault_server.on("/loans", reply({"loans": [], "nextPageToken": None}))
    fault_server.on("/events", html(503))
    fault_server.on("/assessments", html(503))
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    page = desk.get(f"{base}/borrowers/b/timeline/").content.decode()
    assert set(re.findall(r'data-finding="unread-(\w+)"', page)) == {"events", "assessments"}
    assert page.count(f'href="{base}/borrowers/b/timeline/"') >= 2
    assert f"Repayment rp-{filled.pk}" in page


def test_a_loan_that_cannot_be_read_is_a_gap_and_its_borrower_is_known_from_the_journal(
    desk: Client, base: str, filled: Repayment, refused_address: str, settings: Any
) -> None:
    settings.LENDING_BASE_URL = refused_address
    page = desk.get(f"{base}/loans/l/timeline/").content.decode()
    assert 'data-finding="unread-loans"' in page
    assert "canarytext of the borrower" in page and f"Repayment rp-{filled.pk}" in page


@pytest.mark.parametrize(
    ("role", "sees", "not_seen"),
    [
        ("viewer", {"repayments", "writes", "offers"}, {"notes", "statements"}),
        ("officer", {"repayments", "notes"}, {"statements"}),
        ("support", {"notes", "statements"}, set()),
    ],
)
def test_who_may_see_a_source(
    people: dict[str, User],
    client_of: ClientOf,
    base: str,
    filled: Repayment,
    role: str,
    sees: set[str],
    not_seen: set[str],
) -> None:
    page = client_of(people[role]).get(f"{base}/borrowers/b/timeline/").content.decode()
    kinds = set(re.findall(r"\?kind=(\w+)", page))
    assert kinds >= sees and not kinds & not_seen
    assert ("canarytext" in page) == ("notes" in sees)
    assert ("Row 12" in page) == (role == "support")
    assert "kept.json" not in page


def test_a_page_costs_no_query_for_an_entry(
    desk: Client, base: str, app: LendingApp, filled: Repayment, support: User
) -> None:
    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert desk.get(f"{base}/borrowers/b/timeline/").status_code == 200
        return len(queries)

    count()
    before = count()
    for number in range(10):
        enter(support, app, external_id=f"T{number}")
        write_note(Record(app.app_id, "b"), "another", support, f"more{number}")
    assert count() == before


def test_what_is_declined_says_by_whom(
    desk: Client, base: str, app: LendingApp, support: User, manager: User
) -> None:
    declined = enter(
        support,
        app,
        state=RepaymentState.DECLINED,
        resolved_by=manager,
        resolved_at=timezone.now(),
    )
    page = desk.get(f"{base}/loans/l/timeline/")
    (told,) = (one.item for one in page.context["timeline"].entries if one.item.by == "manager")
    assert told.url == declined.get_absolute_url() and told.words in month(page)


def test_months_lead_on_where_a_month_has_many(
    desk: Client, base: str, app: LendingApp, support: User
) -> None:
    now = timezone.now()
    made = [
        enter(support, app, external_id=f"T{n}", created_at=now - timedelta(seconds=n))
        for n in range(130)
    ]
    address, found = (
        f"{base}/loans/l/timeline/?kind=repayments&month={now.astimezone(app.zone):%Y-%m}",
        set(),
    )
    for _ in range(2):
        page = desk.get(address)
        found |= {int(one) for one in re.findall(r"Repayment rp-(\d+)", page.content.decode())}
        address = page.context["older_url"]
        assert f'<a href="{escape(address)}">' in page.content.decode() or not address
    assert not address and found == {one.pk for one in made}
    first = page.context["first_url"]
    assert first and f'href="{escape(first)}"' in page.content.decode()

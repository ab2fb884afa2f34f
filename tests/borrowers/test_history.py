"""What was done here with a borrower: all of it, nobody else's, and found by an index."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lendingadmin.core import audit
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.models import Write
from lendingadmin.records.assessments import running
from lendingadmin.records.borrowers import history
from lendingadmin.records.loans import outcomes as loans
from tests.conftest import ClientOf
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db
TIME = "2026-11-01T09:00:00.000Z"
REVEAL = "dashboard.personalContent.reveal"

# What was done, on which subject, and whether it was done with borrower `7`.
DONE = [
    ("borrowers.patch", "7", True),
    ("borrowers.getOffers", "7", True),
    ("assessments.create", "borrower:7", True),
    ("events.create", f"borrower:7 {TIME}", True),
    (REVEAL, f"borrower:7 {TIME}", True),
    ("loans.create", "7", False),
    ("loans.delete", "7", False),
    ("borrowers.patch", "70", False),
    ("assessments.create", "borrower:70", False),
    ("events.create", f"borrower:70 {TIME}", False),
    ("events.create", f"device:7 {TIME}", False),
    (REVEAL, f"borrower:70 {TIME}", False),
]


@pytest.mark.parametrize(("action", "subject", "theirs"), DONE)
def test_what_was_done_with_whom(manager: User, action: str, subject: str, theirs: bool) -> None:
    for app_id in ("kenya", "ghana"):
        Write.objects.create(
            idempotency_key=app_id, person=manager, app_id=app_id, operation=action, subject=subject
        )
        audit.record(manager, action, app_id=app_id, subject=subject, outcome="done")
    found = history.of_borrower(manager, "kenya", "7")
    assert [done.write.app_id for done in found.writes] == ["kenya"] * theirs
    assert [entry.app_id for entry in found.entries or ()] == ["kenya"] * theirs


def test_a_loan_that_was_made_for_them(manager: User) -> None:
    for token, borrower_id in (("a", "7"), ("b", "8")):
        Write.objects.create(
            idempotency_key=token, person=manager, app_id="kenya", operation="loans.create",
            subject="L-1", borrower_id=borrower_id,
        )  # fmt: skip
    (done,) = history.of_borrower(manager, "kenya", "7").writes
    assert (done.words, done.write.idempotency_key) == (loans.OUTCOMES["loans.create"].words, "a")


@pytest.mark.parametrize(
    ("operation", "state", "words"),
    [
        ("assessments.create", "saved", '<a href="/made/">Assess this borrower</a>'),
        ("borrowers.getOffers", "saved", '<a href="/made/">Request offer</a>'),
        ("assessments.create", "unknown", "Assess this borrower"),
        ("borrowers.patch", "saved", "Change this borrower"),
    ],
)
def test_it_is_told_in_words_and_leads_to_what_was_made(
    client_of: ClientOf,
    manager: User,
    operation: str,
    state: str,
    words: str,
) -> None:
    subject = "borrower:7" if operation.startswith("assess") else "7"
    Write.objects.create(
        idempotency_key="t", person=manager, app_id="kenya", operation=operation, subject=subject,
        state=state, url="/made/",
    )  # fmt: skip
    page = client_of(manager).get("/apps/kenya/borrowers/7/").content.decode()
    assert words in page
    assert ("/made/" in page) == ("/made/" in words)


def test_only_managers_see_the_trail(client_of: ClientOf, people: dict[str, User]) -> None:
    audit.record(None, "borrowers.patch", app_id="kenya", subject="7", outcome="done")
    for role, person in people.items():
        page = client_of(person).get("/apps/kenya/borrowers/7/")
        assert list_marks(page, "count") == (["1"] if role == "manager" else [])


@pytest.mark.skipif(connection.vendor != "sqlite", reason="others scan a table this small")
def test_no_question_reads_a_whole_table(manager: User) -> None:
    with CaptureQueriesContext(connection) as asked:
        history.of_borrower(manager, "kenya", "7")
        running._started_here("kenya", "borrower:7")
    plans = [explained(one["sql"]) for one in asked if "_id\" = 'kenya'" in one["sql"]]
    indexes = ("write_of_subject", "repayment_of_borrower", "audit_subject", "write_in_state")
    assert len(plans) == len(indexes)
    for plan, index in zip(plans, indexes, strict=True):
        assert index in plan


def explained(sql: str) -> str:
    """How the database answers a question, in its own words."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return "\n".join(row[3] for row in cursor.fetchall())


@pytest.mark.parametrize(("count", "is_cut"), [(20, False), (21, True)])
def test_what_is_older_than_what_is_shown_is_told(
    manager: User, client_of: ClientOf, count: int, is_cut: bool
) -> None:
    for number in range(count):
        audit.record(manager, "borrowers.patch", app_id="kenya", subject="7", outcome=str(number))
    found = history.of_borrower(manager, "kenya", "7")
    assert (len(found.entries or ()), found.is_cut) == (20, is_cut)
    page = client_of(manager).get("/apps/kenya/borrowers/7/").content.decode()
    assert ('data-finding="cut"' in page) == is_cut

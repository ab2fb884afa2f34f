"""The home page: what stands on it for each role and in which order, and what it counts."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.core.gateway import health
from lendingadmin.core.staff.models import PersonChange, User
from lendingadmin.desk.assignments.models import Assignment
from lendingadmin.desk.collections import services
from lendingadmin.desk.collections.models import Call, Contact, Promise, Stop
from lendingadmin.desk.collections.states import PromiseState, StopKind
from lendingadmin.desk.portfolio.loan_list_form import KINDS
from lendingadmin.desk.portfolio.sections import Work, list_work
from lendingadmin.desk.sheets.models import Sheet
from lendingadmin.desk.statements.models import Allocation, Batch, StatementFile, StatementLine
from lendingadmin.money.repayments import restoration
from lendingadmin.money.repayments.models import Mistake, Repayment, Restoration
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import describe as describe_write
from lendingadmin.money.writes.states import WriteFound, WriteState
from lendingadmin.records.assessments.models import AssessmentIndex, KnownAssessment
from lendingadmin.records.assessments.running import CREATE
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.conftest import ClientOf
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.policies.setting import set_limits, set_second_manager
from tests.portfolio.conftest import counted, mark, read_page, words
from tests.portfolio.service import BookService, loan
from tests.portfolio.test_loan_lists import due, owing
from tests.repayments.rows import row
from tests.roles import choose, give_roles, hold_only

pytestmark = pytest.mark.django_db
CLERK = ["payment", "checking", "mine", "overdue", "due-today"]
OFFICER = ["received", "promised", "due-today", "running", "opened"]
MANAGER = ["decisions", "book"]
# The clerk's list of loans due today stands for both.
BOTH = [name for name in OFFICER if name != "due-today"]
SECTIONS = re.compile(r'id="([a-z-]+)-title"')
UNKNOWN = RepaymentState.UNKNOWN


def sections(html: str) -> list[str]:
    """The sections in their order, without those within the portfolio."""
    own = {*CLERK, *OFFICER, *MANAGER, "due-this-week", "unconfirmed"}
    return [name for name in SECTIONS.findall(html) if name in own]


def badge(html: str, entry: str = "Needs checking") -> str:
    """The number at an entry of the sidebar."""
    found = re.search(rf'<bdi>{entry}</bdi></span>(?:<span class="chip odd">(.*?)<)?', html)
    assert found
    return found[1] or ""


def section(html: str, name: str) -> str:
    """What a person reads in one section."""
    return words(read_section(html, name))


def read_section(html: str, name: str) -> str:
    """One section of the page."""
    found = re.search(rf'<section[^>]*aria-labelledby="{name}-title".*?</section>', html, re.S)
    assert found, name
    return found[0]


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        (["viewer"], ["opened", "due-this-week", "book"]),
        (["officer"], OFFICER),
        (["support"], CLERK),
        (["manager"], ["decisions", "payment", "book"]),
        (["officer", "support"], [*CLERK, *BOTH]),
        (["support", "manager"], ["decisions", *CLERK, "book"]),
        (["officer", "support", "manager"], ["decisions", *CLERK, *BOTH, "book"]),
    ],
)
def test_what_stands_there_for_each_role_and_in_which_order(
    roles: list[str], expected: list[str], client_of: ClientOf, service: BookService
) -> None:
    counted()
    person = User.objects.create_user("somebody")
    give_roles(person, *roles)
    assert sections(read_page(client_of(person))) == expected
    assert service.pages == 3


def work_of(person: User) -> frozenset[Work]:
    """A person's work in one app, read afresh."""
    return list_work(User.objects.get(pk=person.pk), "kenya")


def test_rights_decide_and_not_the_name_of_a_role() -> None:
    person, till = User.objects.create_user("somebody"), Group.objects.create(name="night till")
    assert work_of(person) == {Work.READING}
    hold_only(person, "borrowers.getOffers")
    assert work_of(person) == {Work.LENDING}
    till.permissions.set(Permission.objects.filter(codename="loans.makeRepayment"))
    give_roles(person, till)
    assert work_of(person) == {Work.LENDING, Work.RECORDING}
    till.permissions.add(Permission.objects.get(codename="repayments.reviewMistake"))
    assert work_of(person) == {Work.LENDING, Work.DECIDING}
    assert work_of(User.objects.create_superuser("root")) == {Work.DECIDING}


def test_before_the_first_count_the_lists_say_so(client_of: ClientOf, support: User) -> None:
    html = read_page(client_of(support))
    # The list to call, and the portfolio below.
    assert html.count(mark("uncounted")) == 1
    assert html.count(mark("none")) == 1 and "data-updated" not in html
    assert 'data-finding="all-confirmed"' in html


# --- the clerk's ---------------------------------------------------------------------------


def test_my_payments_of_today_with_their_totals(
    client_of: ClientOf, support: User, manager: User
) -> None:
    row(support, amount="1500", channel="mobile", network="M-PESA")
    row(support, amount="2000.50", channel="mobile", network="M-PESA")
    row(support, amount="70", channel="physical", currency_code="USD")
    row(support, RepaymentState.PRESUMED, amount="5")
    row(support, UNKNOWN, amount="11")
    row(support, RepaymentState.REFUSED, amount="9000")
    row(manager, amount="4000")
    row(support, amount="4000", app_id="ghana")
    row(support, amount="4000", created_at=timezone.now() - timedelta(days=1))
    text = section(read_page(client_of(support)), "mine")
    assert "3 recorded KES 3,505.50" in text and "1 recorded USD 70.00" in text
    assert "mobile, M-PESA 2: KES 3,500.50" in text
    assert "of these, probably recorded 1" in text
    assert "needs checking 1: KES 11.00" in text and "not recorded 1" in text
    assert "4,000.00" not in text


def test_needs_checking_has_its_count_and_the_oldest(client_of: ClientOf, support: User) -> None:
    now = timezone.now()
    oldest = [
        row(support, UNKNOWN, created_at=now - timedelta(hours=12 - hour)) for hour in range(7)
    ]
    text = section(read_page(client_of(support)), "checking")
    assert re.findall(r"(?<!\S)\d+(?!\S)", text)[:2] == ["7", "7"]
    assert [one.account_id in text for one in oldest] == [True] * 5 + [False] * 2


def test_who_is_overdue_and_due_today_with_phones_and_what_came_since(
    client_of: ClientOf,
    support: User,
    service: BookService,
    put: Put,  # noqa: F811
) -> None:
    put("B-1", surname="Kamau", othernames="Ann", phoneNumber="+254700000001")
    service.loans = [owing(number, f"{number}.00") for number in range(1, 8)]
    service.loans += [due(8, 0), due(9, 3)]
    counted()
    client = client_of(support)
    html = read_page(client)
    overdue, today = section(html, "overdue"), section(html, "due-today")
    assert "All 7 " in overdue
    assert re.findall(r"L-\d+", overdue) == ["L-007", "L-006", "L-005", "L-004", "L-003"]
    assert "Kamau Ann L-007 +254 700 000 001 KES 7.00 12 days late" in overdue
    assert today.startswith(KINDS["due-today"].title) and "KES 10.00" in today
    assert 'href="/apps/kenya/loans/lists/?show=due-today"' in html
    assert 'href="tel:+254700000001"' in html
    row(support, account_id="L-007", amount="7")
    row(support, account_id="L-006", amount="2")
    overdue = section(read_page(client), "overdue")
    assert "All 6 " in overdue and "L-007" not in overdue
    assert "KES 4.00 12 days late KES 2.00 recorded just now" in overdue


# --- the officer's -------------------------------------------------------------------------


def promise(by: User, borrower_id: str, state: PromiseState, days: int = 0) -> Promise:
    """A promise of 250 for a day from today on; a broken one was broken just now."""
    own = {"app_id": "kenya", "borrower_id": borrower_id, "account_id": f"L-of-{borrower_id}"}
    key = f"call-{Promise.objects.count()}"
    told = {"outcome": "promise", "idempotency_key": key, "called_by": by}
    call = Call.objects.create(**own, **told, called_at=timezone.now() - timedelta(days=10))
    day = timezone.localdate(timezone=ZoneInfo("Africa/Nairobi")) + timedelta(days=days)
    return Promise.objects.create(call=call, **own, amount=250, day=day, state=state)


def test_an_officer_has_the_payments_and_promises_of_their_own_borrowers(
    client_of: ClientOf, officer: User, support: User
) -> None:
    client = client_of(officer)
    html = read_page(client)
    assert mark("none") in read_section(html, "received")
    assert mark("none") in read_section(html, "promised")
    for borrower_id, person in (("B-1", officer), ("B-2", support)):
        Assignment.objects.create(
            app_id="kenya", borrower_id=borrower_id, officer=person, basis="hand"
        )
    yesterday = timezone.now() - timedelta(days=1)
    ours = row(support, borrower_id="B-1", created_at=yesterday)
    others = [
        row(support, borrower_id="B-2"),
        row(support, RepaymentState.REFUSED, borrower_id="B-1"),
        row(support, borrower_id="B-1", created_at=yesterday - timedelta(days=2)),
    ]
    html = read_page(client)
    received = section(html, "received")
    assert ours.account_id in received
    assert not any(one.account_id in received for one in others)
    promise(officer, "B-1", PromiseState.OPEN)
    promise(officer, "B-2", PromiseState.OPEN)
    promise(officer, "B-1", PromiseState.OPEN, days=1)
    promised = section(read_page(client), "promised")
    assert promised.count("L-of-B-1") == 1 and "L-of-B-2" not in promised


def test_the_sidebar_counts_promises_for_today_and_unallocated_payments(
    client_of: ClientOf, officer: User, support: User, manager: User
) -> None:
    Assignment.objects.create(app_id="kenya", borrower_id="B-1", officer=officer, basis="hand")
    promise(officer, "B-1", PromiseState.OPEN), promise(officer, "B-2", PromiseState.OPEN)
    promise(officer, "B-1", PromiseState.OPEN, days=1)
    promise(officer, "B-1", PromiseState.KEPT)
    wait_unallocated(support)
    assert badge(read_page(client_of(officer)), "Collections") == "1"
    assert badge(read_page(client_of(manager)), "Collections") == "2"
    assert badge(read_page(client_of(support)), "Statements") == "1"


def ask(person: User, request_id: str, state: OfferState, hours: int = 0) -> OfferRequest:
    at = timezone.now() - timedelta(hours=hours)
    return OfferRequest.objects.create(
        app_id="kenya",
        borrower_id="B-1",
        request_id=request_id,
        asked_by=person,
        asked_at=at,
        last_asked_at=at,
        state=state,
    )


def test_my_offers_and_assessments_what_runs_first(
    client_of: ClientOf, officer: User, manager: User
) -> None:
    done = ask(officer, "done", OfferState.DONE)
    runs = ask(officer, "runs", OfferState.RUNNING, hours=1)
    others = [ask(manager, "other", OfferState.RUNNING), ask(officer, "old", OfferState.DONE, 25)]
    for key, person in (("A-1", officer), ("A-2", officer), ("A-3", manager)):
        Write.objects.create(
            person=person,
            app_id="kenya",
            operation=CREATE,
            subject="borrower:B-1",
            state=WriteState.SAVED,
            url=f"/apps/kenya/assessments/{key}/",
            idempotency_key=key,
        )
    known = AssessmentIndex.objects.create(app_id="kenya")
    KnownAssessment.objects.create(
        index=known, assessment_id="A-1", status="1", made_at=timezone.now(), read_at=timezone.now()
    )
    html = read_page(client_of(officer))
    text = section(html, "running")
    assert html.index(runs.get_absolute_url()) < html.index(done.get_absolute_url())
    assert str(OfferState.RUNNING.label) in text and str(OfferState.DONE.label) in text
    assert not any(other.get_absolute_url() in html for other in others)
    assert re.findall(r"/assessments/(A-\d)/", html) == ["A-2", "A-1"]
    assert "started processed" not in text and "just now processed" in text


def test_who_pays_this_week(client_of: ClientOf, viewer: User, service: BookService) -> None:
    service.loans = [due(number, 0, f"{number}.00") for number in range(1, 8)]
    counted()
    text = section(read_page(client_of(viewer)), "due-this-week")
    assert "All 7 " in text
    assert len(re.findall(r"L-\d+", text)) == 5


# --- the manager's -------------------------------------------------------------------------


def report(one: Repayment, by: User) -> None:
    Mistake.objects.create(
        repayment=one,
        note="n",
        reported_by=by,
        reported_at=timezone.now(),
        idempotency_key=f"mistake-{one.pk}",
    )


def test_a_person_s_change_waits_for_who_may_approve_it(
    client_of: ClientOf, manager: User, officer: User, settings: Any
) -> None:
    set_second_manager()
    second = User.objects.create_user("second")
    give_roles(second, "manager")
    mine, theirs = client_of(manager), client_of(second)
    assert mark("none") in read_section(read_page(theirs), "decisions")
    form = {"roles": choose("officer", "support")}
    assert theirs.get(f"/people/{officer.pk}/").status_code == 200
    mine.post(f"/people/{officer.pk}/", form)
    html = read_section(read_page(theirs), "decisions")
    assert 'data-decision="people"' in html and mark("none") not in html
    assert mark("none") in read_section(read_page(mine), "decisions")


def test_a_restored_database_waits_for_a_manager(client_of: ClientOf, manager: User) -> None:
    client, now = client_of(manager), timezone.now()
    gap = Restoration.objects.create(app_id="kenya", since=now - timedelta(hours=1), until=now)
    html = read_section(read_page(client), "decisions")
    assert 'data-decision="restored"' in html and mark("none") not in html
    restoration.end_gap(gap, manager)
    html = read_section(read_page(client), "decisions")
    assert 'data-decision="restored"' not in html and mark("none") in html


def test_what_waits_for_a_decision(client_of: ClientOf, support: User, manager: User) -> None:
    client, now = client_of(manager), timezone.now()
    assert mark("none") in read_section(read_page(client), "decisions")
    waiting = [
        row(support, RepaymentState.PRESUMED),
        row(support, RepaymentState.NOT_FOUND),
        row(support, UNKNOWN, next_check_at=now + timedelta(hours=1), set_aside_at=now),
        row(support, UNKNOWN, next_check_at=None),
    ]
    checked = row(support, UNKNOWN, next_check_at=now + timedelta(hours=1))
    wrong = row(support)
    report(wrong, support)
    html = read_page(client)
    text = section(html, "decisions")
    assert all(one.account_id in text for one in (*waiting, wrong))
    assert checked.account_id not in text
    assert 'data-decision="mistake"' in html and 'data-count="5"' in html
    assert sections(html) == ["decisions", "payment", "book"]


def wait_for_approval(by: User) -> object:
    return row(by, RepaymentState.AWAITING, amount="60000", approval_reasons="amount")


def wait_with_a_batch(by: User, state: str = "awaiting") -> Batch:
    key = str(StatementFile.objects.count())
    file = StatementFile.objects.create(
        app_id="kenya", digest=key, token=key, created_by=by, layout="mpesa"
    )
    reasons = "amount" if state == "awaiting" else ""
    return Batch.objects.create(file=file, created_by=by, state=state, approval_reasons=reasons)


def wait_with_rows(by: User) -> Allocation:
    batch = wait_with_a_batch(by, "ready")
    line = StatementLine.objects.create(file=batch.file, position=1, number=1, kind="payment")
    return Allocation.objects.create(
        batch=batch, line=line, position=1, amount=1, finding="no-loan"
    )


def wait_with_a_difference(by: User) -> object:
    one = row(by, alarm="differs", alarm_at=timezone.now())
    Repayment.objects.filter(pk=one.pk).update(external_id_key=one.external_id)
    file = wait_with_a_batch(by, "done").file
    number = file.pk
    return StatementLine.objects.create(
        file=file, position=number, number=number, kind="charge", receipt_key=one.external_id
    )


def wait_unallocated(by: User) -> object:
    file = wait_with_a_batch(by, "done").file
    return StatementLine.objects.create(
        file=file, position=1, number=1, kind="payment", place="unallocated", amount=1
    )


def wait_unread(by: User) -> StatementFile:
    key = f"unread-{StatementFile.objects.count()}"
    return StatementFile.objects.create(
        app_id="kenya", digest=key, token=key[-32:], created_by=by, content="x"
    )


def wait_with_days(by: User) -> object:
    file = wait_unread(by)
    StatementFile.objects.filter(pk=file.pk).update(layout="table", day_is_proposed=True)
    return file


def wait_with_words(by: User) -> object:
    file = wait_unread(by)
    words = {"status": ["Imekamilika"]}
    StatementFile.objects.filter(pk=file.pk).update(layout="table", unknown_words=words)
    return file


def wait_to_record(by: User) -> object:
    one = wait_with_rows(by)
    return Allocation.objects.filter(pk=one.pk).update(decision="accepted")


def wait_stopped(by: User) -> object:
    return wait_with_a_batch(by, "paused")


def wait_with_a_dispute(by: User) -> None:
    key = f"B-{Stop.objects.count()}"
    services.add_stop("kenya", key, f"L-{key}", StopKind.DO_NOT_CALL, by)
    services.add_stop("kenya", key, f"L-{key}", StopKind.DISPUTE, by)


def wait_with_a_report(by: User) -> object:
    one = row(by)
    report(one, by)
    return one


def wait_with_a_write(by: User) -> Write:
    return Write.objects.create(
        person=by,
        app_id="kenya",
        operation="loans.delete",
        state=WriteState.UNKNOWN,
        found=WriteFound.NOT_SEEN,
        idempotency_key=f"w-{Write.objects.count()}",
    )


def wait_with_a_sheet(by: User) -> object:
    key = f"S-{Sheet.objects.count()}"
    day = timezone.localdate() - timedelta(days=90)
    sums = {"row_count": 1, "due": 1, "overdue": 1, "counted_at": timezone.now()}
    return Sheet.objects.create(
        app_id="kenya", code=key, day=day, created_by=by, idempotency_key=key, **sums
    )


def wait_undecided(by: User) -> object:
    return row(by, RepaymentState.PRESUMED)


# What waits, where it is decided, and whether its own person is left out.
WAITING = [
    (wait_for_approval, 'data-decision="approve"', True),
    (wait_with_a_batch, 'data-decision="batch-approve"', True),
    (wait_with_rows, 'data-decision="batch"', False),
    (wait_with_a_difference, 'data-decision="difference"', False),
    (wait_unallocated, 'data-decision="unallocated"', False),
    (wait_unread, 'data-decision="question"', False),
    (wait_with_days, 'data-decision="question"', False),
    (wait_with_words, 'data-decision="question"', False),
    (wait_to_record, 'data-decision="batch"', False),
    (wait_stopped, 'data-decision="batch"', False),
    (wait_with_a_dispute, 'data-decision="stop"', False),
    (wait_with_a_report, 'data-decision="mistake"', True),
    (wait_with_a_write, 'data-decision="write"', True),
    (wait_with_a_sheet, 'data-decision="sheet"', False),
    (wait_undecided, 'data-decision="resolve"', True),
]


@pytest.mark.parametrize(("put_there", "decision", "leaves_out_own"), WAITING)
def test_all_that_waits_for_a_person_is_counted_for_who_may_decide(
    client_of: ClientOf,
    support: User,
    manager: User,
    settings: Any,
    put_there: Callable[[User], object],
    decision: str,
    leaves_out_own: bool,
) -> None:
    set_limits(amount="50000")
    client = client_of(manager)
    assert mark("none") in read_section(read_page(client), "decisions")
    put_there(manager)
    assert (mark("none") in read_section(read_page(client), "decisions")) == leaves_out_own
    put_there(support)
    html = read_page(client)
    assert decision in html and mark("none") not in read_section(html, "decisions")


@pytest.mark.parametrize(
    ("put_there", "decision"),
    [(one, mark) for one, mark, is_own_out in WAITING if is_own_out],
)
def test_nothing_waits_for_a_person_who_is_not_independent(
    client_of: ClientOf,
    support: User,
    manager: User,
    settings: Any,
    put_there: Callable[[User], object],
    decision: str,
) -> None:
    set_limits(amount="50000")
    client = client_of(manager)
    put_there(support)
    assert decision in read_page(client)
    audit.record(manager, "people.setupLink", subject=support.username, outcome="made")
    html = read_page(client)
    assert decision not in html and mark("none") in read_section(html, "decisions")


STATEMENTS = [wait_with_a_batch, wait_with_rows, wait_unread, wait_with_days, wait_with_words]


@pytest.mark.parametrize("put_there", [*STATEMENTS, wait_to_record, wait_stopped])
def test_the_link_of_home_lists_exactly_the_statements_that_it_counts(
    client_of: ClientOf,
    support: User,
    manager: User,
    settings: Any,
    put_there: Callable[[User], object],
) -> None:
    set_limits(amount="50000")
    client = client_of(manager)
    wait_with_a_batch(support, "done")
    put_there(support), put_there(support)
    waiting = StatementFile.objects.order_by("-pk").values_list("pk", flat=True)[:2]
    found = read_section(read_page(client), "decisions")
    (address,) = re.findall(r'<h3><a href="([^"]+)">2 ', found)
    listed = client.get(address).content.decode()
    assert re.findall(r"/statements/(\d+)/\"", listed) == [str(one) for one in waiting]
    # Everything else is listed without it, also where the address says something unknown.
    for other in ("/apps/kenya/statements/", "/apps/kenya/statements/?waits=x"):
        assert len(re.findall(r"/statements/(\d+)/\"", client.get(other).content.decode())) == 3


def test_the_link_of_home_lists_exactly_the_disputes_that_it_counts(
    client_of: ClientOf, support: User, manager: User
) -> None:
    client = client_of(manager)
    wait_with_a_dispute(support)
    found = read_section(read_page(client), "decisions")
    (address,) = re.findall(r'data-decision="stop">\s*<h3><a href="([^"]+)">1 ', found)
    dispute = Stop.objects.get(kind=StopKind.DISPUTE)
    listed = re.findall(r"/stops/(\d+)/end", client.get(address).content.decode())
    assert listed == [str(dispute.pk)]
    all_of_them = client.get("/apps/kenya/collections/stops/").content.decode()
    assert len(re.findall(r"/stops/(\d+)/end", all_of_them)) == 2


def test_a_question_that_can_not_be_answered_any_more_waits_for_no_person(
    client_of: ClientOf, support: User, manager: User
) -> None:
    wait_with_days(support)
    StatementFile.objects.update(content="")
    assert mark("none") in read_section(read_page(client_of(manager)), "decisions")


def test_what_waits_for_a_clerk_is_on_their_home(client_of: ClientOf, support: User) -> None:
    client = client_of(support)
    assert "decisions" not in sections(read_page(client))
    wait_unallocated(support), wait_with_words(support)
    html = read_section(read_page(client), "decisions")
    assert re.findall(r'data-decision="([^"]+)"', html) == ["unallocated", "question"]


def test_a_write_that_waits_is_shown_once_and_after_the_money(
    client_of: ClientOf, support: User, manager: User
) -> None:
    decided = [wait_with_a_write(support) for _ in range(7)]
    wait_undecided(support), wait_unallocated(support), wait_with_a_sheet(support)
    checked = wait_with_a_write(support)
    Write.objects.filter(pk=checked.pk).update(found="", next_check_at=timezone.now())
    html = read_page(client_of(manager))
    kinds = re.findall(r'data-decision="([^"]+)"', html)
    assert kinds == ["resolve", "unallocated", "sheet", "write"]
    assert section(html, "decisions").count(describe_write(checked)) == 5
    # The five that wait longest are to decide; the others are listed once, too.
    addresses = [one.get_absolute_url() for one in (*decided, checked)]
    own, rest = (read_section(html, name) for name in ("decisions", "unconfirmed"))
    assert [one in own for one in addresses] == [True] * 5 + [False] * 3
    assert [one in rest for one in addresses] == [False] * 5 + [True] * 3
    Write.objects.exclude(pk__in=[one.pk for one in decided[:5]]).delete()
    assert "unconfirmed" not in sections(read_page(client_of(manager)))
    # The person who entered them decides nothing and sees all of them.
    rest = read_section(read_page(client_of(support)), "unconfirmed")
    assert all(one.get_absolute_url() in rest for one in decided[:5])


def test_a_change_of_a_person_waits_for_who_is_independent_of_its_asker(
    client_of: ClientOf, manager: User, settings: Any
) -> None:
    set_second_manager()
    second, person = User.objects.create_user("second"), User.objects.create_user("person")
    give_roles(second, "manager")
    PersonChange.objects.create(
        person=person,
        asked_by=second,
        kind=PersonChange.Kind.ROLES,
        moves=[["+", "kenya", Group.objects.get(name="support").pk]],
        asked_at=timezone.now(),
    )
    client = client_of(manager)
    assert mark("none") not in read_section(read_page(client), "decisions")
    audit.record(manager, "people.setupLink", subject="second", outcome="made")
    assert mark("none") in read_section(read_page(client), "decisions")


def test_more_of_what_waits_takes_no_more_queries(
    client_of: ClientOf, support: User, manager: User, officer: User, settings: Any
) -> None:
    set_limits(amount="50000")
    set_second_manager()
    client, second = client_of(manager), User.objects.create_user("second")
    give_roles(second, "manager")
    role = Group.objects.get(name="support")

    def fill(times: int) -> int:
        for number in range(times):
            for put_there, _mark, _own in WAITING:
                put_there(support)
            person = User.objects.create_user(f"p-{times}-{number}")
            PersonChange.objects.create(
                person=person,
                asked_by=second,
                kind=PersonChange.Kind.ROLES,
                moves=[["+", "kenya", role.pk]],
                asked_at=timezone.now(),
            )
        read_page(client)
        with CaptureQueriesContext(connection) as made:
            html = read_page(client)
        assert html.count("data-decision=") == 12
        return len(made)

    assert fill(7) <= fill(2)


def test_each_row_that_waits_has_its_loan_amount_and_the_page_where_it_is_decided(
    client_of: ClientOf, support: User, manager: User, settings: Any
) -> None:
    set_limits(amount="50000")
    wait_for_approval(support), wait_with_a_report(support), wait_undecided(support)
    wait_with_a_sheet(support), wait_unallocated(support)
    broken = promise(support, "B-1", PromiseState.BROKEN, days=-2)
    large = Repayment.objects.get(state=RepaymentState.AWAITING)
    decided_at = {
        "approve": f"/apps/kenya/repayments/{large.pk}/approve",
        "mistake": Mistake.objects.get().repayment.get_absolute_url(),
        "resolve": Repayment.objects.get(state=RepaymentState.PRESUMED).get_absolute_url(),
        "sheet": Sheet.objects.get().get_absolute_url(),
        "unallocated": "/apps/kenya/statements/unallocated/",
        "promise": broken.get_absolute_url(),
    }
    html = read_section(read_page(client_of(manager)), "decisions")
    kinds = re.split(r'data-decision="', html)[1:]
    found = {
        kind.partition('"')[0]: re.findall(r'class="button small" href="([^"]+)"', kind)
        for kind in kinds
    }
    assert {name: found[name] for name in decided_at} == {
        name: [address] for name, address in decided_at.items()
    }
    approve = next(kind for kind in kinds if kind.startswith("approve"))
    assert large.account_id in approve and "60,000.00" in approve and "support" in approve
    # A call after it was broken ends the wait.
    Contact.objects.create(
        app_id="kenya", borrower_id="B-1", last_call=broken.call, next_at=timezone.now()
    )
    Call.objects.filter(pk=broken.call_id).update(called_at=timezone.now())
    assert 'data-decision="promise"' not in read_page(client_of(manager))


def test_who_only_approves_has_what_waits_too(
    client_of: ClientOf, support: User, settings: Any
) -> None:
    approver = User.objects.create_user("approver")
    hold_only(approver, "repayments.approve", "loans.get", "loans.list")
    wait_for_approval(support)
    set_limits(amount="50000")
    assert 'data-decision="approve"' in read_page(client_of(approver))


@pytest.mark.parametrize(
    ("state", "name"), [(RepaymentState.RECORDED, "mine"), (RepaymentState.PRESUMED, "checking")]
)
def test_a_reported_mistake_shows_wherever_its_repayment_does(
    client_of: ClientOf, support: User, state: RepaymentState, name: str
) -> None:
    one = row(support, state)
    reported = 'data-mistake="open"'
    assert reported not in read_section(read_page(client_of(support)), name)
    report(one, support)
    assert reported in read_section(read_page(client_of(support)), name)


def test_the_badge_counts_all_that_waits_for_the_person(
    client_of: ClientOf, support: User, manager: User
) -> None:
    clerk, boss = client_of(support), client_of(manager)
    assert badge(read_page(boss)) == badge(read_page(clerk)) == ""
    # A due check would be made by the page itself.
    later, now = timezone.now() + timedelta(hours=1), timezone.now()
    row(support, UNKNOWN, next_check_at=later)
    row(support, RepaymentState.PRESUMED)
    row(support, RepaymentState.NOT_FOUND, next_check_at=later, alarm="late", alarm_at=now)
    row(support, UNKNOWN, app_id="ghana", next_check_at=later)
    assert badge(read_page(boss)) == badge(read_page(clerk)) == "3"
    # Alarms and reports wait for those who may decide; an alarm on one that is counted counts once.
    row(support, alarm="late", alarm_at=now)
    report(row(support), support)
    assert (badge(read_page(clerk)), badge(read_page(boss))) == ("3", "5")
    # Rights that are taken take the counts along at once.
    role = Group.objects.get(name="manager")
    names = ["repayments.resolve", "repayments.reviewMistake"]
    role.permissions.remove(*Permission.objects.filter(codename__in=names))
    assert badge(read_page(boss)) == "3"


# --- of everybody --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "most"), [("viewer", 15), ("officer", 19), ("support", 19), ("manager", 18)]
)
def test_more_of_everything_takes_no_more_queries(
    role: str,
    most: int,
    client_of: ClientOf,
    people: dict[str, User],
    service: BookService,
    put: Put,  # noqa: F811
) -> None:
    put("B-1", surname="Kamau")
    person = people[role]
    client = client_of(person)

    def fill(times: int) -> int:
        for number in range(times):
            report(row(people["support"], borrower_id="B-1"), people["viewer"])
            for state in (UNKNOWN, RepaymentState.PRESUMED, RepaymentState.RECORDED):
                row(person, state, borrower_id="B-1")
            ask(person, f"r-{times}-{number}", OfferState.RUNNING)
        service.size = 1000
        service.loans = [due(n, 0) for n in range(times)] + [
            owing(n) for n in range(50, 50 + times)
        ]
        counted()
        read_page(client)
        with CaptureQueriesContext(connection) as made:
            read_page(client)
        return len(made)

    assert fill(9) <= fill(2) <= most


def test_as_of_stands_once_and_paper_has_the_time_itself(
    client_of: ClientOf, manager: User, service: BookService
) -> None:
    last = counted()
    html = read_page(client_of(manager))
    assert html.count("data-updated") == 1
    assert last.ended_at
    local = last.ended_at.astimezone(ZoneInfo("Africa/Nairobi"))
    assert re.search(
        rf'data-updated>[^<]*<time[^>]* data-on-paper="[^"]*{local:%H:%M}">just now</time>', html
    )
    # Whatever else says how long ago it was has its own time too.
    times = r">(?:just now|in a moment|in [\d,]+ \w+|[\d,]+ \w+ ago)</time>"
    assert len(re.findall(times, html)) == html.count('data-on-paper="')


@pytest.fixture
def quiet() -> Any:
    """Nothing is remembered of other tests' calls, nor left for them."""
    health._silence.reset()
    yield
    health._silence.reset()


@pytest.mark.usefixtures("quiet")
def test_a_service_that_is_down_is_one_plain_banner(
    client_of: ClientOf,
    support: User,
    service: BookService,
    refused_address: str,
    settings: Any,
) -> None:
    counted()
    client = client_of(support)
    assert mark("silent") not in read_page(client)
    for _ in range(2):
        row(support, UNKNOWN, next_check_at=timezone.now())
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = refused_address
    html = read_page(client)
    silent = html.partition(mark("silent"))[2].partition("</p>")[0]
    assert silent.startswith(' data-count="2"') and re.search(r"\d\d:\d\d:\d\d", silent)
    assert sections(html) == CLERK
    assert "L-" in section(html, "overdue") and badge(html) == "2"
    assert re.sub(r"<template.*?</template>", "", html, flags=re.S).count('class="notice') == 1
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = service.server.url
    counted()
    assert mark("silent") not in read_page(client)


@pytest.mark.usefixtures("quiet")
def test_an_old_failure_says_nothing_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    move: Callable[[int], None] = lambda minutes: monkeypatch.setattr(  # noqa: E731
        health.timezone, "now", lambda: now + timedelta(minutes=minutes)
    )
    move(0)
    health._silence.note(is_answered=False)
    move(4)
    health._silence.note(is_answered=False)
    assert health.find_silence() == now
    move(10)
    assert health.find_silence() is None
    health._silence.note(is_answered=False)
    health._silence.note(is_answered=True)
    assert health.find_silence() is None


def test_charts_are_half_as_tall(client_of: ClientOf, manager: User, service: BookService) -> None:
    service.loans = [loan(0, loanAmount=Decimal("4000"))]
    counted(), counted()
    heights = {
        int(one)
        for one in re.findall(r'class="chart plot" height="(\d+)"', read_page(client_of(manager)))
    }
    assert heights == {66, 100}

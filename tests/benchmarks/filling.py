"""Fills the dashboard's own tables as years of work leave them: quickly, by the database itself.

A year of repayments in two apps, by three hundred people: more than 99 of 100 are recorded, some
hundred are in doubt. The database makes the rows out of their numbers, without indexes, which are made
afterwards.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.db import connection
from django.utils import timezone

from lendingadmin.assessments.models import AssessmentIndex
from lendingadmin.assignments.models import Assignment, Basis
from lendingadmin.collections.models import Call, CallQueue, Contact, Promise, Stop
from lendingadmin.notes.models import Note, NoteVersion
from lendingadmin.portfolio.figures import Figures
from lendingadmin.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.portfolio.reading import set_ranks
from lendingadmin.repayments.models import Repayment, normalise_external_id
from lendingadmin.staff.models import User
from lendingadmin.statements.models import StatementFile, StatementLine
from lendingadmin.writes.models import Write

CLERKS = 300
LOANS = 60_000
# Rows of a statement.
_A_DAY = 1_000
# Whom somebody said to pay a loan.
_PAYERS = 5_000
_YEAR = timedelta(days=365)
_TABLES = (
    *("repayments_repayment", "repayments_reading", "repayments_mistake"),
    *("audit_entry", "writes_write", "assessments_knownassessment", "offers_offerrequest"),
    *("statements_statementfile", "statements_statementline"),
    *("statements_batch", "statements_allocation", "statements_payerlink"),
    "repayments_cashcount",
)

_APP = "CASE WHEN n % 3 = 0 THEN 'ghana' ELSE 'kenya' END"
_CLERK = f"n * 7919 % {CLERKS}"
_STATE = """CASE WHEN n % 2500 = 0 THEN 'unknown' WHEN n % 2500 = 1 THEN 'not_found'
  WHEN n % 2500 = 2 THEN 'presumed' WHEN n % 500 = 3 THEN 'refused'
  WHEN n % 1000 = 4 THEN 'not_sent' WHEN n % 2000 = 5 THEN 'resolved' ELSE 'recorded' END"""


class _Words(NamedTuple):
    """How a database says what the two say differently; `n` is the number of a row."""

    series: str
    moment: str
    padded: str


_DIALECTS = {
    "sqlite": _Words(
        "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {0})"
        " SELECT n FROM s)",
        "datetime({0}, 'unixepoch')",
        "substr('000000' || ({0}), -6)",
    ),
    "postgresql": _Words(
        "generate_series(1, {0}) AS s(n)",
        "to_timestamp({0})",
        "right('000000' || ({0}), 6)",
    ),
}


def fill(repayments: int, entries: int, writes: int, assessments: int) -> None:
    """Make so many rows of each, and what belongs to them."""
    now = timezone.now()
    clerks = [User(username=f"clerk-{number:03}") for number in range(CLERKS)]
    User.objects.bulk_create(clerks)
    first = (
        User.objects.order_by("pk").filter(username__startswith="clerk-").values_list("pk")[0][0]
    )
    with _quickly():
        _insert("repayments_repayment", _repayments(now, repayments, first), repayments)
        _insert("repayments_reading", _readings(now, repayments * 2), repayments * 2)
        _insert("repayments_mistake", _mistakes(now, repayments, first), 300)
        _insert("audit_entry", _entries(now, entries, first), entries)
        _insert("writes_write", _writes(now, writes, first), writes)
        walked = AssessmentIndex.objects.create(
            app_id="kenya", complete_at=now, began_at=now, known=assessments, walk=1
        )
        rows = _assessments(now, assessments, walked.pk)
        _insert("assessments_knownassessment", rows, assessments)
        _insert("offers_offerrequest", _offers(now, writes, first), writes)
        days = max(repayments // 2_500, 1)
        _insert("statements_statementfile", _statements(now, days, first), days)
        _insert("statements_statementline", _statement_lines(now, days), days * _A_DAY)
        _insert("statements_batch", _batches(now, days, first), days)
        _insert("statements_allocation", _allocations(), days * _A_DAY)
        _insert("statements_payerlink", _payers(now, first), _PAYERS)
        _insert("repayments_cashcount", _cash_counts(now, days, first), days * CLERKS)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for table in _TABLES:
                cursor.execute(f"VACUUM ANALYZE {table}")


def fill_count(loans: int = 0) -> None:
    """A complete count of so many loans of `kenya`, else LOANS: four of five open, every eighth
    overdue.
    """
    loans = loans or LOANS
    now = timezone.now()
    day = timezone.localdate()
    row = Snapshot.objects.create(
        app_id="kenya",
        state=Snapshot.State.DONE,
        began_at=now - timedelta(hours=3),
        ended_at=now - timedelta(hours=3),
        loans_read=loans,
        figures=Figures(day).as_json(),
    )
    SnapshotLoan.objects.bulk_create(
        (_make_counted(row, n, day, loans) for n in range(loans)), batch_size=1_000
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE portfolio_snapshotloan")


def _make_counted(row: Snapshot, n: int, day: date, loans: int) -> SnapshotLoan:
    is_open, outstanding = n % 5 > 0, Decimal(n * 7919 % loans) / 4
    overdue = outstanding / 8 if is_open and n % 8 == 1 else Decimal(0)
    loan = SnapshotLoan(
        snapshot=row,
        account_id=f"L-{n:06}",
        borrower_id=f"B-{n % (loans * 2 // 3):06}",
        product_id=f"term-{n % 12}-months",
        status="2" if is_open else "3",
        is_open=is_open,
        is_first_missed=bool(overdue) and n % 3 == 0,
        start_day=day - timedelta(days=n % 365),
        settlement_day=None if is_open else day - timedelta(days=n % 365),
        days_late=n % 200 if overdue else 0,
        next_due_day=day + timedelta(days=n % 31) if is_open else None,
        next_due_amount=outstanding / 6,
        principal=outstanding * 2,
        outstanding=outstanding,
        overdue=overdue,
        paid=outstanding,
    )
    set_ranks(loan)
    return loan


def fill_timeline(repayments: int = 3_000, notes: int = 1_000, lines: int = 500) -> None:
    """A borrower of `kenya` with so much in three years, a third of it in the last month.

    With as many writes as rows of statements, 5,000 entries in all.
    """
    now, clerk = timezone.now(), User.objects.get(username="clerk-000")
    # The numbers of the others were given by hand, so that the database would give them once more.
    file = StatementFile.objects.create(
        pk=1_000_000,
        app_id="kenya",
        token="timeline",
        digest="timeline",
        created_by=clerk,
        network="M-PESA",
    )
    for n in range(repayments):
        at = _spread(now, n, repayments)
        given = {"created_at": at, "state_at": at, "transaction_date": at, "value_date": at}
        Repayment.objects.create(
            **given, app_id="kenya", account_id="L-000001", borrower_id="B-LONG", send_before=at,
            external_id=f"LONG-{n}", amount=Decimal(500), state="recorded", created_by=clerk,
            idempotency_key=f"timeline-{n}",
        )  # fmt: skip
    made = Note.objects.bulk_create(
        Note(
            app_id="kenya", borrower_id="B-LONG", account_id="L-000001" if n % 2 else "",
            author=clerk, created_at=_spread(now, n, notes), is_pinned=n < 3,
        )
        for n in range(notes)
    )  # fmt: skip
    NoteVersion.objects.bulk_create(
        NoteVersion(
            note=note, number=number, author=clerk, created_at=note.created_at,
            text="Asked to be called after six. " * 5,
            idempotency_key=f"timeline-{note.pk}-{number}",
        )
        for note in made
        for number in (1, 2)
    )  # fmt: skip
    StatementLine.objects.bulk_create(
        StatementLine(
            file=file, position=n, number=n, kind="payment", receipt=f"LONG-{n}",
            receipt_key=normalise_external_id(f"LONG-{n}"), amount=Decimal(500),
            moment=_spread(now, n, lines), place="recorded",
        )
        for n in range(lines)
    )  # fmt: skip
    for n in range(lines):
        write = Write.objects.create(
            idempotency_key=f"timeline-{n}", person=clerk, app_id="kenya", state="saved",
            operation="borrowers.patch", subject="B-LONG", borrower_id="B-LONG",
        )  # fmt: skip
        Write.objects.filter(pk=write.pk).update(created_at=_spread(now, n, lines))


def _spread(now: datetime, n: int, count: int) -> datetime:
    """When one of so many was: every third within the last month, the others in three years."""
    return now - (timedelta(days=25) if n % 3 == 0 else 3 * _YEAR) * (n / count)


def fill_assignments(loans: int) -> None:
    """An officer for every borrower of a count: `manager` has a third of them, `officer` one in
    forty, `support` ten, and clerks the others.
    """
    borrowers = loans * 2 // 3
    names = ("manager", "officer", "support")
    few = {name: User.objects.get(username=name).pk for name in names}
    clerks = [User.objects.create(username=f"agent-{number:03}").pk for number in range(CLERKS)]

    def choose(n: int) -> int:
        if n % 3 == 0:
            return few["manager"]
        if n % (borrowers // 10) == 1:
            return few["support"]
        return few["officer"] if n % 40 == 2 else clerks[n * 7919 % CLERKS]

    Assignment.objects.bulk_create(
        (
            Assignment(
                app_id="kenya",
                borrower_id=f"B-{n:06}",
                officer_id=choose(n),
                basis=Basis.RULE,
            )
            for n in range(borrowers)
        ),
        batch_size=2_000,
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE assignments_assignment")


def make_queues() -> list[CallQueue]:
    """A queue of each kind of list, and of what managers narrow lists by."""
    person = User.objects.get(username="manager")
    queries = (
        *("", "show=overdue", "show=due-today", "show=due-this-week", "show=first-missed"),
        *("show=closed", "show=overdue&late=8-30", "show=overdue&product=term-3-months"),
        *("show=overdue&sort=-late", "sort=began", "show=overdue&sort=-principal"),
    )
    return [
        CallQueue.objects.create(
            app_id="kenya", name=query or "open", query=query, created_by=person
        )
        for query in queries
    ]


def fill_calls(calls: int, loans: int) -> None:
    """A year of calls with the borrowers of a count: the newest of each says when the next may be.

    Every fourth led to a promise, of which one in ten is open; every fiftieth to a stop.
    """
    now, person = timezone.now(), User.objects.get(username="officer")
    borrowers = loans * 2 // 3

    def make(n: int) -> Call:
        return Call(
            app_id="kenya",
            borrower_id=f"B-{n * 7919 % borrowers:06}",
            account_id=f"L-{n * 7919 % borrowers:06}",
            queue=("late-1-7", "late-8-30", "late-31")[n % 3],
            outcome="promise" if n % 4 == 0 else "no_answer",
            idempotency_key=f"bench-{n}",
            called_by=person,
            called_at=now - timedelta(days=365) * (calls - n) / calls,
        )

    made = Call.objects.bulk_create(map(make, range(calls)), batch_size=2_000)
    newest = {call.borrower_id: call for call in made}
    Contact.objects.bulk_create(
        (
            Contact(
                app_id="kenya",
                borrower_id=key,
                last_call=call,
                # Whoever was called within the last week is left in peace for three days.
                next_at=call.called_at + timedelta(days=3),
            )
            for key, call in newest.items()
        ),
        batch_size=2_000,
    )
    Promise.objects.bulk_create(
        (
            Promise(
                call=call,
                app_id="kenya",
                borrower_id=call.borrower_id,
                account_id=call.account_id,
                amount=100,
                day=(call.called_at + timedelta(days=2)).date(),
                made_at=call.called_at,
                state="open" if n % 10 == 0 else ("kept", "broken")[n % 2],
            )
            for n, call in enumerate(made[::4])
        ),
        batch_size=2_000,
    )
    Stop.objects.bulk_create(
        (
            Stop(
                app_id="kenya",
                borrower_id=key,
                account_id=call.account_id,
                kind="dispute",
                created_by=person,
                since=call.called_at,
            )
            for key, call in list(newest.items())[::50]
        ),
        batch_size=2_000,
    )
    with connection.cursor() as cursor:
        for model in (Call, Contact, Promise, Stop):
            cursor.execute(f"ANALYZE {model._meta.db_table}")


def measure_size() -> str:
    """How much of the disk the database takes, in words."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        else:
            cursor.execute("SELECT pg_database_size(current_database())")
        return f"{cursor.fetchone()[0] / 1e9:.2f} GB"


def _at(now: datetime, count: int, plus: str = "0") -> str:
    """When row `n` of so many was made: evenly over the year before now."""
    start, step = (now - _YEAR).timestamp(), _YEAR.total_seconds() / count
    seconds = f"CAST({start:.0f} + n * {step:.6f} AS bigint) + {plus}"
    return _words().moment.format(seconds)


def _words() -> _Words:
    return _DIALECTS[connection.vendor]


def _pad(number: str) -> str:
    return _words().padded.format(number)


def _repayments(now: datetime, count: int, first: int) -> dict[str, str]:
    at = _at(now, count)
    # Of the open ones each has a loan of its own, as the table's constraint asks.
    loan = f"CASE WHEN n % 2500 = 0 THEN 'U-' || n ELSE 'L-' || {_pad(f'n * 7919 % {LOANS}')} END"
    paid_on = _at(now, count, "0 - n * 31 % 259200")
    return {
        "app_id": _APP,
        "account_id": loan,
        "borrower_id": f"'B-' || {_pad(f'n * 7919 % {LOANS} % 40000')}",
        "external_id": "'TX' || n",
        "external_id_key": "'tx' || n",
        "external_id_minted": "n < 0",
        "amount": "100 + n % 9000",
        "transaction_date": paid_on,
        "value_date": paid_on,
        "channel": "CASE n % 4 WHEN 0 THEN 'web' WHEN 1 THEN '' ELSE 'mobile' END",
        "network": "CASE WHEN n % 50000 = 7 THEN 'POSTBANK' WHEN n % 3 = 0 THEN ''"
        " ELSE 'M-PESA' END",
        "currency_code": "''",
        "notes": "''",
        "state": _STATE,
        "state_at": at,
        "created_at": at,
        "created_by_id": f"{first} + {_CLERK}",
        "send_before": _at(now, count, "30"),
        "ended_by_sweep": "n < 0",
        "sent_at": at,
        "idempotency_key": "'form-' || n",
        "duplicate": "n < 0",
        "status": "200",
        "error_description": "''",
        "request_id": "'request-' || n",
        "why": "''",
        "attempts": "0",
        # Due tomorrow: a page that takes a look waits for the service, and is not measured here.
        "next_check_at": f"CASE WHEN n % 2500 < 2 THEN {_at(now, count, '31622400')} END",
        "alarm": "CASE WHEN n % 5000 = 6 THEN 'The service acknowledged it late.' ELSE '' END",
        "alarm_at": f"CASE WHEN n % 5000 = 6 THEN {at} END",
        "alarm_seen_at": f"CASE WHEN n % 10000 = 6 THEN {at} END",
        "notified_at": f"CASE WHEN n % 2500 < 2 THEN {at} END",
        "set_aside_reason": "''",
        "approval_reasons": "''",
        "resolution": "CASE WHEN n % 4000 = 5 THEN 'recorded' WHEN n % 2000 = 5 THEN 'not_recorded'"
        " ELSE '' END",
        "resolution_reason": "''",
        "receipt_year": f"CASE WHEN ({_STATE}) = 'recorded' THEN {now.year} END",
        "receipt_sequence": f"CASE WHEN ({_STATE}) = 'recorded' THEN n END",
    }


def _readings(now: datetime, count: int) -> dict[str, str]:
    """Of each repayment's loan, before it and after."""
    return {
        "repayment_id": "(n + 1) / 2",
        "kind": "CASE n % 2 WHEN 1 THEN 'baseline' ELSE 'after' END",
        "taken_at": _at(now, count),
        "paid": "n % 9000 || '.50'",
        "unpaid": "n % 700 || '.25'",
        "next_amount": "n % 70 || '.25'",
        "next_due": "'2026-12-21T23:59:59.999000+00:00'",
        "fault": "''",
    }


def _mistakes(now: datetime, repayments: int, first: int) -> dict[str, str]:
    return {
        "repayment_id": f"n * {repayments // 301}",
        "note": "''",
        "reported_at": _at(now, 300),
        "reported_by_id": f"{first} + {_CLERK}",
        "idempotency_key": "'report-' || n",
        "reviewed_as": "CASE WHEN n % 5 = 0 THEN '' ELSE 'no_mistake' END",
        "reason": "''",
        "reviewed_at": f"CASE WHEN n % 5 <> 0 THEN {_at(now, 300)} END",
    }


def _entries(now: datetime, count: int, first: int) -> dict[str, str]:
    action = """CASE WHEN n % 100000 = 7 THEN 'dashboard.people.manage'
      WHEN n % 50 = 1 THEN 'dashboard.personalContent.reveal' WHEN n % 50 = 2 THEN 'borrowers.patch'
      WHEN n % 50 = 3 THEN 'events.create' WHEN n % 5 = 4 THEN 'sign-in'
      ELSE 'loans.makeRepayment' END"""
    borrower = f"{_pad(f'n * 7919 % {LOANS} % 40000')}"
    subject = f"""CASE WHEN n % 50 IN (1, 3) THEN 'B-' || {borrower} || ' 2026-03-01T08:00:00Z'
      WHEN n % 50 = 2 THEN 'B-' || {borrower} WHEN n % 5 = 4 THEN ''
      ELSE 'L-' || {_pad(f"n * 7919 % {LOANS}")} || ' rp-' || n END"""
    return {
        "at": _at(now, count),
        "user_id": f"{first} + {_CLERK}",
        "username": f"'clerk-' || substr({_pad(_CLERK)}, 4, 3)",
        "role": "'support'",
        "action": action,
        "app_id": f"CASE WHEN n % 5 = 4 THEN '' ELSE {_APP} END",
        "subject": subject,
        "outcome": "'recorded'",
        "saved": "CASE WHEN n % 5 = 4 THEN '' ELSE 'yes' END",
        "request_id": "'request-' || n",
        "detail": "''",
        "url": "'/apps/kenya/repayments/' || n || '/'",
        "address": "'203.0.113.7'",
        "browser": "''",
        "mac": "''",
    }


def _writes(now: datetime, count: int, first: int) -> dict[str, str]:
    return {
        "idempotency_key": "'token-' || n",
        "person_id": f"{first} + {_CLERK}",
        "app_id": _APP,
        "operation": "CASE n % 3 WHEN 0 THEN 'events.create' WHEN 1 THEN 'borrowers.patch'"
        " ELSE 'loans.create' END",
        "subject": f"'B-' || {_pad(f'n * 7919 % {LOANS} % 40000')}",
        "borrower_id": f"CASE WHEN n % 3 = 2 THEN 'B-' || {_pad('n % 40000')} ELSE '' END",
        "state": "CASE WHEN n % 5000 = 0 THEN 'unknown' ELSE 'saved' END",
        "url": "'/apps/kenya/events/'",
        "card": "''",
        "submitted": "''",
        "alarm": "''",
        "again_at": "''",
        "created_at": _at(now, count),
        "found": "''",
        "attempts": "0",
        "next_check_at": f"CASE WHEN n % 5000 = 0 THEN {_at(now, count, '31622400')} END",
        "resolution": "''",
        "resolution_reason": "''",
    }


def _assessments(now: datetime, count: int, index: int) -> dict[str, str]:
    return {
        "index_id": f"{index}",
        "assessment_id": "'A-' || n",
        "account_id": f"'borrower:B-' || {_pad(f'n * 7919 % {LOANS} % 40000')}",
        "assessment_type": "'assessmentTypes/credit-90-days'",
        "made_at": _at(now, count),
        "status": "'1'",
        "read_at": _at(now, count),
        "walk": "1",
    }


def _offers(now: datetime, count: int, first: int) -> dict[str, str]:
    return {
        "app_id": _APP,
        "borrower_id": f"'B-' || {_pad(f'n * 7919 % {LOANS} % 40000')}",
        "request_id": "'O-' || n",
        "assessment_type": "'assessmentTypes/credit-90-days'",
        "asked_by_id": f"{first} + {_CLERK}",
        "asked_at": _at(now, count),
        "last_asked_at": _at(now, count),
        "state": "'done'",
        "expiry_time": _at(now, count),
        "answer": "''",
        "answered_at": _at(now, count),
    }


def _statements(now: datetime, count: int, first: int) -> dict[str, str]:
    """One statement a day."""
    return {
        "id": "n",
        "app_id": "'kenya'",
        "token": "'token-' || n",
        "digest": "'digest-' || n",
        "created_at": _at(now, count),
        "created_by_id": f"{first} + {_CLERK}",
        "content": "'x'",
        "layout": "'mpesa-organisation'",
        "network": "'M-PESA'",
        "account": "'123456'",
        "currency": "'KES'",
        **dict.fromkeys(("newest_first", "day_first", "day_is_proposed"), "n < 0"),
        "has_texts": "n > 0",
        **dict.fromkeys(("covers_from", "covers_to"), f"DATE({_at(now, count)})"),
        "searched_at": _at(now, count),
        "proof": "'{}'",
    }


def _statement_lines(now: datetime, files: int) -> dict[str, str]:
    """Each day's rows; of each second one the journal has the transaction id."""
    return {
        "file_id": f"(n - 1) / {_A_DAY} + 1",
        "position": f"(n - 1) % {_A_DAY} + 1",
        "number": f"(n - 1) % {_A_DAY} + 1",
        "kind": "CASE WHEN n % 3 = 0 THEN 'charge' ELSE 'payment' END",
        "receipt": "'TX' || n * 2",
        "receipt_key": "'tx' || n * 2",
        "is_damaged": "n < 0",
        "amount": "n % 900 + 1",
        "currency": "'KES'",
        "moment": _at(now, files * _A_DAY),
        "has_time": "n > 0",
        "about": "''",
        "place": "CASE WHEN n % 3 = 0 THEN '' WHEN n % 500 = 1 THEN 'unallocated' "
        "ELSE 'recorded' END",
        "place_reason": "''",
    }


def _batches(now: datetime, count: int, first: int) -> dict[str, str]:
    """What became of each day's payments."""
    return {
        "id": "n",
        "file_id": "n",
        "state": "'done'",
        "created_by_id": f"{first} + {_CLERK}",
        **dict.fromkeys(("began_at", "heartbeat_at"), _at(now, count)),
        **dict.fromkeys(("checked", "tries", "version"), "1"),
        **dict.fromkeys(("why", "approval_reasons"), "''"),
    }


def _allocations() -> dict[str, str]:
    """A row for each of a day's, most of them fine, two of three entered."""
    return {
        "batch_id": f"(n - 1) / {_A_DAY} + 1",
        "line_id": "n",
        "position": f"(n - 1) % {_A_DAY} + 1",
        "part": "1",
        "amount": "n % 900 + 1",
        "account_id": f"'L-' || {_words().padded.format('n % 60000')}",
        "borrower_id": f"'B-' || {_words().padded.format('n % 60000')}",
        "basis": "'loan'",
        "finding": "CASE WHEN n % 50 = 0 THEN 'overpaid' ELSE 'fine' END",
        "decision": "CASE WHEN n % 50 = 0 THEN 'open' ELSE 'accepted' END",
        "reason": "''",
        "attempt": "1",
        "is_held": "n < 0",
        "repayment_id": "CASE WHEN n % 3 = 0 THEN NULL ELSE n END",
    }


def _payers(now: datetime, first: int) -> dict[str, str]:
    """Who pays which loan, as somebody said."""
    return {
        "app_id": "'kenya'",
        "payer": "'payer-' || n",
        "account_id": f"'L-' || {_words().padded.format('n')}",
        "borrower_id": f"'B-' || {_words().padded.format('n')}",
        "shown": "''",
        "created_by_id": f"{first} + {_CLERK}",
        "created_at": _at(now, _PAYERS),
    }


def _cash_counts(now: datetime, days: int, first: int) -> dict[str, str]:
    """What each clerk's till held each day."""
    return {
        "app_id": _APP,
        "day": f"DATE({_at(now, days * CLERKS)})",
        "person_id": f"{first} + {_CLERK}",
        "currency": "'KES'",
        "amount": "n % 900 + 1",
        "counted_by_id": f"{first} + {_CLERK}",
        "counted_at": _at(now, days * CLERKS),
    }


def _insert(table: str, columns: dict[str, str], count: int) -> None:
    names, values = ", ".join(columns), ", ".join(columns.values())
    source = _words().series.format(count)
    with connection.cursor() as cursor:
        # Numbers of rows go up to millions; PostgreSQL would multiply them as small integers.
        big = "SELECT CAST(n AS bigint) AS n FROM " + source
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {values} FROM ({big}) AS numbers")


@contextmanager
def _quickly() -> Iterator[None]:
    """Without indexes, without waiting for the disk, without looking at references."""
    is_sqlite = connection.vendor == "sqlite"
    before, after = (
        (
            ("PRAGMA synchronous = OFF", "PRAGMA foreign_keys = OFF",
             "PRAGMA cache_size = -500000"),
            ("PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA synchronous = FULL",
             "PRAGMA foreign_keys = ON", "PRAGMA cache_size = -2000"),
        )
        if is_sqlite
        else (
            ("SET session_replication_role = replica", "SET synchronous_commit = off",
             "SET maintenance_work_mem = '512MB'"),
            ("RESET session_replication_role", "RESET synchronous_commit",
             "RESET maintenance_work_mem"),
        )
    )  # fmt: skip
    with connection.cursor() as cursor:
        for sentence in before:
            cursor.execute(sentence)
        indexes = _indexes()
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        yield
        for _, definition in indexes:
            cursor.execute(definition)
        for sentence in after:
            cursor.execute(sentence)


def _indexes() -> list[tuple[str, str]]:
    """The indexes of the tables, but for those of constraints, and how each is made."""
    tables = ", ".join(f"'{table}'" for table in _TABLES)
    asked = {
        "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        f" AND tbl_name IN ({tables})",
        "postgresql": "SELECT indexname, indexdef FROM pg_indexes"
        f" WHERE tablename IN ({tables})"
        " AND indexname NOT IN (SELECT conname FROM pg_constraint)",
    }
    with connection.cursor() as cursor:
        cursor.execute(asked[connection.vendor])
        return list(cursor.fetchall())

"""A large book: a count of its loans, whose borrowers are whose, and a year of calls with them."""

from datetime import date, timedelta
from decimal import Decimal

from django.db import connection
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.models import Assignment, Basis
from lendingadmin.desk.collections.models import Call, CallQueue, Contact, Promise, Stop
from lendingadmin.desk.portfolio.figures import AT_RISK, Figures, Sum
from lendingadmin.desk.portfolio.models import Snapshot
from tests.benchmarks.filling import CLERKS, LOANS
from tests.benchmarks.rows import days_after, insert, pad, quickly

_TABLE = "portfolio_snapshotloan"


def fill_count(loans: int = LOANS) -> None:
    """A complete count of so many loans of `kenya`: four of five open, every eighth overdue."""
    day, now = timezone.localdate(), timezone.now() - timedelta(hours=3)
    row = Snapshot.objects.create(
        app_id="kenya",
        state=Snapshot.State.DONE,
        began_at=now,
        ended_at=now,
        loans_read=loans,
        figures=_figures(day, loans).as_json(),
    )
    with quickly([_TABLE]):
        insert(_TABLE, _loans(row.pk, day, loans), loans)
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {_TABLE}")


def _figures(day: date, loans: int) -> Figures:
    """Those that lead to lists of loans, with about as many as there are."""
    kinds = {str(kind): Sum(Decimal(1), loans // 6) for kind in range(1, 6)}
    figures = Figures(day, performance=kinds)
    figures.sums |= {f"par{days}": Sum(Decimal(1), loans // 20) for days in AT_RISK}
    return figures


def _loans(snapshot: int, day: date, loans: int) -> dict[str, str]:
    """Quarters of a unit are outstanding, from nothing to a quarter of the number of loans."""
    is_open, quarters = "n % 5 > 0", f"(n * 7919 % {loans})"
    is_overdue = f"{is_open} AND n % 8 = 1 AND {quarters} > 0"
    part = " ".join(f"WHEN {n} THEN '.{n * 25:02}'" for n in range(4))
    outstanding = f"(({quarters} / 4) || CASE {quarters} % 4 {part} END)"
    amount = f"CAST({quarters} AS double precision)"
    return {
        "snapshot_id": f"{snapshot}",
        "account_id": f"'L-' || {pad('n - 1')}",
        "borrower_id": f"'B-' || {pad(f'(n - 1) % {loans * 2 // 3}')}",
        "product_id": "'term-' || (n / 97 % 12) || '-months'",
        "status": f"CASE WHEN {is_open} THEN '2' ELSE '3' END",
        "performance": "n / 11 % 5 + 1",
        "is_open": is_open,
        "has_status_word": "n < 0",
        "is_first_missed": f"{is_overdue} AND n % 3 = 0",
        "start_day": days_after(day, "0 - n / 7 % 365"),
        "settlement_day": f"CASE WHEN n % 5 = 0 THEN {days_after(day, '0 - n / 5 % 365')} END",
        "days_late": f"CASE WHEN {is_overdue} THEN n % 200 ELSE 0 END",
        "next_due_day": f"CASE WHEN {is_open} THEN {days_after(day, 'n % 31')} END",
        "next_due_amount": outstanding,
        "principal": outstanding,
        **dict.fromkeys(("outstanding", "principal_outstanding"), outstanding),
        "overdue": f"CASE WHEN {is_overdue} THEN {outstanding} ELSE '0' END",
        "paid": outstanding,
        **dict.fromkeys(
            ("principal_rank", "outstanding_rank", "principal_outstanding_rank"),
            f"NULLIF({amount} / 4, 0)",
        ),
        "overdue_rank": f"CASE WHEN {is_overdue} THEN {amount} / 4 END",
    }


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

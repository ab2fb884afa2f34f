"""Choice of the loans of a sheet.

The loans come from the newest snapshot, and repayments that were recorded since then are
subtracted. A loan is left out if its collection is stopped: for a dispute, hardship, a death, or a
borrower who does not want to be contacted. A wrong phone number does not prevent a visit. A loan is
also left out if it is on another open sheet of the same day, because two people must not ask one
borrower for the same instalment.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Q

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.models import Assignment
from lendingadmin.desk.collections.models import Stop
from lendingadmin.desk.collections.states import StopKind
from lendingadmin.desk.portfolio.amounts import exactly
from lendingadmin.desk.portfolio.loan_totals import correct_amounts
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.desk.portfolio.recorded_since import read_recorded_since
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans

from .models import Choice, Sheet, SheetRow

#: The most rows of a sheet, and the most loans that are put on sheets at once.
LONGEST, MOST = 500, 5_000
_AT_ONCE = 500
_VISITED = (StopKind.WRONG_NUMBER,)


class Wanted(NamedTuple):
    """The choice for new sheets: the day of the visit, the kind of loans, product and officer.

    Without a product or an officer, the choice includes all of them.
    """

    day: date
    choice: Choice = Choice.ALL
    product_id: str = ""
    officer: User | None = None


class Chosen(NamedTuple):
    """A loan for a sheet; the amounts have the same meaning as in SheetRow."""

    account_id: str
    borrower_id: str
    due: Decimal | None
    overdue: Decimal | None


class Choosing(NamedTuple):
    """The chosen loans in the order of the rows, and the number left out for each reason.

    `has_more` is True if there are more than MOST loans. Only MOST loans are included then.
    """

    counted_at: datetime
    chosen: Sequence[Chosen]
    stopped: int = 0
    on_others: int = 0
    paid: int = 0
    has_more: bool = False

    @property
    def sheets(self) -> int:
        """Number of sheets that the chosen loans need."""
        return -(-len(self.chosen) // LONGEST)

    @property
    def due(self) -> Decimal:
        """Sum of the amounts that are due by the day of the visit."""
        return add_up(one.due for one in self.chosen)

    @property
    def overdue(self) -> Decimal:
        """Sum of the overdue amounts."""
        return add_up(one.overdue for one in self.chosen)

    @property
    def fingerprint(self) -> str:
        """Text that changes if the number of loans or one of the two sums changes."""
        return f"{len(self.chosen)}-{self.due:f}-{self.overdue:f}"


def choose(app: LendingApp, wanted: Wanted) -> Choosing | None:
    """Return the chosen loans; None before the first snapshot."""
    snapshot = find_with_loans(app.app_id)
    if snapshot is None:
        return None
    recorded = read_recorded_since(app, snapshot)
    counted_on = snapshot.began_at.astimezone(app.zone).date()
    loans = _list_loans(app, snapshot, wanted, counted_on)
    has_more = len(loans) > MOST
    stops = _read_stops(app.app_id, {loan.borrower_id for loan in loans})
    others = read_others(app.app_id, wanted.day)
    chosen, left = list[Chosen](), {"stopped": 0, "on_others": 0, "paid": 0}
    for loan in loans[:MOST]:
        amounts, due_day = correct_amounts(loan, recorded.get(loan.account_id)), loan.next_due_day
        # The next instalment counts only if its due day is between the snapshot's day and the
        # visit.
        is_due = due_day is not None and counted_on <= due_day <= wanted.day
        due = amounts["next_due_amount"] if is_due else Decimal(0)
        one = Chosen(loan.account_id, loan.borrower_id, due, amounts["overdue"])
        asked = {Choice.DUE: [due], Choice.OVERDUE: [one.overdue]}
        owed = asked.get(wanted.choice, [due, one.overdue])
        if {(loan.borrower_id, ""), (loan.borrower_id, loan.account_id)} & stops:
            left["stopped"] += 1
        elif loan.account_id in others:
            left["on_others"] += 1
        # A loan with an unknown amount may still be unpaid, so it stays on the sheet.
        elif all(amount is not None and amount <= 0 for amount in owed):
            left["paid"] += 1
        else:
            chosen.append(one)
    return Choosing(snapshot.began_at, chosen, has_more=has_more, **left)


def add_up(amounts: Iterable[Decimal | None]) -> Decimal:
    """Return the exact sum of the known amounts."""
    with exactly():
        return sum((one for one in amounts if one is not None), Decimal(0))


def _list_loans(
    app: LendingApp, snapshot: Snapshot, wanted: Wanted, counted_on: date
) -> list[SnapshotLoan]:
    """Return the loans of the chosen kind, each once, at most MOST + 1.

    The loans of one borrower are together, because one visit covers all of them.
    """
    every = SnapshotLoan.objects.filter(snapshot=snapshot, is_open=True)
    if wanted.product_id:
        every = every.filter(product_id=wanted.product_id)
    if wanted.officer is not None:
        own = Assignment.objects.list_borrower_ids(app.app_id, wanted.officer.pk, wanted.day)
        every = every.filter(borrower_id__in=own)
    # Each query uses its own index. A single query with OR would read all loans of the snapshot.
    kinds = {
        Choice.DUE: every.filter(next_due_day__gte=counted_on, next_due_day__lte=wanted.day),
        Choice.OVERDUE: every.filter(overdue_rank__gt=0),
    }
    found: dict[int, SnapshotLoan] = {}
    for kind, rows in kinds.items():
        if wanted.choice in (kind, Choice.ALL):
            found |= {loan.pk: loan for loan in rows.order_by("pk")[: MOST + 1]}
    loans = sorted(found.values(), key=lambda loan: (loan.borrower_id, loan.account_id))
    return loans[: MOST + 1]


def _read_stops(app_id: str, borrower_ids: Collection[str]) -> set[tuple[str, str]]:
    """Return the pairs of a borrower id and a loan id for which collection is stopped.

    An empty loan id means all loans of the borrower.
    """
    found, ids = set[tuple[str, str]](), sorted(borrower_ids)
    for some in (ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE)):
        rows = Stop.objects.filter(
            ~Q(kind__in=_VISITED), app_id=app_id, borrower_id__in=some, ended_at=None
        )
        found.update(rows.values_list("borrower_id", "account_id"))
    return found


def read_others(app_id: str, day: date) -> set[str]:
    """Return the ids of the loans on open sheets for this day."""
    sheets = Sheet.objects.filter(app_id=app_id, state=Sheet.State.OPEN, day=day)
    rows = SheetRow.objects.filter(sheet__in=list(sheets.values_list("pk", flat=True)))
    return set(rows.values_list("account_id", flat=True))

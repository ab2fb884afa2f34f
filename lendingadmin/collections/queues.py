"""The lists of whom to call: questions over the newest count, the journal and what is kept here.

A queue is in the order in which its rows are called. Who must not be called, or not yet, is not in
it: somebody else is calling them, they were called, a stop holds, or they have paid meanwhile.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_noop as _

from lendingadmin.gateway import LendingApp
from lendingadmin.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.portfolio.recorded_since import RecordedSince, read_recorded_since
from lendingadmin.portfolio.snapshot_job import find_with_loans
from lendingadmin.repayments.managers import RECORDED
from lendingadmin.repayments.models import Repayment
from lendingadmin.ui.keyset import COUNTED

from .models import Contact, Lease, PaidLoan, Promise, Stop
from .states import PromiseState

#: A queue is worked from its head: nobody looks further down than this.
MOST = 1_000
_AT_ONCE = 100


class QueueKind(NamedTuple):
    """A queue's label, and in words the order of its rows."""

    label: str
    order: str


QUEUES: Mapping[str, QueueKind] = {
    "due-today": QueueKind(_("Due today"), _("what was due first comes first")),
    "late-1-7": QueueKind(_("1 to 7 days late"), _("the longest late first")),
    "late-8-30": QueueKind(_("8 to 30 days late"), _("the longest late first")),
    "late-31": QueueKind(_("31 days late and more"), _("the shortest late first")),
    "first-missed": QueueKind(_("First instalment missed"), _("the largest overdue amount first")),
    "promised": QueueKind(_("Promise for today"), _("the largest promise first")),
    "broken": QueueKind(_("Promise broken"), _("the newest first")),
}
#: What follows the newest count; the others follow promises.
_OF_LOANS = frozenset({"due-today", "late-1-7", "late-8-30", "late-31", "first-missed"})
_LATE: Mapping[str, tuple[int, int | None, str]] = {
    "late-1-7": (1, 7, "-days_late"),
    "late-8-30": (8, 30, "-days_late"),
    "late-31": (31, None, "days_late"),
}


class LastPayment(NamedTuple):
    """The last repayment that is recorded here on a loan."""

    amount: Decimal
    at: datetime


class QueueRow(NamedTuple):
    """A loan in a queue: its figures of the count, the promise, what was paid and said last.

    `paid_at` is when what is overdue was recorded as paid; None while it is not.
    """

    account_id: str
    borrower_id: str
    loan: SnapshotLoan | None
    promise: Promise | None
    last_payment: LastPayment | None
    contact: Contact | None
    paid_at: datetime | None


class Queue:
    """One queue of an app at a moment. `snapshot` is the newest count, None before the first."""

    def __init__(
        self, app: LendingApp, key: str, now: datetime, snapshot: Snapshot | None = None
    ) -> None:
        self.app, self.key, self.now = app, key, now
        self.kind = QUEUES[key]
        self.snapshot = snapshot or find_with_loans(app.app_id)
        self.today: date = now.astimezone(app.zone).date()

    @cached_property
    def recorded(self) -> Mapping[str, RecordedSince]:
        """What was recorded here since the count, by loan."""
        return read_recorded_since(self.app, self.snapshot) if self.snapshot else {}

    @cached_property
    def rows(self) -> QuerySet[Any]:
        """The loans or promises of the queue that may be called about now, in its order."""
        return self._leave_out_quiet(self._read_all())

    def count(self) -> int:
        """How many they are, up to `keyset.COUNTED` + 1."""
        return self.rows.order_by()[: COUNTED + 1].count()

    def list_free(self) -> Iterator[Any]:
        """Those that nobody else is calling, in order, as far as anybody looks."""
        held = Lease.objects.filter(
            app_id=self.app.app_id, borrower_id=OuterRef("borrower_id"), until__gt=self.now
        )
        for row in self.rows.filter(~Exists(held))[:MOST].iterator(chunk_size=_AT_ONCE):
            if self.find_payment(row) is None:
                yield row

    def build_rows(self, some: Sequence[Any]) -> list[QueueRow]:
        """A page of the queue's rows with all that stands beside them, in four queries."""
        keys, people = [one.account_id for one in some], [one.borrower_id for one in some]
        loans = {one.account_id: one for one in some if isinstance(one, SnapshotLoan)}
        if self.key not in _OF_LOANS and self.snapshot:
            found = SnapshotLoan.objects.filter(snapshot=self.snapshot, account_id__in=keys)
            loans = {one.account_id: one for one in found}
        contacts = Contact.objects.select_related("last_call__called_by")
        spoken = contacts.filter(app_id=self.app.app_id, borrower_id__in=people)
        by_person = {one.borrower_id: one for one in spoken}
        payments = read_last_payments(self.app.app_id, keys)
        return [
            QueueRow(
                one.account_id,
                one.borrower_id,
                loans.get(one.account_id),
                one if isinstance(one, Promise) else None,
                payments.get(one.account_id),
                by_person.get(one.borrower_id),
                self.find_payment(one),
            )
            for one in some
        ]

    def find_payment(self, row: Any) -> datetime | None:
        """When what the row is about was paid by what was recorded here since; None where not."""
        recorded = self.recorded.get(row.account_id)
        if not isinstance(row, SnapshotLoan) or recorded is None:
            return None
        amounts = [row.overdue]
        if self.key == "due-today":
            amounts.append(row.next_due_amount)
        known = [amount for amount in amounts if amount]
        return recorded.at if known and recorded.amount >= sum(known) else None

    def _read_all(self) -> QuerySet[Any]:
        if self.key in _OF_LOANS:
            return self._read_loans()
        rows = Promise.objects.filter(app_id=self.app.app_id).select_related("call")
        if self.key == "promised":
            promised = rows.filter(state=PromiseState.OPEN, day=self.today)
            return promised.order_by("-amount", "id")
        states = (PromiseState.BROKEN, PromiseState.PARTLY)
        # Who was called since it was broken waits for what that call said.
        since = Contact.objects.filter(
            app_id=self.app.app_id,
            borrower_id=OuterRef("borrower_id"),
            last_call__called_at__gt=OuterRef("state_at"),
        )
        earliest = self.today - timedelta(days=90)
        broken = rows.filter(state__in=states, day__gte=earliest).filter(~Exists(since))
        return broken.order_by("-day", "id")

    def _read_loans(self) -> QuerySet[SnapshotLoan]:
        if self.snapshot is None:
            return SnapshotLoan.objects.none()
        rows = SnapshotLoan.objects.filter(snapshot=self.snapshot)
        if self.key == "first-missed":
            return rows.filter(is_first_missed=True).order_by("-overdue_rank", "id")
        rows = rows.filter(is_open=True)
        if self.key == "due-today":
            counted_on = self.snapshot.began_at.astimezone(self.app.zone).date()
            due = rows.filter(next_due_day__gte=counted_on, next_due_day__lte=self.today)
            return due.order_by("next_due_day", "id")
        first, last, order = _LATE[self.key]
        late = rows.filter(days_late__gte=first)
        return (late.filter(days_late__lte=last) if last else late).order_by(order)

    def _leave_out_quiet(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Without those whom nobody calls now, by what was said, or because they have paid."""
        own: dict[str, Any] = {"app_id": self.app.app_id}
        of_loan = Q(account_id="") | Q(account_id=OuterRef("account_id"))
        stopped = Stop.objects.filter(
            of_loan, **own, borrower_id=OuterRef("borrower_id"), ended_at=None
        )
        later = Contact.objects.filter(
            **own, borrower_id=OuterRef("borrower_id"), next_at__gt=self.now
        )
        rows = rows.exclude(borrower_id="").filter(~Exists(stopped), ~Exists(later))
        if self.snapshot is None:
            return rows
        if self.key in _OF_LOANS:
            promised = Promise.objects.filter(
                **own, account_id=OuterRef("account_id"), state=PromiseState.OPEN
            )
            rows = rows.filter(~Exists(promised))
        paid = PaidLoan.objects.filter(
            **own, account_id=OuterRef("account_id"), seen_at__gt=self.snapshot.began_at
        )
        return rows.filter(~Exists(paid))


def open_queues(app: LendingApp, now: datetime) -> list[Queue]:
    """Every queue of an app, over one count."""
    snapshot = find_with_loans(app.app_id)
    return [Queue(app, key, now, snapshot) for key in QUEUES]


def read_last_payments(app_id: str, account_ids: Sequence[str]) -> dict[str, LastPayment]:
    """The last repayment recorded here on each of these loans; loans without one are left out."""
    rows = Repayment.objects.filter(RECORDED, app_id=app_id, account_id__in=account_ids)
    found: dict[str, LastPayment] = {}
    for account_id, amount, at in rows.order_by("-id").values_list(
        "account_id", "amount", "transaction_date"
    ):
        known = found.get(account_id)
        if known is None or at > known.at:
            found[account_id] = LastPayment(amount, at)
    return found

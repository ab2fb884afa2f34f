"""Queues of borrowers to call: queries over the newest snapshot, the journal and our own records.

The rows of a queue are in the order of the calls. A queue leaves out borrowers whose next call is
later, who must not be called, or who have paid according to the service. The search for the next
call also skips borrowers whom another person is calling, and loans that were paid according to the
journal.

A queue is read in parts, one after the other. Each part is in the order of an index. Most queues
are the same for every person, but “My borrowers” depends on the person. Managers make more queues
from lists of loans.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from lendingadmin.core.caching import shared
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.models import Assignment
from lendingadmin.desk.portfolio.loan_list_form import KINDS, LoanListForm
from lendingadmin.desk.portfolio.loan_lists import LoanList
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.desk.portfolio.recorded_since import RecordedSince, read_recorded_since
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.money.repayments.managers import RECORDED
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.web.keyset import COUNTED

from .models import CallQueue, Contact, Lease, PaidLoan, Promise, Stop
from .permissions import MANAGE_QUEUES
from .states import PromiseState

#: Pages and calls use only this many rows from the start of a queue.
MOST = 1_000
_AT_ONCE = 100


class QueueKind(NamedTuple):
    """A queue's label, the order of its rows in words, and its open loans.

    The loans are `first` to `last` days late, in the order `sort`.

    Queues such as those of promises do not use these three values.
    """

    label: str
    order: str
    first: int = 1
    last: int | None = None
    sort: tuple[str, str] = ("-days_late", "-id")


MINE = "mine"
QUEUES: Mapping[str, QueueKind] = {
    MINE: QueueKind(_("My borrowers"), _("most days late first, then due today")),
    "due-today": QueueKind(_("Due today"), _("earliest due first")),
    "late-1-7": QueueKind(_("1 to 7 days late"), _("most days late first"), 1, 7),
    "late-8-30": QueueKind(_("8 to 30 days late"), _("most days late first"), 8, 30),
    "late-31": QueueKind(
        _("31 days late and more"), _("fewest days late first"), 31, sort=("days_late", "id")
    ),
    "first-missed": QueueKind(_("First instalment missed"), _("largest overdue amount first")),
    "promised": QueueKind(_("Promise for today"), _("largest promise first")),
    "broken": QueueKind(_("Promise broken"), _("newest first")),
}
# Queues that follow promises; the others follow the newest snapshot.
_OF_PROMISES = frozenset({"promised", "broken"})
# The order of a queue that was made from a list, in words.
_AS_LISTED = _("in the order of the list")
_MADE = re.compile(r"list-([1-9][0-9]{0,14})")
# The kinds of lists that have an index for their default order.
_INDEXED = frozenset({"", "overdue", "due-this-week", "first-missed", "closed"})
# The most loans of any other list that its queue has until the next snapshot. Sorting all loans
# each time would take too long.
_HEAD = 1_500
_KEPT_SECONDS = 6 * 3600
_COUNT_KEPT_SECONDS = 30
# If a person has at most MANY borrowers, with at most `_MANY_LOANS` late or due loans, the loans
# are searched by borrower. Otherwise they are read in the order of the queue, where one of the
# person's borrowers is found soon.
MANY = 20_000
_MANY_LOANS = 5_000


class Cause(Enum):
    """The reason to call about a loan. It decides which amount ends the calls."""

    OVERDUE = "overdue"
    DUE = "due"
    OPEN = "open"
    #: The list has another subject, such as closed loans.
    NONE = "none"


_CAUSES = dict.fromkeys(("due-today", "promised", "broken"), Cause.DUE)
# By the kind of the list (`loan_list_form.KINDS`).
_CAUSES_OF_LISTS = {
    "overdue": Cause.OVERDUE,
    "first-missed": Cause.OVERDUE,
    "due-today": Cause.DUE,
    "closed": Cause.NONE,
}


class LastPayment(NamedTuple):
    """The last repayment of a loan that was recorded in this dashboard."""

    amount: Decimal
    at: datetime


class QueueRow(NamedTuple):
    """A row of a queue: a loan with its figures, promise, last repayment and last contact.

    `paid_at` is the time when the repayments since the snapshot reached the amount that ends the
    calls; None if they did not reach it. `stands_in_for` is the borrower's officer if the person
    covers for this officer.
    """

    account_id: str
    borrower_id: str
    loan: SnapshotLoan | None
    promise: Promise | None
    last_payment: LastPayment | None
    contact: Contact | None
    paid_at: datetime | None
    stands_in_for: str = ""


class Queue:
    """A queue of an app at a moment. `snapshot` is the newest snapshot; None before the first.

    `person` is the person of “My borrowers”. `made` is the queue that a manager made from a list.
    """

    def __init__(
        self,
        app: LendingApp,
        key: str,
        now: datetime,
        snapshot: Snapshot | None = None,
        *,
        person: User | None = None,
        made: CallQueue | None = None,
    ) -> None:
        self.app, self.key, self.now = app, key, now
        self.person, self.made = person, made
        self.snapshot = snapshot or find_with_loans(app.app_id)
        self.today: date = now.astimezone(app.zone).date()

    @property
    def label(self) -> str:
        return self.made.name if self.made else gettext(QUEUES[self.key].label)

    @property
    def order(self) -> str:
        """The order of the rows, in words."""
        return gettext(_AS_LISTED if self.made else QUEUES[self.key].order)

    @property
    def is_of_promises(self) -> bool:
        """True if the rows are promises."""
        return self.key in _OF_PROMISES

    @cached_property
    def recorded(self) -> Mapping[str, RecordedSince]:
        """Repayments recorded in this dashboard since the snapshot, by loan."""
        return read_recorded_since(self.app, self.snapshot) if self.snapshot else {}

    @cached_property
    def parts(self) -> list[QuerySet[Any]]:
        """The loans or promises to call about at this moment, one part after the other."""
        return [self._leave_out_quiet(rows) for rows in self._read_parts()]

    def count(self) -> int:
        """Return the number of rows, up to `keyset.COUNTED` + 1."""
        count = 0
        for rows in self.parts:
            if count <= COUNTED:
                count += rows.order_by()[: COUNTED + 1 - count].count()
        return count

    def count_lately(self) -> int:
        """Return the number of rows, counted at most half a minute ago.

        Use this on pages that show the counts of all queues.
        """
        whose = self.person.pk if self.person and self.key == MINE else ""
        counted = self.snapshot.pk if self.snapshot else ""
        key = f"queue-count:{self.app.app_id}:{counted}:{self.today}:{self.key}:{whose}"
        count: int | None = shared.get(key)
        if count is None:
            count = self.count()
            shared.set(key, count, _COUNT_KEPT_SECONDS)
        return count

    def read_rows(self, first: int, last: int) -> list[Any]:
        """Return the rows from `first` up to, but not including, `last`."""
        found: list[Any] = []
        for rows in self.parts:
            some = list(rows[first:last])
            found += some
            passed = first + len(some) if some or not first else rows.order_by()[:first].count()
            first, last = max(first - passed, 0), last - passed
            if last <= first:
                break
        return found

    def holds(self, row: Any) -> bool:
        """Return True if calls about this row of the queue are still allowed."""
        return any(rows.filter(pk=row.pk).exists() for rows in self.parts)

    def list_free(self) -> Iterator[Any]:
        """Yield the rows that are free for a call, in order, at most `MOST` from each part.

        Rows are skipped if a person is calling the borrower, or if the loan was paid since the
        snapshot.
        """
        held = Lease.objects.filter(
            app_id=self.app.app_id, borrower_id=OuterRef("borrower_id"), until__gt=self.now
        )
        for rows in self.parts:
            for row in rows.filter(~Exists(held))[:MOST].iterator(chunk_size=_AT_ONCE):
                if self.find_payment(row) is None:
                    yield row

    def build_rows(self, some: Sequence[Any]) -> list[QueueRow]:
        """Build a page of the queue with promises, payments and contacts, in a few queries."""
        keys, people = [one.account_id for one in some], [one.borrower_id for one in some]
        loans = {one.account_id: one for one in some if isinstance(one, SnapshotLoan)}
        if self.is_of_promises and self.snapshot:
            found = SnapshotLoan.objects.filter(snapshot=self.snapshot, account_id__in=keys)
            loans = {one.account_id: one for one in found}
        contacts = Contact.objects.select_related("last_call__called_by")
        spoken = contacts.filter(app_id=self.app.app_id, borrower_id__in=people)
        by_person = {one.borrower_id: one for one in spoken}
        payments = read_last_payments(self.app.app_id, keys)
        stood_in = self._list_stood_in(people)
        return [
            QueueRow(
                one.account_id,
                one.borrower_id,
                loans.get(one.account_id),
                one if isinstance(one, Promise) else None,
                payments.get(one.account_id),
                by_person.get(one.borrower_id),
                self.find_payment(one),
                stood_in.get(one.borrower_id, ""),
            )
            for one in some
        ]

    def find_payment(self, row: Any) -> datetime | None:
        """Return the time when repayments since the snapshot reached the amount that ends calls.

        Only repayments recorded in this dashboard count. Return None if they do not reach the
        amount, or if the row is a promise.
        """
        recorded, cause = self.recorded.get(row.account_id), self.find_cause(row)
        if recorded is None or not isinstance(row, SnapshotLoan):
            return None
        amounts = {
            Cause.OVERDUE: [row.overdue],
            Cause.DUE: [row.overdue, row.next_due_amount],
            Cause.OPEN: [row.outstanding],
        }
        known = [amount for amount in amounts.get(cause, ()) if amount]
        return recorded.at if known and recorded.amount >= sum(known) else None

    def find_cause(self, row: Any) -> Cause:
        """Return the reason to call about a row."""
        if self.key == MINE:
            return Cause.OVERDUE if (row.days_late or 0) >= 1 else Cause.DUE
        if self.made is None:
            return _CAUSES.get(self.key, Cause.OVERDUE)
        wanted = self.listed.wanted if self.listed else {}
        if wanted.get("late"):
            return Cause.OVERDUE
        return _CAUSES_OF_LISTS.get(wanted.get("show", ""), Cause.OPEN)

    @cached_property
    def listed(self) -> LoanList | None:
        """The list from which a manager made the queue; None if there is no valid list."""
        if self.made is None or self.snapshot is None:
            return None
        form = LoanListForm(QueryDict(self.made.query).dict(), [])
        found = LoanList(self.app, self.snapshot, form, self.recorded)
        return found if found.is_valid else None

    def _read_parts(self) -> list[QuerySet[Any]]:
        if self.is_of_promises:
            return [self._read_promises()]
        if self.snapshot is None:
            return []
        if self.key == MINE:
            return self._read_mine(self.snapshot)
        if self.made is None:
            return [self._read_loans(self.snapshot)]
        return self._read_listed(self.listed) if self.listed else []

    def _read_listed(self, listed: LoanList) -> list[QuerySet[SnapshotLoan]]:
        """Return the loans of a list in its order.

        If no index has this order, return only the first `_HEAD` loans.
        """
        wanted = listed.wanted
        is_in_order = wanted["show"] in _INDEXED and not wanted["product"]
        if is_in_order and wanted["sort"] == KINDS[wanted["show"]].sort:
            return [listed.first_rows, listed.last_rows]
        key = f"queue-head:{listed.snapshot.pk}:{self.today}:{self.key}"
        head: list[int] | None = shared.get(key)
        if head is None:
            head = list(listed.first_rows.values_list("pk", flat=True)[:_HEAD])
            head += listed.last_rows.values_list("pk", flat=True)[: _HEAD - len(head)]
            shared.set(key, head, _KEPT_SECONDS)
        return [_pick(rows, head) for rows in (listed.first_rows, listed.last_rows)]

    def _read_promises(self) -> QuerySet[Promise]:
        rows = Promise.objects.filter(app_id=self.app.app_id).select_related("call")
        if self.key == "promised":
            promised = rows.filter(state=PromiseState.OPEN, day=self.today)
            return promised.order_by("-amount", "id")
        states = (PromiseState.BROKEN, PromiseState.PARTLY)
        # Borrowers who were called after the promise was broken are left out.
        since = Contact.objects.filter(
            app_id=self.app.app_id,
            borrower_id=OuterRef("borrower_id"),
            last_call__called_at__gt=OuterRef("state_at"),
        )
        earliest = self.today - timedelta(days=90)
        broken = rows.filter(state__in=states, day__gte=earliest).filter(~Exists(since))
        return broken.order_by("-day", "id")

    def _read_mine(self, snapshot: Snapshot) -> list[QuerySet[SnapshotLoan]]:
        """Return the late and due loans of the person's borrowers.

        Include the borrowers of officers for whom this person covers. Without a person, return an
        empty list.
        """
        if self.person is None:
            return []
        own = Assignment.objects.of_person(self.app.app_id, self.person.pk, self.today)
        rows = SnapshotLoan.objects.filter(snapshot=snapshot, is_open=True)
        is_late, is_due = Q(days_late__gte=1), self._is_due(snapshot)
        on_time = Q(days_late=None) | Q(days_late__lt=1)
        parts = [
            rows.filter(is_late).order_by("-days_late", "-id"),
            rows.filter(on_time, is_due).order_by("next_due_day", "id"),
        ]
        if own.values("pk")[: MANY + 1].count() <= MANY:
            theirs = rows.filter(is_late | is_due, borrower_id__in=own.values("borrower_id"))
            keys = list(theirs.values_list("pk", flat=True)[: _MANY_LOANS + 1])
            if len(keys) <= _MANY_LOANS:
                return [_pick(part, keys) for part in parts]
        return [
            part.filter(Exists(own.filter(borrower_id=OuterRef("borrower_id")))) for part in parts
        ]

    def _is_due(self, snapshot: Snapshot) -> Q:
        """Return the condition for loans that are due today or became due since the snapshot."""
        counted_on = snapshot.began_at.astimezone(self.app.zone).date()
        return Q(next_due_day__gte=counted_on, next_due_day__lte=self.today)

    def _list_stood_in(self, borrower_ids: Sequence[str]) -> dict[str, str]:
        """Return the officers for whom this person covers, by borrower.

        For other queues than “My borrowers”, return an empty dict.
        """
        if self.key != MINE or self.person is None:
            return {}
        app_id = self.app.app_id
        names = Assignment.objects.list_stood_in(app_id, self.person.pk, self.today)
        rows = Assignment.objects.filter(app_id=app_id, borrower_id__in=borrower_ids)
        found = rows.exclude(officer_id=self.person.pk).values_list("borrower_id", "officer_id")
        return {borrower_id: names.get(officer, "") for borrower_id, officer in found}

    def _read_loans(self, snapshot: Snapshot) -> QuerySet[SnapshotLoan]:
        rows = SnapshotLoan.objects.filter(snapshot=snapshot)
        if self.key == "first-missed":
            return rows.filter(is_first_missed=True).order_by("-overdue_rank", "id")
        rows = rows.filter(is_open=True)
        if self.key == "due-today":
            return rows.filter(self._is_due(snapshot)).order_by("next_due_day", "id")
        kind = QUEUES[self.key]
        late = rows.filter(days_late__gte=kind.first)
        return (late.filter(days_late__lte=kind.last) if kind.last else late).order_by(*kind.sort)

    def _leave_out_quiet(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Leave out rows with a stop, a later call, an open promise or a paid loan.

        Also leave out rows without a borrower. Queues of promises include open promises.
        """
        own: dict[str, Any] = {"app_id": self.app.app_id}
        of_loan = Q(account_id="") | Q(account_id=OuterRef("account_id"))
        stopped = Stop.objects.filter(
            of_loan, **own, borrower_id=OuterRef("borrower_id"), ended_at=None
        )
        later = Contact.objects.filter(
            **own, borrower_id=OuterRef("borrower_id"), next_at__gt=self.now
        )
        rows = rows.exclude(borrower_id="").filter(~Exists(stopped), ~Exists(later))
        if self.snapshot and not self.is_of_promises:
            promised = Promise.objects.filter(
                **own, account_id=OuterRef("account_id"), state=PromiseState.OPEN
            )
            rows = rows.filter(~Exists(promised))
        # Queues of promises exist without a snapshot, and their loans may be paid.
        since = self.snapshot.began_at if self.snapshot else self.now - timedelta(days=1)
        paid = PaidLoan.objects.filter(**own, account_id=OuterRef("account_id"), seen_at__gt=since)
        return rows.filter(~Exists(paid))


def _pick(rows: QuerySet[SnapshotLoan], keys: Sequence[int]) -> QuerySet[SnapshotLoan]:
    """Return the few rows with these keys, in the order of `rows`.

    Order the rows by an expression that no index has. Otherwise PostgreSQL would read a complete
    index in this order to find a few rows.
    """
    name = str(rows.query.order_by[0])
    column = Coalesce(name.removeprefix("-"), name.removeprefix("-"))
    order = column.desc() if name.startswith("-") else column.asc()
    return rows.filter(pk__in=keys).order_by(order, "id")


def open_queues(app: LendingApp, now: datetime, person: User) -> list[Queue]:
    """Return all queues of an app for a person, from the same snapshot."""
    snapshot = find_with_loans(app.app_id)
    found = [Queue(app, key, now, snapshot, person=person) for key in QUEUES]
    made = list_made(app.app_id, person)
    found += [Queue(app, one.key, now, snapshot, person=person, made=one) for one in made]
    recorded = read_recorded_since(app, snapshot) if snapshot else {}
    for one in found:
        one.recorded = recorded
    return found


def open_queue(app: LendingApp, key: str, now: datetime, person: User) -> Queue | None:
    """Return one queue of an app; None if there is no such queue for this person."""
    if key in QUEUES:
        return Queue(app, key, now, person=person)
    number = _MADE.fullmatch(key)
    made = list_made(app.app_id, person).filter(pk=int(number[1])).first() if number else None
    return Queue(app, key, now, person=person, made=made) if made else None


def list_made(app_id: str, person: User) -> QuerySet[CallQueue]:
    """Return the queues from lists that a person works on, by name. Managers get all queues."""
    rows = CallQueue.objects.filter(app_id=app_id, retired_at=None).order_by("name", "pk")
    if person.has_perm(MANAGE_QUEUES, app_id):
        return rows
    working = CallQueue.people.through.objects.filter(callqueue=OuterRef("pk"), user=person)
    return rows.filter(Q(is_for_all=True) | Exists(working))


def name_queues(app_id: str, keys: Iterable[str]) -> dict[str, str]:
    """Return the names of these queues, by key, in the order of the queues.

    Include retired queues.
    """
    wanted = set(keys)
    names = {key: gettext(kind.label) for key, kind in QUEUES.items() if key in wanted}
    numbers = [int(found[1]) for key in wanted if (found := _MADE.fullmatch(key))]
    made = CallQueue.objects.filter(app_id=app_id, pk__in=numbers).order_by("name", "pk")
    return names | {one.key: one.name for one in made}


def read_last_payments(app_id: str, account_ids: Sequence[str]) -> dict[str, LastPayment]:
    """Return the last repayment recorded in this dashboard for each of these loans.

    Loans without a repayment are left out.
    """
    rows = Repayment.objects.filter(RECORDED, app_id=app_id, account_id__in=account_ids)
    found: dict[str, LastPayment] = {}
    for account_id, amount, at in rows.order_by("-id").values_list(
        "account_id", "amount", "transaction_date"
    ):
        known = found.get(account_id)
        if known is None or at > known.at:
            found[account_id] = LastPayment(amount, at)
    return found

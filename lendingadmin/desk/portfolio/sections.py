"""Sections of the home page: for each the kinds of work that it is for, and its content.

The rights of a person's roles give the kinds of work, so a role that the lender added works like
the four standard roles. All data come from our own database.
"""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MANAGE_PEOPLE, NOTES_READ
from lendingadmin.core.staff.second_manager import count_waiting
from lendingadmin.desk.assignments.models import Assignment
from lendingadmin.desk.collections import services as calls
from lendingadmin.desk.collections.permissions import CALL
from lendingadmin.money.repayments import approvals, dayend, mistakes
from lendingadmin.money.repayments.managers import RECORDED, get_midnight
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.views import recording
from lendingadmin.money.writes import idempotency
from lendingadmin.money.writes import reconciliation as write_reconciliation
from lendingadmin.money.writes.models import Write
from lendingadmin.people.index.names import get_page_names, to_borrower_id
from lendingadmin.records.assessments import running
from lendingadmin.records.notes import mentions
from lendingadmin.records.offers import asking
from lendingadmin.web.decisions import Waiting, list_decisions
from lendingadmin.web.keyset import Slice, count_each, spell_count
from lendingadmin.web.requests import PersonRequest

from . import dashboard, snapshot_job
from .forms import PaymentBoxForm
from .loan_list_form import LoanListForm
from .loan_lists import CorrectedLoan, LoanList
from .models import Snapshot, SnapshotLoan
from .recorded_since import RecordedSince, read_recorded_since

_RECORD = "lending.loans.makeRepayment"
_ASK = "lending.borrowers.getOffers"
_DECIDE = frozenset(
    {write_reconciliation.RESOLVE, mistakes.REVIEW, approvals.APPROVE, MANAGE_PEOPLE}
)
# The most rows of a list on this page. A link leads to all rows.
_FEW = 5
# The page shows a person's requests for this time.
_LATELY = timedelta(hours=24)
# A busy worker may begin a snapshot this long after the due time.
_LATE = timedelta(minutes=2)


class Work(Enum):
    """A person's kind of work in this dashboard: record repayments, lend, decide or read."""

    RECORDING = "recording"
    LENDING = "lending"
    DECIDING = "deciding"
    READING = "reading"


def list_work(person: User, app_id: str) -> frozenset[Work]:
    """Return the work of all of a person's roles in an app.

    Each role adds the work that its rights allow. If there is none, the work is READING.
    """
    held = list(person.held_roles.get(app_id, {}).values())
    if not held and person.is_superuser:
        held = [frozenset({_RECORD, _ASK, *_DECIDE})]
    return frozenset().union(*map(_find_work, held)) or frozenset({Work.READING})


def _find_work(rights: frozenset[str]) -> frozenset[Work]:
    """Return the work of one role.

    A role that may decide has only this work, although the role of a manager allows everything.
    """
    if rights & _DECIDE:
        return frozenset({Work.DECIDING})
    work = ((Work.RECORDING, _RECORD), (Work.LENDING, _ASK))
    return frozenset(one for one, right in work if right in rights)


class CountedList(NamedTuple):
    """The first loans of a list in the newest snapshot, and the total of the list in words."""

    show: str
    title: str
    rows: list[CorrectedLoan]
    total: str
    url: str


class HomeReader:
    """Reader of the data of an app for the sections of one person's home page."""

    def __init__(self, request: PersonRequest, app: LendingApp) -> None:
        self.request, self.app, self.person = request, app, request.user
        self.repayments = Repayment.objects.with_mistake()
        self.own: list[Section] = []
        self.borrower_ids: list[str] = []
        self._loan_lists: dict[str, LoanList] = {}

    @cached_property
    def today(self) -> date:
        """The day in the lender's zone."""
        return timezone.localdate(timezone=self.app.zone)

    @cached_property
    def lists(self) -> dict[str, QuerySet[Any]]:
        """The lists whose rows are counted for the person's sections."""
        names = {name for section in self.own for name in section.lists}
        return {name: _LISTS[name](self) for name in sorted(names)}

    @cached_property
    def totals(self) -> dict[str, int]:
        """Number of rows of each list, read in one query.

        Rows of empty lists are not read, and most lists are empty.
        """
        return dict(zip(self.lists, count_each(list(self.lists.values())), strict=True))

    @cached_property
    def decisions(self) -> list[Waiting]:
        """The decisions that this person can make; the person's own entries are left out."""
        return list_decisions(self.app.app_id, self.person)

    @cached_property
    def counts(self) -> dashboard.Counts:
        return dashboard.read_counts(self.app)

    @cached_property
    def counted(self) -> tuple[Snapshot, Mapping[str, RecordedSince]] | None:
        """The newest snapshot, and the repayments recorded since that snapshot.

        None before the first complete snapshot, or if the newest snapshot is not readable.
        """
        snapshot = self.counts.complete
        if snapshot is None or not snapshot.is_readable:
            return None
        return snapshot, read_recorded_since(self.app, snapshot)

    def read_payment_box(self) -> dict[str, object]:
        """Return an empty payment box."""
        token = idempotency.issue_key(self.request, recording.PURPOSE)
        return {"box": PaymentBoxForm(None, app=self.app), "token": token}

    def read_alarms(self) -> dict[str, object]:
        """Return the alarms: late answers of the service that contradict our conclusions.

        An alarm of another write is shown only to the person who made the write, and to managers.
        """
        alarms, of_writes = self._read_oldest("alarms", "alarm_at"), list[tuple[str, Write]]()
        self.borrower_ids += [one.borrower_id for one in alarms.rows]
        if self.totals["write_alarms"]:
            of_writes = write_reconciliation.list_alarms(self.app.app_id, self.person)
        return {"alarms": alarms, "write_alarms": of_writes}

    def read_unconfirmed(self) -> dict[str, object]:
        """Return the writes whose outcome is not known, except repayments.

        People see their own writes; managers see all. Writes that are shown as a decision are left
        out.
        """
        found = list[tuple[str, Write]]()
        if self.totals["unconfirmed"]:
            found = write_reconciliation.list_unconfirmed(self.app.app_id, self.person)
        shown = {task.url for one in self.decisions for task in one.tasks}
        return {"unconfirmed": [one for one in found if one[1].get_absolute_url() not in shown]}

    def read_checking(self) -> dict[str, object]:
        """Return the repayments that need checking, the longest waiting first."""
        checking = self._read_oldest("checking", "created_at")
        self.borrower_ids += [one.borrower_id for one in checking.rows]
        return {"checking": checking}

    def read_mine(self) -> dict[str, object]:
        """Return this person's repayments of today in the lender's zone, and their totals."""
        today = self.today
        lines = dayend.list_lines(self.app, today, person_id=self.person.pk)
        own = self.repayments.of_person(self.app.app_id, self.person.pk)
        own = own.filter(created_at__gte=get_midnight(today, self.app.zone))
        mine = list(own[:_FEW]) if lines else []
        self.borrower_ids += [one.borrower_id for one in mine]
        return {
            "today": today,
            "mine": mine,
            "tills": dayend.group_by_currency(lines, today),
        }

    def list_received(self) -> QuerySet[Repayment]:
        """Return repayments of this person's borrowers, recorded since yesterday 0:00."""
        yesterday, app_id = self.today - timedelta(days=1), self.app.app_id
        own = Assignment.objects.list_borrower_ids(app_id, self.person.pk, self.today)
        return Repayment.objects.filter(
            RECORDED,
            app_id=app_id,
            created_at__gte=get_midnight(yesterday, self.app.zone),
            borrower_id__in=own,
        ).select_related("created_by")

    def read_received(self) -> dict[str, object]:
        """Return the newest repayments of this person's borrowers."""
        return self._read_first("received", "-created_at", "-pk")

    def read_promised(self) -> dict[str, object]:
        """Return the largest promises of this person's borrowers for today."""
        return self._read_first("promised", "-amount", "pk")

    def _read_first(self, name: str, *order: str) -> dict[str, object]:
        """Return the first rows of a list in this order, and its total in words."""
        total = self.totals[name]
        rows = self.lists[name].order_by(*order)[:_FEW] if total else []
        self.borrower_ids += [one.borrower_id for one in rows]
        return {name: rows, f"{name}_total": spell_count(total)}

    def read_today(self) -> dict[str, object]:
        """Return the list of loans due today."""
        return {"due_lists": self._read_lists("due-today")}

    def read_due(self) -> dict[str, object]:
        """Return the lists of overdue loans and of loans due today, from the newest snapshot."""
        return {"due_lists": self._read_lists("overdue", "due-today")}

    def read_week(self) -> dict[str, object]:
        """Return the list of loans due this week."""
        return {"week_lists": self._read_lists("due-this-week")}

    def read_running(self) -> dict[str, object]:
        """Return the offers and assessments that this person requested since yesterday."""
        since = timezone.now() - _LATELY
        offers = asking.list_latest_of(self.person, self.app.app_id, since)
        assessments = running.list_started_by(self.person, self.app.app_id, since)
        self.borrower_ids += [one.borrower_id for one in offers]
        self.borrower_ids += [to_borrower_id(one.account_id) for one in assessments]
        return {"offers": offers, "assessments": assessments}

    def read_decisions(self) -> dict[str, object]:
        """Return the decisions that this person can make; the person's own entries are left out."""
        person, decisions = self.person, self.decisions
        self.borrower_ids += [task.borrower_id for one in decisions for task in one.tasks]
        changes = count_waiting(person) if person.has_perm(MANAGE_PEOPLE) else 0
        return {
            "decisions": decisions,
            "people_changes": changes,
            "to_decide": spell_count(changes + sum(one.total for one in decisions)),
            "decides": Work.DECIDING in list_work(person, self.app.app_id),
        }

    def read_mentions(self) -> dict[str, object]:
        """Return this person's unseen mentions in notes, the oldest first."""
        mentioned = self._read_oldest("mentions", "pk")
        self.borrower_ids += [one.note.borrower_id for one in mentioned.rows]
        return {"mentions": mentioned}

    def read_portfolio(self) -> dict[str, object]:
        """Return the figures of the newest snapshot, their age, and the time of the next one."""
        last = self.counts.last
        due = snapshot_job.find_next_due(last) if last else None
        summary = dashboard.build_summary(self.app, self.counts)
        self.borrower_ids += [one.borrower_id for one in (summary.arrears if summary else ())]
        return {
            "summary": summary,
            "has_older": not summary and self.counts.complete is not None,
            "last": last,
            "every": timedelta(0) != settings.SNAPSHOT_EVERY,
            "due": due,
            "is_missed": due is not None and due < timezone.now() - _LATE,
        }

    def _read_lists(self, *kinds: str) -> list[CountedList]:
        """Return these lists of the newest snapshot, each with its first loans and total.

        Return no lists before the first complete snapshot.
        """
        lists = []
        for show in kinds:
            found, total = self._open_list(show), self.totals[show]
            if found is None:
                continue
            rows = [found.build_row(loan) for loan in self.lists[show][:_FEW]] if total else []
            url = reverse("loan-list", args=[self.app.app_id], query={"show": show})
            lists.append(CountedList(show, found.title, rows, spell_count(total), url))
            self.borrower_ids += [row.loan.borrower_id for row in rows]
        return lists

    def list_loans(self, show: str) -> QuerySet[Any]:
        """Return the loans of a list; empty before the first complete snapshot."""
        found = self._open_list(show)
        return found.rows if found else SnapshotLoan.objects.none()

    def _open_list(self, show: str) -> LoanList | None:
        if self.counted and show not in self._loan_lists:
            form = LoanListForm({"show": show}, [])
            self._loan_lists[show] = LoanList(self.app, self.counted[0], form, self.counted[1])
        return self._loan_lists.get(show)

    def _read_oldest(self, name: str, column: str) -> Slice:
        """Return the entries that have waited longest, and their total number."""
        total = self.totals[name]
        page = list(self.lists[name].order_by(column, "pk")[:_FEW]) if total else []
        return Slice(page, page[-1].pk if page and total > _FEW else None, total)


# Lists whose rows are counted before the rows are read, by name.
_LISTS: dict[str, Callable[[HomeReader], QuerySet[Any]]] = {
    "alarms": lambda home: home.repayments.with_unseen_alarm(home.app.app_id),
    "checking": lambda home: home.repayments.needing_checks(home.app.app_id),
    "due-this-week": lambda home: home.list_loans("due-this-week"),
    "due-today": lambda home: home.list_loans("due-today"),
    "mentions": lambda home: mentions.list_unseen(home.person, home.app.app_id),
    "overdue": lambda home: home.list_loans("overdue"),
    "promised": lambda home: calls.list_promised(home.app.app_id, home.person),
    "received": HomeReader.list_received,
    "unconfirmed": lambda home: write_reconciliation.find_unconfirmed(home.app.app_id, home.person),
    "write_alarms": lambda home: write_reconciliation.find_alarms(home.app.app_id, home.person),
}


class Section(NamedTuple):
    """One section of the home page.

    `name` is the name of the template. People with one of the kinds of work in `works` and with the
    permission see the section. `read` returns the content. `lists` are the names of the lists whose
    rows are counted for this section.
    """

    name: str
    works: frozenset[Work]
    permission: str
    read: Callable[[HomeReader], dict[str, object]]
    lists: tuple[str, ...] = ()


_EVERYBODY = frozenset(Work)
_CLERKS = frozenset({Work.RECORDING})
_OFFICERS = frozenset({Work.LENDING})
_READERS = frozenset({Work.READING})
_MANAGERS = frozenset({Work.DECIDING})
_SEE_LOAN, _LIST_LOANS = "lending.loans.get", "lending.loans.list"

# The order is that of the page. A person with several kinds of work sees the sections of all these
# kinds.
SECTIONS = (
    Section("decisions", _MANAGERS, _SEE_LOAN, HomeReader.read_decisions),
    Section("payment", _EVERYBODY, _RECORD, HomeReader.read_payment_box),
    Section("alarms", _EVERYBODY, _SEE_LOAN, HomeReader.read_alarms, ("alarms", "write_alarms")),
    Section("mentions", _EVERYBODY, NOTES_READ, HomeReader.read_mentions, ("mentions",)),
    Section("hand_overs", _EVERYBODY, "dashboard.assignments.handOver", lambda reader: {}),
    Section("checking", _CLERKS, _SEE_LOAN, HomeReader.read_checking, ("checking",)),
    Section("unconfirmed", _EVERYBODY, _SEE_LOAN, HomeReader.read_unconfirmed, ("unconfirmed",)),
    Section("mine", _CLERKS, _RECORD, HomeReader.read_mine),
    Section("due", _CLERKS, _LIST_LOANS, HomeReader.read_due, ("overdue", "due-today")),
    Section("received", _OFFICERS, _SEE_LOAN, HomeReader.read_received, ("received",)),
    Section("promised", _OFFICERS, CALL, HomeReader.read_promised, ("promised",)),
    Section("due", _OFFICERS, _LIST_LOANS, HomeReader.read_today, ("due-today",)),
    Section("running", _OFFICERS, _ASK, HomeReader.read_running),
    Section("opened", _OFFICERS | _READERS, _LIST_LOANS, lambda reader: {}),
    Section("week", _READERS, _LIST_LOANS, HomeReader.read_week, ("due-this-week",)),
    Section("decisions", _EVERYBODY, _SEE_LOAN, HomeReader.read_decisions),
    Section("portfolio", _MANAGERS | _READERS, _LIST_LOANS, HomeReader.read_portfolio),
)


def read_sections(request: PersonRequest, app: LendingApp) -> dict[str, Any]:
    """Return the context of the home page: the templates and the content of the person's sections.

    The templates are in the order of the page.
    """
    works, reader = list_work(request.user, app.app_id), HomeReader(request, app)
    # Some sections have two places on the page. The first place that this person may see is used.
    found: dict[str, Section] = {}
    for one in SECTIONS:
        if one.works & works and request.user.has_perm(one.permission):
            found.setdefault(one.name, one)
    reader.own = own = list(found.values())
    context: dict[str, Any] = {"sections": [f"portfolio/home/_{one.name}.html" for one in own]}
    for section in own:
        context |= section.read(reader)
    complete = reader.counts.complete
    context["updated_at"] = complete.ended_at if complete and complete.is_readable else None
    # Read the names for all sections at once. Each template then uses the names of its own rows.
    get_page_names(request, app.app_id).get(reader.borrower_ids)
    return context

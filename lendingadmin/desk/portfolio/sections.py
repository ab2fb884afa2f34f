"""The sections of the home page: whose work each serves, and what it shows.

A person's work follows from the rights of their roles, so that a role of one's own making counts
like the four. All sections are read from our own database.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.independence import list_dependent
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MANAGE_PEOPLE, NOTES_READ
from lendingadmin.core.staff.second_manager import count_waiting
from lendingadmin.money.repayments import approvals, dayend, mistakes, restoration
from lendingadmin.money.repayments.managers import UNDECIDED, get_midnight
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.views import recording
from lendingadmin.money.writes import idempotency
from lendingadmin.money.writes import reconciliation as write_reconciliation
from lendingadmin.records.assessments import running
from lendingadmin.records.notes import mentions
from lendingadmin.records.offers import asking
from lendingadmin.web.keyset import COUNTED, Slice, read_slice, spell_count
from lendingadmin.web.navigation import list_decisions
from lendingadmin.web.requests import PersonRequest

from . import dashboard, snapshot_job
from .forms import PaymentBoxForm
from .loan_list_form import LoanListForm
from .loan_lists import ListedLoan, LoanList
from .models import Snapshot
from .recorded_since import RecordedSince, read_recorded_since

_RECORD = "lending.loans.makeRepayment"
_ASK = "lending.borrowers.getOffers"
_DECIDE = frozenset(
    {write_reconciliation.RESOLVE, mistakes.REVIEW, approvals.APPROVE, MANAGE_PEOPLE}
)
# So many rows of a list stand here; the rest are behind its link.
_FEW = 5
# What a person has asked for since yesterday is still theirs to look at.
_LATELY = timedelta(hours=24)
# A busy worker may begin a snapshot that is due this late.
_LATE = timedelta(minutes=2)


class Work(Enum):
    """What a person does here: record payments, lend, decide, or only read."""

    RECORDING = "recording"
    LENDING = "lending"
    DECIDING = "deciding"
    READING = "reading"


def list_work(person: User, app_id: str) -> frozenset[Work]:
    """The work of each of a person's roles in an app together, by the rights that each holds."""
    held = list(person.held_roles.get(app_id, {}).values())
    if not held and person.is_superuser:
        held = [frozenset({_RECORD, _ASK, *_DECIDE})]
    return frozenset().union(*map(_find_work, held)) or frozenset({Work.READING})


def _find_work(rights: frozenset[str]) -> frozenset[Work]:
    """The work of one role: who decides is no clerk by it, though a manager may do it all."""
    if rights & _DECIDE:
        return frozenset({Work.DECIDING})
    work = ((Work.RECORDING, _RECORD), (Work.LENDING, _ASK))
    return frozenset(one for one, right in work if right in rights)


class CountedList(NamedTuple):
    """The first loans of a list over the newest count, and how many it has, in words."""

    show: str
    title: str
    rows: list[ListedLoan]
    total: str
    url: str


class HomeReader:
    """Reads what the sections of one person's home page show of an app."""

    def __init__(self, request: PersonRequest, app: LendingApp) -> None:
        self.request, self.app, self.person = request, app, request.user
        self.repayments = Repayment.objects.with_mistake()

    @cached_property
    def counted(self) -> tuple[Snapshot, Mapping[str, RecordedSince]] | None:
        """The newest count whose loans are kept, and what was recorded since; None before it."""
        snapshot = snapshot_job.find_with_loans(self.app.app_id)
        return (snapshot, read_recorded_since(self.app, snapshot)) if snapshot else None

    def read_payment_box(self) -> dict[str, object]:
        """The empty box."""
        token = idempotency.issue_key(self.request, recording.PURPOSE)
        return {"box": PaymentBoxForm(None, app=self.app), "token": token}

    def read_alarms(self) -> dict[str, object]:
        """What contradicts late what was concluded here: of other writes one's own alone."""
        alarms = self.repayments.with_unseen_alarm(self.app.app_id)
        return {
            "alarms": _read_oldest(alarms, "alarm_at", _FEW),
            "write_alarms": write_reconciliation.list_alarms(self.app.app_id, self.person),
        }

    def read_unconfirmed(self) -> dict[str, object]:
        """Other writes without an answer: one's own, and for managers all."""
        found = write_reconciliation.list_unconfirmed(self.app.app_id, self.person)
        return {"unconfirmed": found}

    def read_checking(self) -> dict[str, object]:
        """The repayments that need checking, the longest waiting first."""
        rows = self.repayments.needing_checks(self.app.app_id)
        return {"checking": _read_oldest(rows, "created_at", _FEW)}

    def read_mine(self) -> dict[str, object]:
        """What this person recorded today on the lender's calendar, and what it comes to."""
        today = timezone.localdate(timezone=self.app.zone)
        own = self.repayments.of_person(self.app.app_id, self.person.pk)
        lines = dayend.list_lines(self.app, today, person_id=self.person.pk)
        return {
            "today": today,
            "mine": list(own.filter(created_at__gte=get_midnight(today, self.app.zone))[:_FEW]),
            "tills": dayend.group_by_currency(lines, today),
        }

    def read_due(self) -> dict[str, object]:
        """Who is overdue and who is to pay today, by the newest count."""
        return {"due_lists": self._read_lists("overdue", "due-today"), "is_counted": self.counted}

    def read_week(self) -> dict[str, object]:
        """Who is to pay this week."""
        return {"week_lists": self._read_lists("due-this-week"), "is_counted": self.counted}

    def read_running(self) -> dict[str, object]:
        """The offers and assessments that this person asked for since yesterday."""
        since = timezone.now() - _LATELY
        return {
            "offers": asking.list_latest_of(self.person, self.app.app_id, since),
            "assessments": running.list_started_by(self.person, self.app.app_id, since),
        }

    def read_decisions(self) -> dict[str, object]:
        """All that waits for this person's decision; nobody decides about what they entered."""
        app_id, person = self.app.app_id, self.person
        to_approve = approvals.list_waiting(app_id, person)
        reports = mistakes.list_waiting(app_id, person)
        undecided = Slice([])
        if person.has_perm(write_reconciliation.RESOLVE):
            rows = self.repayments.needing_checks(app_id)
            theirs = Q(created_by=person) | Q(created_by__in=list_dependent(person))
            only = UNDECIDED & ~theirs
            undecided = read_slice(rows, "created_at", _FEW, newest_first=False, only=only)
        found: dict[str, object] = {
            "to_approve": _read_oldest(to_approve, "created_at", _FEW),
            "mistakes": _read_oldest(reports, "reported_at", _FEW),
            "people_changes": count_waiting(person) if person.has_perm(MANAGE_PEOPLE) else 0,
            "may_be_restored": restoration.may_be_restored(app_id, person),
            "has_gap": restoration.list_waiting(app_id, person).exists(),
            "undecided": undecided,
            "decisions": list_decisions(app_id, person),
        }
        waits = any(one.rows if isinstance(one, Slice) else one for one in found.values())
        return found | {"waits": waits, "decides": Work.DECIDING in list_work(person, app_id)}

    def read_mentions(self) -> dict[str, object]:
        """The notes that name this person and that they have not seen."""
        return {"mentions": _read_by_number(mentions.list_unseen(self.person, self.app.app_id))}

    def read_portfolio(self) -> dict[str, object]:
        """The figures of the newest count, how old they are, and what becomes of the next one."""
        last = snapshot_job.find_newest(self.app.app_id)
        due = snapshot_job.find_next_due(last) if last else None
        summary = dashboard.build_summary(self.app) if last else None
        return {
            "summary": summary,
            "has_older": not summary and snapshot_job.list_complete(self.app.app_id).exists(),
            "last": last,
            "every": timedelta(0) != settings.SNAPSHOT_EVERY,
            "due": due,
            "is_missed": due is not None and due < timezone.now() - _LATE,
        }

    def _read_lists(self, *kinds: str) -> list[CountedList]:
        """Lists over the newest count; none before it."""
        if self.counted is None:
            return []
        snapshot, recorded = self.counted
        lists = []
        for show in kinds:
            found = LoanList(self.app, snapshot, LoanListForm({"show": show}, []), recorded)
            rows = [found.build_row(loan) for loan in found.rows[:_FEW]]
            total = spell_count(found.count_some())
            url = reverse("loan-list", args=[self.app.app_id], query={"show": show})
            lists.append(CountedList(show, found.title, rows, total, url))
        return lists


def _read_oldest(rows: QuerySet[Any], column: str, size: int) -> Slice:
    """The entries that have waited longest, and how many there are in total."""
    return read_slice(rows, column, size, newest_first=False)


def _read_by_number(rows: QuerySet[Any]) -> Slice:
    """The first of rows in their order, and how many there are."""
    page = list(rows[: _FEW + 1])
    count = rows.order_by().values("pk")[: COUNTED + 1].count()
    return Slice(page[:_FEW], page[_FEW - 1].pk if len(page) > _FEW else None, count)


class Section(NamedTuple):
    """One section: its template's name, whose work it is for, its right, and what it reads."""

    name: str
    works: frozenset[Work]
    permission: str
    read: Callable[[HomeReader], dict[str, object]]


_EVERYBODY = frozenset(Work)
_CLERKS = frozenset({Work.RECORDING})
_LENDERS = frozenset({Work.LENDING, Work.READING})
_SEE_LOAN, _LIST_LOANS = "lending.loans.get", "lending.loans.list"

# In the order in which they stand on the page; who does several people's work has the union.
SECTIONS = (
    Section("payment", _EVERYBODY, _RECORD, HomeReader.read_payment_box),
    Section("alarms", _EVERYBODY, _SEE_LOAN, HomeReader.read_alarms),
    Section("mentions", _EVERYBODY, NOTES_READ, HomeReader.read_mentions),
    Section("hand_overs", _EVERYBODY, "dashboard.assignments.handOver", lambda reader: {}),
    Section("checking", _CLERKS, _SEE_LOAN, HomeReader.read_checking),
    Section("unconfirmed", _EVERYBODY, _SEE_LOAN, HomeReader.read_unconfirmed),
    Section("mine", _CLERKS, _RECORD, HomeReader.read_mine),
    Section("due", _CLERKS, _LIST_LOANS, HomeReader.read_due),
    Section("running", _LENDERS, _ASK, HomeReader.read_running),
    Section("opened", _LENDERS, _LIST_LOANS, lambda reader: {}),
    Section("week", _LENDERS, _LIST_LOANS, HomeReader.read_week),
    Section("decisions", _EVERYBODY, _SEE_LOAN, HomeReader.read_decisions),
    Section("portfolio", _EVERYBODY, _LIST_LOANS, HomeReader.read_portfolio),
)


def read_sections(request: PersonRequest, app: LendingApp) -> dict[str, Any]:
    """The templates of a person's sections in their order, and all that these show."""
    works, reader = list_work(request.user, app.app_id), HomeReader(request, app)
    own = [one for one in SECTIONS if one.works & works and request.user.has_perm(one.permission)]
    context: dict[str, Any] = {"sections": [f"portfolio/home/_{one.name}.html" for one in own]}
    for section in own:
        context |= section.read(reader)
    return context

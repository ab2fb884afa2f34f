"""Timeline items of a borrower or a loan, from the service and from writes in this dashboard."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, tzinfo
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.loan_math import account_of
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.values import Assessment, Event, Loan, text
from lendingadmin.money.writes import reconciliation
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.services import as_kept
from lendingadmin.records.events.search import build_event_url
from lendingadmin.web.display import formats
from lendingadmin.web.display.assessments import outcome
from lendingadmin.web.display.money import money
from lendingadmin.web.display.statuses import Status, processing
from lendingadmin.web.display.times import contract_date
from lendingadmin.web.lists import as_id
from lendingadmin.web.timeline import Found, Item, LiveReads, OwnRows, Source, Subject

from . import history, panels

_OF_LOANS = tuple(name for name in OPERATIONS if name.startswith("loans."))


def prepare_loans(subject: Subject) -> LiveReads:
    """Return the reads for the start and the settlement of each loan.

    If the subject is a loan, the caller has read this loan already.
    """
    if subject.account_id:
        read_at = subject.read_at or timezone.now()
        return LiveReads(
            (), lambda _: Found(list(_describe_loan(_get(subject.loan), subject)), read_at)
        )
    app = gateway.app(subject.app.app_id)

    def finish(results: Sequence[Any]) -> Found:
        listed = _get(results[0])
        items = [item for loan in listed.items for item in _describe_loan(loan, subject)]
        return _cut(items, listed, subject, "loans")

    return LiveReads([partial(panels.loans, app, subject.borrower_id)], finish)


def _describe_loan(loan: object, subject: Subject) -> Iterator[Item]:
    if not isinstance(loan, Loan):
        return
    account, zone = account_of(loan), subject.app.zone
    given = {"account": account or _("without an id")}
    amount = money(loan.loan_amount, subject.app.currency, formats.locale())
    url = reverse("loan", args=[subject.app.app_id, account]) if as_id(account) else ""
    if subject.account_id:
        url = ""
    began, settled = (contract_date(one, zone) for one in (loan.start_date, loan.settlement_date))
    if began:
        words = _("Loan %(account)s began") % given
        yield Item(_begin(began, zone), words, url=url, amount=amount, is_day=True)
    if settled:
        chips = (Status(_("settled"), "good", "check-circle"),)
        words = _("Loan %(account)s was settled") % given
        yield Item(_begin(settled, zone), words, url=url, chips=chips, is_day=True)


def _begin(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, zone)


def prepare_assessments(subject: Subject) -> LiveReads | None:
    """Return the reads of a borrower's newest assessments, or of the assessment of a loan.

    Return None for a loan without an assessment.
    """
    app = gateway.app(subject.app.app_id)
    if subject.account_id:
        key = as_id(getattr(subject.loan, "assessment_id", None))
        if not key:
            return None
        return LiveReads(
            [lambda: check_named(app.assessments.get(key), key)],
            lambda results: Found(
                list(_describe_assessments([_get(results[0])], subject)), timezone.now()
            ),
        )
    reads = panels.prepare_assessments(app, subject.borrower_id, None)

    def finish(results: Sequence[Any]) -> Found:
        listed = _get(reads.finish(results))
        items = list(_describe_assessments((row.assessment for row in listed.items), subject))
        return _cut(items, listed, subject, "assessments")

    return LiveReads(reads.calls, finish)


def _describe_assessments(found: Iterable[object], subject: Subject) -> Iterator[Item]:
    for one in found:
        at = getattr(one, "created_at", None) or getattr(one, "timestamp", None)
        if not isinstance(one, Assessment) or not isinstance(at, datetime):
            continue
        key = as_id(one.assessment_id)
        result = outcome(getattr(one.result, "type", None))
        yield Item(
            at,
            _("Assessment"),
            url=reverse("assessment", args=[subject.app.app_id, key]) if key else "",
            chips=_list_chips(result or processing(one.status)),
            detail=(text(one.assessment_type) or "").rpartition("/")[2],
        )


def prepare_events(subject: Subject) -> LiveReads:
    """Return the reads of a borrower's newest events.

    Only the page of an event shows the content.
    """
    app = gateway.app(subject.app.app_id)

    def finish(results: Sequence[Any]) -> Found:
        listed = _get(results[0])
        items = [
            Item(
                one.timestamp,
                _("Event captured"),
                url=build_event_url(subject.app.app_id, one),
                chips=_list_chips(processing(one.status)),
                detail=text(one.event_type) or "",
            )
            for one in listed.items
            if isinstance(one, Event) and isinstance(one.timestamp, datetime)
        ]
        return _cut(items, listed, subject, "events")

    return LiveReads([partial(panels.events, app, subject.borrower_id)], finish)


def _get(result: Any) -> Any:
    if isinstance(result, LendingError):
        raise result
    return result


def _cut(items: list[Item], listed: Any, subject: Subject, panel: str) -> Found:
    """Return the items of a list's first page.

    If the list has more pages, the result has a link to the borrower's panel.
    """
    if not listed.next_page_token:
        return Found(items, listed.read_at, getattr(listed, "note", ""))
    more_url = reverse(f"borrower-{panel}", args=[subject.app.app_id, subject.borrower_id])
    return Found(items, listed.read_at, _("only the newest are shown"), more_url)


def _list_chips(chip: Status | None) -> tuple[Status, ...]:
    return (chip,) if chip else ()


def find_writes(subject: Subject) -> QuerySet[Write]:
    """Return the writes for a borrower or a loan.

    Requests for offers are left out, because another source has them.
    """
    app_id = subject.app.app_id
    if not subject.account_id:
        found = history.find_writes(app_id, subject.borrower_id)
        return found.exclude(operation="borrowers.getOffers").select_related("person")
    own = Write.objects.filter(app_id=app_id)
    subjects = own.filter(operation__in=_OF_LOANS, subject=as_kept(subject.account_id))
    # The write of a loan from an offer is found by its `url`, which is the page of the loan.
    named = own.filter(borrower_id=as_kept(subject.borrower_id)).exclude(borrower_id="")
    made = named.filter(url=reverse("loan", args=[app_id, subject.account_id]))
    keys = subjects.order_by().values("pk").union(made.order_by().values("pk"))
    return Write.objects.filter(pk__in=keys).select_related("person")


def describe_write(write: Write, subject: Subject) -> Item:
    """Return one write and its result as an item."""
    return Item(
        write.created_at,
        reconciliation.describe(write),
        url=history.find_target(write, subject.person),
        by=write.person.username,
        chips=(write.message.chip,),
    )


LOANS = Source(
    "loans", gettext_noop("Loans"), "banknotes", "lending.loans.list", prepare=prepare_loans
)
ASSESSMENTS = Source(
    "assessments",
    gettext_noop("Assessments"),
    "scale",
    "lending.assessments.list",
    prepare=prepare_assessments,
)
EVENTS = Source(
    "events",
    gettext_noop("Events"),
    "inbox-stack",
    "lending.events.list",
    prepare=prepare_events,
    of_loans=False,
)
WRITES = Source(
    "writes",
    gettext_noop("Entries and changes"),
    "pencil-square",
    "lending.borrowers.get",
    rows=(OwnRows(find_writes, "created_at", describe_write),),
)

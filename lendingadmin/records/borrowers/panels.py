"""Panels on a borrower's page. Each needs a few reads, and may fail without the others."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from lendingadmin.core import gateway
from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import (
    BadRequest,
    InvalidFilter,
    LendingError,
    NotSent,
    TimedOut,
    WrongRecord,
)
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.pages import Page
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.lending.values import Assessment, Borrower, LoanSummary, Malformed, text
from lendingadmin.records.assessments import known, running
from lendingadmin.records.assessments.models import AssessmentIndex, KnownAssessment
from lendingadmin.records.loans.rows import LIST_KEYS
from lendingadmin.web import coalesce, errors
from lendingadmin.web.keyset import read_slice
from lendingadmin.web.lists import NEWEST_FIRST, whole_number
from lendingadmin.web.masking import mask_item

from . import loan_table

_LOANS = 100
# The keys of each loan that the page of a borrower reads.
_LOAN_KEYS = (*LIST_KEYS, "productId", "assessmentId", "result")
# The number of assessments on a page. Each needs a separate call, and the calls run in parallel.
_ASSESSMENTS = 6
# Page size of the service's list of all assessments, in which the borrower's are searched.
_LISTED = 100
# An event holds up to 5 MB (Spec: Limits).
_EVENTS = 10
LIST_NOT_READ = gettext_lazy("The service's list could not be read: %(why)s")


class Listed(NamedTuple):
    """The borrower's items in a list panel, and the time of reading.

    `next_page_token` leads to the service's next page; None on the last page.
    """

    items: tuple[Any, ...]
    read_at: datetime
    next_page_token: str | None = None


class ListedLoans(NamedTuple):
    """The borrower's loans: the accounts of one page, and the loans that the record lists.

    `without_record` is the reason why the record could not be read; empty if it was read.
    """

    rows: list[loan_table.LoanRow]
    read_at: datetime
    next_page_token: str | None = None
    without_record: str = ""


class Reads(NamedTuple):
    """Reads of a panel: calls that run in parallel, and the function that builds the content.

    `finish` gets the value or the LendingError of each call. The calls run on threads, so they must
    not use the database.
    """

    calls: Sequence[Callable[[], Any]]
    finish: Callable[[Sequence[Any]], Any]


class Recorded(NamedTuple):
    """The borrower's own record, and the time of reading."""

    borrower: Borrower
    read_at: datetime


def record(app: AppClient, borrower_id: str, page_token: str | None = None) -> Recorded:
    """Return the borrower's record. The record has no pages. May raise LendingError."""
    return Recorded(app.borrowers.get(borrower_id), timezone.now())


def share_record(app: AppClient, borrower_id: str, key: str) -> Recorded:
    """Return the borrower's record, read once for all callers with this key.

    May raise LendingError. Each opened page has a new key, so no page shows outdated data.
    """
    read = partial(app.borrowers.get, borrower_id)
    return Recorded(*coalesce.read(f"borrower/{key}/{borrower_id}", Borrower, read))


def loans(app: AppClient, borrower_id: str, page_token: str | None = None) -> Listed:
    """Return the loan accounts of the borrower, the newest first. May raise LendingError."""
    page = app.loans.only(_LOAN_KEYS).list(
        filters={"borrowerId": borrower_id},
        order=NEWEST_FIRST,
        page_size=_LOANS,
        page_token=page_token,
    )
    return _own(page, "borrower_id", borrower_id, asked_by_account=True)


def events(app: AppClient, borrower_id: str, page_token: str | None = None) -> Listed:
    """Return the newest events reported for the borrower. May raise LendingError."""
    account = account_id(borrower_id)
    page = app.events.list(
        filters={"accountId": account}, order=NEWEST_FIRST, page_size=_EVENTS, page_token=page_token
    )
    return _own(page, "account_id", account, asked_by_account=True)


def _own(page: Page[Any], key: str, wanted: str, *, asked_by_account: bool) -> Listed:
    """Return the items on a page that belong to the borrower.

    Items of other borrowers are left out. Items that do not name their owner are included if the
    request had the borrower as its filter.
    """
    owners = [getattr(item, key, None) for item in page.items]
    own = tuple(
        item
        for item, owner in zip(page.items, owners, strict=True)
        if owner == wanted or (asked_by_account and not isinstance(owner, str))
    )
    return Listed(own, page.read_at, page.next_page_token)


class AssessmentRow(NamedTuple):
    """An assessment of the borrower, as just read from the service or as saved earlier.

    If the read failed, `fault` is the reason as a sentence, and `read_at` is the time of the saved
    data.
    """

    assessment: Assessment | Malformed
    fault: str = ""
    read_at: datetime | None = None


class ListedAssessments(NamedTuple):
    """Content of the assessments panel: as `Listed`, and the state of the saved data.

    `note` is the reason why the service's list could not be read. `assessment_index` is None if the
    app's assessments were never read. `total` is the number of the borrower's assessments; empty if
    it is not known.
    """

    items: tuple[AssessmentRow, ...]
    read_at: datetime
    next_page_token: str | None = None
    note: str = ""
    assessment_index: AssessmentIndex | None = None
    total: str = ""


def prepare_assessments(app: AppClient, borrower_id: str, page_token: str | None) -> Reads:
    """Return the reads of the borrower's assessments.

    If the index of the app's assessments is complete, each assessment is read by its id. If not,
    known assessments are read by id, and others are searched on a page of the service's list.
    """
    account, index = account_id(borrower_id), known.find_index(app.app_id)
    if index is None or index.complete_at is None:
        return _prepare_search(app, account, index, page_token)
    behind = whole_number(page_token) or None
    page = read_slice(known.list_known(index, account), "made_at", _ASSESSMENTS, behind=behind)

    def finish(results: Sequence[Any]) -> ListedAssessments:
        items, following = _make_rows(app, page.rows, results), str(page.next or "") or None
        return ListedAssessments(
            items, timezone.now(), following, assessment_index=index, total=page.total_in_words
        )

    return Reads([partial(_read_assessment, app, account, row) for row in page.rows], finish)


def _prepare_search(
    app: AppClient, account: str, index: AssessmentIndex | None, page_token: str | None
) -> Reads:
    """Return the reads of a page of the service's list.

    The first page also has the known assessments, which are read by id.
    """
    rows = list[KnownAssessment]()
    if index and not page_token:
        rows = read_slice(known.list_known(index, account), "made_at", _ASSESSMENTS).rows

    def finish(results: Sequence[Any]) -> ListedAssessments | LendingError:
        listed, items, note = results[0], _make_rows(app, rows, results[1:]), ""
        if isinstance(listed, LendingError):
            if not items:
                return listed
            note = LIST_NOT_READ % {"why": _(listed.message)}
            listed = Listed((), timezone.now())
        keys = {row.assessment_id for row in rows}
        others = (
            AssessmentRow(one)
            for one in listed.items
            if isinstance(one, Malformed) or running.id_of(one) not in keys
        )

        def get_created_at(row: AssessmentRow) -> str:
            return str(getattr(row.assessment, "created_at", None) or "")

        return ListedAssessments(
            tuple(sorted((*items, *others), key=get_created_at, reverse=True)),
            listed.read_at,
            listed.next_page_token,
            note,
            assessment_index=index,
        )

    reads = [partial(_read_assessment, app, account, row) for row in rows]
    return Reads([partial(_list_assessments, app, account, page_token), *reads], finish)


def _read_assessment(app: AppClient, account: str, row: KnownAssessment) -> Assessment:
    """Return an assessment. Raises LendingError, also if it belongs to another account."""
    found = check_named(app.assessments.get(row.assessment_id), row.assessment_id)
    if text(found.account_id) not in (None, account):
        raise WrongRecord
    return found


def _make_rows(
    app: AppClient, rows: Iterable[KnownAssessment], results: Iterable[Any]
) -> tuple[AssessmentRow, ...]:
    """Return a row for each known assessment, and save each assessment that was just read.

    If a read failed, the row has the saved data and the reason.
    """
    return tuple(
        AssessmentRow(known.make_assessment(row), result.message, row.read_at)
        if isinstance(result, LendingError)
        else AssessmentRow(known.keep(app.app_id, result))
        for row, result in zip(rows, results, strict=True)
    )


def _list_assessments(app: AppClient, account: str, page_token: str | None) -> Listed:
    """Return the assessments of the account on a page of the service's list.

    The spec does not show a filter by account for this list. If the service refuses the filter,
    search for the account's assessments on a page of all assessments. May raise LendingError.
    """
    try:
        page = app.assessments.list(
            filters={"accountId": account}, page_size=_LISTED, page_token=page_token
        )
        return _own(page, "account_id", account, asked_by_account=True)
    except (InvalidFilter, BadRequest):
        try:
            page = app.assessments.list(page_size=_LISTED, page_token=page_token)
        except BadRequest:  # The service may also refuse the page size.
            page = app.assessments.list(page_token=page_token)
    return _own(page, "account_id", account, asked_by_account=False)


class Panel(NamedTuple):
    """One panel: its key in the address, its heading, its permission, and its reads."""

    key: str
    heading: str
    permission: str
    prepare: Callable[[AppClient, str, str | None], Reads]

    @property
    def title(self) -> str:
        """The heading, in the language of the page."""
        return _(self.heading)


def _prepare_one(read: Callable[[AppClient, str, str | None], Any]) -> Any:
    """Return the `prepare` function of a panel that needs a single read."""

    def prepare(app: AppClient, borrower_id: str, page_token: str | None) -> Reads:
        return Reads([partial(read, app, borrower_id, page_token)], itemgetter(0))

    return prepare


def read_panels(
    panels: Sequence[Panel],
    app_id: str,
    borrower_id: str,
    page_token: str | None = None,
    seconds: float | None = None,
) -> list[Any]:
    """Return the content of each panel, or the LendingError; all reads run in parallel.

    With `seconds`, the content of a panel that takes longer is None.
    """
    app = gateway.app(app_id)
    prepared = [panel.prepare(app, borrower_id, page_token) for panel in panels]
    calls = [call for reads in prepared for call in reads.calls]
    results = iter(read_in_parallel(gateway.client(), *calls, seconds=seconds) if calls else ())
    found: list[Any] = []
    for reads in prepared:
        own = list(islice(results, len(reads.calls)))
        is_late = seconds is not None and any(isinstance(x, TimedOut | NotSent) for x in own)
        found.append(None if is_late else reads.finish(own))
    return found


def mask_found(found: Any, held: Collection[str]) -> Any:
    """Return the content of a panel, masked for these rights. An error is returned unchanged."""
    match found:
        case Recorded():
            return found._replace(borrower=mask_item(found.borrower, held))
        case Listed():
            return found._replace(items=tuple(mask_item(item, held) for item in found.items))
        case ListedAssessments():
            rows = (row._replace(assessment=mask_item(row.assessment, held)) for row in found.items)
            return found._replace(items=tuple(rows))
    return found


RECORD = Panel("record", gettext_noop("Record"), "lending.borrowers.get", _prepare_one(record))
LOANS = Panel("loans", gettext_noop("Loans"), "lending.loans.list", _prepare_one(loans))
ASSESSMENTS = Panel(
    "assessments", gettext_noop("Assessments"), "lending.assessments.list", prepare_assessments
)
EVENTS = Panel("events", gettext_noop("Events"), "lending.events.list", _prepare_one(events))
LISTS = (LOANS, ASSESSMENTS, EVENTS)


@dataclass(frozen=True)
class Shown:
    """A panel on the page, with data or with an error card. Before the read, it has neither.

    Only the panel of loans can have both.
    """

    panel: Panel
    found: Any = None
    card: errors.Card | None = None
    page_token: str | None = None

    @classmethod
    def of(
        cls,
        panel: Panel,
        result: Any,
        page_token: str | None = None,
    ) -> "Shown":
        """Return the panel for the result of its read: a value, or the LendingError.

        `page_token` is the token of the panel's page, None for the first.
        """
        if isinstance(result, LendingError):
            return cls(panel, card=errors.card(result), page_token=page_token)
        return cls(panel, found=result, page_token=page_token)

    @classmethod
    def of_loans(
        cls,
        accounts: Any,
        recorded: Any,
        app_id: str,
        borrower_id: str,
        page_token: str | None = None,
    ) -> "Shown":
        """Return the panel of loans from the accounts and the record: each a value or an error.

        The panel shows each of the two even if the other could not be read. `recorded` is None if
        the person may not see the record.
        """
        summaries, fault = _read_summaries(recorded, borrower_id)
        zone = gateway.lending_app(app_id).zone
        if isinstance(accounts, LendingError):
            known = () if page_token else summaries
            rows = loan_table.build_rows((), known, origin=loan_table.UNREAD_ACCOUNTS, zone=zone)
            found = ListedLoans(rows, recorded.read_at) if rows else None
            return cls(LOANS, found, card=errors.card(accounts), page_token=page_token)
        # If the accounts have several pages, the loans that only the record has are shown on the
        # first page.
        is_whole = not (accounts.next_page_token or page_token)
        origin = loan_table.ONLY_RECORD if is_whole else loan_table.OTHER_PAGE
        rows = loan_table.build_rows(
            accounts.items, summaries, origin="" if page_token else origin, zone=zone
        )
        found = ListedLoans(rows, accounts.read_at, accounts.next_page_token, without_record=fault)
        return cls(LOANS, found, page_token=page_token)

    @property
    def is_read(self) -> bool:
        """True if the panel has data or the card of an error."""
        return self.found is not None or self.card is not None

    @property
    def template(self) -> str:
        """Path of the template for the panel's content."""
        return f"borrowers/_{self.panel.key}.html"


def _read_summaries(
    recorded: Any, borrower_id: str
) -> tuple[tuple[LoanSummary | Malformed, ...], str]:
    """Return the loans in the borrower's record, or the reason why they can't be read.

    Both are empty while the record is not read yet.
    """
    if recorded is None:
        return (), ""
    try:
        if isinstance(recorded, LendingError):
            raise recorded
        record = check_named(recorded.borrower, borrower_id)
    except LendingError as error:
        return (), errors.card(error).cause
    return tuple(record.loans or ()), ""

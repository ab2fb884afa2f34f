"""What stands beside a borrower: each panel is one read, which may fail without the others."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.utils import timezone
from django.utils.safestring import SafeString

from lendingadmin.assessments.columns import columns as assessment_columns
from lendingadmin.events.columns import ACCOUNT
from lendingadmin.events.columns import columns as event_columns
from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import BadRequest, InvalidFilter, LendingError
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.pages import Page
from lendingadmin.lending.values import Borrower
from lendingadmin.loans.columns import BORROWER
from lendingadmin.loans.columns import KEYS as LOAN_KEYS
from lendingadmin.loans.columns import columns as loan_columns
from lendingadmin.readers import LendingApp
from lendingadmin.web import errors, tables
from lendingadmin.web.tables import Column

_LOANS = 100
_ASSESSMENTS = 100
# An event holds up to 5 MB (Spec: Limits).
_EVENTS = 10


class Listed(NamedTuple):
    """What a list panel shows: the borrower's items, when they were read, and what to know.

    `more` says that the service has further pages.
    """

    items: tuple[Any, ...]
    read_at: datetime
    more: bool = False
    note: str = ""


class Recorded(NamedTuple):
    """The borrower's own record, and when it was read."""

    borrower: Borrower
    read_at: datetime


def record(app: AppClient, borrower_id: str) -> Recorded:
    """The borrower. Raises LendingError."""
    return Recorded(app.borrowers.get(borrower_id), timezone.now())


def loans(app: AppClient, borrower_id: str) -> Listed:
    """The loan accounts that the borrower holds, the newest first. Raises LendingError."""
    page = app.loans.only(LOAN_KEYS).list(
        filters={"borrowerId": borrower_id}, order="desc", page_size=_LOANS
    )
    return _own(page, "borrower_id", borrower_id, asked_by_account=True)


def assessments(app: AppClient, borrower_id: str) -> Listed:
    """The borrower's assessments; the spec does not say that they can be filtered by account.

    Raises LendingError.
    """
    account = account_id(borrower_id)
    try:
        filters = {"accountId": account}
        page = app.assessments.list(filters=filters, page_size=_ASSESSMENTS)
        return _own(page, "account_id", account, asked_by_account=True)
    except (InvalidFilter, BadRequest):
        page = _any_assessments(app)
    return _own(page, "account_id", account, asked_by_account=False)


def _any_assessments(app: AppClient) -> Page[Any]:
    """The first page of everybody's; a service may refuse a page size too."""
    try:
        return app.assessments.list(page_size=_ASSESSMENTS)
    except BadRequest:
        return app.assessments.list()


def events(app: AppClient, borrower_id: str) -> Listed:
    """The newest events reported for the borrower. Raises LendingError."""
    account = account_id(borrower_id)
    page = app.events.list(filters={"accountId": account}, order="desc", page_size=_EVENTS)
    return _own(page, "account_id", account, asked_by_account=True)


def _own(page: Page[Any], key: str, wanted: str, *, asked_by_account: bool) -> Listed:
    """What of a page is the borrower's. What belongs to somebody else is left out, and it says so.

    Items that do not say whose they are stay where the service was asked for the borrower's.
    """
    owners = [getattr(item, key, None) for item in page.items]
    own = tuple(
        item
        for item, owner in zip(page.items, owners, strict=True)
        if owner == wanted or (asked_by_account and not isinstance(owner, str))
    )
    left_out = len(page.items) - len(own)
    note = ""
    if left_out or not asked_by_account:
        note = (
            f"The service does not filter these by borrower: {left_out} of others "
            f"{'was' if left_out == 1 else 'were'} left out"
        )
        more = ", and only the first page was looked at." if page.next_page_token else "."
        note += more
    return Listed(own, page.read_at, bool(page.next_page_token), note)


@dataclass(frozen=True)
class Panel:
    """One panel: its key in the address, its heading, who may see it, and how it is read."""

    key: str
    title: str
    permission: str
    read: Callable[[AppClient, str], Any]
    columns: Callable[[LendingApp], Sequence[Column]] = lambda app: ()
    # Columns of the whole list that say nothing here, or have no room.
    without: Container[str] = ()

    def table(self, found: Listed, app: LendingApp) -> SafeString:
        """The rows of a list panel."""
        shown = [column for column in self.columns(app) if column.heading not in self.without]
        return tables.draw(shown, found.items)


RECORD = Panel("record", "Record", "lending.borrowers.get", record)
LOANS = Panel("loans", "Loan accounts", "lending.loans.list", loans, loan_columns, {BORROWER})
ASSESSMENTS = Panel(
    "assessments",
    "Assessments",
    "lending.assessments.list",
    assessments,
    assessment_columns,
    {ACCOUNT, "Risk score"},
)
EVENTS = Panel(
    "events",
    "Events",
    "lending.events.list",
    events,
    event_columns,
    {ACCOUNT, "App version", "Received"},
)
LISTS = (LOANS, ASSESSMENTS, EVENTS)


@dataclass(frozen=True)
class Shown:
    """A panel as the page draws it: what was read, or the card of the fault, or neither yet."""

    panel: Panel
    found: Any = None
    card: errors.Card | None = None
    table: str = ""

    @classmethod
    def of(cls, panel: Panel, result: Any, app: LendingApp) -> "Shown":
        """A panel of what its read gave: a value, or the LendingError that it raised."""
        if isinstance(result, LendingError):
            return cls(panel, card=errors.card(result))
        table = panel.table(result, app) if isinstance(result, Listed) else ""
        return cls(panel, found=result, table=table)

    @property
    def is_read(self) -> bool:
        """Whether there is something to show, be it a fault."""
        return self.found is not None or self.card is not None

    @property
    def template(self) -> str:
        """What draws its content."""
        return f"borrowers/_{self.panel.key}.html"


def call(panel: Panel, app: AppClient, borrower_id: str) -> Callable[[], Any]:
    """The panel's read as a function without arguments."""
    return partial(panel.read, app, borrower_id)

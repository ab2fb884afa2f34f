"""What stands beside a borrower: each panel is one read, which may fail without the others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import BadRequest, InvalidFilter, LendingError
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.pages import Page
from lendingadmin.lending.values import Borrower
from lendingadmin.loans.shown import LIST_KEYS
from lendingadmin.ui import errors, neighbours
from lendingadmin.ui.lists import find_keys

_LOANS = 100
_ASSESSMENTS = 100
# An event holds up to 5 MB (Spec: Limits).
_EVENTS = 10


class Listed(NamedTuple):
    """What a list panel shows: the borrower's items, when they were read, and what to know.

    `next_page_token` leads to the service's further pages, None where there are none.
    """

    items: tuple[Any, ...]
    read_at: datetime
    next_page_token: str | None = None
    note: str = ""


class Recorded(NamedTuple):
    """The borrower's own record, and when it was read."""

    borrower: Borrower
    read_at: datetime


def record(app: AppClient, borrower_id: str, page_token: str | None = None) -> Recorded:
    """The borrower; there are no pages of it. Raises LendingError."""
    return Recorded(app.borrowers.get(borrower_id), timezone.now())


def loans(app: AppClient, borrower_id: str, page_token: str | None = None) -> Listed:
    """The loan accounts that the borrower holds, the newest first. Raises LendingError."""
    page = app.loans.only(LIST_KEYS).list(
        filters={"borrowerId": borrower_id}, order="desc", page_size=_LOANS, page_token=page_token
    )
    return _own(page, "borrower_id", borrower_id, asked_by_account=True)


def assessments(app: AppClient, borrower_id: str, page_token: str | None = None) -> Listed:
    """The borrower's assessments; the spec does not say that they can be filtered by account.

    Raises LendingError.
    """
    account = account_id(borrower_id)
    try:
        page = app.assessments.list(
            filters={"accountId": account}, page_size=_ASSESSMENTS, page_token=page_token
        )
        return _own(page, "account_id", account, asked_by_account=True)
    except (InvalidFilter, BadRequest):
        page = _any_assessments(app, page_token)
    return _own(page, "account_id", account, asked_by_account=False)


def _any_assessments(app: AppClient, page_token: str | None) -> Page[Any]:
    """A page of everybody's; a service may refuse a page size too."""
    try:
        return app.assessments.list(page_size=_ASSESSMENTS, page_token=page_token)
    except BadRequest:
        return app.assessments.list(page_token=page_token)


def events(app: AppClient, borrower_id: str, page_token: str | None = None) -> Listed:
    """The newest events reported for the borrower. Raises LendingError."""
    account = account_id(borrower_id)
    page = app.events.list(
        filters={"accountId": account}, order="desc", page_size=_EVENTS, page_token=page_token
    )
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
        note += ", and only this page of its list was looked at." if page.next_page_token else "."
    return Listed(own, page.read_at, page.next_page_token, note)


class Panel(NamedTuple):
    """One panel: its key in the address, its heading, who may see it, and how it is read."""

    key: str
    title: str
    permission: str
    read: Callable[[AppClient, str, str | None], Any]


RECORD = Panel("record", "Record", "lending.borrowers.get", record)
LOANS = Panel("loans", "Loan accounts", "lending.loans.list", loans)
ASSESSMENTS = Panel("assessments", "Assessments", "lending.assessments.list", assessments)
EVENTS = Panel("events", "Events", "lending.events.list", events)
LISTS = (LOANS, ASSESSMENTS, EVENTS)


@dataclass(frozen=True)
class Shown:
    """A panel as the page draws it: what was read, or the card of the fault, or neither yet."""

    panel: Panel
    found: Any = None
    card: errors.Card | None = None
    mark: str = ""
    page_token: str | None = None

    @classmethod
    def of(
        cls,
        panel: Panel,
        result: Any,
        app_id: str,
        borrower_id: str,
        page_token: str | None = None,
    ) -> "Shown":
        """A panel of what its read gave: a value, or the LendingError that it raised.

        `page_token` is that of its page, None for the first.
        """
        if isinstance(result, LendingError):
            return cls(panel, card=errors.card(result), page_token=page_token)
        place = place_of_loans(app_id, borrower_id, page_token)
        mark = place.mark if panel is LOANS else ""
        return cls(panel, found=result, mark=mark, page_token=page_token)

    @property
    def is_read(self) -> bool:
        """Whether there is something to show, be it a fault."""
        return self.found is not None or self.card is not None

    @property
    def template(self) -> str:
        """What draws its content."""
        return f"borrowers/_{self.panel.key}.html"


def place_of_loans(
    app_id: str, borrower_id: str, page_token: str | None = None
) -> neighbours.ListPlace:
    """The borrower's loans, at one page of them, as a list that a loan is opened from."""
    kwargs = {"app_id": app_id, "borrower_id": borrower_id}
    query = urlencode({"pageToken": page_token} if page_token else {})
    return neighbours.ListPlace("borrower-loans", kwargs, QueryDict(query))


def read_loan_keys(kwargs: Mapping[str, Any], query: QueryDict) -> list[str]:
    """The ids of the loans on a page of the borrower's panel. Raises LendingError."""
    app = gateway.app(kwargs["app_id"])
    found = loans(app, kwargs["borrower_id"], query.get("pageToken") or None).items
    return find_keys(found)


def call(panel: Panel, app: AppClient, borrower_id: str) -> Callable[[], Any]:
    """The panel's read as a function without arguments."""
    return partial(panel.read, app, borrower_id, None)

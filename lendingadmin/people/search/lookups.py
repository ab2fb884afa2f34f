"""Places where an id is looked up. Each look-up is one read.

A loan is read by its `accountId` or `uid`, and an assessment by its `assessmentId` or `uid`. A
loan's `accountNo` is a filter of the loans list (Spec: Loans, Assessments).
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.areas import collect
from lendingadmin.core.staff.models import User
from lendingadmin.lending import loan_math
from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import (
    InvalidId,
    NotFound,
    UnfinishedList,
    Unreadable,
    WrongRecord,
)
from lendingadmin.lending.identity import is_named
from lendingadmin.lending.ids import check_id, resource_id
from lendingadmin.lending.values import Loan, text
from lendingadmin.web.display.text import borrower_name
from lendingadmin.web.errors import Card
from lendingadmin.web.masking import mask_item

from . import kinds
from .encrypted_words import LONGEST
from .kinds import RecordKind

_LONGEST_NUMBER = 18
_FEW = 2  # a loan number belongs to only one loan
_OF_A_LOAN = ("accountId", "accountNo", "borrowerId", "uid")


_STRANGER = gettext_noop(
    "The service does not say who owns this record. The record may belong to another borrower."
)
# A UUID in small or capital letters. A service writes small letters (RFC 9562, 4).
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True)
class Match:
    """A found record: the key of its page, and a text that distinguishes it from other records.

    `warning` says why this may be the wrong record; empty if the match is certain.
    """

    kind: RecordKind
    key: str
    about: str = ""
    warning: str = ""


@dataclass(frozen=True)
class Lookup:
    """One kind of record to search by id: the key in the address, the words, and the permission."""

    key: str
    words: str
    permission: str
    look: Callable[[AppClient, str, Collection[str]], tuple[Match, ...]]
    fits: Callable[[str], bool] = lambda wanted: True

    def call(
        self, app: AppClient, wanted: str, held: Collection[str]
    ) -> Callable[[], tuple[Match, ...]]:
        """Return a function without arguments that reads the matches.

        It returns no match if the record does not exist, and raises the LendingError of any other
        failed read. `held` are the searcher's rights to parts of a borrower's record.
        """
        return partial(self._read, app, wanted, held)

    def _read(self, app: AppClient, wanted: str, held: Collection[str]) -> tuple[Match, ...]:
        small = wanted.lower()
        try:
            try:
                return self.look(app, wanted, held)
            except (NotFound, WrongRecord):
                # A service may find a UUID in capitals and return a record with small letters.
                if small == wanted or not _UUID.fullmatch(wanted):
                    raise
                return self.look(app, small, held)
        except (NotFound, InvalidId):
            return ()


def _borrower(app: AppClient, wanted: str, held: Collection[str]) -> tuple[Match, ...]:
    key = resource_id(wanted) or wanted
    found = mask_item(app.borrowers.get(key), held)
    warning = "" if is_named(found, key) else _(_STRANGER)
    return (Match(kinds.BORROWER, key, borrower_name(found), warning),)


def _loan(app: AppClient, wanted: str, _held: Collection[str]) -> tuple[Match, ...]:
    found = app.loans.get(wanted)
    key = loan_math.account_of(found) or wanted
    warning = "" if is_named(found, wanted) else _(_STRANGER)
    return (Match(kinds.LOAN, key, _of_borrower(found), warning),)


def _numbered(app: AppClient, wanted: str, _held: Collection[str]) -> tuple[Match, ...]:
    number = int(wanted)
    page = app.loans.only(_OF_A_LOAN).list(filters={"accountNo": str(number)}, page_size=_FEW)
    loans = [loan for loan in page.items if isinstance(loan, Loan)]
    found = [loan for loan in loans if loan.account_no == number]
    if page.items and not found:
        # A service that ignores the filter returns the loans of all borrowers.
        raise Unreadable("The service did not look for the number.", operation="loans.list")
    named = [(loan_math.key_of(loan), _of_borrower(loan)) for loan in found]
    if page.next_page_token and not page.items:
        raise UnfinishedList(operation="loans.list")
    words = _("number %(number)s") % {"number": number}
    return tuple(Match(kinds.LOAN, key, f"{words} {of}") for key, of in named if key)


def _assessment(app: AppClient, wanted: str, _held: Collection[str]) -> tuple[Match, ...]:
    found = app.assessments.get(wanted)
    key = text(found.assessment_id) or wanted
    warning = "" if is_named(found, wanted) else _(_STRANGER)
    account = resource_id(found.account_id)
    about = _("of %(account)s") % {"account": account} if account else ""
    return (Match(kinds.ASSESSMENT, key, about, warning),)


def _of_borrower(loan: Loan) -> str:
    holder = loan_math.borrower_of(loan)
    return _("of %(borrower)s") % {"borrower": holder} if holder else ""


def _is_number(wanted: str) -> bool:
    return wanted.isascii() and wanted.isdigit() and len(wanted) <= _LONGEST_NUMBER


LOOKUPS = (
    Lookup("borrower", gettext_noop("a borrower"), "lending.borrowers.get", _borrower),
    Lookup("loan", gettext_noop("a loan"), "lending.loans.get", _loan),
    Lookup(
        "number", gettext_noop("a loan by its number"), "lending.loans.list", _numbered, _is_number
    ),
    Lookup("assessment", gettext_noop("an assessment"), "lending.assessments.get", _assessment),
)


class Finder(NamedTuple):
    """A function that finds an app's records by id in our own database, and its permission."""

    permission: str
    find: Callable[[str, str], tuple[Match, ...]]


def find_records(kind: str, person: User, app_id: str, wanted: str) -> tuple[Match, ...]:
    """Return the records in our own database that match an id and that the person may open.

    `kind` is `stored` for records with exactly this id. `other_case` is for records whose ids have
    different capital letters. Each of these matches has a warning.
    """
    finders = (one for one in collect(kind) if person.has_perm(one.permission))
    return tuple(match for one in finders for match in one.find(app_id, wanted))


# Places in the list of results for records that are found without a look-up at the service.
OTHER_CASE = Lookup(
    "other-case",
    gettext_noop("a record whose id differs only in capital letters"),
    "",
    lambda *_asked: (),
)
STORED = Lookup(
    "stored", gettext_noop("repayments recorded in this dashboard"), "", lambda *_asked: ()
)


def lookups(person: User, wanted: str) -> list[Lookup]:
    """Return the lookups that fit the id and that this person may use."""
    return [one for one in LOOKUPS if one.fits(wanted) and person.has_perm(one.permission)]


def validate_id(wanted: str) -> str:
    """Return a sentence with the reason why this can't be an id; empty if it can."""
    if len(wanted) > LONGEST:
        words = _(
            "This text is too long for an id. The text has %(length)s characters, but an id "
            "has at most %(most)s."
        )
        return words % {"length": len(wanted), "most": LONGEST}
    try:
        check_id(wanted)
    except InvalidId as error:
        return str(error)
    return ""


@dataclass(frozen=True)
class SearchResult:
    """The result of a lookup, for the page: matches or a fault; `pending` until then."""

    app_id: str
    lookup: Lookup
    matches: tuple[Match, ...] = ()
    fault: Card | None = None
    pending: bool = False

    @property
    def words(self) -> str:
        """The kind of record that was searched, in words."""
        return _(self.lookup.words)

    @property
    def links(self) -> list[tuple[str, Match]]:
        """The matches with the addresses of their pages."""
        return [(match.kind.url(self.app_id, match.key), match) for match in self.matches]

    @property
    def state(self) -> str:
        """The state `pending`, `fault`, `found` or `none`, for the script of the page."""
        if self.pending:
            return "pending"
        return "fault" if self.fault else "found" if self.matches else "none"

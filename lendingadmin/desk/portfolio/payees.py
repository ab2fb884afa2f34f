"""Search for the loan of a payment, by a text that a clerk types: a person or a loan.

People come from the index and their open loans from the newest snapshot. An id or number of a loan
is looked up at the service. A loan is chosen automatically only if the typed text names this loan
and no other.
"""

from dataclasses import dataclass, field

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEARCH_BORROWERS
from lendingadmin.lending.errors import LendingError, UnfinishedList, Unreadable
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.people.index import words
from lendingadmin.people.index.find import Person, find_index, find_people
from lendingadmin.people.search.lookups import LOOKUPS, Match, validate_id
from lendingadmin.web.masking import list_rights

from .models import SnapshotLoan
from .open_loans import filter_open
from .snapshot_job import find_with_loans

_BY_ID = frozenset({"loan", "number"})
# The most loans of people that the page offers.
_SHOWN = 50
# The length of a complete phone number, without the leading zero or the country code.
_PHONE = words.PHONE_ENDINGS[0]


@dataclass(frozen=True)
class Payee:
    """A possible loan, with its person and its values in the snapshot, if they are known."""

    loan_id: str
    person: Person | None = None
    counted: SnapshotLoan | None = None
    about: str = ""
    warning: str = ""


@dataclass(frozen=True)
class FoundPayees:
    """Possible loans of a payment. `without_loan` are people without an open loan.

    `loan_id` is the only loan that the typed text names; empty if the text may mean other
    loans.
    """

    payees: list[Payee] = field(default_factory=list)
    without_loan: list[Person] = field(default_factory=list)
    may_be_more: bool = False
    loan_id: str = ""

    @property
    def is_empty(self) -> bool:
        """True if no loan and no person fits."""
        return not (self.payees or self.without_loan)


def find_payees(person: User, app_id: str, typed: str) -> FoundPayees:
    """Return the loans that fit the typed text. Raise LendingError for a failed call."""
    index = find_index(app_id) if person.has_perm(SEARCH_BORROWERS, app_id) else None
    found = find_people(index, typed, list_rights(person, app_id)) if index else None
    people = found.people if found else []
    may_be_more = bool(found and found.may_be_more)
    payees, without_loan = _list_loans(app_id, people)
    by_id = [] if people and not _may_be_number(typed) else _find_by_id(person, app_id, typed)
    known = {match.key for match in by_id}
    payees = [one for one in payees if one.loan_id not in known]
    payees += [Payee(one.key, about=one.about, warning=one.warning) for one in by_id]
    is_sole = len(payees) == 1 and not (without_loan or may_be_more)
    is_named = is_sole and _is_named(payees[0], typed)
    return FoundPayees(payees, without_loan, may_be_more, payees[0].loan_id if is_named else "")


def _list_loans(app_id: str, people: list[Person]) -> tuple[list[Payee], list[Person]]:
    """Return the open loans of people in the newest snapshot, and the people without one."""
    snapshot = find_with_loans(app_id) if people else None
    if snapshot is None:
        return [], people
    by_id = {one.borrower_id: one for one in people}
    rows = filter_open(snapshot, by_id).order_by("-overdue_rank", "id")[:_SHOWN]
    loans = list(rows)
    payees = [Payee(row.account_id, by_id[row.borrower_id], row) for row in loans]
    with_loan = {row.borrower_id for row in loans}
    return payees, [one for one in people if one.borrower_id not in with_loan]


def _may_be_number(typed: str) -> bool:
    """Return True if the text may be a loan's number or id, even if it fits a person."""
    digits = words.read_digits(typed)
    return bool(digits) and len(digits) < _PHONE


def _find_by_id(person: User, app_id: str, typed: str) -> list[Match]:
    """Return the loans that have the typed text as their id, uid or number.

    Searches that the person may not make are left out. If the service can't search by number,
    ignore that search. Raise any other LendingError.
    """
    if validate_id(typed):
        return []
    app, held = gateway.app(app_id), list_rights(person, app_id)
    places = [one for one in LOOKUPS if one.key in _BY_ID and one.fits(typed)]
    places = [one for one in places if person.has_perm(one.permission)]
    results = read_in_parallel(gateway.client(), *(one.call(app, typed, held) for one in places))
    found: dict[str, Match] = {}
    for place, result in zip(places, results, strict=True):
        if isinstance(result, LendingError):
            # The service may not support a search by loan number.
            if place.key == "number" and isinstance(result, Unreadable | UnfinishedList):
                continue
            raise result
        found |= {match.key: match for match in result if match.key not in found}
    return list(found.values())


def _is_named(payee: Payee, typed: str) -> bool:
    """Return True if the typed text names this loan or this person without doubt.

    A loan without a person must be found without a warning. A person must be named by an id, a
    number, a complete phone number, or complete words of the name. A part of a word, or a mistyped
    word, may mean another person.
    """
    if payee.person is None:
        return not payee.warning
    one, phone = payee.person, words.read_phone(typed)
    if words.fold_ids(typed) & {one.borrower_id.casefold()}:
        return True
    if one.number and words.fold_number(typed) == words.fold_number(one.number):
        return True
    if len(phone) >= _PHONE and one.phone:
        return phone.endswith(one.phone) or one.phone.endswith(phone)
    own, given = set(words.split_words(one.name)), words.split_words(typed)
    return bool(given) and set(given) <= own

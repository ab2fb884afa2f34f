"""Whose loan a payment is for: by what it names, by an id within its words, by phone and name.

What the payer wrote as reference is asked of the service itself; the rest comes from the newest
count and from the index of people, and is a proposal.
"""

import re
from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

from django.db.models.functions import Lower

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEARCH_BORROWERS
from lendingadmin.desk.portfolio.models import SnapshotLoan
from lendingadmin.desk.portfolio.open_loans import filter_open
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.lending import loan_math
from lendingadmin.lending.client import AppClient
from lendingadmin.lending.errors import (
    BadRequest,
    InvalidFilter,
    InvalidId,
    LendingError,
    NotFound,
    UnidentifiedRecord,
    WrongRecord,
)
from lendingadmin.lending.identity import check_named, is_named
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments.estimate import explain_closed
from lendingadmin.money.repayments.models import LONGEST_ID
from lendingadmin.people.index.cards import read_fields
from lendingadmin.people.index.find import find_index, find_people
from lendingadmin.people.index.words import fold_number
from lendingadmin.people.search.lookups import validate_id
from lendingadmin.web.lists import NEWEST_FIRST
from lendingadmin.web.masking import list_rights

from . import payers
from .agreement import Agreement, compare_payer
from .findings import Basis, Finding
from .models import COUNTED_CASH
from .rows import About

# What may be an id within other words: letters and figures, a figure among them.
_WORD = re.compile(r"(?=[\w-]*\d)[^\W_](?:[\w-]{1,62})[^\W_]")
# What an operator writes before the reference that the payer entered.
_ACCOUNT = re.compile(r"(?i)\bacc(?:ount)?\b\.?(?: ?no\.?)?\s*[:.#-]?\s*(\S*\d\S*)")
# Layouts whose details are the operator's, and repeat the reference.
_REPEATING = ("mpesa-organisation", "mpesa-organisation-2010", "telecel-cash")
# A reference that is longer is hardly typed.
_LONGEST_NEAR = 40
# So many loans of a borrower are looked through for the open one.
_MOST_LOANS = 100
_MOST_NUMBER = 18
_ABSENT = (NotFound, InvalidFilter, InvalidId, WrongRecord, UnidentifiedRecord, BadRequest)


class Match(NamedTuple):
    """The loan that a payment is for, read this moment, and why.

    Without a `loan` nothing led to one, or (`is_several`) to more than one; `fault` is why it could
    not be read. `contradiction` is what else the row says that does not fit the loan that it names.
    """

    basis: str = ""
    loan: Loan | None = None
    is_several: bool = False
    fault: LendingError | None = None
    contradiction: Finding | None = None


def match(app_id: str, person: User, payments: Sequence[About], layout: str) -> list[Match]:
    """The loan of each payment, as far as this person may look for it; the reads run at once."""
    app = gateway.app(app_id)
    named = _read_all(
        [partial(_read_named, app, one.reference) if one.reference else None for one in payments]
    )
    left = [at for at, one in enumerate(named) if not (one.loan or one.is_several or one.fault)]
    proposed = _propose(app_id, person, [payments[at] for at in left])
    reads = [
        partial(_read_loan, app, basis, loan_ids[0]) if len(loan_ids) == 1 else None
        for basis, loan_ids in proposed
    ]
    for at, (basis, loan_ids), read in zip(left, proposed, _read_all(reads), strict=True):
        named[at] = Match(basis, is_several=True) if len(loan_ids) > 1 else read
    return _find_contradictions(app_id, payments, named, layout)


def list_candidates(app_id: str, person: User, payment: About) -> tuple[str, Sequence[str]]:
    """The loans that a payment may be for by what is known here, and why; nothing is read."""
    return _propose(app_id, person, [payment])[0]


def read_chosen(
    app_id: str, chosen: Sequence[tuple[str, str]], payments: Sequence[About], layout: str
) -> list[Match]:
    """Read the loans that payments have already, each given as basis and loan id."""
    app = gateway.app(app_id)
    found = _read_all([partial(_read_loan, app, basis, loan_id) for basis, loan_id in chosen])
    return _find_contradictions(app_id, payments, found, layout)


def _read_all(reads: Sequence[partial[Match] | None]) -> list[Match]:
    results = iter(read_in_parallel(gateway.client(), *(one for one in reads if one is not None)))
    found = []
    for one in reads:
        result = next(results) if one is not None else Match()
        found.append(Match(fault=result) if isinstance(result, LendingError) else result)
    return found


def _read_named(app: AppClient, reference: str) -> Match:
    """The loan whose id or number this is, or the one open loan of the borrower whose id it is."""
    if validate_id(reference) or len(reference) > LONGEST_ID:
        return Match()
    found = _read_loan(app, Basis.LOAN, reference)
    if found.loan:
        return found
    number = reference if reference.isascii() and reference.isdigit() else ""
    if number and len(number) <= _MOST_NUMBER:
        loans = [one for one in _list(app, accountNo=number) if str(one.account_no) == number]
        if len(loans) == 1:
            return Match(Basis.NUMBER, loans[0])
    own = [
        loan
        for loan in _list(app, borrowerId=reference)
        if loan_math.borrower_of(loan) == reference and not explain_closed(loan)
    ]
    if len(own) == 1 and loan_math.account_of(own[0]):
        return Match(Basis.BORROWER, own[0])
    return Match(Basis.BORROWER if own else "", is_several=len(own) > 1)


def _read_loan(app: AppClient, basis: str, loan_id: str) -> Match:
    try:
        loan = check_named(app.loans.get(loan_id), loan_id)
    except _ABSENT:
        return Match()
    return Match(basis, loan) if loan_math.account_of(loan) else Match()


def _list(app: AppClient, **filters: str) -> list[Loan]:
    """Loans that a filter leads to; none where the service refuses it, or gives others' too."""
    try:
        page = app.loans.list(filters=filters, order=NEWEST_FIRST, page_size=_MOST_LOANS)
    except _ABSENT:
        return []
    # Where there are more, the one that is open need not be the only one.
    return [] if page.next_page_token else [one for one in page.items if isinstance(one, Loan)]


def _propose(
    app_id: str, person: User, payments: Sequence[About]
) -> list[tuple[str, Sequence[str]]]:
    """For each payment the basis and the loans that it may be for: by words, by what somebody said
    of its payer, by phone, then by name.
    """
    by_word = _find_by_words(app_id, [_split(one) for one in payments])
    said = payers.find_loans(app_id, payments)
    proposed: list[tuple[str, Sequence[str]]] = []
    for one, kept in zip(payments, said, strict=True):
        loans = {loan for word in _split(one) for loan in by_word.get(word, ())}
        basis: str = Basis.WORDS
        if not loans and kept:
            basis, loans = Basis.LINK, kept
        elif not loans:
            basis, loans = _find_by_person(app_id, person, one)
        proposed.append((basis, sorted(loans)))
    return proposed


def _find_contradictions(
    app_id: str, payments: Sequence[About], found: Sequence[Match], layout: str
) -> list[Match]:
    """Add to each match what else its row says that does not fit the loan.

    Reads the borrowers of rows that name a payer; one that can't be read is a fault of its row.
    """
    if layout == COUNTED_CASH:  # a collection sheet prints the loan, and names nobody else
        return list(found)
    loans = [loan_math.account_of(one.loan) if one.loan else "" for one in found]
    links = payers.find_loans(app_id, payments)
    asked = {
        loan_math.borrower_of(one.loan)
        for one, payment, said, loan in zip(found, payments, links, loans, strict=True)
        if one.loan and (payment.payer or payment.phone) and loan not in said
    }
    borrowers = _read_borrowers(app_id, asked - {""})
    others = _find_by_words(app_id, [_list_words(one.details) for one in payments])
    near = _find_near(app_id, [_get_bare_reference(one) for one in payments])
    judged = []
    for one, payment, said, loan in zip(found, payments, links, loans, strict=True):
        if one.loan is None:
            judged.append(one)
            continue
        borrower = borrowers.get(loan_math.borrower_of(one.loan), {})
        if isinstance(borrower, LendingError):
            judged.append(Match(one.basis, fault=borrower))
            continue
        agreed = compare_payer(payment, borrower.get("name", ""), borrower.get("phone", ""))
        contradiction = None
        if _names_another(payment, loan, others, layout):
            contradiction = Finding.TWO_LOANS
        elif agreed == Agreement.DIFFERS and loan not in said:
            contradiction = Finding.OTHER_PAYER
        elif agreed == Agreement.UNKNOWN and loan not in said:
            contradiction = Finding.PROPOSED
        elif agreed == Agreement.ABSENT and near.get(payment.reference, {loan}) != {loan}:
            contradiction = Finding.NEAR_LOAN
        judged.append(one._replace(contradiction=contradiction))
    return judged


def _read_borrowers(
    app_id: str, borrower_ids: Collection[str]
) -> dict[str, dict[str, str] | LendingError]:
    """Name and phone of each borrower, or why they can't be read; empty for who is not there."""
    app, keys = gateway.app(app_id), sorted(borrower_ids)
    reads = [partial(app.borrowers.get, one) for one in keys]
    found: dict[str, dict[str, str] | LendingError] = {}
    for key, read in zip(keys, read_in_parallel(gateway.client(), *reads), strict=True):
        if isinstance(read, LendingError):
            found[key] = {} if isinstance(read, _ABSENT) else read
        else:
            found[key] = read_fields(read) if is_named(read, key) else {}
    return found


def _names_another(payment: About, loan_id: str, by_word: dict[str, set[str]], layout: str) -> bool:
    """Whether the details name a loan, and not this one."""
    named = {loan for word in _list_words(payment.details) for loan in by_word.get(word, ())}
    if named and loan_id not in named:
        return True
    # The operator repeats in its own words what the payer entered.
    repeated = _ACCOUNT.search(payment.details) if layout in _REPEATING else None
    if repeated is None or not payment.reference:
        return False
    one, other = fold_number(repeated[1]), fold_number(payment.reference)
    return one not in other and other not in one


def _get_bare_reference(payment: About) -> str:
    """The reference of a row that names no payer; empty for another."""
    return payment.reference if compare_payer(payment, "", "") == Agreement.ABSENT else ""


def _find_near(app_id: str, references: Collection[str]) -> dict[str, set[str]]:
    """The open loans of the newest count by the reference that is a digit or a swap away from them.

    A loan that the reference names itself is among them.
    """
    snapshot = find_with_loans(app_id)
    of_variant: dict[str, set[str]] = {}
    for reference in set(references) - {""}:
        if len(reference) <= _LONGEST_NEAR:
            for variant in _list_variants(reference):
                of_variant.setdefault(variant, set()).add(reference)
    if snapshot is None or not of_variant:
        return {}
    rows = SnapshotLoan.objects.filter(
        snapshot=snapshot, is_open=True, account_id__in=list(of_variant)
    )
    found: dict[str, set[str]] = {}
    for account_id in rows.values_list("account_id", flat=True):
        for reference in of_variant[account_id]:
            found.setdefault(reference, set()).add(account_id)
    return found


def _list_variants(reference: str) -> set[str]:
    """The reference, with each digit taken for another, and with each two neighbours swapped."""
    mistyped = {
        reference[:at] + digit + reference[at + 1 :]
        for at, sign in enumerate(reference)
        if sign.isdigit()
        for digit in "0123456789"
    }
    swapped = {
        reference[:at] + reference[at + 1] + reference[at] + reference[at + 2 :]
        for at in range(len(reference) - 1)
    }
    return {reference, *mistyped, *swapped}


def _list_words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _split(one: About) -> set[str]:
    return _list_words(f"{one.reference} {one.details}")


def _find_by_words(app_id: str, texts: Sequence[set[str]]) -> dict[str, set[str]]:
    """The loans of the newest count whose id, or whose borrower's, is one of the words."""
    snapshot = find_with_loans(app_id)
    words = set().union(*texts)
    if snapshot is None or not words:
        return {}
    found: dict[str, set[str]] = {}
    rows = SnapshotLoan.objects.alias(folded=Lower("account_id"))
    rows = rows.filter(snapshot=snapshot, folded__in=words)
    for account_id in rows.values_list("account_id", flat=True):
        found.setdefault(account_id.casefold(), set()).add(account_id)
    names = words | {word.upper() for word in words}
    for borrower_id, account_id in filter_open(snapshot, names).values_list(
        "borrower_id", "account_id"
    ):
        found.setdefault(borrower_id.casefold(), set()).add(account_id)
    return found


def _find_by_person(app_id: str, person: User, one: About) -> tuple[str, set[str]]:
    """The open loans of who bears the payer's phone number, else of who bears the name."""
    index = find_index(app_id) if person.has_perm(SEARCH_BORROWERS, app_id) else None
    if index is None:
        return "", set()
    held = list_rights(person, app_id)
    both = f"{one.phone} {one.payer}" if one.phone and one.payer else ""
    ways = ((Basis.PHONE, both), (Basis.PHONE, one.phone), (Basis.NAME, one.payer))
    for basis, text in ways:
        found = find_people(index, text, held) if text else None
        people = found.people if found else []
        if people:
            return basis, _list_open(app_id, [who.borrower_id for who in people])
    return "", set()


def _list_open(app_id: str, borrower_ids: Collection[str]) -> set[str]:
    snapshot = find_with_loans(app_id)
    if snapshot is None:
        return set()
    return set(filter_open(snapshot, borrower_ids).values_list("account_id", flat=True))

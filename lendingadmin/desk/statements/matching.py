"""Find the loan of a payment by its reference, by an id in its words, by phone or by name.

The reference is looked up at the service. All other matches come from the newest snapshot and from
the index of people, and are proposals.
"""

import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from django.db.models.functions import Lower

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEARCH_BORROWERS
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
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
from lendingadmin.people.index.find import find_index, find_people, list_known
from lendingadmin.people.index.words import fold_number, read_phone
from lendingadmin.people.search.lookups import validate_id
from lendingadmin.web.lists import NEWEST_FIRST
from lendingadmin.web.masking import list_rights

from . import payers
from .agreement import LONGEST_WORDS, Agreement, compare_payer, find_phones
from .findings import Basis, Finding
from .lines import About
from .models import COUNTED_CASH

# A possible id among other words; and an id of letters and digits with any separator between them.
_WORD = re.compile(r"[\w-]+")
_PARTS = re.compile(r"(?<![^\W_])([^\W\d_]{1,20})[\s_./#:-]{0,2}(\d{1,18})(?![^\W_])")
# An amount, a date or a time. No part of these is an id.
_FIGURE = re.compile(r"\d[\d,]*\.\d\d|\d{1,2}([/.:-])\d{1,2}(?:\1\d{2,4})?")
_EDGES = f"{string.punctuation}·–—“”«»"
# Words before the number of a loan, but not before the account of the sender or receiver.
_LOAN = re.compile(
    r"(?i)(?<!from )(?<!by )(?<!de )(?<!to )"
    r"\b(?:loan|pr[eê]t|mkopo|acc(?:ount)?|a/c|compte|akaunti)"
    r"\b\.?(?: ?(?:no|nr|num|number|id|ref|n°)\b\.?)?\s*[:.#-]?\s*(\S*\d\S*)"
)
# Words of an operator before the reference that the payer entered.
_ACCOUNT = re.compile(r"(?i)\bacc(?:ount)?\b\.?(?: ?no\b\.?)?\s*[:.#-]?\s*(?=\S)")
# A number with fewer digits is an instalment. One with more is a phone number or a bank account.
_FEWEST_FIGURES, _MOST_FIGURES = 3, 8
# Layouts in which the operator's details repeat the reference.
_REPEATING = ("mpesa-organisation", "mpesa-organisation-2010", "telecel-cash")
# A person probably did not type a longer reference.
_LONGEST_NEAR = 40
# Most loans of a borrower that are searched for the open one.
_MOST_LOANS = 100
_MOST_NUMBER = 18
# Results of `_Own.judge`.
_THIS, _SAME_BORROWER, _OTHER = "this", "same-borrower", "other"
_OF_PAYER = {Agreement.DIFFERS: Finding.OTHER_PAYER, Agreement.UNKNOWN: Finding.PROPOSED}
_ABSENT = (NotFound, InvalidFilter, InvalidId, WrongRecord, UnidentifiedRecord, BadRequest)


class Match(NamedTuple):
    """The loan of a payment as the service has it now, and the basis of the match.

    `loan` is None if no loan was found, if several fit (`is_several`), or if the loan could not be
    read (`fault` is the reason). `contradiction` is the finding if other words of the row do not
    fit the loan.
    """

    basis: str = ""
    loan: Loan | None = None
    is_several: bool = False
    fault: LendingError | None = None
    contradiction: Finding | None = None


class Named(NamedTuple):
    """A loan of the newest snapshot that a text names, by its own id or by its borrower's id."""

    account_id: str
    borrower_id: str
    is_open: bool
    by_borrower: bool = False


def match(
    app_id: str, person: User, payments: Sequence[tuple[About, str, str]], layout: str
) -> list[Match]:
    """Return the loan of each payment, as far as this person may search.

    Each payment comes with its texts, and with the basis and id of the loan that it already has;
    both are empty if it has none. Loans are read in parallel.
    """
    app, texts = gateway.app(app_id), [about for about, _basis, _loan in payments]
    found = _read_all(
        [
            partial(_read_loan, app, basis, loan_id)
            if loan_id
            else (partial(_read_named, app, about.reference) if about.reference else None)
            for about, basis, loan_id in payments
        ]
    )
    left = [
        at
        for at, (one, payment) in enumerate(zip(found, payments, strict=True))
        if not (payment[2] or one.loan or one.is_several or one.fault)
    ]
    proposed = propose(app_id, person, [texts[at] for at in left])
    reads = [
        partial(_read_loan, app, basis, loan_ids[0]) if len(loan_ids) == 1 else None
        for basis, loan_ids in proposed
    ]
    for at, (basis, loan_ids), read in zip(left, proposed, _read_all(reads), strict=True):
        found[at] = Match(basis, is_several=True) if len(loan_ids) > 1 else read
    return _find_contradictions(app_id, texts, found, layout)


def _read_all(reads: Sequence[partial[Match] | None]) -> list[Match]:
    results = iter(read_in_parallel(gateway.client(), *(one for one in reads if one is not None)))
    found = []
    for one in reads:
        result = next(results) if one is not None else Match()
        found.append(Match(fault=result) if isinstance(result, LendingError) else result)
    return found


def _read_named(app: AppClient, reference: str) -> Match:
    """Return the loan with this id or number.

    If the text is a borrower's id, return the only open loan of this borrower. Return a match
    without a loan if there is no open loan or more than one.
    """
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
    """Return the loans that a filter finds; none if it is refused or has more than one page."""
    try:
        page = app.loans.list(filters=filters, order=NEWEST_FIRST, page_size=_MOST_LOANS)
    except _ABSENT:
        return []
    # If there are more pages, an open loan on this page may not be the only one.
    return [] if page.next_page_token else [one for one in page.items if isinstance(one, Loan)]


def propose(
    app_id: str, person: User, payments: Sequence[About]
) -> list[tuple[str, Sequence[str]]]:
    """Return the basis and the possible loans of each payment, from local data.

    The loans are found by words, then by saved links of the payer, then by phone, then by name.
    """
    texts = [f"{one.reference} {one.words}" for one in payments]
    by_word = _find_by_words(app_id, texts)
    said = payers.find_loans(app_id, payments)
    proposed: list[tuple[str, Sequence[str]]] = []
    for one, text, kept in zip(payments, texts, said, strict=True):
        loans = set[str]()
        for spellings in _list_mentions(text):
            # Only the first spelling of a mention that names a loan counts.
            named = next((by_word[word] for word in spellings if word in by_word), set())
            loans |= {loan.account_id for loan in named} - {""}
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
    """Return the matches with the contradictions between each loan and the other texts of its row.

    If a row names a payer, the borrower is read at the service. If the borrower can't be read, the
    match gets a fault.
    """
    if layout == COUNTED_CASH:  # a collection sheet prints the loan and names no other
        return list(found)
    links = [
        one.loan is not None and loan_math.account_of(one.loan) in said
        for one, said in zip(found, payers.find_loans(app_id, payments), strict=True)
    ]
    asked = {
        loan_math.borrower_of(one.loan)
        for one, payment, is_said in zip(found, payments, links, strict=True)
        if one.loan and not is_said and compare_payer(payment, "", "") != Agreement.ABSENT
    }
    borrowers = _read_borrowers(app_id, asked - {""})
    by_word = _find_by_words(app_id, [f"{one.reference} {one.words}" for one in payments])
    bare = [one for one in payments if compare_payer(one, "", "") == Agreement.ABSENT]
    near = _find_near(app_id, [one.reference for one in bare])
    judged = []
    for one, payment, is_said in zip(found, payments, links, strict=True):
        borrower = borrowers.get(loan_math.borrower_of(one.loan), {}) if one.loan else {}
        if one.loan is None:
            judged.append(one)
        elif isinstance(borrower, LendingError):
            judged.append(Match(one.basis, fault=borrower))
        else:
            how = compare_payer(payment, borrower.get("name", ""), borrower.get("phone", ""))
            against = _compare_named(one, one.loan, payment, by_word, layout)
            if against != Finding.TWO_LOANS and not is_said:
                against = _OF_PAYER.get(how, against)
            if against is None and how == Agreement.ABSENT:
                against = _find_doubt(one, one.loan, near.get(payment.reference, ()))
            judged.append(one._replace(contradiction=against))
    return judged


def _find_doubt(one: Match, loan: Loan, near: Collection[Named]) -> Finding | None:
    """Return the finding for a loan whose row names no payer; None if there is no doubt."""
    loan_id, borrower_id = loan_math.account_of(loan), loan_math.borrower_of(loan)
    if any(
        x.borrower_id != borrower_id if x.by_borrower else x.account_id != loan_id for x in near
    ):
        return Finding.NEAR_LOAN
    # Loan numbers are consecutive, so a wrong digit may give another loan. A snapshot has no loan
    # numbers, so this can't be checked.
    return Finding.PROPOSED if one.basis == Basis.NUMBER else None


def _read_borrowers(
    app_id: str, borrower_ids: Collection[str]
) -> dict[str, dict[str, str] | LendingError]:
    """Return the name and phone of each borrower, or the error; empty for an unknown borrower."""
    app, keys = gateway.app(app_id), sorted(borrower_ids)
    reads = [partial(app.borrowers.get, one) for one in keys]
    found: dict[str, dict[str, str] | LendingError] = {}
    for key, read in zip(keys, read_in_parallel(gateway.client(), *reads), strict=True):
        if isinstance(read, LendingError):
            found[key] = {} if isinstance(read, _ABSENT) else read
        else:
            found[key] = read_fields(read) if is_named(read, key) else {}
    return found


def _compare_named(
    one: Match, loan: Loan, payment: About, by_word: Mapping[str, set[Named]], layout: str
) -> Finding | None:
    """Compare all loans, borrowers and numbers that a row names with its loan.

    Return TWO_LOANS if the row also names a loan of another borrower. Return PROPOSED if it also
    names another loan of the same borrower or an unknown number, so that a person decides. Return
    None if it names only its loan.
    """
    own = _Own(loan)
    # The phone number of a payer is not a reference, even if borrower ids are phone numbers.
    phones = {read_phone(one) for one in (payment.phone, *find_phones(payment.sentences))}
    mentions = [
        one
        for one in _list_mentions(payment.words)
        if not one[0].isdigit() or len(one[0]) <= _MOST_FIGURES or read_phone(one[0]) not in phones
    ]
    named = [own.judge(spellings, by_word) for spellings in mentions]
    # A reference that names no loan does not contradict a person's choice.
    if any(named) or one.basis != Basis.PERSON:
        named += [own.judge(spellings, by_word) for spellings in _list_mentions(payment.reference)]
    if _OTHER in named or (layout in _REPEATING and not _is_repeated(own, payment)):
        return Finding.TWO_LOANS
    numbers = (found[1] for found in _LOAN.finditer(payment.words))
    is_unknown = any(
        _FEWEST_FIGURES <= sum(map(str.isdigit, number)) <= _MOST_FIGURES
        and not own.is_in(number)
        and _fold(number) != _fold(payment.reference)
        for number in numbers
    )
    is_unread = len(payment.words) > LONGEST_WORDS
    return Finding.PROPOSED if _SAME_BORROWER in named or is_unknown or is_unread else None


class _Own:
    """The ids of a loan: its id, its number and its borrower's id."""

    def __init__(self, loan: Loan) -> None:
        self.loan_id, self.borrower_id = loan_math.account_of(loan), loan_math.borrower_of(loan)
        self.exact = {self.loan_id.casefold(), self.borrower_id.casefold()} - {""}
        ids = (self.loan_id, self.borrower_id, str(loan.account_no))
        self.folded = {_fold(one) for one in ids} - {""}

    def is_in(self, text: str) -> bool:
        """Return True if a text is one of the loan's ids."""
        return any(
            one in self.exact or _fold(one) in self.folded
            for spellings in _list_mentions(text)
            for one in spellings
        )

    def judge(self, spellings: Sequence[str], by_word: Mapping[str, set[Named]]) -> str:
        """Return _THIS, _SAME_BORROWER or _OTHER for the loan that a text names; empty if none."""
        for one in spellings:
            named = by_word.get(one, ())
            if one in self.exact or any(x.account_id == self.loan_id for x in named):
                return _THIS
            if named:
                is_own = self.borrower_id and all(x.borrower_id == self.borrower_id for x in named)
                return _SAME_BORROWER if is_own else _OTHER
        return _THIS if any(_fold(one) in self.folded for one in spellings) else ""


def _is_repeated(own: _Own, payment: About) -> bool:
    """Return False if the operator's words have a number that is not the payer's reference.

    The ids of the loan are allowed there, and text without a digit is not checked.
    """
    found = _ACCOUNT.search(payment.details)
    reference = payment.reference.split()
    if found is None or not reference:
        return True
    words = payment.details[found.end() :].split()
    repeated = " ".join(words[: len(reference)])
    # Spaces may divide the reference in another way.
    parts = (" ".join(words[:count]) for count in range(1, len(reference) + 2))
    if not any(map(str.isdigit, repeated)) or own.is_in(words[0]):
        return True
    return _fold(payment.reference) in map(_fold, parts)


def _find_near(app_id: str, references: Collection[str]) -> dict[str, set[Named]]:
    """Return the open loans of the newest snapshot whose ids are similar to each reference.

    An id is similar if one digit differs or two neighbouring characters are swapped. It may be the
    id of the loan or of its borrower. A loan with exactly this id is included.
    """
    snapshot = find_with_loans(app_id)
    of_variant: dict[str, set[str]] = {}
    written = set[str]()
    for reference in {one for one in references if one and len(one) <= _LONGEST_NEAR}:
        for variant in _list_variants(reference):
            written.add(variant)
            of_variant.setdefault(variant.casefold(), set()).add(reference)
    found: dict[str, set[Named]] = {}
    named = _find_named(snapshot, set(of_variant), written) if snapshot and written else ()
    for key, loan in named:
        for reference in of_variant[key] if loan.is_open else ():
            found.setdefault(reference, set()).add(loan)
    return found


def _list_variants(reference: str) -> set[str]:
    """Return the reference and its variants.

    A variant has one digit replaced or two neighbouring characters swapped.
    """
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


def _fold(text: str) -> str:
    """Return an id or number without spaces, signs and leading zeros."""
    return fold_number(text).lstrip("0")


def _list_mentions(text: str) -> list[Sequence[str]]:
    """Return the possible ids in a text in lower case. Each is a list of spellings."""
    folded = text[:LONGEST_WORDS].casefold()
    pieces = [piece for piece in folded.split() if not _FIGURE.fullmatch(piece)]
    words = {word.strip(_EDGES) for x in pieces for word in (x, *_WORD.findall(x))}
    found: list[Sequence[str]] = [
        (word,)
        for word in words
        if any(map(str.isdigit, word)) and (len(word) > 2 or not word.isdigit())
    ]
    for letters, figures in _PARTS.findall(folded):
        bare = figures.lstrip("0")
        found.append((f"{letters}-{figures}", f"{letters}{figures}", f"{letters}-{bare}"))
    return found


def _find_by_words(app_id: str, texts: Sequence[str]) -> dict[str, set[Named]]:
    """Return, by id, the loans that the texts name, from the newest snapshot.

    The keys are ids of loans or borrowers, in lower case. For each borrower in the index there is
    also an entry without a loan. Without a snapshot the result is empty.
    """
    snapshot = find_with_loans(app_id)
    words = {one for text in texts for spellings in _list_mentions(text) for one in spellings}
    if snapshot is None or not words:
        return {}
    found: dict[str, set[Named]] = {}
    written = [word.strip(_EDGES) for text in texts for word in _WORD.findall(text)]
    written = [word for word in written if word.casefold() in words]
    for key, loan in _find_named(snapshot, words, written):
        found.setdefault(key, set()).add(loan)
    ids = [one for one in {*words, *written} if not one.isdigit() or len(one) > _MOST_FIGURES]
    for borrower_id in list_known(app_id, ids):
        named = Named("", borrower_id, is_open=False, by_borrower=True)
        found.setdefault(borrower_id.casefold(), set()).add(named)
    return found


def _find_named(
    snapshot: Snapshot, words: Collection[str], written: Collection[str]
) -> Iterator[tuple[str, Named]]:
    """Yield the loans with one of these ids, and the open loans of borrowers with one of them.

    `words` are the ids in lower case, and `written` are the ids as the texts have them. Each loan
    comes with the id that was found, in lower case. Borrowers are searched as `written`, in lower
    case and in upper case.
    """
    fields = ("account_id", "borrower_id", "is_open")
    rows = SnapshotLoan.objects.alias(folded=Lower("account_id"))
    rows = rows.filter(snapshot=snapshot, folded__in=words)
    for values in rows.values_list(*fields):
        yield values[0].casefold(), Named(*values)
    names = {*words, *written, *(word.upper() for word in words)}
    for values in filter_open(snapshot, names).values_list(*fields):
        yield values[1].casefold(), Named(*values)._replace(by_borrower=True)


def _find_by_person(app_id: str, person: User, one: About) -> tuple[str, set[str]]:
    """Return the basis, and the loans of people with this phone and name.

    If the index has no such person, search by the phone alone, and then by the name alone.
    """
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
            snapshot, ids = find_with_loans(app_id), [who.borrower_id for who in people]
            loans = filter_open(snapshot, ids) if snapshot else SnapshotLoan.objects.none()
            return basis, set(loans.values_list("account_id", flat=True))
    return "", set()

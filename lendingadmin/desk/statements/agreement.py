"""Comparison of the payer in a row with the borrower of the loan that the row names."""

import re
from collections.abc import Iterable, Iterator

from django.db import models

from lendingadmin.people.index import words

from .lines import About

# Number of digits at the end of a phone number that do not depend on how the number is written.
_ENDING = words.PHONE_ENDINGS[0]
# A number with hidden digits at the beginning, in the middle or at the end.
_MASK = re.compile(r"\+?0*(\d*)[*xX•.]{2,}(\d*)")
_SHORTEST_MISTYPED = 4
_VOWELS = frozenset("aeiouy")
# Titles, and words in the names of many companies and families.
_TITLES = "mr mrs ms miss dr prof rev eng hon madam mama baba mzee sheikh hajj alhaji"
_COMPANIES = (
    "ltd limited co company traders trading enterprises stores shop group sacco investments"
)
_COMPANY_WORDS = frozenset(_COMPANIES.split())
_COMMON = frozenset(f"{_TITLES} {_COMPANIES} bin binti ben bint ibn".split())
_FEWEST_DIGITS, _LONGEST_LOCAL, _COUNTRY = 4, 10, 3
_ENOUGH_DIGITS = 8
# Words in the place of a name that name no person.
_NOBODY = frozenset(["unknown", "anonymous", "inconnu", "anonyme", "null", "none", "nil", "na"])
# Possible phone numbers among other words. Some digits may be hidden.
_WITHIN = re.compile(
    r"(?<![\w*+-])(?:\+?0?\d{1,6}[*xX•]{2,}\d{2,4}|0\d{3}[ -]\d{3}[ -]\d{3}|"
    r"\+\d{3}[ -]?\d{2,3}[ -]?\d{3}[ -]?\d{3,4}|\d{9,15})(?![\w*])"
)
# African numbers, and local numbers that begin with a zero. Other numbers may be accounts.
_DIALLED = re.compile(r"(?:2[1-5]\d{9,11}|0[1-9]\d{8})")
# The words of `_PAYERS` come before a payer; those of `_PAYEES` before a payee or a purpose.
_PAYERS = re.compile(
    r"(?i)\b(?:from|by|payer|sender|depositor|ordering customer|ord|b/o|c2b|kutoka(?: kwa)?|par|"
    r"(?:virement|transfert|re[cç]u|d[eé]p[oô]t|versement|recebido|transfer[eê]ncia) de)\b[\s:.-]*"
)
_PAYEES = re.compile(
    r"(?i)\b(?:to|for|pour|vers|para|kwa|acc(?:ount)?|a/c|no|[ekm]?ref)\b[\s:.+/-]*$"
)
_NAME = r"[A-ZÀ-Þ][^\W\d_]{0,40}(?:['’.][^\W\d_]{0,40})?(?!\w)"
_NAMES = re.compile(rf"[\s:.,/|–-]{{0,4}}({_NAME}(?:[\s,-]{{1,3}}{_NAME}){{0,3}})")
_DIVIDERS = re.compile(r"_|(?<!\*)\*(?!\*)")
# Only this many characters of a row's text are read.
LONGEST_WORDS = 3_000
# Words that end a name. A name before one of the bank words is the name of a bank.
_BANKS = "bank banking bankers agency agent branch sacco money mobile savings current"
_PURPOSES = (
    "for loan loans acc account no ref reference repayment repay payment pay paid paying pmt rent "
    "instalment installment monthly weekly daily cash deposit deposits transfer trf tfr rtgs eft "
    "pesalink mpesa momo mtn airtel tigo vodacom telecel orange wave equity kcb till paybill chq "
    "salary cheque standing order thank thanks you via to the and from by my own of in on at is "
    "being fees school app ussd online internet office teller client customer group self pour pret "
    "remboursement paiement virement compte facture mkopo malipo kwa akaunti paye transfert "
    "echeance mensualite january february march april may june july august september october "
    "november december"
)
_OF_BANKS = frozenset(_BANKS.split())
_NO_NAMES = frozenset(f"{_BANKS} {_PURPOSES}".split())


class Agreement(models.TextChoices):
    """Result of the comparison of a row's payer with the borrower."""

    ABSENT = "absent"  # the row names no payer
    AGREES = "agrees"
    DIFFERS = "differs"
    UNKNOWN = "unknown"  # the row names a payer, and the borrower has nothing to compare


def compare_payer(about: About, name: str, phone: str) -> Agreement:
    """Return the result of comparing a row's payer with a borrower's name and phone digits.

    An unknown name or phone is empty. If the name or the phone number differs, the result is
    DIFFERS. Exception: the names may differ if they share a word and the phone agrees.
    """
    found = [_compare_names(about.payer, name), _compare_phones(about.phone, phone)]
    if found == [Agreement.DIFFERS, Agreement.AGREES]:
        # A married name or another spelling: enough digits of the phone agree, and one word.
        is_shown = sum(map(str.isdigit, about.phone)) >= _ENOUGH_DIGITS
        if is_shown and _count_shared(_split(about.payer), _split(name)):
            found = [Agreement.AGREES]
    found += (_compare_names(one, name) for one in find_names(about.sentences))
    found += (
        _compare_phones(one, phone)
        for one in find_phones(about.sentences, phone)
        if words.fold_number(one) != words.fold_number(about.reference)
    )
    for one in (Agreement.DIFFERS, Agreement.AGREES, Agreement.UNKNOWN):
        if one in found:
            return one
    return Agreement.ABSENT


def _compare_names(payer: str, name: str) -> Agreement:
    """Return the result of comparing two names.

    The names agree if they share two words in any order, or if one name has a single word and
    shares it. At least one of the two words must be exactly equal, because initials alone, or two
    words that each differ in a letter, also fit other people. An initial counts as one of the two
    words only if a name has no second word. A company that shares only one word with a person is
    another payer.
    """
    payers, own = _split(payer), _split(name)
    if _NOBODY.issuperset(payers):
        return Agreement.ABSENT
    full, own_full = ([word for word in some if len(word) > 1] for some in (payers, own))
    if not full or not own_full:  # initials alone fit too many names
        return Agreement.UNKNOWN
    has_two = min(len(full), len(own_full)) > 1
    if has_two:
        payers, own = full, own_full
    needed = min(2, len(payers), len(own))
    if _is_company(payer) != _is_company(name):
        needed = 2
    is_sure = needed < 2 or bool({*full} & {*own_full})
    shared = _count_shared(payers, own)
    # If a name has initials, all words of the shorter name must agree.
    is_all = has_two or shared >= min(len(payers), len(own))
    return Agreement.AGREES if shared >= needed and is_sure and is_all else Agreement.DIFFERS


def _count_shared(payers: Iterable[str], own: Iterable[str]) -> int:
    """Return the number of words that two names share. Equal words count before similar ones."""
    same = {*payers} & {*own}
    left, shared = [word for word in own if word not in same], len(same)
    for word in payers:
        if word in same:
            continue
        if found := next((one for one in left if _is_alike(word, one)), None):
            left.remove(found)
            shared += 1
    return shared


def _is_company(text: str) -> bool:
    return not _COMPANY_WORDS.isdisjoint(words.split_words(text))


def find_names(text: str) -> Iterator[str]:
    """Yield the names of payers in the words of a row.

    A name comes after “from” or a similar word, or after a phone number. At least two words of the
    name must begin with a capital, so “from my salary” is not a name.
    """
    text = _divide(text)
    for found in (*_PAYERS.finditer(text), *_WITHIN.finditer(text)):
        named = _NAMES.match(text, found.end())
        if named is None or _PAYEES.search(text, 0, found.start()):
            continue
        parts = [word for word in re.split(r"[\s,-]+", named[1]) if word]
        known = [words.fold(word) in _NO_NAMES for word in parts]
        # “JANE WANJIKU FOR LOAN” is Jane Wanjiku, and “EQUITY BANK” is not a person.
        name = parts[: known.index(True)] if True in known else parts
        is_bank = len(name) < len(parts) and words.fold(parts[len(name)]) in _OF_BANKS
        if len(name) > 1 and not is_bank:
            yield " ".join(name)


def _divide(text: str) -> str:
    """Return the words of a row, with spaces for the separators that some banks use."""
    return _DIVIDERS.sub(" ", text[:LONGEST_WORDS])


def find_phones(text: str, own: str = "") -> Iterator[str]:
    """Yield the phone numbers of payers within the words of a row.

    Plain digits may also be an account number. They count as a phone number only if a phone can
    dial them, or if they begin like the borrower's own number (`own`) and have the same length.
    """
    text = _divide(text)
    for found in _WITHIN.finditer(text):
        if _PAYEES.search(text, 0, found.start()):
            continue
        is_alike = len(found[0]) == len(own) and found[0][:_COUNTRY] == own[:_COUNTRY]
        if is_alike or not found[0].isdigit() or _DIALLED.fullmatch(found[0]):
            yield found[0]


def _split(text: str) -> list[str]:
    """Return the words of a name without titles and company words.

    If the name has no others, return all its words.
    """
    found = [word for word in words.split_words(text) if not any(map(str.isdigit, word))]
    return [word for word in found if word not in _COMMON] or found


def _is_alike(one: str, other: str) -> bool:
    """Return whether two words of a name are equal or alike: one letter apart, or an initial."""
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    if min(len(one), len(other)) < _SHORTEST_MISTYPED:
        return one == other
    if len(one) == len(other) and sorted(one) != sorted(other):
        # Only another vowel inside the word counts as a mistake. Wanjiku and Wanjiru are two
        # people, and so are Otieno and Atieno.
        places = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        changed = {letters[at] for letters in (one, other) for at in places}
        return len(places) == 1 and places[0] > 0 and changed <= _VOWELS
    return words.is_one_edit(one, other)


def _compare_phones(text: str, phone: str) -> Agreement:
    asked, mask = words.read_query(text), _MASK.fullmatch(text.replace(" ", ""))
    shown = len(mask[1] + mask[2]) if mask else 0
    if not (asked.hashed or shown or asked.phone):
        return Agreement.ABSENT
    if not phone:
        return Agreement.UNKNOWN
    if mask:
        return _agree(words.fits_mask(phone, mask[1], mask[2]), shown)
    if asked.hashed:
        if words.hash_phone(phone) == asked.hashed:
            return Agreement.AGREES
        # The hash of a number without its country differs from the hash of the complete number.
        return Agreement.DIFFERS if len(phone) > _ENDING else Agreement.UNKNOWN
    if min(len(asked.phone), len(phone)) > _LONGEST_LOCAL:  # both have their country
        return _agree(asked.phone == phone, len(phone))
    shortest = min(len(asked.phone), len(phone), _ENDING)
    return _agree(asked.phone[-shortest:] == phone[-shortest:], shortest)


def _agree(holds: bool, digits: int) -> Agreement:
    """Return the result of a comparison of digits.

    A few equal digits prove nothing, so they give UNKNOWN.
    """
    if not holds:
        return Agreement.DIFFERS
    return Agreement.AGREES if digits >= _FEWEST_DIGITS else Agreement.UNKNOWN

"""Whether what a row says of its payer agrees with the borrower of the loan that it names."""

import re

from django.db import models

from lendingadmin.people.index import words

from .rows import About

# Digits of a phone number that two ways of writing it share: the end is the same in all of them.
_ENDING = words.PHONE_ENDINGS[0]
# A number with some of its digits hidden, in front, in the middle or at the end.
_MASK = re.compile(r"\+?0*(\d*)[*xX•.]{2,}(\d*)")
_SHORTEST_MISTYPED = 4
# Titles, and what stands in the names of many companies and families.
_TITLES = "mr mrs ms miss dr prof rev eng hon madam mama baba mzee sheikh hajj alhaji"
_COMPANIES = (
    "ltd limited co company traders trading enterprises stores shop group sacco investments"
)
_COMMON = frozenset(f"{_TITLES} {_COMPANIES} bin binti ben bint ibn".split())
_FEWEST_DIGITS, _LONGEST_LOCAL = 4, 10


class Agreement(models.TextChoices):
    """What the payer of a row is to the borrower."""

    ABSENT = "absent"  # the row names no payer
    AGREES = "agrees"
    DIFFERS = "differs"
    UNKNOWN = "unknown"  # the row names a payer, and the borrower has nothing to compare


def compare_payer(about: About, name: str, phone: str) -> Agreement:
    """Compare a row's payer with a borrower's name and phone digits, each empty where unknown.

    One part that differs is enough to differ.
    """
    found = [_compare_names(about.payer, name), _compare_phones(about.phone, phone)]
    for one in (Agreement.DIFFERS, Agreement.AGREES, Agreement.UNKNOWN):
        if one in found:
            return one
    return Agreement.ABSENT


def _compare_names(payer: str, name: str) -> Agreement:
    """Names agree by two of their words, in any order, or by one where there is only one.

    Of two, one is the same to the letter: initials, or two words a letter off, fit other people.
    """
    payers, own = _split(payer), _split(name)
    if not payers:
        return Agreement.ABSENT
    if not own or all(len(word) == 1 for word in payers):  # initials fit too many
        return Agreement.UNKNOWN
    left, shared = list(own), 0
    for word in payers:
        if found := next((one for one in left if _is_alike(word, one)), None):
            left.remove(found)
            shared += 1
    needed = min(2, len(payers), len(own))
    is_sure = needed < 2 or any(len(word) > 1 for word in {*payers} & {*own})
    return Agreement.AGREES if shared >= needed and is_sure else Agreement.DIFFERS


def _split(text: str) -> list[str]:
    """Return the words of a name without titles and company words, unless it has only these."""
    found = [word for word in words.split_words(text) if not any(map(str.isdigit, word))]
    return [word for word in found if word not in _COMMON] or found


def _is_alike(one: str, other: str) -> bool:
    """Whether two words of a name are the same, an initial of it, or one letter apart."""
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    if min(len(one), len(other)) < _SHORTEST_MISTYPED:
        return one == other
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
        # A number without its country has another hash than the one that was meant.
        return Agreement.DIFFERS if len(phone) > _ENDING else Agreement.UNKNOWN
    if min(len(asked.phone), len(phone)) > _LONGEST_LOCAL:  # both have their country
        return _agree(asked.phone == phone, len(phone))
    shortest = min(len(asked.phone), len(phone), _ENDING)
    return _agree(asked.phone[-shortest:] == phone[-shortest:], shortest)


def _agree(holds: bool, digits: int) -> Agreement:
    """Of few digits, what fits says nothing: many people have them."""
    if not holds:
        return Agreement.DIFFERS
    return Agreement.AGREES if digits >= _FEWEST_DIGITS else Agreement.UNKNOWN

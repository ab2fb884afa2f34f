"""Borrowers as a large lender has them: names that many share, phones that two share, companies.

The same number makes the same borrower in each process, so that a canned service and who measures
the dashboard before it agree without telling each other.

**The skew of names** is that of a Zipf-Mandelbrot law, share(rank) ~ 1 / (rank + q). Surnames:
60,000 with q = 1.7, so that the first has 3.6 %, the first ten 16.7 % and the first 26 24.9 % of
the people. That is as skewed as the surnames of the Hispanic population in the US census of
2010, of whom "twenty-six surnames cover a quarter" and the ten most common 16 % (J. Comenetz of the
Census Bureau, in the Dayton Daily News and McClatchy), and four times as skewed as all surnames
there (Smith 2.4 million, 0.8 %). First names: 5,000 with q = 2, the first 4.4 %, the first ten 21 %
of all; in the US census of 1990 the first ten had 23 % of the men, James 3.3 %, and 11 % of the
women (dist.male.first, dist.female.first). We found no published table for Kenya or Ghana: that
these are no more skewed is our assumption. The names themselves are made of syllables, some of
which begin far more names than others; how many begin alike follows no source.
"""

import random
import uuid
from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from typing import Any, NamedTuple

SURNAMES, FIRST_NAMES = 60_000, 5_000
_FIRST_ID = 1_000_000
_SHARED_PHONES, _COMPANIES, _WITHOUT_PHONE = 0.02, 0.03, 0.01
_SOUNDS = """
w k m n mb ng ch o nj a th b s r j l g nd h t y d p ny f e z v kw sh i gi u
a i o e u ui ia ee au
r n m k g l t mb ng nj s th nd w j ch d b sh y h z v ny ks nt rr ll
"""
_ONSETS, _VOWELS, _INNER = (line.split() for line in _SOUNDS.strip().splitlines())
_ENDS = ("", "", "", "", "n", "s", "r", "t", "l", "h", "k", "ng")
_ACCENTED = {"a": "áãâ", "e": "éèẽ", "i": "íĩï", "o": "óõọ", "u": "úũü"}
_ARABIC = "ابتجحدرزسشصطعغفقكلمنهوي"
_TRADES = ("Traders", "Farmers", "Supplies", "Motors", "Hardware", "Stores", "Dairy", "Bakery")
_FORMS = ("Ltd", "Ltd.", "& Sons Ltd", "Sacco", "Limited", "Co.", "Group")


class Person(NamedTuple):
    """One borrower, by what may be asked for; `name` is how the dashboard writes it."""

    borrower_id: str
    name: str
    phone: str
    government_id: str
    email: str
    number: int
    is_company: bool


def make_borrower(number: int) -> dict[str, Any]:
    """The borrower of this number as the service answers."""
    person, names = _draw(number)
    outside = {
        "borrowerId": person.borrower_id,
        "borrowerNo": person.number,
        "uid": str(uuid.UUID(int=random.Random(~number).getrandbits(128), version=4)),
        "status": 1,
        "devices": [],
        "loans": [],
        "settings": {},
    }
    if person.is_company:
        company = {"tradingName": person.name, "phoneNumber": person.phone or None}
        return {**outside, "category": "company", "individual": None, "company": company}
    individual = {
        "surname": names[0],
        "othernames": names[1],
        "phoneNumber": person.phone or None,
        "governmentIdNo": person.government_id or None,
        "emailAddress": person.email or None,
    }
    return {**outside, "category": "individual", "individual": individual, "company": None}


def make_person(number: int) -> Person:
    """What the borrower of this number is found by."""
    return _draw(number)[0]


def find_person(borrower_id: str) -> Person:
    """The borrower of this id."""
    return make_person(int(borrower_id.removeprefix("ke-")) - _FIRST_ID)


def _draw(number: int) -> tuple[Person, tuple[str, str]]:
    chance = random.Random(number * 2_654_435_761 % 2**32)
    surname = draw_surname(chance)
    is_company = chance.random() < _COMPANIES
    if is_company:
        names = (f"{surname} {chance.choice(_TRADES)} {chance.choice(_FORMS)}", "")
    else:
        others = [draw_first_name(chance)]
        # A second one is a first name, or, as in Kenya, a name of the family's.
        if chance.random() < 0.5:
            others.append((draw_first_name if chance.random() < 0.4 else draw_surname)(chance))
        names = (surname, " ".join(others))
    has_id = not is_company and chance.random() < 0.95
    has_email = not is_company and chance.random() < 0.4
    person = Person(
        borrower_id=f"ke-{_FIRST_ID + number}",
        name=" ".join(name for name in names if name),
        # The dashboard reads a phone of persons only.
        phone="" if is_company else draw_phone(number),
        government_id=str(chance.randrange(10**7, 10**8)) if has_id else "",
        email=f"user{number}.{chance.randrange(100)}@example.com" if has_email else "",
        number=10_000_000 + number,
        is_company=is_company,
    )
    return person, names


def draw_phone(number: int) -> str:
    """A mobile number, two in a hundred that of the borrower before; empty for one in a hundred."""
    chance = random.Random(~number * 40_503 % 2**32)
    kind = chance.random()
    if kind < _WITHOUT_PHONE:
        return ""
    if kind < _WITHOUT_PHONE + _SHARED_PHONES and number:
        return draw_phone(number - 1)
    return f"+2547{chance.randrange(10**8):08}"


def _make_drawer(count: int, shift: float, seed: int) -> Callable[[random.Random], str]:
    """A function that draws one of so many names by the law of this module's docstring."""
    names = make_names(count, seed)
    limits = list(accumulate(1 / (rank + shift) for rank in range(1, count + 1)))

    def draw(chance: random.Random) -> str:
        return names[bisect(limits, chance.random() * limits[-1])]

    return draw


def make_names(count: int, seed: int) -> list[str]:
    """So many names, no two alike, the most common first."""
    chance = random.Random(seed)
    weights = [1 / (place + 2) for place in range(len(_ONSETS))]
    inner_weights = [1 / (place + 2) for place in range(len(_INNER))]
    vowel_weights = [1 / (place + 1) for place in range(len(_VOWELS))]
    found: dict[str, None] = {}
    while len(found) < count:
        kind = chance.random()
        if kind < 0.02:
            found["".join(chance.choices(_ARABIC, k=chance.randint(3, 6)))] = None
            continue
        onset = chance.choices(_ONSETS, weights)[0]
        name = onset + chance.choices(_VOWELS, vowel_weights)[0]
        for _ in range(chance.choices((1, 2, 3), (4, 5, 1))[0]):
            name += chance.choices(_INNER, inner_weights)[0]
            name += chance.choices(_VOWELS, vowel_weights)[0]
        name = (name + chance.choice(_ENDS))[:14]
        if kind < 0.06:
            at = chance.choice([place for place, sign in enumerate(name) if sign in _ACCENTED])
            name = name[:at] + chance.choice(_ACCENTED[name[at]]) + name[at + 1 :]
        if kind > 0.98 and len(name) > 4:
            name = f"{name[:2]}'{name[2:]}"
        if len(name) > 3:
            found[name.capitalize()] = None
    return list(found)


draw_surname = _make_drawer(SURNAMES, 1.7, seed=1)
draw_first_name = _make_drawer(FIRST_NAMES, 2.0, seed=2)

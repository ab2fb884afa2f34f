"""Convert typed words and the content of cards into the form that is compared.

Names are split into words in lower case without accents. Numbers are reduced to their digits. All
functions are pure.
"""

import re
import unicodedata
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

# The most characters of a search. A longer text is not a name.
LONGEST_QUERY = 200
MOST_WORDS = 8
LONGEST_WORD = 40
# A part of a name with this number of letters or more is searched for on its own.
SHORTEST_PREFIX = 3
# The longest stored beginning of a word. Longer beginnings would not reduce the matches.
LONGEST_PREFIX = 8
# In a shorter word, another letter is not treated as a mistake.
SHORTEST_MISTYPED = 4
# The lengths of the endings that find a phone number. Usually one person has the longest ending,
# and many people share the shortest.
PHONE_ENDINGS = (9, 6, 4)
# The number of digits that a masked number shows at its beginning and at its end. Some masked
# numbers show fewer digits at the beginning.
MASKED_BEGINNING, MASKED_ENDING = 5, 3
# A number with hidden digits, in the middle or at the beginning.
_MASK = re.compile(r"(?<![\w*])\+?0*(\d*)[*xX•.]{2,}(\d{3,})(?!\w)")
# The most digits of a country code, and of a local number, which lacks the country code.
_LONGEST_COUNTRY, _LONGEST_LOCAL = 4, 10
_PHONE = re.compile(r"[+(]*\d[\d\s()/.\-]*")
_HASH = re.compile(r"[0-9a-fA-F]{64}")
# Apostrophes of all keyboards and fonts, and the Arabic line that only makes a word wider.
_WITHIN_WORDS = str.maketrans(
    "",
    "",
    "'’‘`´.\u02b9\u02bb\u02bc\u02bd\u02ca\u02be\u02bf\u02c8\u0640\u201b\u2032\u2035\ua78b\ua78c\uff07",
)
# Letters that Unicode normalisation does not change, and the letters that people type instead.
_LETTERS = str.maketrans(
    dict(zip("ɓɗɖƙƴʋƒɣǝəɛɩɔʊøłđħ", "bddkyvfgeeeiouoldh", strict=True))
    | {"ɲ": "ny", "œ": "oe", "æ": "ae", "ı": "i"}
    # Arabic letters that people often exchange: haa, yaa, alef and kaf.
    | {"\u0629": "\u0647", "\u06c1": "\u0647", "\u06be": "\u0647", "\u0671": "\u0627"}
    | {"\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643"}
)
_ENG = re.compile(r"ŋ(?!g)")
# Countries that added digits in front of each number (Benin 2024, Côte d'Ivoire 2021). The new
# digits depend on the second digit of the old number. A mobile number of eight digits is old.
_RENUMBERED = {
    "229": dict.fromkeys("0123456789", "01"),
    "225": dict.fromkeys("0123", "01") | dict.fromkeys("456", "05") | dict.fromkeys("789", "07"),
}
_OLD_LENGTH = 8


class _Signs(dict[int, str]):
    """Table from a character's code to its form for comparisons.

    Letters and digits stay, accents and invisible characters are removed, all others become spaces.
    """

    def __missing__(self, number: int) -> str:
        kind = unicodedata.category(sign := chr(number))
        self[number] = sign if kind[0] in "LN" else "" if kind in ("Mn", "Cf") else " "
        return self[number]


_SIGNS = _Signs()


def fold(text: str) -> str:
    """Return the text in lower case without accents; each other sign becomes a space."""
    plain = unicodedata.normalize("NFKD", text.translate(_WITHIN_WORDS)).casefold()
    letters = _ENG.sub("ng", plain).replace("ŋ", "n").translate(_LETTERS)
    return " ".join(letters.translate(_SIGNS).split())


def split_words(text: str) -> list[str]:
    """Return the words of a name or of a typed text, each once, in their order."""
    words = (word[:LONGEST_WORD] for word in fold(text).split())
    return list(dict.fromkeys(words))


def read_digits(text: str) -> str:
    """Return the digits of a text in ASCII, without other characters."""
    return "".join(str(unicodedata.digit(sign)) for sign in text if sign.isdigit())


def strip_trunk(digits: str) -> str:
    """Remove leading zeros of a number, unless it is short and may be the end of a number."""
    return digits.lstrip("0") if len(digits) > PHONE_ENDINGS[1] else digits


def renumber(digits: str) -> str:
    """Return a number with its country code, in today's form.

    Some countries added digits to old numbers.
    """
    prefixes, rest = _RENUMBERED.get(digits[:3]), digits[3:]
    if prefixes is None or len(rest) != _OLD_LENGTH:
        return digits
    return digits[:3] + prefixes[rest[1]] + rest


def read_phone(text: str) -> str:
    """Return the digits of a phone number in its present form; empty for other text.

    Leading zeros are removed.
    """
    # In `+254 (0)712` the zero is only for calls within the country.
    digits = renumber(strip_trunk(read_digits(text.replace("(0)", ""))))
    return digits if 4 <= len(digits) <= 15 else ""


def find_ending(digits: str) -> str:
    """Return the longest end of a phone number that a search can find; empty for a short number."""
    length = next((length for length in PHONE_ENDINGS if len(digits) >= length), 0)
    return digits[-length:] if length else ""


def make_dialled(text: str) -> str:
    """Return the number to dial, for a `tel:` link; empty if the text is not a phone number.

    A plus in front is not removed. Without a plus, the number is for the country where the phone
    is.
    """
    plus, digits = "+" if text.strip().startswith("+") else "", read_digits(text)
    return plus + (renumber(digits) if plus else digits) if read_phone(text) else ""


def fold_number(text: str) -> str:
    """Return an id or number in the form for comparisons: letters and digits, in lower case."""
    return fold(text).replace(" ", "")


def fold_ids(text: str) -> set[str]:
    """Return the possible ids in a text, in lower case: the text, and `ke-1` of `borrower:ke-1`."""
    folded = text.strip().casefold()
    return {folded, folded.removeprefix("borrower:")} - {""}


def list_prefixes(word: str) -> Iterator[str]:
    """Yield the beginnings of a word that a search can find, up to the longest."""
    for length in range(1, min(len(word), LONGEST_PREFIX) + 1):
        yield word[:length]


def list_deletions(word: str) -> set[str]:
    """Return the word, and the word without each of its letters.

    Two words with one edit between them have one of these in common.
    """
    if len(word) < SHORTEST_MISTYPED:
        return {word}
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def is_one_edit(one: str, other: str) -> bool:
    """Return True if the words are equal or differ by one edit.

    An edit leaves out, adds or replaces a letter, or swaps it with its neighbour.
    """
    if one == other or abs(len(one) - len(other)) > 1:
        return one == other
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if at is None:
        return True
    left, right = one[at:], other[at:]
    swapped = left[:2] == right[:2][::-1] and left[2:] == right[2:]
    return swapped or left[1:] == right[1:] or left[1:] == right or left == right[1:]


def mask_phone(digits: str) -> str:
    """Return the number masked as in a statement, `25471***111`; empty if it is short.

    The beginning and the last three digits are shown.
    """
    ends = f"{digits[:MASKED_BEGINNING]}*{digits[-MASKED_ENDING:]}"
    return ends if len(digits) >= PHONE_ENDINGS[0] else ""


def fits_mask(phone: str, begin: str, end: str) -> bool:
    """Return True if a number fits a masked number, with or without its country code."""
    is_local = len(phone) <= _LONGEST_LOCAL
    return phone.endswith(end) and any(
        phone[at:].startswith(begin) or (is_local and phone.startswith(begin[at:]))
        for at in range(_LONGEST_COUNTRY)
    )


def find_mask(text: str) -> re.Match[str] | None:
    """Find the first masked number in a text; the groups are its two visible ends.

    Return None if the text has no masked number.
    """
    return _MASK.search(text)


def hash_phone(digits: str) -> str:
    """Return the SHA-256 that some statements show instead of a number."""
    return sha256(digits.encode()).hexdigest()


class Query(NamedTuple):
    """Typed text, split into words of names and possible numbers.

    `phone` has the digits of a phone number. `masked` is the beginning and the end of a masked
    number. `number` is an id in the form of `fold_number`. `hashed` is a SHA-256. `digits` were
    typed together with names. Like `masked`, they distinguish people with the same name.
    """

    names: tuple[str, ...] = ()
    phone: str = ""
    masked: tuple[str, str] | None = None
    number: str = ""
    hashed: str = ""
    email: str = ""
    digits: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if the query has nothing to search for."""
        return not any(self)


def read_query(text: str) -> Query:
    """Return the query for a typed text.

    The query is empty if the text is too long, or has neither letters nor digits.
    """
    text = "".join(sign for sign in text if sign.isprintable() or sign.isspace()).strip()
    if not text or len(text) > LONGEST_QUERY:
        return Query()
    if _HASH.fullmatch(text):
        return Query(hashed=text.lower())
    if masked := find_mask(text):
        others = split_words(text[: masked.start()] + " " + text[masked.end() :])[:MOST_WORDS]
        names = tuple(word for word in others if not word.isdigit())
        return Query(names=names, masked=(masked[1], masked[2]))
    if "@" in text and " " not in text:
        return Query(email=text.casefold())
    if _PHONE.fullmatch(text) or text.isdigit():
        phone = read_phone(text)
        return Query(phone=phone, number=fold_number(read_digits(text)))
    words = split_words(text)[:MOST_WORDS]
    digits = tuple(read_digits(word) for word in words if word.isdigit())
    names = tuple(word for word in words if not word.isdigit())
    has_number = any(sign.isdigit() for sign in text) and len(words) <= 4
    return Query(names=names, digits=digits, number=fold_number(text) if has_number else "")

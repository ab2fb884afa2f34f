"""Amounts, ids, payers and references as written in statements; nothing is guessed."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

from babel.numbers import get_currency_precision, is_currency

# Spaces of every width, and apostrophes, which may be around or between figures.
_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u202f'’]+")
# A word with the point after it, figures, or one sign.
_PARTS = re.compile(r"[^\W\d_]+[€£$₦₵¢]?\.?|[\d.,]+|\S")
_SIGNS = re.compile(r"[-+−–]")
_INNER_SPACES = re.compile(r"(?<=\d)[\s\u00a0\u2007\u2009\u202f'’]+(?=\d)")
# Words that give the direction of an amount. Any other word names a currency or is unknown.
_OUT = frozenset({"DR", "DB", "DEB", "DEBIT", "NEG", "OUT", "OD", "W", "WD"})
_IN = frozenset({"CR", "CREDIT"})
_GLUED_SIDE = re.compile(r"(?i)^(.{2,})(dr|db|cr)$")
_COMMA_DECIMALS = re.compile(r"\d{1,3}(?:\.\d{3})*,\d{1,2}|\d+,\d{1,2}")
_FIGURE = re.compile(r"\d{1,3}(?:,\d{2,3})*(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
# A number with an exponent, as spreadsheets write it. Other ids may have an E among their digits.
_EXPONENT = re.compile(r"(?i)^\d(?:[.,]\d+)?E\+\d{1,3}$")
# `500/=` and `500/-` are shillings without cents.
_NO_CENTS = re.compile(r"/[=-]$")
# Databases write zeros after three decimals. Removing these zeros loses nothing.
_LONG_ZEROS = re.compile(r"(?<=\.\d{3})0+$")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,]\d{3})+(?![\d.,])")
# Other ways to write a currency than its code.
_MARKS = {
    mark: code
    for code, marks in {
        "KES": ("KSH", "KSHS"),
        "UGX": ("USH", "USHS"),
        "TZS": ("TSH", "TSHS"),
        "GHS": ("GHC", "GH", "GH₵", "GH¢", "₵"),
        "ETB": ("BIRR", "BR"),
        "XOF": ("FCFA", "CFA"),
        "EUR": ("€",),
        "GBP": ("£",),
        "NGN": ("₦",),
        "USD": ("$",),
    }.items()
    for mark in marks
}
# Shillings or francs, which several countries have. The file then gives the currency.
_OF_MANY_COUNTRIES = frozenset({"SH", "SHS", "F", "FR"})
# Codes of currencies that are also words in headings in capitals.
_WORDS = frozenset(
    {
        *("ALL", "TRY", "TOP", "CUP", "MOP", "GEL", "LAK", "MNT"),
        *("SUR", "BAN", "BAD", "SIT", "NIC", "PES", "COU", "BEL", "XXX"),
    }
)
_CODE = 3
_FLOAT = re.compile(r"^(\d+)[.,]0+$")
# A spreadsheet stores fifteen digits of a number and writes zeros for the others.
_EXACT = 15
_WHOLE, _DECIMALS = 15, 3
# The form of most amounts in most statements.
_PLAIN = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,3})?")
# A phone number within other words, with or without hidden digits.
_PHONE = re.compile(r"(?<![\w*])\+?\d{2,6}\*{2,}\d{2,4}(?!\w)|(?<!\w)\+?\d{9,15}(?!\w)")
_MTN_PARTY = re.compile(r"^(?:FRI:)?([^/@]+)(?:[/@].*)?$")
_REFERENCE = re.compile(
    r"(?i)\bacc(?:ount)?\b\.?(?: ?no\.?)?\s*[:.#-]?\s*(?!(?:from|for|to|of|by|with)\b)(\S+)"
)
# The id must have a letter, because ten digits may be a phone number, a day or an account.
_OTHER_RECEIPT = re.compile(r"\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{10}\b")


def read_amount(text: str, currency: str = "") -> Decimal | None:
    """Return the amount in a text such as `(1,234.50)`; None if the text is not an amount.

    `500 DR`, `KES 1,234.50`, `1 234,50` and `500/=` are amounts too. Brackets, a minus and DR make
    the amount negative, also if two of them are present. Return None for more than three decimals,
    for a bracket without its pair, and for a word that is neither a direction nor a currency. In a
    currency without minor units, a point before three digits divides thousands, so `25.000` is
    25,000, and `25.50` is not an amount.
    """
    if not text:
        return None
    if currency and not get_currency_precision(currency):
        text = _GROUPED.sub(lambda found: re.sub("[.,]", "", found[0]), text)
    amount = Decimal(text) if _PLAIN.fullmatch(text) else _read_odd_amount(text)
    return amount if amount is not None and is_of_currency(amount, currency) else None


def is_of_currency(amount: Decimal, currency: str) -> bool:
    """Return True if an amount is possible in a currency. Some currencies have no decimals."""
    return not currency or bool(get_currency_precision(currency)) or amount == int(amount)


def _read_odd_amount(text: str) -> Decimal | None:
    figures, words, signs = _split_amount(text)
    if len(figures) != 1 or _SIGNS.sub("", signs) not in ("", "()"):
        return None
    sides = {word for word in words if word in _OUT | _IN}
    if any(not _names_currency(word) for word in words if word not in sides):
        return None
    (bare,) = figures
    if _COMMA_DECIMALS.fullmatch(bare):
        bare = bare.replace(".", "").replace(",", ".")
    elif not _FIGURE.fullmatch(bare):
        return None
    amount = Decimal(_LONG_ZEROS.sub("", bare.replace(",", "")))
    _sign, digits, exponent = amount.as_tuple()
    # An amount with more digits can't be stored exactly.
    if int(exponent) < -_DECIMALS or len(digits) + int(exponent) > _WHOLE:
        return None
    is_negative = bool(sides & _OUT) or not set("(-−–").isdisjoint(signs)
    return -amount if is_negative else amount


def _split_amount(text: str) -> tuple[list[str], list[str], str]:
    """Return the figures of an amount, the words around them in capitals, and the other signs."""
    figures, words, signs = list[str](), list[str](), ""
    for part in _PARTS.findall(_INNER_SPACES.sub("", _NO_CENTS.sub("", text.strip()))):
        if any(map(str.isdigit, part)):
            figures.append(part.rstrip("."))
        elif part[0].isalpha() or part in _MARKS:
            word = part.rstrip(".").upper()
            glued = None if _names_currency(word) else _GLUED_SIDE.match(word)
            words += glued.groups() if glued else [word]
        else:
            signs += part
    return figures, words, signs


def _names_currency(word: str) -> bool:
    return is_currency(word) or word in _MARKS or word in _OF_MANY_COUNTRIES


def find_divider(texts: Iterable[str], currency: str) -> tuple[str, bool | None]:
    """Return the sign before three digits if its meaning is not clear, and the meaning.

    The sign is a point in a currency with cents, and a comma in a currency with thousandths, such
    as a dinar. The sign is empty if its meaning is clear. The meaning is True if the sign divides
    thousands, False if decimals follow the sign, and None if no amount shows the meaning.
    """
    decimals = get_currency_precision(currency) if currency else 2
    sign, other = (",", ".") if decimals == _DECIMALS else (".", ",")
    figures = [re.sub(r"[^\d.,]", "", text) for text in texts if sign in text]
    asked = re.compile(rf"[1-9]\d{{0,2}}[{sign}]\d{{3}}")
    if not decimals or not any(map(asked.fullmatch, figures)):
        return "", None
    for one in figures:
        if one.count(sign) > 1 or (other in one and one.rfind(sign) < one.rfind(other)):
            return sign, True
        # The number of digits after or before the sign shows that decimals follow.
        if not asked.fullmatch(one):
            return sign, False
    return sign, None


def find_heading_currency(heading: str) -> str:
    """Return the currency in a heading such as `Amount (USD)` or `Amount (€)`; empty if none."""
    for word in re.findall(r"[^\W\d_]+[€£$₦₵¢]?|[€£$₦₵¢]", heading):
        code: str = _MARKS.get(word.upper(), word)
        is_code = code == code.upper() and code not in _WORDS and is_currency(code)
        if is_code and (code != word or len(word) == _CODE):
            return code
    return ""


def read_currency(text: str) -> str:
    """Return the code of the currency that an amount names; empty if it names none."""
    for word in _split_amount(text)[1]:
        if word in _MARKS or is_currency(word):
            return _MARKS.get(word, word)
    return ""


def read_id(text: str) -> tuple[str, bool]:
    """Return an id as text, and True if a spreadsheet removed some of its digits.

    Then it is not a key. `850060.0` has all its digits. `1.42593E+11` lost digits, and so did a
    number with more than fifteen digits before its `.0`.
    """
    bare = _SPACES.sub("", text) if re.fullmatch(r"[\d\s\u00a0.,]+", text or "x") else text.strip()
    whole = _FLOAT.match(bare)
    if whole:
        return whole[1], len(whole[1]) > _EXACT
    return bare, bool(_EXPONENT.match(bare))


def read_party(values: Mapping[str, str]) -> tuple[str, str]:
    """Return the payer and the phone number, from their columns or from a text with both."""
    phone, payer = values.get("phone", ""), values.get("payer", "")
    if phone and (found := _MTN_PARTY.match(phone)):
        phone = read_id(found[1])[0]
    if not phone:
        hit = _PHONE.search(payer) or _PHONE.search(values.get("details", ""))
        phone = hit[0] if hit else ""
    payer = _PHONE.sub("", payer).strip(" -–,;")
    return payer, phone


def read_reference(values: Mapping[str, str]) -> str:
    """Return the reference of a row, from its column or its details; empty if it has none."""
    reference, is_damaged = read_id(values.get("reference", ""))
    if reference and not is_damaged:
        return reference
    found = _REFERENCE.search(values.get("details", ""))
    return found[1].strip(".,;") if found else ""


def find_reversed(values: Mapping[str, str], receipt: str) -> str:
    """Return the id of the payment that a row reverses; empty if the row names no other id."""
    if values.get("reverses"):
        return read_id(values["reverses"])[0]
    others = [one for one in _OTHER_RECEIPT.findall(values.get("details", "")) if one != receipt]
    return others[0] if others else ""

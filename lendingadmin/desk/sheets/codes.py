"""The code of a collection sheet: six letters and digits, and a seventh that checks them.

People read a code aloud and type it, so no two characters look alike. The check detects one wrong
character and two swapped characters, because the number of possible characters is prime.
"""

import re
import secrets
from typing import NamedTuple

import segno

#: The allowed characters. Similar ones are left out: 0/O, 1/I/L, 2/Z, 5/S, 8/B, G (like 6), U (like
#: V).
SIGNS = "34679ACDEFHJKMNPQRTVWXY"  # pragma: allowlist secret
LENGTH = 7
_BETWEEN = re.compile(r"[\s\-–—]+")
_ROW = re.compile(rf"CASH([{SIGNS}]{{{LENGTH}}})(\d{{3,5}})")


def make_code() -> str:
    """Return a random code with its check character at the end."""
    code = "".join(secrets.choice(SIGNS) for _ in range(LENGTH - 1))
    return code + _find_check(code)


def read_code(text: str) -> str:
    """Return the code in a typed text, in capitals without spaces; empty if there is none.

    A typed transaction id of a row also gives the code, because it contains the code of the sheet.
    """
    code = _BETWEEN.sub("", text).upper()
    if row := _ROW.fullmatch(code):
        code = row[1]
    return code if is_code(code) else ""


def looks_like_code(text: str) -> bool:
    """Return True if the text has the length of a code and only letters and digits.

    Such a text may still be a wrong code.
    """
    bare = _BETWEEN.sub("", text)
    return len(bare) == LENGTH and bare.isascii() and bare.isalnum()


def is_code(code: str) -> bool:
    """Return True if the text is a valid code, with the right check character."""
    return len(code) == LENGTH and set(code) <= set(SIGNS) and not _sum_up(code)


def write_code(code: str) -> str:
    """Return the code in the printed form, which has two parts."""
    return f"{code[:3]}-{code[3:]}"


def make_external_id(code: str, number: int) -> str:
    """Return the transaction id of a row, such as `CASH-K7MA4QX-017`.

    The same row gets the same id each time its amounts are entered.
    """
    return f"CASH-{code}-{number:03}"


def _find_check(code: str) -> str:
    """Return the check character, with which the weighted sum is 0."""
    # The last weight has an inverse, because the number of possible characters is prime.
    inverse = pow(LENGTH, -1, len(SIGNS))
    return SIGNS[-_sum_up(code) * inverse % len(SIGNS)]


def _sum_up(code: str) -> int:
    """Return the weighted sum of the characters, modulo the number of possible characters."""
    return sum(at * SIGNS.index(sign) for at, sign in enumerate(code, start=1)) % len(SIGNS)


# The width in modules of the white edge that a QR reader needs.
_EDGE = 4


class QrCode(NamedTuple):
    """A QR code in modules: its width with the edge, and the dark modules as an SVG path."""

    size: int
    path: str


def build_qr(text: str) -> QrCode:
    """Return a QR code with the highest error correction: 30% may be dirty or torn."""
    code = segno.make_qr(text, error="h", boost_error=False)
    rows = list(code.matrix_iter(border=_EDGE))
    dark = (
        f"M{x} {y}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, is_dark in enumerate(row)
        if is_dark
    )
    return QrCode(len(rows), "".join(dark))

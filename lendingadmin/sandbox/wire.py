"""Functions that read and write JSON.

Numbers are Decimals; data that can't be stored is refused.
"""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import simplejson
from pydantic import BaseModel

from lendingadmin.sandbox.rules.amounts import read_number
from lendingadmin.sandbox.rules.instants import write_timestamp
from lendingadmin.sandbox.rules.invalid import Invalid

DEEPEST = 32
_ALLOWED_CONTROLS = "\t\n\r"


def _render(value: object) -> object:
    if isinstance(value, datetime):
        return write_timestamp(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    raise TypeError(f"{type(value).__name__} has no JSON form")


_ENCODER = simplejson.JSONEncoder(
    use_decimal=True,
    default=_render,
    separators=(",", ":"),
    ensure_ascii=False,
    allow_nan=False,
)
Raw = simplejson.RawJSON


def write(document: object) -> bytes:
    """Return compact UTF-8 JSON, with timestamps and dates in the form of the spec."""
    return _ENCODER.encode(document).encode()


def read_own(text: bytes | str) -> Any:
    """Parse JSON that this service has written."""
    return simplejson.loads(text, use_decimal=True)


def read_sent(body: bytes) -> Any:
    """Parse the body of a request; raise Invalid if it is not JSON that can be stored.

    These are refused: wrong JSON, NaN and infinities, numbers of 10^15 and more, more than 32
    levels of nesting, control characters (except tab and line ends), and half surrogate pairs in
    texts.
    """
    try:
        document = simplejson.loads(body.decode("utf-8"), use_decimal=True, allow_nan=False)
    except (ValueError, RecursionError, ArithmeticError):
        raise Invalid("body", "is not valid JSON") from None
    _check(document, "body", 1)
    return document


def _check(value: object, field: str, depth: int) -> None:
    if depth > DEEPEST:
        raise Invalid("body", f"is nested deeper than {DEEPEST}")
    if isinstance(value, dict):
        for key, inner in value.items():
            check_text(key, field)
            _check(inner, key if field == "body" else f"{field}.{key}", depth + 1)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            _check(inner, f"{field}[{place}]", depth + 1)
    elif isinstance(value, str):
        check_text(value, field)
    elif isinstance(value, int | Decimal) and not isinstance(value, bool):
        read_number(value, field)


def check_text(text: str, field: str) -> None:
    """Raise Invalid for a text with control characters or half a surrogate pair."""
    if text.isprintable():
        return
    for letter in text:
        control = letter < " " or letter == "\x7f"
        if (control and letter not in _ALLOWED_CONTROLS) or "\ud800" <= letter <= "\udfff":
            raise Invalid(field, "must not hold control characters or half surrogate pairs")

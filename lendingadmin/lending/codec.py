"""Functions that read and write JSON, with numbers as Decimal or int and never as a float."""

import json
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import (
    MAX_PREC,
    Context,
    Decimal,
    DecimalException,
    InvalidOperation,
    Overflow,
    Subnormal,
)
from functools import lru_cache, partial
from typing import Any, TypedDict

import msgspec
import simplejson

from lendingadmin.lending.fields import Malformed, Value, timestamp_text

# A number with a larger exponent is an error, because its digits would fill the memory. The decimal
# context checks the exponent, which is fast. All digits of a number are preserved.
_LARGEST_EXPONENT = 400
_NUMBERS = Context(
    prec=MAX_PREC,
    Emax=_LARGEST_EXPONENT,
    Emin=-_LARGEST_EXPONENT,
    traps=[InvalidOperation, Overflow, Subnormal],
)
_ANYTHING = msgspec.json.Decoder(float_hook=_NUMBERS.create_decimal)
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def encode(body: object) -> bytes:
    """Write a request body as UTF-8 JSON, each Decimal with exactly its own digits.

    Raise TypeError as `build_json` does, and ValueError for NaN, for infinities and for text with
    lone surrogates.
    """
    text = simplejson.dumps(
        build_json(body),
        use_decimal=True,
        allow_nan=False,
        ensure_ascii=False,
        encoding=None,
        separators=(",", ":"),
    )
    return text.encode()


def build_json(value: object) -> object:
    """Convert a value to the JSON value to send; numbers are Decimals.

    A Value or Malformed is returned as received. A time is in UTC with milliseconds, a date is
    `YYYY-MM-DD`. Raise TypeError for a float, because money would lose digits, and for types that
    JSON does not have.
    """
    if isinstance(value, Value | Malformed):
        return value.raw
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("keys sent to the service must be text")
        return {key: build_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [build_json(item) for item in value]
    if isinstance(value, datetime):
        return timestamp_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, str | bool | int | Decimal):
        return value
    raise TypeError(f"{type(value).__name__} cannot be sent to the service")


def decode(body: bytes) -> object:
    """Read JSON: integers as int, all other numbers as Decimal with all digits.

    Raise ValueError for text that is not JSON, for NaN, infinities and extremely large numbers, and
    for too many levels of nesting. A lone surrogate becomes U+FFFD, because no page could show it.
    """
    return _read(_ANYTHING, body)


@lru_cache(maxsize=32)
def make_decoder(collection: str, keys: tuple[str, ...]) -> Callable[[bytes], object]:
    """Return a function that reads a list as `decode` does, but only these keys of each item.

    All other keys are skipped, such as most keys of a loan. An answer in another form is read
    completely.
    """
    item = TypedDict("item", dict.fromkeys(keys, Any), total=False)  # type: ignore[misc]
    page = TypedDict("page", {collection: list[item], "nextPageToken": Any}, total=False)  # type: ignore
    return partial(_read, msgspec.json.Decoder(page, float_hook=_NUMBERS.create_decimal))


def _read(quick: "msgspec.json.Decoder[Any]", body: bytes) -> object:
    try:
        return quick.decode(body)
    except (msgspec.MsgspecError, DecimalException, ValueError, RecursionError):
        return _read_slowly(body)


def _read_slowly(body: bytes) -> object:
    """Read JSON that the fast parser refuses.

    Raise ValueError with the parser's text if the JSON is wrong.
    """
    text = body.decode("utf-8-sig")
    try:
        value: object = json.loads(
            text, parse_float=_NUMBERS.create_decimal, parse_constant=_out_of_range
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except DecimalException as error:
        raise ValueError("a number out of all range") from error
    return _without_surrogates(value) if _ESCAPED_SURROGATE.search(text) else value


def _out_of_range(constant: str) -> object:
    raise ValueError(f"{constant} can't be a JSON number")


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value

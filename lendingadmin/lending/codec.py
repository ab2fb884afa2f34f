"""Read and write JSON with all numbers as Decimal or int: no number ever passes through a float."""

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

# A number with a larger exponent is an error, because its digits would fill the memory. The context
# checks the exponent, which makes reading fast. All digits of a number are preserved.
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

    Raises TypeError for the same values as `build_json`, and ValueError for NaN, infinities and
    text with lone surrogates.
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

    A Value or Malformed does not change. A time is in UTC with milliseconds, a date is
    `YYYY-MM-DD`. Raises TypeError for a float, because money would lose digits, and for types that
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

    Raises ValueError for text that is not JSON, for NaN, infinities and extremely large numbers,
    and for nesting that is too deep. A lone surrogate, which no page could show, becomes U+FFFD.
    """
    return _read(_ANYTHING, body)


@lru_cache(maxsize=32)
def make_decoder(collection: str, keys: tuple[str, ...]) -> Callable[[bytes], object]:
    """Return a `decode` for answers with a list; it reads only these keys of each item.

    The other keys are skipped; in a loan these are most keys. An answer in another form is read
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
    """Read JSON that the quick parser refuses.

    Raise ValueError in the parser's words if the JSON is wrong.
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

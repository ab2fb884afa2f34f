"""Page sizes, orders, filters and page tokens of lists (Spec: Shared list behaviour)."""

import base64
import hmac
import json
from collections.abc import Mapping
from typing import NamedTuple

from lendingadmin.sandbox.rules.invalid import Invalid

LARGEST_PAGE = 1000
_MAC = 16


class Clause(NamedTuple):
    """A clause `<FIELD>:<VALUE>` of a filter. The value of a number field is an int."""

    field: str
    value: str | int


class InvalidPageToken(ValueError):
    """Error: the page token is for another request; the answer has the status 400."""

    description = "Invalid page token"


class Place(NamedTuple):
    """Last row of a page: its createdAt in milliseconds, and its number."""

    millis: int
    number: int


def read_page_size(text: str | None) -> int:
    """Read a page size of 1 to 1000; 1000 if it is absent. May raise Invalid."""
    if text is None:
        return LARGEST_PAGE
    digits = text.isascii() and text.isdigit() and len(text) <= 4
    if not digits or not 1 <= int(text) <= LARGEST_PAGE:
        raise Invalid("pageSize", f"must be a whole number from 1 to {LARGEST_PAGE}")
    return int(text)


def read_order(text: str | None) -> bool:
    """Return True for newest first (`desc`); the default is `asc`.

    Raise Invalid for other text.
    """
    if text not in (None, "asc", "desc"):
        raise Invalid("order", "must be asc or desc")
    return text == "desc"


def read_filter(text: str, fields: Mapping[str, type]) -> tuple[Clause, ...]:
    """Read clauses that are separated by spaces. The first colon of a clause ends the field's name.

    `fields` has the allowed fields, each with `str` or `int`. Raise Invalid for any other clause.
    """
    return tuple(_read_clause(part, fields) for part in text.split())


def _read_clause(part: str, fields: Mapping[str, type]) -> Clause:
    field, colon, value = part.partition(":")
    if not colon or not value:
        raise Invalid("filter", f"“{part}” is not of the form <FIELD>:<VALUE>")
    if field not in fields:
        raise Invalid("filter", f"“{field}” is not one of: {', '.join(fields)}")
    if fields[field] is str:
        return Clause(field, value)
    if not (value.isascii() and value.isdigit() and len(value) <= 18):
        raise Invalid("filter", f"the value of “{field}” must be a whole number")
    return Clause(field, int(value))


def write_token(key: bytes, request: tuple[object, ...], place: Place) -> str:
    """Return an opaque token for the items after `place` in this request.

    The token is valid only for the same `request`: collection, page size, filter and order. It is
    standard base64; in an address, its +, / and = must be encoded, as the spec requires.
    """
    text = json.dumps(place).encode()
    return base64.b64encode(_mac(key, request, text) + text).decode()


def read_token(key: bytes, request: tuple[object, ...], token: str) -> Place:
    """Return the place of a token. Raise InvalidPageToken if the token is for another request."""
    try:
        raw = base64.b64decode(token.encode("ascii"), validate=True)
    except ValueError:
        raise InvalidPageToken from None
    mac, text = raw[:_MAC], raw[_MAC:]
    if not hmac.compare_digest(mac, _mac(key, request, text)):
        raise InvalidPageToken
    return Place(*json.loads(text))


def _mac(key: bytes, request: tuple[object, ...], text: bytes) -> bytes:
    return hmac.digest(key, json.dumps(request).encode() + b"\n" + text, "sha256")[:_MAC]

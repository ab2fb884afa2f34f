"""Page sizes and page tokens (Spec: Shared list behaviour)."""

import base64
import hmac
import json
from typing import NamedTuple

from lendingadmin.sandbox.rules.invalid import Invalid

LARGEST_PAGE = 1000
_MAC = 16


class InvalidPageToken(ValueError):
    """The token is not one that was given for this very request; 400 `Invalid page token`."""


class Place(NamedTuple):
    """The last row of a page: its createdAt in milliseconds, and its number."""

    millis: int
    number: int


def read_page_size(text: str | None) -> int:
    """1 to 1000; absent is 1000. Raises Invalid."""
    if text is None:
        return LARGEST_PAGE
    digits = text.isascii() and text.isdigit() and len(text) <= 4
    if not digits or not 1 <= int(text) <= LARGEST_PAGE:
        raise Invalid("pageSize", f"must be a whole number from 1 to {LARGEST_PAGE}")
    return int(text)


def read_order(text: str | None) -> bool:
    """Whether newest first: `desc`; `asc` is the default. Raises Invalid."""
    if text not in (None, "asc", "desc"):
        raise Invalid("order", "must be asc or desc")
    return text == "desc"


def write_token(key: bytes, request: tuple[object, ...], place: Place) -> str:
    """An opaque token for what follows `place` in this request.

    `request` is everything it holds for: collection, page size, filter, order. It is standard
    base64, whose +, / and = must be URL-encoded, as the spec says of tokens.
    """
    text = json.dumps(place).encode()
    return base64.b64encode(_mac(key, request, text) + text).decode()


def read_token(key: bytes, request: tuple[object, ...], token: str) -> Place:
    """The place of a token; raises InvalidPageToken when it was not given for this request."""
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

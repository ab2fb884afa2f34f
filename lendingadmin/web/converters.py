"""Ids of the service in addresses of the dashboard.

A server decodes `%2F` before it routes, so percent-encoding cannot separate borrower `a/edit` from
`a`'s edit page. This escape is our own and reversible. Every byte except letters, digits, `-`, `.`
and `~` becomes `_` and two hex digits. If an id is equal to a word of a route, its first letter is
escaped.
"""

import re
from collections.abc import Callable

from django.urls import reverse

_ROUTE_WORDS = frozenset({"lists", "new"})
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.~")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9~-][A-Za-z0-9.~-]*")
_MARK = "~"
_ESCAPED = re.compile(r"(?:[A-Za-z0-9.~-]|_[0-9A-F]{2})+")


def quote(key: str) -> str:
    """Escape an id for one segment of an address. Raises ValueError for an empty id."""
    if not key:
        raise ValueError("an empty id has no address")
    if _PLAIN_KEY.fullmatch(key) and key not in _ROUTE_WORDS:
        return key
    octets = key.encode("utf-8")
    escaped = "".join(chr(octet) if octet in _PLAIN else f"_{octet:02X}" for octet in octets)
    if key in _ROUTE_WORDS or set(key) == {"."}:
        return f"_{octets[0]:02X}{escaped[1:]}"
    return escaped


def unquote(segment: str) -> str:
    """Return the id that `quote` escaped. Raise ValueError for text that `quote` never makes."""
    if not _ESCAPED.fullmatch(segment):
        raise ValueError("not the escape of an id")
    octets = re.sub(rb"_(..)", lambda match: bytes([int(match[1], 16)]), segment.encode("ascii"))
    return octets.decode("utf-8")


class KeyConverter:
    """`<key:account_id>` in a route: the view gets the unescaped id."""

    regex = r"[A-Za-z0-9._~-]+"

    def to_python(self, value: str) -> str:
        return unquote(value)

    def to_url(self, value: object) -> str:
        return quote(str(value))


def addresses(route: str, *args: str) -> Callable[[str], str]:
    """Return a function that makes the addresses of one route from ids.

    The id is the last argument of the route. The route is looked up only once, because a list
    has two such addresses in every row. The function raises ValueError for an empty id.
    """
    start, _, end = reverse(route, args=[*args, _MARK]).rpartition(_MARK)
    return lambda key: f"{start}{quote(key)}{end}"

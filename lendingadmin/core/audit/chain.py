"""Chain of the trail: each entry has a mac of its own content and of the entry before it.

A mac has 64 hexadecimal digits. The first half covers the content of the entry. The second half
links the entry to the mac of the entry before it. So a check can distinguish a changed entry from a
missing entry. The key comes from AUDIT_KEYS, which the database does not contain. So a person who
can write only to the database cannot make an entry with a valid mac.
"""

import hmac
import json
from base64 import urlsafe_b64decode
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.db import connection

if TYPE_CHECKING:
    from lendingadmin.core.audit.models import Entry

_HALF = 32
_LABEL = b"lendingadmin: the chain of the audit trail"
# Number of the advisory lock of PostgreSQL under which entries are added.
_LOCK = 0x7472_6169_6C


class Match(NamedTuple):
    """Result for the halves of a mac: True if the half fits the content, or the mac before."""

    is_own: bool
    is_linked: bool


def lock_chain() -> None:
    """Prevent other transactions from adding entries until this transaction ends.

    So all entries have one order. SQLite needs no such lock, because only one transaction can write
    at a time.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def compute_mac(previous: str, entry: "Entry") -> str:
    """Return the mac of an entry that follows an entry with the mac `previous`.

    `previous` is empty for the first entry of a chain.
    """
    key = _derive_key(settings.AUDIT_KEYS[0])
    own = _sign(key, "entry", _canonicalize(entry))
    return own + _sign(key, "link", f"{previous} {own}")


def match(previous: str, entry: "Entry") -> Match:
    """Compare an entry's mac with its content and the mac before, for any key of AUDIT_KEYS."""
    own, link = entry.mac[:_HALF], entry.mac[_HALF:]
    content = _canonicalize(entry)
    for key in map(_derive_key, settings.AUDIT_KEYS):
        if hmac.compare_digest(_sign(key, "entry", content), own):
            linked = hmac.compare_digest(_sign(key, "link", f"{previous} {own}"), link)
            return Match(is_own=True, is_linked=linked)
    return Match(is_own=False, is_linked=False)


def follows(previous: str, entries: Iterable["Entry"]) -> bool:
    """Return True if one of these entries is authentic and directly follows `previous`."""
    return any(all(match(previous, entry)) for entry in entries)


def _canonicalize(entry: "Entry") -> str:
    """Return the content of an entry as one text.

    Empty columns are left out, so that a column that is added later does not change the macs of
    older entries. The id is also left out, because the database assigns the id and the links give
    the order.
    """
    content = {
        field.attname: value.astimezone(UTC).isoformat(timespec="microseconds")
        if isinstance(value, datetime)
        else str(value)
        for field in entry._meta.concrete_fields
        if field.attname not in ("id", "mac") and (value := getattr(entry, field.attname))
    }
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def _sign(key: bytes, purpose: str, text: str) -> str:
    return hmac.new(key, f"{purpose}\n{text}".encode(), sha256).hexdigest()[:_HALF]


@lru_cache(maxsize=16)
def _derive_key(key: str) -> bytes:
    """Derive the chain's own key, because a key of AUDIT_KEYS may also be used to encrypt data."""
    return hmac.new(urlsafe_b64decode(key), _LABEL, sha256).digest()

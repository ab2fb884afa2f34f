"""Looking for personal text in all that the dashboard keeps: every table, and the cache."""

import re
import zlib
from base64 import urlsafe_b64decode
from collections.abc import Iterable
from typing import Any

from django.core.cache import caches
from django.db import connection

# What may be signed, and is packed then: sessions, values of the cache.
_PACKED = re.compile(r"\.?[A-Za-z0-9_-]{12,}")


def find_kept(words: Iterable[str]) -> list[str]:
    """Where one of these stands readable, packed or not: table and column, or the cache."""
    found = []
    for place, text in _list_texts():
        text = f"{text} {_unpack(text)}"
        found += [f"{word} in {place}" for word in words if word in text]
    return sorted(set(found))


def _list_texts() -> Iterable[tuple[str, str]]:
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                for name, value in zip(names, row, strict=True):
                    yield f"{table}.{name}", str(value)
    backend: Any = caches["shared"]
    if hasattr(backend, "_cache"):
        redis = backend._cache.get_client()
        for key in redis.scan_iter():
            yield "the cache", f"{key!r} {redis.get(key)!r}"


def _unpack(text: str) -> str:
    """What the packed parts of a text say."""
    parts = []
    for part in _PACKED.findall(text):
        bare = part.removeprefix(".")
        try:
            data = urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
            data = zlib.decompress(data) if part.startswith(".") else data
        except (ValueError, zlib.error):
            continue
        parts.append(data.decode("utf-8", "ignore"))
    return " ".join(parts)

"""Whether the keys of this host are those that the others write with.

A host with other keys would show nothing of what is encrypted, and end every session.
"""

from typing import Any

from django.core.signing import BadSignature, dumps, loads

from lendingadmin.encryption import Undecryptable

from .models import Canary

_NAME = "canary"


def find_fault() -> str:
    """Which key does not fit this database; empty where all do, or nothing was kept yet."""
    canary = Canary.objects.filter(name=_NAME).first()
    if canary is None:
        return ""
    if isinstance(canary.encrypted, Undecryptable):
        return "DATA_KEYS open nothing of what this database keeps"
    try:
        loads(canary.signed, salt=_NAME)
    except BadSignature:
        return "SECRET_KEY is not the one that this database is used with"
    return ""


def write_canary(**_: Any) -> None:
    """Write it under the newest keys, where it is missing or this host can open it."""
    if not find_fault():
        _write()


def renew_signature() -> None:
    """Sign it by this host's SECRET_KEY, whatever signed it before; only where DATA_KEYS fit."""
    canary = Canary.objects.filter(name=_NAME).first()
    if canary is None or not isinstance(canary.encrypted, Undecryptable):
        _write()


def _write() -> None:
    written = {"encrypted": _NAME, "signed": dumps(_NAME, salt=_NAME)}
    Canary.objects.update_or_create(name=_NAME, defaults=written)

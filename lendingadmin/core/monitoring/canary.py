"""Check that the keys of this host are the same as the keys of the other hosts.

A host with other keys could not show encrypted data, would end all sessions, and would not find
borrowers by name. Other hosts could not verify its entries of the audit trail.
"""

from typing import Any

from django.conf import settings
from django.core.signing import BadSignature, dumps, loads
from django.utils.crypto import salted_hmac

from lendingadmin.core.encryption import Undecryptable

from .models import Canary

_NAME = "canary"
# Settings whose keys encrypt nothing. Each column has the mac of the newest key of its setting.
_MACS = {"people_mac": "PEOPLE_KEYS", "audit_mac": "AUDIT_KEYS"}


def find_fault() -> str:
    """Return a sentence about the keys that do not fit this database.

    Return an empty text if all keys fit, or if there is no canary yet.
    """
    canary = Canary.objects.filter(name=_NAME).first()
    if canary is None:
        return ""
    if isinstance(canary.encrypted, Undecryptable):
        return "DATA_KEYS decrypt nothing in this database"
    try:
        loads(canary.signed, salt=_NAME)
    except BadSignature:
        return "SECRET_KEY is not the one that this database is used with"
    for column, setting in _MACS.items():
        kept = getattr(canary, column)  # empty until the first `release` that knows it
        if kept and kept not in _compute_macs(setting):
            return f"{setting} are not those that this database is used with"
    return ""


def write_canary(**_: Any) -> None:
    """Save the canary with the newest keys, if there is none or if the keys of this host fit."""
    if not find_fault():
        _write()


def renew() -> None:
    """Save the canary with the keys of this host, even if the old canary has other keys.

    Nothing is saved if DATA_KEYS do not open the old canary.
    """
    canary = Canary.objects.filter(name=_NAME).first()
    if canary is None or not isinstance(canary.encrypted, Undecryptable):
        _write()


def _write() -> None:
    written = {column: _compute_macs(setting)[0] for column, setting in _MACS.items()}
    written |= {"encrypted": _NAME, "signed": dumps(_NAME, salt=_NAME)}
    Canary.objects.update_or_create(name=_NAME, defaults=written)


def _compute_macs(setting: str) -> list[str]:
    """Return the mac of each key of a setting, the newest first."""
    keys: list[str] = getattr(settings, setting)
    return [salted_hmac(setting, _NAME, key, algorithm="sha256").hexdigest() for key in keys]

"""Check that the keys of this host are the same as the keys of the other hosts.

A host with other keys could not show encrypted data, would end every session and would find no
borrower by name. Its entries of the audit trail could not be verified by other hosts.
"""

from typing import Any

from django.conf import settings
from django.core.signing import BadSignature, dumps, loads
from django.utils.crypto import salted_hmac

from lendingadmin.core.encryption import Undecryptable

from .models import Canary

_NAME = "canary"
# Settings whose keys encrypt nothing, by the column with the mac of the newest key.
_MACS = {"people_mac": "PEOPLE_KEYS", "audit_mac": "AUDIT_KEYS"}


def find_fault() -> str:
    """Return the name of the key that does not fit this database.

    Return an empty text if all fit, or before the first canary.
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
    """Save the canary with the newest keys, if there is none or if this host's keys fit it."""
    if not find_fault():
        _write()


def renew() -> None:
    """Save the canary with this host's keys, even if other keys made the old one.

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

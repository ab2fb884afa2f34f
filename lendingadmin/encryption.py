"""Encryption at rest: what is secret or personal is encrypted before it is stored.

Keys come from DATA_KEYS, newest first: the first seals, all of them open, so that a key can be
retired slowly.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import models


class DecryptionError(Exception):
    """What was encrypted cannot be opened with any key of DATA_KEYS."""


@lru_cache(maxsize=4)
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def encrypt(text: str) -> str:
    """Encrypt and authenticate; the answer is ASCII and about a third longer."""
    return _keys(tuple(settings.DATA_KEYS)).encrypt(text.encode()).decode("ascii")


def decrypt(encrypted: str) -> str:
    """Give back what `encrypt` was given. Raises DecryptionError when no key fits."""
    try:
        return _keys(tuple(settings.DATA_KEYS)).decrypt(encrypted.encode("ascii")).decode()
    except (InvalidToken, UnicodeError) as error:
        raise DecryptionError("no key of DATA_KEYS opens this") from error


if TYPE_CHECKING:
    _Text = models.TextField[str, str]
else:
    # Django's own class takes no type arguments; only its type stubs do.
    _Text = models.TextField


class Undecryptable(str):
    """Stands for text whose key is gone, so that the rest of its row can still be shown."""


class EncryptedTextField(_Text):
    """Text that is encrypted in the database: readable in Python, useless to a filter or a dump.

    Text that no key opens reads as an Undecryptable sentence; storing that raises DecryptionError,
    since it would destroy what a key that is found again could still open.
    """

    def get_prep_value(self, value: object) -> str:
        if isinstance(value, Undecryptable):
            raise DecryptionError("text that could not be decrypted must not be stored again")
        return encrypt(str(value)) if value else ""

    def from_db_value(self, value: str | None, *args: object) -> str:
        try:
            return decrypt(value) if value else ""
        except DecryptionError:
            return Undecryptable("(encrypted with a key that is not configured any more)")

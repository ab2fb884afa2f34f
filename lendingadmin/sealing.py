"""Encryption at rest: what is secret or personal is sealed before it is stored.

Keys come from DATA_KEYS, newest first: the first seals, all of them open, so that a key can be retired slowly.
"""

from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class Unreadable(Exception):
    """What was sealed cannot be opened with any key of DATA_KEYS."""


@lru_cache(maxsize=4)
def _keys(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def seal(text: str) -> str:
    """Encrypt and authenticate; the answer is ASCII and about a third longer."""
    return _keys(tuple(settings.DATA_KEYS)).encrypt(text.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """Give back what `seal` was given. Raises Unreadable when no key fits."""
    try:
        return _keys(tuple(settings.DATA_KEYS)).decrypt(sealed.encode("ascii")).decode()
    except (InvalidToken, UnicodeError) as error:
        raise Unreadable("no key of DATA_KEYS opens this") from error

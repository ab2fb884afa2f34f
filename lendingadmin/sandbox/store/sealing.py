"""Personal data is encrypted before it is stored (Spec: What the service does)."""

from functools import cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from lendingadmin.sandbox import wire


@cache
def _box() -> Fernet:
    return Fernet(settings.SANDBOX_DATA_KEY)


def opens(sealed: bytes | memoryview) -> bool:
    """Whether the key at hand is the one that this was sealed with."""
    try:
        _box().decrypt(bytes(sealed))
    except InvalidToken:
        return False
    return True


def seal(document: object) -> bytes:
    """A JSON document, encrypted."""
    return seal_text(wire.write(document))


def unseal(sealed: bytes | memoryview) -> Any:
    """What was sealed; raises cryptography's InvalidToken when the key is another one."""
    return wire.read_own(unseal_text(sealed))


def seal_text(text: bytes) -> bytes:
    """A text in UTF-8, encrypted."""
    return _box().encrypt(text)


def unseal_text(sealed: bytes | memoryview) -> str:
    """The text that was sealed, such as JSON that goes out as it is."""
    return _box().decrypt(bytes(sealed)).decode()

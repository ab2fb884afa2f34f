"""Encryption of personal data before it is stored (Spec: What the service does)."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from lendingadmin.sandbox import wire


def read_key(database: Path) -> str:
    """Return the key from the file next to the database.

    The file is created at its first use, and only its owner can read it. Raise ValueError for an
    invalid key.
    """
    path = database.with_name(database.name + ".key")
    if not path.exists():
        _write_key(path)
    key = path.read_text().strip()
    try:
        Fernet(key)
    except ValueError:
        # The sentence does not contain the key, because the sentence is logged.
        raise ValueError(f"{path} is not 32 bytes of URL-safe base64") from None
    return key


def _write_key(path: Path) -> None:
    """Save a new key in one step.

    If two processes do this at the same time, the first key is used.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(Fernet.generate_key())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


@cache
def _fernet() -> Fernet:
    return Fernet(settings.SANDBOX_DATA_KEY)


def can_decrypt(encrypted: bytes | memoryview) -> bool:
    """Return True if this ciphertext was made with the current key."""
    try:
        _fernet().decrypt(bytes(encrypted))
    except InvalidToken:
        return False
    return True


def encrypt(document: object) -> bytes:
    """Return a JSON document in encrypted form."""
    return encrypt_text(wire.write(document))


def decrypt(encrypted: bytes | memoryview) -> Any:
    """Return the JSON document. Raise cryptography's InvalidToken for another key."""
    return wire.read_own(decrypt_text(encrypted))


def encrypt_text(text: bytes) -> bytes:
    """Return a text, in UTF-8, in encrypted form."""
    return _fernet().encrypt(text)


def decrypt_text(encrypted: bytes | memoryview) -> str:
    """Return the decrypted text, such as JSON that is sent unchanged."""
    return _fernet().decrypt(bytes(encrypted)).decode()

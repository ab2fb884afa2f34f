"""The key that personal data is encrypted with."""

import os
from pathlib import Path

from cryptography.fernet import Fernet


def data_key(database: Path, given: str) -> str:
    """The key from the environment, else the one in a file beside the database, made on first use.

    The file can be read by its owner alone. Raises ValueError for a key that is none.
    """
    if given:
        _check(given)
        return given
    path = database.with_name(database.name + ".key")
    if not path.exists():
        _make(path)
    return path.read_text().strip()


def _check(key: str) -> None:
    try:
        Fernet(key)
    except ValueError:
        # Not the key itself: this sentence ends up in logs.
        raise ValueError("is not 32 bytes of URL-safe base64") from None


def _make(path: Path) -> None:
    """Write a new key in one step, so that of two starts at once the first one's key stands."""
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

"""The anchor of the trail: a file outside the database that knows how far the chain reached.

The chain alone does not show that its newest entries were cut off. The worker writes here up to
which entry it found the chain whole, and at which one its walk through all entries stands.
"""

import os
from pathlib import Path
from typing import NamedTuple

import msgspec
from django.conf import settings

from lendingadmin.audit.models import Entry


class Link(NamedTuple):
    """An entry of the chain, by its id and its mac; 0 and empty before the first."""

    entry_id: int = 0
    mac: str = ""


class Anchor(msgspec.Struct, frozen=True):
    """What the file holds.

    `newest` is the last entry up to which the chain was whole, `walked` the one at which the walk
    through all entries stands, and `notified` the entry of whose break managers were notified.
    """

    newest: Link
    walked: Link = Link()
    notified: int = 0


class AnchorUnreadable(Exception):
    """There is a file, and what it holds is no anchor."""


def read_anchor() -> Anchor | None:
    """What the file holds; None where there is none yet. Raises AnchorUnreadable."""
    try:
        content = _get_path().read_bytes()
    except FileNotFoundError:
        return None
    try:
        return msgspec.json.decode(content, type=Anchor)
    except msgspec.DecodeError as error:
        raise AnchorUnreadable from error


def write_anchor(anchor: Anchor) -> None:
    """Replace the file, as a whole: a process that dies meanwhile leaves the old one."""
    path = _get_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(anchor))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def stands(link: Link) -> bool:
    """Whether the trail still has this entry, with the same mac."""
    return link == Link() or Entry.objects.filter(pk=link.entry_id, mac=link.mac).exists()


def _get_path() -> Path:
    return Path(settings.AUDIT_ANCHOR)

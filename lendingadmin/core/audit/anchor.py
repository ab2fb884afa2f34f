"""Anchor of the trail: files outside the database that name the end of the chain.

The chain alone does not show that its newest entries are missing. The worker writes two entries
into the first file: the last entry up to which the chain was complete, and the last entry that the
check of all entries has reached. A process that sends something to the service writes the newest
entry into a second file.
"""

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from threading import get_ident
from typing import NamedTuple, TypeVar

import msgspec
from django.conf import settings

from lendingadmin.core.audit.models import Entry

Held = TypeVar("Held")


class Link(NamedTuple):
    """An entry of the chain by its id and mac; 0 and an empty mac before the first entry."""

    entry_id: int = 0
    mac: str = ""


class Anchor(msgspec.Struct, frozen=True):
    """Content of the first file.

    The chain was complete up to the entry `newest`. `walked` is the last entry that the check of
    all entries has reached. `notified` is the id of the broken entry that managers know of already.
    """

    newest: Link
    walked: Link = Link()
    notified: int = 0


class SentAnchor(msgspec.Struct, frozen=True):
    """Content of the second file: the newest entry when this host last sent something."""

    newest: Link
    cast_at: datetime


class AnchorUnreadable(Exception):
    """Error: the file exists, but its content is not an anchor."""


def read_anchor() -> Anchor | None:
    """Return the content of the first file; None if there is no file.

    Raise AnchorUnreadable if the content is not an anchor, and OSError if the file can't be read.
    """
    return _read(Path(settings.AUDIT_ANCHOR), Anchor)


def read_sent_anchor() -> SentAnchor | None:
    """Return the content of the second file; None if there is no file.

    Raise as `read_anchor` does.
    """
    return _read(_get_sent_path(), SentAnchor)


def write_anchor(anchor: Anchor) -> None:
    """Replace the first file in one step, so that a process that dies leaves no half-written file.

    Raise OSError if the file can't be written.
    """
    _write(Path(settings.AUDIT_ANCHOR), anchor)


def write_sent_anchor(anchor: SentAnchor) -> None:
    """Replace the second file in one step. Raise OSError if it can't be written."""
    _write(_get_sent_path(), anchor)


def find_newest() -> Link:
    """Return the newest entry of the chain; an empty Link if it is missing or has no mac."""
    newest = Entry.objects.order_by("-pk").values_list("pk", "mac").first()
    return Link(*newest) if newest and newest[1] else Link()


def stands(link: Link) -> bool:
    """Return True if the trail still has this entry, and its mac is the same."""
    return not find_missing([link])


def find_missing(links: Iterable[Link]) -> set[Link]:
    """Return the given entries that are missing in the trail, or now have another mac."""
    wanted = set(links) - {Link()}
    found = Entry.objects.filter(pk__in={link.entry_id for link in wanted})
    return wanted - {Link(*row) for row in found.values_list("pk", "mac")}


def _read(path: Path, kind: type[Held]) -> Held | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError as error:
        raise AnchorUnreadable from error


def _write(path: Path, anchor: Anchor | SentAnchor) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{get_ident()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(anchor))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _get_sent_path() -> Path:
    return Path(settings.AUDIT_ANCHOR).with_suffix(".sent.json")

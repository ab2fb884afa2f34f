"""Draft of an event: the entered data, the chosen file, and the event that passed the check.

A browser sends a file only once. So the encrypted draft has the file and the other data, and
nothing is lost if a person goes back.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict

from lendingadmin.lending import codec
from lendingadmin.money.writes import idempotency
from lendingadmin.web.requests import PersonRequest

PURPOSE = "events.create"


@dataclass(frozen=True, repr=False)
class Draft:
    """A draft: `typed` is the form as last submitted; `body` is the event to send.

    `body` is empty until the event has passed the check.
    """

    app_id: str
    typed: str
    file_name: str = ""
    content: bytes = b""
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def entered(self) -> QueryDict:
        """The form as last submitted."""
        return QueryDict(self.typed, encoding="utf-8")

    @property
    def file(self) -> SimpleUploadedFile | None:
        """The chosen file, as if it were uploaded again; None if there is none."""
        return SimpleUploadedFile(self.file_name, self.content) if self.file_name else None

    def save(self, request: PersonRequest, idempotency_key: str) -> None:
        """Save the draft, encrypted, under the form's idempotency key."""
        kept = {"app_id": self.app_id, "name": self.file_name}
        kept["typed"] = _pack(self.typed.encode())
        kept["file"] = _pack(self.content) if self.file_name else ""
        kept["body"] = _pack(codec.encode(self.body)) if self.body else ""
        idempotency.save_draft(request, PURPOSE, idempotency_key, kept)


def load_draft(request: PersonRequest, app_id: str, idempotency_key: str) -> Draft | None:
    """Return the person's draft for this app under the key; None if there is none."""
    kept = idempotency.load_draft(request, PURPOSE, idempotency_key) if idempotency_key else None
    if kept is None or kept["app_id"] != app_id or "typed" not in kept:
        return None
    content = _unpack(kept.get("file", ""))
    body = codec.decode(_unpack(kept["body"])) if kept["body"] else {}
    if not isinstance(body, dict):
        raise TypeError("a draft of an event holds an object")
    typed = _unpack(kept["typed"]).decode()
    return Draft(app_id, typed, kept.get("name", ""), content, body)


def _pack(content: bytes) -> str:
    """Return bytes as compressed text for a draft. Messages of 5 MB become about 1 MB."""
    return b64encode(zlib.compress(content)).decode("ascii")


def _unpack(text: str) -> bytes:
    return zlib.decompress(b64decode(text)) if text else b""

"""An event under way: what was entered, the file that was chosen, and the event once it passed.

A browser sends a file once and can't be given it back, so it is kept here with the rest, sealed,
and going back loses nothing.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict

from lendingadmin.lending import codec
from lendingadmin.ui.requests import PersonRequest
from lendingadmin.writes import idempotency

PURPOSE = "events.create"


@dataclass(frozen=True, repr=False)
class Draft:
    """`typed` is the form as it came last; `body` the event to send, empty until it passed."""

    app_id: str
    typed: str
    file_name: str = ""
    content: bytes = b""
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def entered(self) -> QueryDict:
        """The form as it came last."""
        return QueryDict(self.typed, encoding="utf-8")

    @property
    def file(self) -> SimpleUploadedFile | None:
        """The file that was chosen, as if it were sent again; None where there was none."""
        return SimpleUploadedFile(self.file_name, self.content) if self.file_name else None

    def keep(self, request: PersonRequest, idempotency_key: str) -> None:
        """Keep it, sealed, under the form's token."""
        kept = {"app_id": self.app_id, "name": self.file_name}
        kept["typed"] = _packed(self.typed.encode())
        kept["file"] = _packed(self.content) if self.file_name else ""
        kept["body"] = _packed(codec.encode(self.body)) if self.body else ""
        idempotency.save_draft(request, PURPOSE, idempotency_key, kept)


def taken_up(request: PersonRequest, app_id: str, idempotency_key: str) -> Draft | None:
    """What this person entered for this app under the token; None where there is nothing."""
    kept = idempotency.load_draft(request, PURPOSE, idempotency_key) if idempotency_key else None
    if kept is None or kept["app_id"] != app_id or "typed" not in kept:
        return None
    content = _unpacked(kept.get("file", ""))
    body = codec.decode(_unpacked(kept["body"])) if kept["body"] else {}
    if not isinstance(body, dict):
        raise TypeError("a draft of an event holds an object")
    typed = _unpacked(kept["typed"]).decode()
    return Draft(app_id, typed, kept.get("name", ""), content, body)


def _packed(content: bytes) -> str:
    """Bytes as text for a draft: 5 MB of messages become about one."""
    return b64encode(zlib.compress(content)).decode("ascii")


def _unpacked(text: str) -> bytes:
    return zlib.decompress(b64decode(text)) if text else b""

"""Panel “Show the API call”: the calls of a page to the service, for people who may see them.

All pages of such a person have the panel, but few panels are opened. So only the visible part of an
answer is read: the first items of a list, and no very long value.
"""

import shlex
from collections.abc import Collection
from dataclasses import dataclass

import msgspec
from django.utils.translation import gettext as _

from lendingadmin.lending.codec import decode
from lendingadmin.lending.transport import Call

from .masking import is_whole
from .redact import LONGEST_LIST, REDACTED, redact

# A loan with 520 instalments has about 150,000 bytes, a large event thirty times as many.
_LONGEST_ITEM = 250_000
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_ENCODER = msgspec.json.Encoder(decimal_format="number")


@dataclass(frozen=True)
class Shown:
    """One call for `_calls.html`.

    `curl` is a command that repeats the call. Readers put their own token into the command.
    """

    operation: str
    method: str
    path: str
    status: str
    milliseconds: int
    request_id: str
    curl: str
    answer: str


def shown(calls: list[Call], held: Collection[str]) -> list[Shown]:
    """Return the page's calls so far, masked, with bodies only if `held` opens the full record.

    `held` is the person's rights to a borrower's record. An answer may contain any data, so if a
    right is missing, neither the sent nor the received body is shown.
    """
    return [_shown(call, with_bodies=is_whole(held)) for call in calls]


def _shown(call: Call, *, with_bodies: bool) -> Shown:
    return Shown(
        operation=call.operation,
        method=call.method,
        path=call.path,
        status=str(call.status or call.error or _("no answer")),
        milliseconds=round(call.seconds * 1000),
        request_id=call.request_id or "",
        curl=_curl(call, with_body=with_bodies),
        answer=_pretty(call, call.answer) if call.answer and with_bodies else "",
    )


def _curl(call: Call, *, with_body: bool) -> str:
    words = ["curl", "-X", call.method, call.url, "-H", f"Authorization: Bearer {REDACTED}"]
    if call.sent and with_body:
        words += ["-H", "Content-Type: application/json", "-d", _pretty(call, call.sent)]
    return shlex.join(words)


def _pretty(call: Call, body: bytes) -> str:
    # The result of an event may repeat the personal data of the event.
    also = {"result"} if call.operation.startswith("events.") else ()
    try:
        shown = redact(read_head(body), also)
    except (ValueError, msgspec.MsgspecError):
        return _("… %(count)s bytes that can't be read") % {"count": len(body)}
    return msgspec.json.format(_ENCODER.encode(shown), indent=2).decode()


def read_head(body: bytes) -> object:
    """Return the part of a JSON body that `redact` shows: the first items of each list.

    The other items are None, so that `redact` can count them. A very long item is replaced by its
    size in words.
    """
    try:
        return {key: _read_items(bytes(raw)) for key, raw in _FIELDS.decode(body).items()}
    except msgspec.MsgspecError:
        return _read_items(body)


def _read_items(raw: bytes) -> object:
    if not raw.startswith(b"["):
        return _read_short(raw)
    try:
        items = _ITEMS.decode(raw)
    except msgspec.MsgspecError:
        return decode(raw)
    head: list[object] = [_read_short(bytes(item)) for item in items[:LONGEST_LIST]]
    return head + [None] * (len(items) - len(head))


def _read_short(raw: bytes) -> object:
    if len(raw) > _LONGEST_ITEM:
        return _("… %(count)s bytes") % {"count": len(raw)}
    return decode(raw)

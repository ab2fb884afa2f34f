"""What a person is told of a write: what happened, whether anything was saved, what happens next.

What was found is never worded as the service's own word, and “not found” never as certain.
"""

from typing import NamedTuple

from .models import Write
from .reconciliation import OutcomeChecker

State, Found = Write.State, Write.Found


class WriteMessage(NamedTuple):
    """`saved` answers whether anything was saved; `tone` and `icon` are those of the notice."""

    title: str
    sentence: str
    saved: str
    next: str
    tone: str
    icon: str = "question-mark-circle"


_BY_STATE: dict[str, WriteMessage] = {
    State.SENT: WriteMessage(
        "Sent, waiting for the answer",
        "No answer is kept here yet. Do not enter it again.",
        "not known yet",
        "This page looks again by itself.",
        "info",
    ),
    State.SAVED: WriteMessage(
        "Saved",
        "The service said that it was saved.",
        "yes",
        "Nothing more to do.",
        "good",
        "check-circle",
    ),
    State.NOT_SAVED: WriteMessage(
        "Not saved",
        "The service refused it, or it was never sent.",
        "no",
        "Check why, then enter it again.",
        "bad",
        "exclamation-triangle",
    ),
    State.RESOLVED: WriteMessage(
        "Resolved by a person",
        "The service did not say what became of it; a person decided.",
        "not known yet",
        "Nothing more to do.",
        "info",
        "pencil-square",
    ),
}
_UNKNOWN: dict[str, WriteMessage] = {
    "": WriteMessage(
        "We don't know yet whether this was saved",
        "Do not enter it again. Checking…",
        "not known yet",
        "The record is read again and again to find out.",
        "odd",
    ),
    Found.THERE: WriteMessage(
        "It is there, as you entered it",
        "The service's answer did not confirm it, but this is what it shows now.",
        "probably",
        "Go on with the record; do not enter it again. A manager can resolve this with a reason.",
        "good",
        "eye",
    ),
    Found.DIFFERS: WriteMessage(
        "Found, but otherwise than it was to be saved",
        "No confirmation is kept here. What is there now may be somebody else's.",
        "not known yet",
        "Open the record and compare. A manager can resolve this with a reason.",
        "warn",
        "exclamation-triangle",
    ),
    Found.CANDIDATES: WriteMessage(
        "We don't know which one it is, if any",
        "The service has no key by which it could be told apart. These may be it.",
        "not known yet",
        "Look at them and say which one it is, or that none is. Do not enter it again before.",
        "odd",
    ),
    Found.NOT_SEEN: WriteMessage(
        "Not found so far",
        "No confirmation is kept here; this is what it shows. It may still come late.",
        "not known yet",
        "Doing it again may do it twice. Looking goes on for a day.",
        "warn",
        "exclamation-triangle",
    ),
}


def message_of(write: Write, way: OutcomeChecker | None) -> WriteMessage:
    """The words for what is known by now of a write that is followed in this way."""
    if write.state == State.UNKNOWN:
        words = _UNKNOWN[write.found]
        titles: dict[str, str] = (
            {Found.THERE: way.there, Found.NOT_SEEN: way.not_seen} if way else {}
        )
        return words._replace(title=titles.get(write.found, words.title))
    words = _BY_STATE[write.state]
    if write.state != State.RESOLVED:
        return words
    saved = write.resolution == Write.Resolution.SAVED
    return words._replace(saved="yes, says a person" if saved else "no, says a person")

"""What a person reads of a write: its chip, what happened, whether it was saved, what happens next.

What was found is never worded as the service's own word, and “not found” never as certain.
"""

from typing import NamedTuple

from lendingadmin.display.statuses import Status

from .states import WriteFound, WriteResolution, WriteState


class StateMessage(NamedTuple):
    """All words and looks of one state.

    `chip` stands in tables and beside titles. The rest is the notice: `tone` its colour, `icon` its
    picture, `saved` whether anything was saved, `next` what the person does or waits for.
    """

    chip: Status
    tone: str
    title: str
    sentence: str
    saved: str
    next: str
    icon: str = "question-mark-circle"


_BY_STATE: dict[str, StateMessage] = {
    WriteState.SENT: StateMessage(
        chip=Status(WriteState.SENT.label, "odd", "paper-airplane"),
        tone="info",
        title="Sent, waiting for the answer",
        sentence="No answer is kept here yet. Do not enter it again.",
        saved="unknown",
        next="This page looks again by itself.",
    ),
    WriteState.SAVED: StateMessage(
        chip=Status(WriteState.SAVED.label, "good", "check-circle"),
        tone="good",
        icon="check-circle",
        title=WriteState.SAVED.label.capitalize(),
        sentence="The service said that it was saved.",
        saved="yes",
        next="Nothing more to do.",
    ),
    WriteState.NOT_SAVED: StateMessage(
        chip=Status(WriteState.NOT_SAVED.label, "bad", "x-circle"),
        tone="bad",
        icon="exclamation-triangle",
        title=WriteState.NOT_SAVED.label.capitalize(),
        sentence="The service refused it, or it was never sent.",
        saved="no",
        next="Check why, then enter it again.",
    ),
    WriteState.RESOLVED: StateMessage(
        chip=Status(WriteState.RESOLVED.label, "info", "pencil-square"),
        tone="info",
        icon="pencil-square",
        title=WriteState.RESOLVED.label.capitalize(),
        sentence="The service did not say what became of it; a person decided.",
        saved="unknown",
        next="Nothing more to do.",
    ),
}
_NEEDS_CHECKING = Status(WriteState.UNKNOWN.label, "odd", "question-mark-circle")
_UNKNOWN: dict[str, StateMessage] = {
    "": StateMessage(
        chip=_NEEDS_CHECKING,
        tone="odd",
        title="We don't know yet whether this was saved",
        sentence="Do not enter it again. Checking…",
        saved="unknown",
        next="The record is read again and again to find out.",
    ),
    WriteFound.THERE: StateMessage(
        chip=Status(WriteFound.THERE.label, "info", "eye"),
        tone="good",
        icon="eye",
        title="It is there, as you entered it",
        sentence="The service's answer did not confirm it, but this is what it shows now.",
        saved="probably",
        next="Go on with the record; do not enter it again. A manager can resolve this with a "
        "reason.",
    ),
    WriteFound.DIFFERS: StateMessage(
        chip=_NEEDS_CHECKING,
        tone="warn",
        icon="exclamation-triangle",
        title="Found, but otherwise than it was to be saved",
        sentence="No confirmation is kept here. What is there now may be somebody else's.",
        saved="unknown",
        next="Open the record and compare. A manager can resolve this with a reason.",
    ),
    WriteFound.CANDIDATES: StateMessage(
        chip=_NEEDS_CHECKING,
        tone="odd",
        title="We don't know which one it is, if any",
        sentence="The service has no key by which it could be told apart. These may be it.",
        saved="unknown",
        next="Look at them and say which one it is, or that none is. Do not enter it again before.",
    ),
    WriteFound.NOT_SEEN: StateMessage(
        chip=_NEEDS_CHECKING,
        tone="warn",
        icon="exclamation-triangle",
        title=WriteFound.NOT_SEEN.label.capitalize(),
        sentence="No confirmation is kept here; this is what it shows. It may still come late.",
        saved="unknown",
        next="Doing it again may do it twice. Looking goes on for a day.",
    ),
}


def get_message(state: str, found: str = "", resolution: str = "") -> StateMessage:
    """The words and looks for what is known of a write by now."""
    if state == WriteState.UNKNOWN:
        return _UNKNOWN[found]
    message = _BY_STATE[state]
    if state != WriteState.RESOLVED:
        return message
    answer = "yes" if resolution == WriteResolution.SAVED else "no"
    return message._replace(saved=f"{answer}, says a person")

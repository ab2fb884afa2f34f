"""Texts about a write: its chip, the event, whether it was saved, and the next step.

No text presents a finding as the service's own answer, or “not found” as certain.
"""

from functools import lru_cache
from typing import NamedTuple

from django.utils.text import capfirst
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from lendingadmin.web.display.statuses import Status

from .states import WriteFound, WriteResolution, WriteState


class StateMessage(NamedTuple):
    """All words and colours of one state.

    `chip` is shown in tables and next to titles. The other fields are for the notice: `tone` is its
    colour, `icon` its picture, `saved` says if anything was saved, and `next` is the next step for
    the person.
    """

    chip: Status
    tone: str
    title: str
    sentence: str
    saved: str
    next: str
    icon: str = "question-mark-circle"

    @property
    def answer(self) -> str:
        """The first word of `saved`: yes, no, probably or unknown."""
        return self.saved.partition(",")[0]

    def translate(self) -> "StateMessage":
        """Return the same message in the language of the page."""
        return _translate(self, get_language())


# A list has many rows, but only a few different messages.
@lru_cache(maxsize=256)
def _translate(message: StateMessage, _language: str) -> StateMessage:
    return message._replace(
        chip=message.chip._replace(word=_(message.chip.word)),
        title=capfirst(_(message.title)),
        sentence=_(message.sentence),
        next=_(message.next),
    )


_BY_STATE: dict[str, StateMessage] = {
    WriteState.SENT: StateMessage(
        chip=Status(WriteState.SENT.label, "odd", "paper-airplane"),
        tone="info",
        title=gettext_noop("Sent, waiting for the answer"),
        sentence=gettext_noop("There is no answer yet. Do not enter the same data again."),
        saved="unknown",
        next=gettext_noop("This page updates automatically."),
    ),
    WriteState.SAVED: StateMessage(
        chip=Status(WriteState.SAVED.label, "good", "check-circle"),
        tone="good",
        icon="check-circle",
        title=WriteState.SAVED.label,
        sentence=gettext_noop("The service confirmed that your entry was saved."),
        saved="yes",
        next=gettext_noop("Nothing more to do."),
    ),
    WriteState.NOT_SAVED: StateMessage(
        chip=Status(WriteState.NOT_SAVED.label, "bad", "x-circle"),
        tone="bad",
        icon="exclamation-triangle",
        title=WriteState.NOT_SAVED.label,
        sentence=gettext_noop("The service refused your entry, or your entry was never sent."),
        saved="no",
        next=gettext_noop("Find out why, then enter the data again."),
    ),
    WriteState.RESOLVED: StateMessage(
        chip=Status(WriteState.RESOLVED.label, "info", "pencil-square"),
        tone="info",
        icon="pencil-square",
        title=WriteState.RESOLVED.label,
        sentence=gettext_noop(
            "The service did not confirm your entry. A person decided whether it was saved."
        ),
        saved="unknown",
        next=gettext_noop("Nothing more to do."),
    ),
}
_NEEDS_CHECKING = Status(WriteState.UNKNOWN.label, "odd", "question-mark-circle")
_UNKNOWN: dict[str, StateMessage] = {
    "": StateMessage(
        chip=_NEEDS_CHECKING,
        tone="odd",
        title=gettext_noop("We don't know yet whether your entry was saved"),
        sentence=gettext_noop("Do not enter the same data again. Checking…"),
        saved="unknown",
        next=gettext_noop("The dashboard is reading the record again to find out."),
    ),
    WriteFound.THERE: StateMessage(
        chip=Status(WriteFound.THERE.label, "info", "eye"),
        tone="good",
        icon="eye",
        title=gettext_noop("The record is as you entered it"),
        sentence=gettext_noop(
            "The service did not confirm your entry, but the record now has your data."
        ),
        saved="probably",
        next=gettext_noop(
            "Continue with the record. Do not enter the same data again. A manager can resolve "
            "this entry with a reason."
        ),
    ),
    WriteFound.DIFFERS: StateMessage(
        chip=_NEEDS_CHECKING,
        tone="warn",
        icon="exclamation-triangle",
        title=gettext_noop("Found, but different from your entry"),
        sentence=gettext_noop(
            "The service did not confirm your entry. Another person may have saved the record "
            "that is shown now."
        ),
        saved="unknown",
        next=gettext_noop(
            "Open the record and compare it with your entry. A manager can resolve this entry "
            "with a reason."
        ),
    ),
    WriteFound.CANDIDATES: StateMessage(
        chip=_NEEDS_CHECKING,
        tone="odd",
        title=gettext_noop("We don't know which record is your entry"),
        sentence=gettext_noop(
            "The service gives no id for your entry. Your entry may be one of these records."
        ),
        saved="unknown",
        next=gettext_noop(
            "Open these records and choose the right record, or none. Do not enter the same "
            "data again before you have chosen."
        ),
    ),
    WriteFound.NOT_SEEN: StateMessage(
        chip=_NEEDS_CHECKING,
        tone="warn",
        icon="exclamation-triangle",
        title=WriteFound.NOT_SEEN.label,
        sentence=gettext_noop(
            "The service did not confirm your entry, but may still save it later."
        ),
        saved="unknown",
        next=gettext_noop(
            "If you enter the same data again, it may be saved twice. The dashboard "
            "continues to check for a day."
        ),
    ),
}


def get_message(state: str, found: str = "", resolution: str = "") -> StateMessage:
    """Return the words and colours for a write's state, finding and resolution."""
    if state == WriteState.UNKNOWN:
        return _UNKNOWN[found].translate()
    message = _BY_STATE[state].translate()
    if state != WriteState.RESOLVED:
        return message
    answer = "yes" if resolution == WriteResolution.SAVED else "no"
    return message._replace(saved=", ".join([answer, _("decided by a person")]))

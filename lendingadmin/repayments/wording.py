"""What a person is told of a repayment: what happened, whether anything was saved, what happens
next.

A conclusion from evidence is never worded as certain, and "no trace" never as "not recorded".
"""

from typing import NamedTuple

from .states import State


class Wording(NamedTuple):
    """`saved` is "yes", "no", "unknown" or "probably"; `tone` picks the notice's colour."""

    title: str
    sentence: str
    saved: str
    next: str
    tone: str


WORDINGS: dict[State, Wording] = {
    State.PENDING: Wording(
        "About to be sent",
        "The intent is kept here; nothing has been sent to the service yet.",
        "no",
        "Wait a moment. Do not enter it again.",
        "info",
    ),
    State.SENT: Wording(
        "Sent, waiting for the answer",
        "The service has not answered yet. Do not enter it again.",
        "unknown",
        "This page looks again by itself.",
        "info",
    ),
    State.RECORDED: Wording(
        "Recorded",
        "The service acknowledged this repayment.",
        "yes",
        "Nothing more to do.",
        "good",
    ),
    State.REFUSED: Wording(
        "The service refused this repayment",
        "Nothing was recorded.",
        "no",
        "Check what the service says, then correct it and send it again.",
        "bad",
    ),
    State.NOT_SENT: Wording(
        "Not sent",
        "The repayment did not leave this dashboard, so nothing was recorded.",
        "no",
        "Send it again when the service can be reached.",
        "warn",
    ),
    State.UNKNOWN: Wording(
        "We don't know yet whether this was recorded",
        "Do not enter it again. Checking…",
        "unknown",
        "We read the loan again and again to find out.",
        "odd",
    ),
    State.INFERRED: Wording(
        "Probably recorded",
        "The service never confirmed it, but paid rose by exactly this amount. "
        "Another payment of the same amount may explain that.",
        "probably",
        "Compare with the payment network's statement. A manager can settle it.",
        "odd",
    ),
    State.NO_TRACE: Wording(
        "No trace of it on the loan so far",
        "The service never confirmed it, and paid did not rise in the quiet time after it. "
        "It may still be posted late.",
        "unknown",
        "Ask the service's operator before you send it again: sending again may record it twice.",
        "warn",
    ),
    State.SETTLED: Wording(
        "Settled by a person",
        "The evidence left it open; a person decided.",
        "unknown",
        "Nothing more to do.",
        "info",
    ),
}

"""Messages about a repayment: what happened, whether anything was saved, what to do next.

A conclusion from evidence is never worded as certain, and "not found" never as "not recorded". The
service's own words appear only where its answer is kept.
"""

from typing import NamedTuple

from .models import Repayment
from .states import RepaymentState, Resolution


class RepaymentMessage(NamedTuple):
    """`saved` answers whether anything was saved; `tone` picks the notice's colour."""

    title: str
    sentence: str
    saved: str
    next: str
    tone: str


_WORDINGS: dict[RepaymentState, RepaymentMessage] = {
    RepaymentState.PENDING: RepaymentMessage(
        "About to be sent",
        "It is kept here, and about to be sent to the service.",
        "not known yet",
        "Wait a moment. Do not enter it again.",
        "info",
    ),
    RepaymentState.SENT: RepaymentMessage(
        "Sent, waiting for the answer",
        "No answer is kept here yet. Do not enter it again.",
        "not known yet",
        "This page looks again by itself.",
        "info",
    ),
    RepaymentState.RECORDED: RepaymentMessage(
        "Recorded",
        "The service acknowledged this repayment.",
        "yes",
        "Nothing more to do.",
        "good",
    ),
    RepaymentState.REFUSED: RepaymentMessage(
        "The service refused this repayment",
        "Nothing was recorded.",
        "no",
        "Check what the service says, then correct it and send it again.",
        "bad",
    ),
    RepaymentState.NOT_SENT: RepaymentMessage(
        "Not sent",
        "The repayment did not leave this dashboard, so nothing was recorded.",
        "no",
        "Send it again when the service can be reached.",
        "warn",
    ),
    RepaymentState.UNKNOWN: RepaymentMessage(
        "We don't know yet whether this was recorded",
        "Do not enter it again. Checking…",
        "not known yet",
        "We read the loan again and again to find out.",
        "odd",
    ),
    RepaymentState.PRESUMED: RepaymentMessage(
        "Probably recorded",
        "No confirmation is kept here, but paid rose by exactly this amount. "
        "Another payment of the same amount may explain that.",
        "probably",
        "Compare with the payment network's statement. A manager can resolve it.",
        "odd",
    ),
    RepaymentState.NOT_FOUND: RepaymentMessage(
        "No trace of it on the loan so far",
        "No confirmation is kept here, and paid did not rise in the quiet time after it. "
        "It may still be posted late.",
        "not known yet",
        "Ask the service's operator before you send it again: sending again may record it twice.",
        "warn",
    ),
    RepaymentState.RESOLVED: RepaymentMessage(
        "Resolved by a person",
        "The evidence left it open; a person decided.",
        "not known yet",
        "Nothing more to do.",
        "info",
    ),
}

_SWEPT = RepaymentMessage(
    "Not sent, as far as this journal knows",
    "Its sender stopped before it sent anything, or this journal was restored since.",
    "no, as far as this journal knows",
    "Compare what is paid on the loan before you send it again.",
    "warn",
)


def message_of(repayment: Repayment) -> RepaymentMessage:
    """The words for what is known of a repayment by now."""
    if repayment.state == RepaymentState.NOT_SENT and repayment.ended_by_sweep:
        return _SWEPT
    words = _WORDINGS[RepaymentState(repayment.state)]
    if repayment.state != RepaymentState.RESOLVED:
        return words
    by_a_person = "yes" if repayment.resolution == Resolution.RECORDED else "no"
    return words._replace(saved=f"{by_a_person}, says a person")

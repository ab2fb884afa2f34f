"""What a person is told of a repayment: what happened, whether anything was saved, what happens
next.

A conclusion from evidence is never worded as certain, and "no trace" never as "not recorded". What
the service said is told only where its answer is kept.
"""

from dataclasses import replace
from typing import NamedTuple

from lendingadmin.web.errors import Card

from .models import Repayment
from .states import State, Verdict


class Wording(NamedTuple):
    """`saved` answers whether anything was saved; `tone` picks the notice's colour."""

    title: str
    sentence: str
    saved: str
    next: str
    tone: str


_WORDINGS: dict[State, Wording] = {
    State.PENDING: Wording(
        "About to be sent",
        "It is kept here, and about to be sent to the service.",
        "not known yet",
        "Wait a moment. Do not enter it again.",
        "info",
    ),
    State.SENT: Wording(
        "Sent, waiting for the answer",
        "No answer is kept here yet. Do not enter it again.",
        "not known yet",
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
        "not known yet",
        "We read the loan again and again to find out.",
        "odd",
    ),
    State.INFERRED: Wording(
        "Probably recorded",
        "No confirmation is kept here, but paid rose by exactly this amount. "
        "Another payment of the same amount may explain that.",
        "probably",
        "Compare with the payment network's statement. A manager can settle it.",
        "odd",
    ),
    State.NO_TRACE: Wording(
        "No trace of it on the loan so far",
        "No confirmation is kept here, and paid did not rise in the quiet time after it. "
        "It may still be posted late.",
        "not known yet",
        "Ask the service's operator before you send it again: sending again may record it twice.",
        "warn",
    ),
    State.SETTLED: Wording(
        "Settled by a person",
        "The evidence left it open; a person decided.",
        "not known yet",
        "Nothing more to do.",
        "info",
    ),
}

_SWEPT = Wording(
    "Not sent, as far as this journal knows",
    "Its sender stopped before it sent anything, or this journal was restored since.",
    "no, as far as this journal knows",
    "Compare what is paid on the loan before you send it again.",
    "warn",
)


def wording_of(repayment: Repayment) -> Wording:
    """The words for what is known of a repayment by now."""
    if repayment.state == State.NOT_SENT and repayment.ended_by_sweep:
        return _SWEPT
    words = _WORDINGS[State(repayment.state)]
    if repayment.state != State.SETTLED:
        return words
    by_a_person = "yes" if repayment.settled_as == Verdict.RECORDED else "no"
    return words._replace(saved=f"{by_a_person}, says a person")


_IF_IT_LASTS = "If it lasts, tell whoever runs this dashboard."
_NOT_KEPT: dict[State, Card] = {
    State.NOT_SENT: Card(
        title="Not recorded: the dashboard's own database is busy or full",
        cause="Nothing was sent to the service.",
        next=f"Try again in a minute. {_IF_IT_LASTS}",
        saved="no",
    ),
    State.RECORDED: Card(
        title="The service recorded this repayment",
        cause="The dashboard's own database is busy or full, so its journal shows this as not "
        "known yet and keeps no confirmation.",
        next="Do not enter it again. Note the reference, and pass it on to a manager.",
        saved="yes",
        tone="warn",
    ),
    State.REFUSED: Card(
        title="The service refused this repayment",
        cause="The dashboard's own database is busy or full, so its journal shows this as not "
        "known yet.",
        next=f"Nothing was recorded. Look at the journal before you enter it again. {_IF_IT_LASTS}",
        saved="no",
    ),
    State.UNKNOWN: Card(
        title="We don't know yet whether this was recorded",
        cause="The dashboard's own database is busy or full, so what came of it is not kept yet.",
        next="Do not enter it again. In two minutes the journal checks it by itself.",
        saved="unknown",
        tone="odd",
    ),
}


def not_kept_card(state: State, reference: str) -> Card:
    """What a person is told where the database did not take down what became of a repayment."""
    return replace(_NOT_KEPT[state], reference=reference)

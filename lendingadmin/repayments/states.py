"""The states of a recorded repayment, and which may follow which.

`pending` is an intent, committed before anything is sent; `sent` is committed before the socket is
written. From there the service's answer decides, or, where there is none that can be read, evidence
and people do.
"""

from typing import Final

from django.db.models import TextChoices


class State(TextChoices):
    """What is known of one attempt to record a repayment."""

    PENDING = "pending", "about to be sent"
    SENT = "sent", "sent, waiting for the answer"
    RECORDED = "recorded", "recorded"
    REFUSED = "refused", "refused"
    NOT_SENT = "not_sent", "not sent"
    UNKNOWN = "unknown", "unknown"
    INFERRED = "inferred", "inferred"
    NO_TRACE = "no_trace", "no trace"
    SETTLED = "settled", "settled by a person"


class Verdict(TextChoices):
    """What a person decided about a repayment that the evidence left open."""

    RECORDED = "recorded", "It was recorded"
    NOT_RECORDED = "not_recorded", "It was not recorded"


# One intent at a time on a loan: with two under way, a rise of `paid` tells nothing.
OPEN: Final = (State.PENDING, State.SENT, State.UNKNOWN)

# The externalId is taken while the service holds, or may hold, the repayment.
HOLDS_EXTERNAL_ID: Final = (*OPEN, State.INFERRED, State.RECORDED)

# Nothing of these is at the service, at the moment that they are entered.
NOTHING_SAVED: Final = (State.PENDING, State.REFUSED, State.NOT_SENT)

# Only a person sends again, and only where nothing is at the service, or nothing was found there.
RESENDABLE: Final = (State.REFUSED, State.NOT_SENT, State.NO_TRACE)

# A person may settle what evidence alone cannot.
SETTLEABLE: Final = (State.UNKNOWN, State.INFERRED, State.NO_TRACE)

# To each state, those it may be reached from. The answer of the service outranks whatever others
# concluded meanwhile: a 2xx that comes late moves any state to `recorded`.
REACHED_FROM: Final[dict[State, tuple[State, ...]]] = {
    State.SENT: (State.PENDING,),
    State.RECORDED: tuple(state for state in State if state != State.RECORDED),
    State.REFUSED: (State.SENT, State.UNKNOWN, State.INFERRED, State.NO_TRACE),
    State.NOT_SENT: (State.PENDING, State.SENT, State.UNKNOWN, State.INFERRED, State.NO_TRACE),
    State.UNKNOWN: (State.SENT,),
    State.INFERRED: (State.UNKNOWN,),
    State.NO_TRACE: (State.UNKNOWN,),
    State.SETTLED: SETTLEABLE,
}

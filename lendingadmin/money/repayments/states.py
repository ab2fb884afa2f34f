"""The states of a recorded repayment, and which may follow which.

What needs a second person begins as `awaiting` and ends as `declined` or goes on to `pending`.
`pending` is an intent, committed before anything is sent; `sent` is committed before the socket is
written. From there the service's answer decides, or, where there is none that can be read, evidence
and people do.
"""

from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy, gettext_noop

from lendingadmin.money.writes.states import WriteState


class RepaymentState(TextChoices):
    """What is known of one attempt to record a repayment."""

    AWAITING = "awaiting", gettext_noop("awaiting approval")
    DECLINED = "declined", gettext_noop("not approved")
    PENDING = "pending", gettext_noop("not sent yet")
    SENT = "sent", WriteState.SENT.label
    RECORDED = "recorded", gettext_noop("recorded")
    REFUSED = "refused", gettext_noop("refused")
    NOT_SENT = "not_sent", gettext_noop("not sent")
    UNKNOWN = "unknown", WriteState.UNKNOWN.label
    PRESUMED = "presumed", gettext_noop("probably recorded")
    NOT_FOUND = "not_found", gettext_noop("not found at the service")
    RESOLVED = "resolved", WriteState.RESOLVED.label


class Resolution(TextChoices):
    """What a person decided about a repayment that the evidence left open."""

    RECORDED = "recorded", gettext_lazy("It was recorded")
    NOT_RECORDED = "not_recorded", gettext_lazy("It was not recorded")


# One intent at a time on a loan: with two under way, a rise of `paid` tells nothing.
OPEN: Final = (RepaymentState.PENDING, RepaymentState.SENT, RepaymentState.UNKNOWN)

# What nobody can yet say of whether it was recorded.
NEEDS_CHECKING: Final = (*OPEN, RepaymentState.PRESUMED, RepaymentState.NOT_FOUND)

# The externalId is taken while the service holds, may hold or may be sent the repayment.
HOLDS_EXTERNAL_ID: Final = (
    RepaymentState.AWAITING,
    *OPEN,
    RepaymentState.PRESUMED,
    RepaymentState.RECORDED,
)

# Nobody has let these go to the service.
UNAPPROVED: Final = (RepaymentState.AWAITING, RepaymentState.DECLINED)

# Nothing of these is at the service, at the moment that they are entered.
NOTHING_SAVED: Final = (
    *UNAPPROVED,
    RepaymentState.PENDING,
    RepaymentState.REFUSED,
    RepaymentState.NOT_SENT,
)

# Only a person sends again, and only where nothing is at the service, or nothing was found there.
RESENDABLE: Final = (
    RepaymentState.DECLINED,
    RepaymentState.REFUSED,
    RepaymentState.NOT_SENT,
    RepaymentState.NOT_FOUND,
)

# A person may resolve what evidence alone cannot.
RESOLVABLE: Final = (RepaymentState.UNKNOWN, RepaymentState.PRESUMED, RepaymentState.NOT_FOUND)

# To each state, those it may be reached from. The answer of the service outranks whatever others
# concluded meanwhile: a 2xx that comes late moves any state that may have been sent to `recorded`.
# `services` also takes a presumption back, from presumed to unknown, when its rise turns out to be
# another's.
REACHED_FROM: Final[dict[RepaymentState, tuple[RepaymentState, ...]]] = {
    RepaymentState.PENDING: (RepaymentState.AWAITING,),
    RepaymentState.DECLINED: (RepaymentState.AWAITING,),
    RepaymentState.SENT: (RepaymentState.PENDING,),
    RepaymentState.RECORDED: tuple(
        state for state in RepaymentState if state not in (*UNAPPROVED, RepaymentState.RECORDED)
    ),
    RepaymentState.REFUSED: (
        RepaymentState.SENT,
        RepaymentState.UNKNOWN,
        RepaymentState.PRESUMED,
        RepaymentState.NOT_FOUND,
    ),
    RepaymentState.NOT_SENT: (
        RepaymentState.PENDING,
        RepaymentState.SENT,
        RepaymentState.UNKNOWN,
        RepaymentState.PRESUMED,
        RepaymentState.NOT_FOUND,
    ),
    RepaymentState.UNKNOWN: (RepaymentState.SENT,),
    RepaymentState.PRESUMED: (RepaymentState.UNKNOWN,),
    RepaymentState.NOT_FOUND: (RepaymentState.UNKNOWN,),
    RepaymentState.RESOLVED: RESOLVABLE,
}

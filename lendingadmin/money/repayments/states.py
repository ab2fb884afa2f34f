"""The states of a repayment that was entered in this dashboard, and the transitions.

A repayment that needs a second person begins as `awaiting`, and becomes `declined` or `pending`.
`pending` is an intent that is committed before anything is sent. `sent` is committed before the
first byte is sent. Then the answer of the service decides. If there is no readable answer, evidence
and people decide.
"""

from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy, gettext_noop

from lendingadmin.money.writes.states import WriteState


class RepaymentState(TextChoices):
    """The present state of one attempt to record a repayment."""

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
    """A person's decision on a repayment that the evidence does not decide."""

    RECORDED = "recorded", gettext_lazy("It was recorded")
    NOT_RECORDED = "not_recorded", gettext_lazy("It was not recorded")


# A loan has at most one repayment in these states. If there were two, a rise of `paid` would prove
# nothing.
OPEN: Final = (RepaymentState.PENDING, RepaymentState.SENT, RepaymentState.UNKNOWN)

# States in which it is still unknown whether the repayment was recorded.
NEEDS_CHECKING: Final = (*OPEN, RepaymentState.PRESUMED, RepaymentState.NOT_FOUND)

# States in which the externalId is in use, because the service has, may have or may get the
# repayment.
HOLDS_EXTERNAL_ID: Final = (
    RepaymentState.AWAITING,
    *OPEN,
    RepaymentState.PRESUMED,
    RepaymentState.RECORDED,
)

# States in which the repayment was not approved for sending.
UNAPPROVED: Final = (RepaymentState.AWAITING, RepaymentState.DECLINED)

# When a repayment enters one of these states, the service does not have it.
NOTHING_SAVED: Final = (
    *UNAPPROVED,
    RepaymentState.PENDING,
    RepaymentState.REFUSED,
    RepaymentState.NOT_SENT,
)

# States in which a person may send a repayment again. The service does not have the repayment, or
# it was not found there.
RESENDABLE: Final = (
    RepaymentState.DECLINED,
    RepaymentState.REFUSED,
    RepaymentState.NOT_SENT,
    RepaymentState.NOT_FOUND,
)

# States in which a person may resolve a repayment, because evidence alone does not decide.
RESOLVABLE: Final = (RepaymentState.UNKNOWN, RepaymentState.PRESUMED, RepaymentState.NOT_FOUND)

# For each state, the states from which it may be reached. The service's answer outranks all other
# conclusions: a late 2xx changes any state in which the repayment may have been sent to `recorded`.
# `services` also changes presumed to unknown, if the rise turns out to belong to another repayment.
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

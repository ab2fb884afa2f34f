"""Words about a repayment: the chip, the event, whether it was recorded, and the next step.

No text presents a conclusion from evidence as certain, or “not found” as “not recorded”. The
service's own words appear only if its answer is stored.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.money.writes.messages import StateMessage
from lendingadmin.web.display.statuses import Status

from .states import RepaymentState, Resolution

_BY_STATE: dict[RepaymentState, StateMessage] = {
    RepaymentState.AWAITING: StateMessage(
        chip=Status(RepaymentState.AWAITING.label, "info", "clock"),
        tone="info",
        title=RepaymentState.AWAITING.label,
        sentence=gettext_noop(
            "The repayment is saved in this dashboard. It will be sent after a second person "
            "approves it."
        ),
        saved="no",
        next=gettext_noop(
            "Do not enter this repayment again. The request for approval expires after one day."
        ),
    ),
    RepaymentState.DECLINED: StateMessage(
        chip=Status(RepaymentState.DECLINED.label, "bad", "x-circle"),
        tone="warn",
        title=RepaymentState.DECLINED.label,
        sentence=gettext_noop("The repayment was not sent."),
        saved="no",
        next=gettext_noop("Correct the repayment and send it again if necessary."),
    ),
    RepaymentState.PENDING: StateMessage(
        chip=Status(RepaymentState.PENDING.label, "", "clock"),
        tone="info",
        title=gettext_noop("Being sent"),
        sentence=gettext_noop(
            "The repayment is saved in this dashboard. It will be sent to the service in a moment."
        ),
        saved="unknown",
        next=gettext_noop("Wait a moment. Do not enter this repayment again."),
    ),
    RepaymentState.SENT: StateMessage(
        chip=Status(RepaymentState.SENT.label, "odd", "paper-airplane"),
        tone="info",
        title=gettext_noop("Sent, waiting for the answer"),
        sentence=gettext_noop("There is no answer yet. Do not enter this repayment again."),
        saved="unknown",
        next=gettext_noop("This page updates automatically."),
    ),
    RepaymentState.RECORDED: StateMessage(
        chip=Status(RepaymentState.RECORDED.label, "good", "check-circle"),
        tone="good",
        title=RepaymentState.RECORDED.label,
        sentence=gettext_noop("The service confirmed this repayment."),
        saved="yes",
        next=gettext_noop("Nothing more to do."),
    ),
    RepaymentState.REFUSED: StateMessage(
        chip=Status(RepaymentState.REFUSED.label, "bad", "x-circle"),
        tone="bad",
        title=gettext_noop("The service refused this repayment"),
        sentence=gettext_noop("This repayment did not change the loan."),
        saved="no",
        next=gettext_noop(
            "Read the service's answer. Then correct the repayment and send it again."
        ),
    ),
    RepaymentState.NOT_SENT: StateMessage(
        chip=Status(RepaymentState.NOT_SENT.label, "", "minus-circle"),
        tone="warn",
        title=RepaymentState.NOT_SENT.label,
        sentence=gettext_noop("The service did not get this repayment."),
        saved="no",
        next=gettext_noop("Send the repayment again when the service can be reached."),
    ),
    RepaymentState.UNKNOWN: StateMessage(
        chip=Status(RepaymentState.UNKNOWN.label, "odd", "question-mark-circle"),
        tone="odd",
        title=gettext_noop("We don't know yet whether this repayment was recorded"),
        sentence=gettext_noop("Do not enter this repayment again. Checking…"),
        saved="unknown",
        next=gettext_noop("The dashboard is reading the loan again to find out."),
    ),
    RepaymentState.PRESUMED: StateMessage(
        chip=Status(RepaymentState.PRESUMED.label, "warn", "eye"),
        tone="odd",
        title=RepaymentState.PRESUMED.label,
        sentence=gettext_noop(
            "The service did not confirm this repayment, but the loan's paid amount rose by "
            "exactly this amount. Another payment of the same amount may explain the rise."
        ),
        saved="probably",
        next=gettext_noop(
            "Compare with the payment network's statement. A manager can resolve this repayment."
        ),
    ),
    RepaymentState.NOT_FOUND: StateMessage(
        chip=Status(RepaymentState.NOT_FOUND.label, "warn", "exclamation-triangle"),
        tone="warn",
        title=gettext_noop("Not found at the service yet"),
        sentence=gettext_noop(
            "The service did not confirm this repayment, and the loan's paid amount did not rise "
            "while we waited. The service may still post the repayment late."
        ),
        saved="unknown",
        next=gettext_noop(
            "Ask the service's operator before you send this repayment again. Otherwise it may "
            "be recorded twice."
        ),
    ),
    RepaymentState.RESOLVED: StateMessage(
        chip=Status(RepaymentState.RESOLVED.label, "info", "pencil-square"),
        tone="info",
        title=RepaymentState.RESOLVED.label,
        sentence=gettext_noop(
            "The balances did not show whether this repayment was recorded. A person decided on it."
        ),
        saved="unknown",
        next=gettext_noop("Nothing more to do."),
    ),
}

_ENDED_BY_SWEEP = _BY_STATE[RepaymentState.NOT_SENT]._replace(
    title=gettext_noop("Not sent, according to our records"),
    sentence=gettext_noop(
        "The dashboard stopped before it sent this repayment, or the dashboard's database "
        "was restored."
    ),
    next=gettext_noop("Check the paid amount of the loan before you send the repayment again."),
)


def get_message(state: str, resolution: str = "", *, ended_by_sweep: bool = False) -> StateMessage:
    """Return the words and colours for the present state of a repayment."""
    if state in (RepaymentState.NOT_SENT, RepaymentState.DECLINED) and ended_by_sweep:
        saved = ", ".join(["no", _("according to our records")])
        return _ENDED_BY_SWEEP.translate()._replace(saved=saved)
    message = _BY_STATE[RepaymentState(state)].translate()
    if state != RepaymentState.RESOLVED:
        return message
    answer = "yes" if resolution == Resolution.RECORDED else "no"
    return message._replace(saved=", ".join([answer, _("decided by a person")]))

"""Results of calls, reasons to stop calls, and states of promises."""

from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from lendingadmin.web.display.statuses import Status


class Outcome(TextChoices):
    """The result of a call, or a notice on paper, which counts as a call."""

    REACHED = "reached", _("Reached")
    NO_ANSWER = "no_answer", _("No answer")
    PROMISE = "promise", _("Promise to pay")
    WRONG_NUMBER = "wrong_number", _("Wrong number")
    DISPUTE = "dispute", _("Dispute")
    HARDSHIP = "hardship", _("Hardship")
    DIED = "died", _("Died")
    NOTICE = "notice", _("Notice of what is owed")


#: The key on the keyboard for each result of a call. Keys work while the person is not typing.
KEYS: Final[dict[Outcome, str]] = {
    Outcome.REACHED: "r",
    Outcome.NO_ANSWER: "n",
    Outcome.PROMISE: "p",
    Outcome.WRONG_NUMBER: "w",
    Outcome.DISPUTE: "d",
    Outcome.HARDSHIP: "h",
    Outcome.DIED: "x",
}
#: Results of calls in which the borrower was reached.
SPOKEN: Final = (Outcome.REACHED, Outcome.PROMISE, Outcome.DISPUTE, Outcome.HARDSHIP)


class StopKind(TextChoices):
    """The reason to stop calls about a loan or to a borrower."""

    DISPUTE = "dispute", _("Dispute")
    HARDSHIP = "hardship", _("Hardship")
    DIED = "died", _("Died")
    WRONG_NUMBER = "wrong_number", _("Wrong number")
    DO_NOT_CALL = "do_not_call", _("Do not call")


#: The stop that follows from a result of a call. A kind in `OF_A_LOAN` stops only calls about the
#: loan of the call. The other kinds stop all calls to the borrower.
STOPPED_BY: Final[dict[Outcome, StopKind]] = {
    Outcome.DISPUTE: StopKind.DISPUTE,
    Outcome.HARDSHIP: StopKind.HARDSHIP,
    Outcome.DIED: StopKind.DIED,
    Outcome.WRONG_NUMBER: StopKind.WRONG_NUMBER,
}
OF_A_LOAN: Final = (StopKind.DISPUTE, StopKind.HARDSHIP)


class PromiseState(TextChoices):
    OPEN = "open", _("promised")
    KEPT = "kept", _("kept")
    PARTLY = "partly", _("partly kept")
    BROKEN = "broken", _("broken")
    WITHDRAWN = "withdrawn", _("withdrawn")


class Evidence(TextChoices):
    """The evidence for the state of a promise, or for the amount paid towards it."""

    JOURNAL = "journal", _("repayments recorded in this dashboard")
    READING = "reading", _("the rise of the loan's paid amount")
    PERSON = "person", _("decided by a person")


_CHIPS: Final = {
    PromiseState.OPEN: ("info", "clock"),
    PromiseState.KEPT: ("good", "check-circle"),
    PromiseState.PARTLY: ("warn", "exclamation-triangle"),
    PromiseState.BROKEN: ("bad", "x-circle"),
    PromiseState.WITHDRAWN: ("", "minus-circle"),
}


def describe_promise(state: str) -> Status:
    """Return the chip of a promise's state."""
    return Status(str(PromiseState(state).label), *_CHIPS[PromiseState(state)])

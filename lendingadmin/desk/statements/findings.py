"""Findings of the dry run about a payment before it is recorded, and the decisions on it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .lines import Standing


class Basis(models.TextChoices):
    """The way in which the loan of a payment was found."""

    LOAN = "loan", _("loan id given")
    NUMBER = "number", _("loan number given")
    BORROWER = "borrower", _("borrower id given")
    WORDS = "words", _("id in the text of the row")
    LINK = "link", _("saved payer of this loan")
    PHONE = "phone", _("the payer's phone")
    NAME = "name", _("the payer's name")
    PERSON = "person", _("chosen by a person")


class Finding(models.TextChoices):
    """The result of the dry run for a payment: no problem, or one reason against recording it."""

    FINE = "fine", _("no problem found")
    PROPOSED = "proposed", _("may be this loan")
    SEVERAL = "several", _("several possible loans")
    NO_LOAN = "no-loan", _("loan not found")
    CLOSED = "closed", _("loan closed")
    OVERPAID = "overpaid", _("more than owed")
    ALIKE = "alike", _("possible duplicate")
    MAY_DOUBLE = "may-double", _("may already be recorded")
    CURRENCY = "currency", _("another currency")
    RECORDED = "recorded", _("recorded before")
    WAITING = "waiting", _("waiting for a decision")
    TAKEN_BACK = "taken-back", _("reversed")
    PUT = "put", _("refunded or recorded elsewhere")
    TWICE = "twice", _("twice in the file")
    DAMAGED = "damaged", _("damaged id")
    UNUSABLE = "unusable", _("no date, or amount too large")
    UNREAD = "unread", _("loan could not be read")
    OTHER_PAYER = "other-payer", _("paid by someone other than the borrower")
    NEAR_LOAN = "near-loan", _("another loan's number differs in one digit")
    TWO_LOANS = "two-loans", _("two loans in the row")
    SAME_REFERENCE = "same-ref", _("same reference recorded")
    MAY_REVERSED = "may-reversed", _("may be reversed")


class Decision(models.TextChoices):
    """The decision on a payment."""

    OPEN = "open", _("to decide")
    ACCEPTED = "accepted", _("accepted")
    LEFT_OUT = "left-out", _("left out")


#: A payment that names its loan in one of these ways is accepted if no finding is against it.
EXACT = frozenset({Basis.LOAN, Basis.NUMBER, Basis.BORROWER})
#: A payment with one of these findings is never recorded; another loan does not help.
NO_LOAN_HELPS = frozenset(
    {
        *(Finding.RECORDED, Finding.WAITING, Finding.TAKEN_BACK, Finding.PUT, Finding.TWICE),
        *(Finding.DAMAGED, Finding.UNUSABLE, Finding.TWO_LOANS),
    }
)
#: A person can't accept a payment while it has one of these findings.
NEVER = NO_LOAN_HELPS | {Finding.SEVERAL, Finding.NO_LOAN, Finding.UNREAD}
#: A person may accept payments with these findings without a reason.
NO_REASON = frozenset({Finding.FINE, Finding.PROPOSED, Finding.OTHER_PAYER, Finding.NEAR_LOAN})
#: Findings against a row that do not depend on its loan. A person may still accept the row.
OPEN_QUESTIONS = frozenset({Finding.MAY_REVERSED, Finding.SAME_REFERENCE})
#: The tone and icon of each finding.
CHIPS = {
    Finding.FINE: ("good", "check-circle"),
    Finding.PROPOSED: ("info", "question-mark-circle"),
    Finding.SEVERAL: ("info", "question-mark-circle"),
    Finding.NO_LOAN: ("warn", "question-mark-circle"),
    Finding.CLOSED: ("warn", "exclamation-triangle"),
    Finding.OVERPAID: ("warn", "exclamation-triangle"),
    Finding.ALIKE: ("warn", "document-duplicate"),
    Finding.MAY_DOUBLE: ("bad", "exclamation-triangle"),
    Finding.CURRENCY: ("warn", "exclamation-triangle"),
    Finding.RECORDED: ("", "check-circle"),
    Finding.WAITING: ("odd", "question-mark-circle"),
    Finding.TAKEN_BACK: ("bad", "x-circle"),
    Finding.PUT: ("", "minus"),
    Finding.TWICE: ("warn", "document-duplicate"),
    Finding.DAMAGED: ("warn", "exclamation-triangle"),
    Finding.UNUSABLE: ("warn", "exclamation-triangle"),
    Finding.UNREAD: ("odd", "question-mark-circle"),
    Finding.OTHER_PAYER: ("warn", "question-mark-circle"),
    Finding.NEAR_LOAN: ("info", "question-mark-circle"),
    Finding.TWO_LOANS: ("bad", "exclamation-triangle"),
    Finding.MAY_REVERSED: ("bad", "exclamation-triangle"),
    Finding.SAME_REFERENCE: ("warn", "document-duplicate"),
}
#: The findings that do not depend on the loan.
OF_STANDING = {
    Standing.DAMAGED: Finding.DAMAGED,
    Standing.TWICE: Finding.TWICE,
    Standing.CONFIRMED: Finding.RECORDED,
    Standing.OTHER_AMOUNT: Finding.RECORDED,
    Standing.WAITING: Finding.WAITING,
}


def find_of_loan(
    basis: str,
    *,
    contradiction: Finding | None,
    open_question: Finding | None,
    is_closed: bool,
    is_converted: bool,
    may_double: bool,
    is_alike: bool,
    is_above: bool,
) -> Finding:
    """Return the finding for an amount on a loan, FINE and PROPOSED included.

    PROPOSED means that the row does not name the loan. `contradiction` is the finding if the payer
    or the words of the row do not fit the loan. `open_question` is a finding of OPEN_QUESTIONS,
    which a person decides. `is_above` is True if the amount is more than owed.
    """
    against = (
        (Finding.MAY_DOUBLE, may_double),
        (open_question or Finding.FINE, open_question is not None),
        (Finding.CLOSED, is_closed),
        (Finding.CURRENCY, is_converted),
        (Finding.ALIKE, is_alike),
    )
    if contradiction == Finding.TWO_LOANS:
        return contradiction
    if found := next((finding for finding, holds in against if holds), None):
        return found
    # A person may accept many OVERPAID rows at once, so OVERPAID must not hide another payer.
    if contradiction and basis != Basis.PERSON:
        return contradiction
    if is_above:
        return Finding.OVERPAID
    return Finding.FINE if basis in (*EXACT, Basis.PERSON) else Finding.PROPOSED


def needs_reason(finding: str) -> bool:
    """Return True if a person who accepts a payment with this finding must give a reason."""
    return finding not in (*NEVER, *NO_REASON)


def may_accept(finding: str, account_id: str) -> bool:
    """Return whether a person may accept a payment with this finding, for this loan."""
    return finding not in NEVER and bool(account_id)

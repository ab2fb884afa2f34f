"""The notice of what is owed: the overdue amounts, the last day to pay and how to pay.

The service gives the overdue amount of a loan, but not the part of each instalment. These parts are
estimates, which always add up to the service's amount. Under the calling rules, a notice counts as
a contact (desk/collections/barriers.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.collections.barriers import (
    find_barrier,
    has_wrong_number,
    list_stopped_loans,
)
from lendingadmin.desk.portfolio.amounts import exactly
from lendingadmin.lending.loan_math import PARTS, Progress, schedule_rows
from lendingadmin.lending.values import Balance, Loan, LoanBalances, moment, number
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.web.display.locales import write_day

from .contents import Content, Subject, Writer
from .figures import Figures, Unfit

_ZERO = Decimal(0)


class Part(StrEnum):
    """The part of an overdue amount."""

    INSTALMENT = "instalment"
    PENALTY = "penalty"
    OTHER = "other"


_WORDS = {
    Part.PENALTY: gettext_lazy("Penalties for late payment"),
    Part.OTHER: gettext_lazy("Fees and other amounts"),
}


class OverdueLine(NamedTuple):
    """A part of an overdue amount. An instalment also has its number, due date and amount."""

    part: Part
    overdue: Decimal
    number: str = ""
    due_at: datetime | None = None
    amount: Decimal | None = None


class Overdue(NamedTuple):
    """The overdue amount of a loan, and the lines that add up to it."""

    account_id: str
    total: Decimal
    lines: tuple[OverdueLine, ...]


@dataclass
class OverdueRow:
    """A printed line. `mark` is the part of the overdue amount."""

    words: str
    day: str
    amount: str
    overdue: str
    mark: str


@dataclass
class OverdueSection:
    """The overdue amount of one loan, with the printed lines."""

    account_id: str
    rows: list[OverdueRow]
    total: str


def read_overdue(loan: Loan, figures: Figures) -> Overdue:
    """Return the overdue amount of a loan, with the oldest instalment first.

    Raise Unfit if the service does not give the overdue amount, or if this amount contradicts the
    other balances.
    """
    account_id, balances = figures.account_id, loan.balances
    whole = balances.repayment if isinstance(balances, LoanBalances) else None
    total = number(whole.overdue) if isinstance(whole, Balance) else None
    if total is None:
        raise Unfit("unreadable", account_id)
    groups = {name: getattr(balances, name) for name in PARTS}
    parts = {
        name: number(one.overdue) if isinstance(one, Balance) else None
        for name, one in groups.items()
    }
    known = [amount for amount in parts.values() if amount is not None]
    penalty = parts["penalty"] or _ZERO
    with exactly():
        is_whole = len(known) < len(parts) or sum(known, _ZERO) == total
        if not is_whole or min(known, default=_ZERO) < 0 or not penalty <= total <= figures.unpaid:
            raise Unfit("unbalanced", account_id)
        left, lines = total - penalty, list[OverdueLine]()
        for row in schedule_rows(loan, figures.read_at):
            share = min(row.missing or _ZERO, left)
            if row.progress == Progress.LATE and share > 0:
                due_at = moment(row.installment.due_date)
                lines.append(OverdueLine(Part.INSTALMENT, share, row.number, due_at, row.due))
                left -= share
    if left:
        lines.append(OverdueLine(Part.OTHER, left))
    if penalty:
        lines.append(OverdueLine(Part.PENALTY, penalty))
    return Overdue(account_id, total, tuple(lines))


def list_demanded(
    app: LendingApp, borrower_id: str, loans: Sequence[Loan], figures: Sequence[Figures]
) -> list[Overdue]:
    """Return the overdue loans that a notice may demand now.

    Leave out loans whose contacts are stopped. Raise Unfit if the calling rules forbid the notice,
    if nothing is overdue, or if a repayment of a loan needs checking.
    """
    if barrier := find_barrier(app, borrower_id, figures[0].read_at):
        raise Unfit(barrier.code, until=barrier.until, zone=app.zone)
    found = [read_overdue(loan, one) for loan, one in zip(loans, figures, strict=True)]
    overdue = [one for one in found if one.total]
    if not overdue:
        raise Unfit("not-overdue")
    stopped = list_stopped_loans(app.app_id, borrower_id)
    demanded = [one for one in overdue if one.account_id not in stopped]
    if not demanded:
        raise Unfit("loan-stopped")
    for one in demanded:
        here = Repayment.objects.of_loan(app.app_id, one.account_id)
        if here.filter(needs_checking=True).exists():
            raise Unfit("needs-checking", one.account_id)
    return demanded


def find_pay_day(subject: Subject) -> date:
    """Return the last day to pay, in the lender's zone."""
    today = subject.made_at.astimezone(subject.app.zone).date()
    return today + timedelta(days=subject.lender.notice_days)


def write_notice(subject: Subject, demanded: Sequence[Overdue]) -> Content:
    """Return the notice about these loans."""
    with override(subject.language):
        writer, lender = Writer(subject), subject.lender
        with exactly():
            total = sum((one.total for one in demanded), _ZERO)
        day = write_day(find_pay_day(subject), subject.language)
        facts = [*writer.write_facts(), (_("Please pay by"), day)]
        content = Content(_("Notice of what is owed"), writer.lender, subject.app.currency, facts)
        content.owed = (_("Overdue in total"), writer.money(total))
        content.overdue = [_write_section(writer, one) for one in demanded]
        given = {"amount": writer.money(total), "day": day, "where": lender.complaints}
        asked = _("Please pay %(amount)s by %(day)s.") % given
        how = f"{_('How to pay:')} {lender.payment}" if lender.payment else _("Ask us how to pay.")
        content.paragraphs = [
            f"{asked} {how}",
            _(
                "If the amount is not paid by %(day)s, we will call or visit you to collect "
                "the amount."
            )
            % given,
            _write_dispute(given),
        ]
        if any(line.part == Part.INSTALMENT for one in demanded for line in one.lines):
            words = _(
                "The overdue part of each instalment is our estimate. The total is from the loan "
                "account."
            )
            content.notes.append(words)
        if not has_wrong_number(subject.app.app_id, subject.borrower_id):
            words = _("%(lender)s: %(amount)s is overdue. Please pay by %(day)s.")
            if lender.payment:
                content.sms = writer.fit(given | {"how": lender.payment}, f"{words} %(how)s")
            content.sms = content.sms or writer.fit(given, words)
    return content


def _write_dispute(given: dict[str, str]) -> str:
    if given["where"]:
        words = _("If you think that an amount is wrong, tell us before this day: %(where)s")
    else:
        words = _("If you think that an amount is wrong, tell us before this day.")
    return words % given


def _write_section(writer: Writer, one: Overdue) -> OverdueSection:
    rows = [
        OverdueRow(
            _("Instalment %(number)s") % {"number": line.number}
            if line.part == Part.INSTALMENT
            else str(_WORDS[line.part]),
            writer.day(line.due_at),
            writer.figure(line.amount) if line.amount is not None else "",
            writer.figure(line.overdue),
            line.part.value,
        )
        for line in one.lines
    ]
    return OverdueSection(one.account_id, rows, writer.figure(one.total))

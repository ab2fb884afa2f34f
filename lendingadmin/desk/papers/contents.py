"""The content of a paper: every text as it is printed, in the customer's language.

The texts are written once and stored, so that each reprint has exactly the same words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.lender import Lender
from lendingadmin.desk.portfolio.amounts import exactly
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.sms import LONGEST, count_signs, fold_letters
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web.display.locales import write_day
from lendingadmin.web.display.money import figure, money
from lendingadmin.web.display.times import contract_day, moment

from .figures import Account, Figures
from .statement import UNEXPLAINED, Line, LineKind

_ZERO = Decimal(0)

_WORDS = {
    LineKind.PRINCIPAL: gettext_lazy("Amount lent"),
    LineKind.INTEREST: gettext_lazy("Interest"),
    LineKind.FEES: gettext_lazy("Fees"),
    LineKind.PENALTY: gettext_lazy("Penalties for late payment"),
    LineKind.CHARGED: gettext_lazy("Amount lent, interest, fees and penalties"),
    LineKind.ADDED: gettext_lazy("Interest, fees and penalties added"),
    LineKind.REDUCED: gettext_lazy("Interest, fees and penalties reduced"),
    LineKind.REPAYMENT: gettext_lazy("Repayment"),
    LineKind.OTHER: gettext_lazy("Other payments at the service"),
    LineKind.FELL: gettext_lazy("Payments reversed at the service"),
    LineKind.UNCOUNTED: gettext_lazy("Repayment not included by the service"),
}
# The kinds whose amounts are in the column of payments, where a payment is positive.
_OF_PAYMENTS = UNEXPLAINED | {LineKind.REPAYMENT}


@dataclass
class Row:
    """A line of a statement: a charge or a payment. `mark` is the kind of the line."""

    day: str
    words: str
    detail: str
    charged: str
    paid: str
    mark: str


@dataclass
class Section:
    """The statement of one loan. `charged` and `paid` are the sums of its columns."""

    account_id: str
    facts: list[tuple[str, str]]
    opening: str
    rows: list[Row]
    charged: str
    paid: str
    closing: str
    notes: list[str]


@dataclass
class Table:
    """A table of a paper, whose rows begin with their heading. `mark` names it for the style."""

    mark: str
    title: str
    rows: list[list[str]]
    head: list[str] = field(default_factory=list)
    sums: list[str] = field(default_factory=list)
    note: str = ""


@dataclass
class Content:
    """All texts of a paper. `facts` are pairs of a label and a value; `owed` is one such pair.

    `overdue` has the loans of a notice (notice.OverdueSection). `signatures` are the labels below
    the lines for signatures. `declaration` is the sentence above these lines.
    """

    title: str
    lender: dict[str, str]
    currency: str
    facts: list[tuple[str, str]]
    paragraphs: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    overdue: list[Any] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    owed: tuple[str, str] = ("", "")
    notes: list[str] = field(default_factory=list)
    declaration: str = ""
    signatures: list[str] = field(default_factory=list)
    sms: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the content for storage."""
        return asdict(self)


@dataclass(frozen=True)
class Subject:
    """The borrower, the lender and the maker of a paper. `days` is the requested period."""

    app: LendingApp
    lender: Lender
    language: str
    name: str
    borrower_id: str
    made_by: str
    made_at: datetime
    days: tuple[date | None, date | None] = (None, None)


def write_statement(
    subject: Subject, accounts: Sequence[Account], confirmed: frozenset[int]
) -> Content:
    """Return the statement of one or several loans.

    `confirmed` has the repayments that a complete statement of an operator or bank confirms.
    """
    with override(subject.language):
        writer = Writer(subject)
        title, facts = _("Statement of account"), writer.write_facts()
        if period := writer.write_period():
            facts.append((_("Period"), period))
        content = Content(title, writer.lender, subject.app.currency, facts)
        content.sections = [writer.write_section(one, confirmed) for one in accounts]
        with exactly():
            owed = sum((one.statement.closing for one in accounts), _ZERO)
        label = _("Owed on all loans") if len(accounts) > 1 else _("Owed at the end")
        content.owed = (label, writer.money(owed))
        kinds = {line.kind for one in accounts for line in one.statement.lines}
        if kinds & UNEXPLAINED:
            content.notes.append(_("“The service” is the computer system of the loan account."))
        content.sms = writer.write_sms(accounts, owed)
    return content


def write_discharge(subject: Subject, figures: Figures) -> Content:
    """Return the discharge letter of a loan that is settled."""
    with override(subject.language):
        writer = Writer(subject)
        settled_on = contract_day(figures.settled_at, subject.app.zone, subject.language)
        facts = writer.write_facts()
        facts += [
            (_("Loan"), figures.account_id),
            (_("Total charged"), writer.money(figures.total)),
            (_("Total paid"), writer.money(figures.paid)),
            (_("Still owed"), writer.money(figures.unpaid)),
            (_("Settled on"), settled_on),
        ]
        given = {"name": subject.name, "account": figures.account_id, "day": settled_on}
        content = Content(_("Discharge letter"), writer.lender, subject.app.currency, facts)
        content.paragraphs = [
            _(
                "We confirm that %(name)s repaid loan %(account)s in full on %(day)s. Nothing is "
                "owed on this loan any more."
            )
            % given,
            _("This letter is free of charge."),
        ]
        words = _("%(lender)s: loan %(account)s is fully repaid. Nothing is owed any more.")
        content.sms = writer.fit({"account": figures.account_id}, words)
        content.signatures = [
            _("For the lender (name, date, signature)"),
            _("Received by (name, date, signature)"),
        ]
    return content


class Writer:
    """Writer of the amounts and days of a paper, in its language and the lender's time zone."""

    def __init__(self, subject: Subject) -> None:
        self._of = subject
        one = subject.lender
        self.lender = {
            "name": one.name,
            "licence": one.licence,
            "address": one.address,
            "phone": one.phone,
            "complaints": one.complaints,
        }

    def money(self, amount: Decimal) -> str:
        return money(amount, self._of.app.currency, self._of.language)

    def figure(self, amount: Decimal) -> str:
        """Return an amount without the currency."""
        return figure(amount, self._of.app.currency, self._of.language)

    def day(self, at: datetime | None) -> str:
        """Return the day of a time; empty without a time."""
        return contract_day(at, self._of.app.zone, self._of.language) if at else ""

    def moment(self, at: datetime) -> str:
        return moment(at, self._of.app.zone, self._of.language)

    def write_people(self) -> list[tuple[str, str]]:
        """Return the borrower, and the person who made the paper."""
        of = self._of
        return [
            (_("Borrower"), of.name),
            (_("Borrower id"), of.borrower_id),
            (_("Made by"), f"{of.made_by}, {self.moment(of.made_at)}"),
        ]

    def write_facts(self) -> list[tuple[str, str]]:
        """Return the borrower, the maker and the time of the figures, as labels and texts."""
        return [*self.write_people(), (_("Figures of"), self.moment(self._of.made_at))]

    def write_period(self) -> str:
        first, last = (write_day(one, self._of.language) if one else "" for one in self._of.days)
        if first and last:
            return _("%(first)s to %(last)s") % {"first": first, "last": last}
        if first:
            return _("from %(first)s") % {"first": first}
        return _("until %(last)s") % {"last": last} if last else ""

    def write_section(self, account: Account, confirmed: frozenset[int]) -> Section:
        """Return the statement of one loan."""
        found, figures = account.statement, account.figures
        rows = [self._write_row(line, account, confirmed) for line in _sort(found.lines)]
        with exactly():
            payments = [one.amount for one in found.lines if one.kind in _OF_PAYMENTS]
            charges = [one.amount for one in found.lines if one.kind not in _OF_PAYMENTS]
            paid, charged = -sum(payments, _ZERO), sum(charges, _ZERO)
        began = [(_("Began on"), self.day(figures.began_at))]
        if figures.paid_out is not None:
            began.append((_("Paid out"), self.money(figures.paid_out)))
        return Section(
            figures.account_id,
            began,
            self.figure(found.opening),
            rows,
            self.figure(charged),
            self.figure(paid),
            self.figure(found.closing),
            list(self._write_notes(account)),
        )

    def _write_row(self, line: Line, account: Account, confirmed: frozenset[int]) -> Row:
        words, amount, repayment = str(_WORDS[line.kind]), self.figure(line.amount), None
        day = self.day(line.until or line.since)
        if line.key is not None:
            repayment = account.repayments[line.key]
            day = self.day(repayment.transaction_date)
        elif line.since and line.until:
            words = f"{words}, {self._write_span(line.since, line.until)}"
        is_payment = line.kind in _OF_PAYMENTS
        return Row(
            day,
            words,
            self._write_detail(repayment, confirmed) if repayment else "",
            "" if is_payment else amount,
            self.figure(-line.amount) if is_payment else "",
            line.kind.value,
        )

    def _write_span(self, since: datetime, until: datetime) -> str:
        first, last = self.day(since), self.day(until)
        if first == last:
            return _("on %(day)s") % {"day": first}
        return _("between %(first)s and %(last)s") % {"first": first, "last": last}

    def _write_detail(self, repayment: Repayment, confirmed: frozenset[int]) -> str:
        """Return the receipt, the transaction id and the confirmation of a repayment."""
        parts = [repayment.receipt_number, repayment.external_id]
        if repayment.pk in confirmed:
            parts.append(_("confirmed by statement"))
        if repayment.state == RepaymentState.PRESUMED:
            parts.append(_("still being checked"))
        return " · ".join(filter(None, parts))

    def _write_notes(self, account: Account) -> Iterator[str]:
        found = account.statement
        if found.begins and found.is_late:
            words = _(
                "No earlier figures are known. This statement begins with the figures of %(time)s."
            )
            yield words % {"time": self.moment(found.begins)}
        elif found.begins:
            words = _("This statement begins with the figures of %(time)s.")
            yield words % {"time": self.moment(found.begins)}
        if found.ends != account.figures.read_at:
            words = _("This statement ends with the figures of %(time)s.")
            yield words % {"time": self.moment(found.ends)}
        for one in account.unsettled:
            words = _(
                "A payment of %(amount)s on %(day)s (%(code)s) is still being checked. This "
                "payment is not listed above."
            )
            amount = money(one.exact_amount, one.shown_currency, self._of.language)
            given = {"amount": amount, "code": one.external_id}
            yield words % (given | {"day": self.day(one.transaction_date)})

    def write_sms(self, accounts: Sequence[Account], owed: Decimal) -> str:
        """Return the closing balance as a text message; empty if it can't be one message."""
        at = accounts[0].statement.ends
        given = {"amount": self.money(owed), "day": self.day(at)}
        if len(accounts) > 1:
            return self.fit(given, _("%(lender)s: on %(day)s you owe %(amount)s on all loans."))
        given["account"] = accounts[0].figures.account_id
        return self.fit(given, _("%(lender)s: on %(day)s you owe %(amount)s on loan %(account)s."))

    def fit(self, given: dict[str, str], words: str) -> str:
        """Return the sentence in letters of one message; empty if it does not fit."""
        text = fold_letters(words % (given | {"lender": self._of.lender.name}))
        return text if count_signs(text) <= LONGEST else ""


def _sort(lines: Sequence[Line]) -> list[Line]:
    """Return the lines by time. The amount lent is first, and charges without a time follow."""
    undated = [one for one in lines if one.since is None]
    first = [one for one in lines if one.kind == LineKind.PRINCIPAL]
    dated = [one for one in lines if one.since and one.kind != LineKind.PRINCIPAL]

    def get_time(line: Line) -> datetime:
        return line.since if line.until is None or line.key else line.until  # type: ignore[return-value]

    return [*first, *undated, *sorted(dated, key=get_time)]

"""Key facts and schedule of a contract, for the customer to read and sign before lending.

All figures are the contract's own (spec: LendingContract). An amount that the service does not give
is shown as not given. If a contract lacks what a customer must know, or does not add up, there is
no paper.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple, TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from lendingadmin.desk.portfolio.amounts import exactly
from lendingadmin.lending import values
from lendingadmin.lending.values import LendingContract, Malformed, moment, text
from lendingadmin.web.display.durations import duration
from lendingadmin.web.display.money import figure
from lendingadmin.web.display.numbers import number
from lendingadmin.web.display.rates import rate
from lendingadmin.web.display.text import spelled

from .contents import Content, Subject, Table, Writer
from .figures import Unfit

_ZERO = Decimal(0)
Found = TypeVar("Found")
_PARTS = ("principal", "interest", "fees", "penalty")
# Spec: LendingContract, enumerated values seen in contracts.
_LATE_FEE, _SHARE = "late_payment_fee", "principal_amount_ratio"
_DEDUCTION = ("disbursement", "deduct", "absolute")
_DEDUCTED = gettext_lazy("deducted from the amount that you receive")
_TIMES = {
    "deducted_disbursement_fee": _DEDUCTED,
    "first_in_sequence": gettext_lazy("with the first instalment"),
    "in_progress": gettext_lazy("with the instalment that is due"),
}
_BASES = {"overdue_principal": gettext_lazy("%(rate)s of the overdue part of the amount lent")}


class Instalment(NamedTuple):
    """One instalment. `parts` are principal, interest, fees and penalty; empty if not all given."""

    number: str
    due: datetime
    amount: Decimal
    parts: tuple[Decimal, ...]


class Facts(NamedTuple):
    """The checked figures of a contract.

    `parts` are principal, interest, fees and penalty in total, each None if not given.
    `deductions` are the changes that lower the amount received.
    """

    contract: LendingContract
    received: Decimal
    repaid: Decimal
    parts: tuple[Decimal | None, ...]
    instalments: tuple[Instalment, ...]
    deductions: tuple[tuple[values.Adjustment, Decimal], ...]
    fees: tuple[values.Fee, ...]
    penalty: values.Penalty | None
    rates: tuple[Decimal | None, Decimal | None]

    @property
    def sums(self) -> tuple[Decimal, ...]:
        """The sums of the instalments' parts; empty if the service does not give all of them."""
        if not all(one.parts for one in self.instalments):
            return ()
        with exactly():
            columns = zip(*(one.parts for one in self.instalments), strict=True)
            return tuple(sum(column, _ZERO) for column in columns)

    @property
    def amounts(self) -> list[Decimal]:
        """Every figure that is given."""
        found = [self.received, self.repaid, *self.parts, *self.rates]
        found += [amount for one in self.instalments for amount in (one.amount, *one.parts)]
        found += [amount for _one, amount in self.deductions]
        found += [number(fee.value) for fee in self.fees]
        found += [number(self.penalty.rate)] if self.penalty else []
        return [one for one in found if one is not None]


class Lent(NamedTuple):
    """The offer or the loan of a contract, as pairs of a label and a value.

    `is_preview` is True if the loan does not exist yet.
    """

    product: str
    facts: tuple[tuple[str, str], ...] = ()
    expires_at: datetime | None = None
    is_preview: bool = False


def read_facts(contract: object, currency: str) -> Facts:
    """Return the figures of a contract in this currency.

    Raise Unfit if one that a customer must know is missing, or if they do not add up.
    """
    if not isinstance(contract, LendingContract):
        raise Unfit("contract-unreadable")
    amounts = contract.amounts
    if not isinstance(amounts, values.ContractAmounts):
        raise Unfit("contract-unreadable")
    # The spec has no currency of a contract. A service that sends one says what its amounts are.
    if contract.raw.get("currencyCode", currency) != currency:
        raise Unfit("contract-currency")
    received, repaid = _read(amounts.disbursement), _read(amounts.repayment)
    instalments = tuple(_read_instalments(contract))
    if received is None or repaid is None or not instalments:
        raise Unfit("contract-unreadable")
    terms = _find(contract.terms, values.Terms)
    rates = _find(contract.interest_rates, values.InterestRates)
    fees = _list(terms.fees) if terms else ()
    penalty = _find(terms.penalty, values.Penalty) if terms else None
    for one in (*(fee.value for fee in fees), penalty.rate if penalty else None):
        _read(one)
    facts = Facts(
        contract,
        received,
        repaid,
        tuple(_read(getattr(amounts, name)) for name in _PARTS),
        instalments,
        tuple(_read_deductions(contract)),
        fees,
        penalty,
        (_read(rates.apr), _read(rates.aer)) if rates else (None, None),
    )
    with exactly():
        if not _adds_up(facts):
            raise Unfit("contract-unbalanced")
    return facts


def _read(value: object) -> Decimal | None:
    """Return a figure; None if it is not given. Raise Unfit if it is not a number."""
    found = number(value)
    if found is None and value is not None:
        raise Unfit("contract-unreadable")
    return found


def _find(value: object, kind: type[Found]) -> Found | None:
    """Return an object of this kind; None if it is not given. Raise Unfit for anything else."""
    if value is not None and not isinstance(value, kind):
        raise Unfit("contract-unreadable")
    return value


def _list(found: Iterable[Found | Malformed] | None) -> tuple[Found, ...]:
    """Return a list; empty if it is not given. Raise Unfit if an item can't be read."""
    items = tuple(found or ())
    whole = tuple(one for one in items if not isinstance(one, Malformed))
    if isinstance(found, Malformed) or len(whole) != len(items):
        raise Unfit("contract-unreadable")
    return whole


def _read_instalments(contract: LendingContract) -> Iterator[Instalment]:
    for place, one in enumerate(_list(contract.installments), start=1):
        amounts, due = one.amounts, moment(one.due_date)
        if not isinstance(amounts, values.InstallmentAmounts) or due is None:
            raise Unfit("contract-unreadable")
        amount, named = _read(amounts.repayment), _read(one.sequence_no)
        if amount is None:
            raise Unfit("contract-unreadable")
        parts = [_read(getattr(amounts, name)) for name in _PARTS]
        known = tuple(part for part in parts if part is not None)
        name = str(place) if named is None else f"{named:f}"
        yield Instalment(name, due, amount, known if len(known) == len(_PARTS) else ())


def _read_deductions(
    contract: LendingContract,
) -> Iterator[tuple[values.Adjustment, Decimal]]:
    """Yield what is deducted from the amount received; raise Unfit for any other change."""
    for one in _list(contract.adjustments):
        amount = _read(one.value)
        if (one.target, one.action, one.value_type) != _DEDUCTION or amount is None:
            raise Unfit("contract-changes")
        yield one, amount


def _adds_up(facts: Facts) -> bool:
    """Return whether the figures agree, as far as the service gives them."""
    deducted = sum((amount for _one, amount in facts.deductions), _ZERO)
    principal, interest, fees, penalty = facts.parts
    if min(facts.amounts) < 0:
        return False
    if sum((one.amount for one in facts.instalments), _ZERO) != facts.repaid:
        return False
    if principal is not None and principal - deducted != facts.received:
        return False
    if facts.sums:
        if any(sum(one.parts, _ZERO) != one.amount for one in facts.instalments):
            return False
        totals = (principal, interest, facts.sums[2], penalty)
        if any(whole not in (None, one) for whole, one in zip(totals, facts.sums, strict=True)):
            return False
        charged = facts.sums[2]
    elif principal is None or interest is None or penalty is None:
        return True
    else:
        charged = facts.repaid - principal - interest - penalty
    # A service may count the fees that it deducts, or leave them out.
    return fees in (None, charged, charged + deducted)


def write_key_facts(facts: Facts, lent: Lent, subject: Subject) -> Content:
    """Return the key facts of a contract with its complete schedule."""
    with override(subject.language):
        writer = _FactsWriter(subject, facts)
        people = [*writer.write_facts(), (_("Product"), lent.product)]
        people += [(_(label), value) for label, value in lent.facts]
        if lent.expires_at:
            people.append((_("Offer expires"), writer.moment(lent.expires_at)))
        title, currency = _("Key facts and schedule"), subject.app.currency
        content = Content(title, writer.lender, currency, people)
        if lent.is_preview:
            content.paragraphs = [
                _("Read these facts before you sign. If a fact is not clear, ask us."),
                _("The loan does not exist yet. The figures are from the contract."),
            ]
        content.tables = [
            writer.write_figures(),
            writer.write_fees(),
            writer.write_lateness(),
            writer.write_schedule(),
        ]
        amounts = {
            "received": writer.money(facts.received),
            "repaid": writer.money(facts.repaid),
        }
        # The signatures may be alone on the last page, so the main figures are with them.
        words = _(
            "I have read these key facts. I receive %(received)s and repay %(repaid)s in total."
        )
        content.declaration = words % amounts
        content.signatures = [
            _("Customer (name, signature)"),
            _("For the lender (name, signature)"),
            _("Date"),
        ]
    return content


class _FactsWriter(Writer):
    """Writes the tables of key facts."""

    def __init__(self, subject: Subject, facts: Facts) -> None:
        super().__init__(subject)
        self._facts, self._app, self._language = facts, subject.app, subject.language

    def write_figures(self) -> Table:
        """Return the amounts, rates and days of the contract."""
        facts, contract = self._facts, self._facts.contract
        principal, interest, fees, penalty = facts.parts
        terms = contract.terms
        period = terms.period if isinstance(terms, values.Terms) else None
        apr, aer = facts.rates
        days = [one.due for one in facts.instalments]
        rows = [
            [_("You receive"), self.money(facts.received)],
            [_("You repay in total"), self.money(facts.repaid)],
            [_("Amount lent"), self._or_missing(principal)],
            [_("Interest"), self._or_missing(interest)],
            [_("Fees in total"), self._or_missing(fees)],
            [_("APR (cost with fees)"), self._rate(apr, _("a year"))],
            [_("AER (interest)"), self._rate(aer, _("a year"))],
            [_("Term"), duration(period, self._language) if text(period) else _not_given()],
            [_("Begins on"), self.day(moment(contract.start_date)) or _not_given()],
            [_("Number of instalments"), str(len(facts.instalments))],
            [_("First instalment due"), self.day(min(days))],
            [_("Last instalment due"), self.day(max(days))],
        ]
        if penalty:
            rows.insert(5, [_("Penalties in total"), self.money(penalty)])
        return Table("figures", _("Key facts"), rows)

    def write_fees(self) -> Table:
        """Return the fees by name. The service gives the amount of those that it deducts."""
        fees = [one for one in self._facts.fees if one.kind != _LATE_FEE]
        left = list(self._facts.deductions)
        rows = []
        for fee in fees:
            place = next((one for one in left if _is_of(one[0], fee)), None)
            if place:
                left.remove(place)
            amount = self.figure(place[1]) if place else "—"
            rows.append([_name(fee), self._write_share(fee), _write_time(fee), amount])
        rows += [
            [_name(change), "—", str(_DEDUCTED), self.figure(amount)] for change, amount in left
        ]
        total, note = self._facts.parts[2], ""
        if not rows:
            note = _("This contract has no fees.")
            if total != 0:
                note = _("The service gives no details of the fees.")
        head = [_("Fee"), _("Calculation"), _("Payable"), self._in_currency(_("Amount"))]
        return Table("fees", _("Fees"), rows, head if rows else [], note=note)

    def write_lateness(self) -> Table:
        """Return what is charged for late payment."""
        penalty, rows = self._facts.penalty, []
        if penalty:
            rows = [
                [_("Penalty"), self._write_penalty(penalty)],
                [_("Days without a penalty"), self._write_grace(penalty)],
            ]
        late = [one for one in self._facts.fees if one.kind == _LATE_FEE]
        rows += [[_name(fee), f"{self._write_share(fee)}, {_write_time(fee)}"] for fee in late]
        note = "" if rows else _("The contract has no penalty and no fee for late payment.")
        return Table("late", _("If you pay late"), rows, note=note)

    def write_schedule(self) -> Table:
        """Return every instalment with its parts, if the service gives all of them, and sums."""
        facts, note, sums = self._facts, "", self._facts.sums
        words = [_("Amount lent"), _("Interest"), _("Fees"), _("Penalties")]
        # Penalties are rarely part of a new contract.
        places = [place for place, amount in enumerate(sums) if place < 3 or amount]
        rows = [
            [
                one.number,
                self.day(one.due),
                *(self.figure(one.parts[place]) for place in places),
                self.figure(one.amount),
            ]
            for one in facts.instalments
        ]
        head = [_("No."), _("Due on"), *(words[place] for place in places)]
        head.append(self._in_currency(_("Instalment")))
        total = [self.figure(sums[place]) for place in places] + [self.figure(facts.repaid)]
        if not sums:
            note = _("The service did not send all parts of the instalments.")
        return Table("schedule", _("Schedule"), rows, head, [_("Sum"), "", *total], note)

    def _in_currency(self, words: str) -> str:
        return f"{words} ({self._app.currency})"

    def _or_missing(self, amount: Decimal | None) -> str:
        return _not_given() if amount is None else self.money(amount)

    def _rate(self, fraction: Decimal | None, per: str = "") -> str:
        return _not_given() if fraction is None else rate(fraction, self._language, per)

    def _write_share(self, fee: values.Fee) -> str:
        """Return how a fee is calculated, in the service's own word if that is not known."""
        if (value := number(fee.value)) is None:
            return _not_given()
        if fee.calculation_method == _SHARE:
            words = _("%(rate)s of the amount lent") % {"rate": self._rate(value)}
        else:
            words = figure(value, self._app.currency, self._language)
            words += f" ({spelled(fee.calculation_method)})"
        return f"{words}, {_('optional')}" if fee.required is False else words

    def _write_penalty(self, penalty: values.Penalty) -> str:
        if (fraction := number(penalty.rate)) is None:
            return _not_given()
        base = _BASES.get(text(penalty.calculation_method) or "")
        if base:
            return base % {"rate": self._rate(fraction)}
        return f"{self._rate(fraction)} ({spelled(penalty.calculation_method)})"

    def _write_grace(self, penalty: values.Penalty) -> str:
        period = text(penalty.grace_period)
        return duration(period, self._language) if period else _not_given()


def _not_given() -> str:
    return _("not given by the service")


def _name(one: values.Fee | values.Adjustment) -> str:
    return text(one.display_name) or spelled(one.kind)


def _is_of(change: values.Adjustment, fee: values.Fee) -> bool:
    return (change.kind, change.display_name) == (fee.kind, fee.display_name)


def _write_time(fee: values.Fee) -> str:
    """Return when a fee is due, in the service's own word if that is not known."""
    for value in (text(fee.kind), text(fee.installment_target)):
        if value in _TIMES:
            return str(_TIMES[value])
    target = text(fee.installment_target)
    return spelled(target) if target else _not_given()

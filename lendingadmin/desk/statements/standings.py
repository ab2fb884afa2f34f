"""Comparison of each line of a statement with the journal.

A statement proves that the money reached the network. It does not prove that the service recorded
the repayment. Therefore a statement confirms recorded repayments, but never resolves a repayment
that needs checking.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple, Self

from django.db.models import Case, Count, F, Q, When, Window
from django.db.models.functions import RowNumber

from lendingadmin.core.gateway import lending_app
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import NEEDS_CHECKING, RepaymentState, Resolution
from lendingadmin.web.display.statuses import Status

from .identity import is_same_day
from .lines import Kind, Standing
from .models import StatementFile, StatementLine

_RECORDED = (RepaymentState.RECORDED, RepaymentState.PRESUMED)
_OPEN = (*NEEDS_CHECKING, RepaymentState.AWAITING, RepaymentState.PENDING)
_MAY_HAVE_MOVED = (*_RECORDED, *_OPEN, RepaymentState.RESOLVED)
_MOST_OF_A_KEY = 20


#: The tone and icon of each standing.
CHIPS = {
    Standing.DAMAGED: ("warn", "exclamation-triangle"),
    Standing.TWICE: ("warn", "document-duplicate"),
    Standing.CONFIRMED: ("good", "check-circle"),
    Standing.OTHER_AMOUNT: ("bad", "x-circle"),
    Standing.SAME_REFERENCE: ("warn", "document-duplicate"),
    Standing.WAITING: ("odd", "question-mark-circle"),
    Standing.MISSING: ("info", "clock"),
    Standing.NONE: ("", "minus"),
}


class Row(NamedTuple):
    """A row of a statement, for comparison with the repayments that have its id.

    `receipt_key` is empty if the id is not a key. `bank_key` is empty if the row has no
    reference of a bank.
    """

    position: int
    number: int
    kind: str
    receipt_key: str
    bank_key: str
    amount: Decimal | None
    currency: str
    moment: datetime | None
    has_time: bool


class Recorded(NamedTuple):
    """A repayment for comparison with the rows of statements that have its id."""

    pk: int
    external_id_key: str
    account_id: str
    amount: Decimal
    currency_code: str
    network: str
    transaction_date: datetime
    state: str
    resolution: str

    @classmethod
    def of(cls, repayment: Repayment) -> Self:
        """Return the values of a repayment."""
        return cls(*(getattr(repayment, name) for name in cls._fields))

    @property
    def is_recorded(self) -> bool:
        """True if the repayment is known to be recorded at the service."""
        is_resolved = self.state == RepaymentState.RESOLVED
        return self.state in _RECORDED or (is_resolved and self.resolution == Resolution.RECORDED)


#: A row and its standing.
Judged = tuple[Row, Standing]


@dataclass
class Sums:
    """Rows or repayments that are added up together: their numbers, and their sums by currency."""

    label: str
    chip: Status | None = None
    numbers: list[int] = field(default_factory=list)
    sums: dict[str, Decimal] = field(default_factory=dict)

    def add(self, number: int, amount: Decimal | None, currency: str) -> None:
        """Add one row or repayment."""
        self.numbers.append(number)
        self.sums[currency] = self.sums.get(currency, Decimal(0)) + (amount or 0)


def judge(
    row: Row,
    known: Collection[Recorded],
    of_bank: Collection[Recorded] = (),
    *,
    is_twice: bool,
    currency: str,
) -> Standing:
    """Return the standing of a line compared with repayments that have its id or reference.

    `known` are the repayments with the id. `of_bank` are the repayments with the bank's reference,
    which another payment may have too. `currency` is the app's currency, for repayments and lines
    without a currency.
    """
    if row.kind != Kind.PAYMENT:
        return Standing.NONE
    if not row.receipt_key:
        return Standing.DAMAGED
    if is_twice:
        return Standing.TWICE
    recorded = [one for one in known if one.is_recorded]
    same = recorded + [
        one
        for one in of_bank
        if one.is_recorded
        and row.moment is not None
        and is_same_day(row.moment, has_time=row.has_time, other=one.transaction_date)
    ]
    if any(
        one.amount == row.amount and (one.currency_code or currency) == (row.currency or currency)
        for one in same
    ):
        return Standing.CONFIRMED
    if recorded:
        return Standing.OTHER_AMOUNT
    if any(one.state in _OPEN for one in known):
        return Standing.WAITING
    is_taken = any(one.is_recorded or one.state in _OPEN for one in of_bank)
    return Standing.SAME_REFERENCE if is_taken else Standing.MISSING


def judge_lines(
    file: StatementFile, positions: Collection[int] | None = None, only: Q | None = None
) -> list[Judged]:
    """Return the lines of a file, each with its standing in the journal.

    If `positions` is given, return only these lines. Only repayments that fit `only` are compared.
    """
    lines = file.lines.all() if positions is None else file.lines.filter(position__in=positions)
    rows = [Row(*values) for values in lines.order_by("position").values_list(*Row._fields)]
    payments = lines.filter(kind=Kind.PAYMENT).exclude(receipt_key="").order_by()
    same = Repayment.objects.filter(
        Q(external_id_key__in=payments.values("receipt_key"))
        | Q(external_id_key__in=payments.exclude(bank_key="").values("bank_key")),
        only or Q(),
        app_id=file.app_id,
    )
    known: dict[str, list[Recorded]] = {}
    for one in map(Recorded._make, same.values_list(*Recorded._fields)):
        known.setdefault(one.external_id_key, []).append(one)
    others = file.lines.filter(kind=Kind.PAYMENT, receipt_key__in=payments.values("receipt_key"))
    times = others.values("receipt_key").annotate(rows=Count("pk")).filter(rows__gt=1)
    twice = set(times.values_list("receipt_key", flat=True))
    currency = lending_app(file.app_id).currency
    return [
        (
            row,
            judge(
                row,
                known.get(row.receipt_key, ()),
                known.get(row.bank_key, ()),
                is_twice=row.receipt_key in twice,
                currency=currency,
            ),
        )
        for row in rows
    ]


def add_up(judged: Iterable[Judged]) -> tuple[dict[str, Sums], dict[str, Sums]]:
    """Return the sums by kind and the sums by standing. Each line counts once in each."""
    kinds = {kind.value: Sums(str(kind.label)) for kind in Kind}
    chips = {one: Status(str(one.label), *CHIPS[one]) for one in Standing}
    standings = {one.value: Sums(chip.word, chip) for one, chip in chips.items()}
    for row, standing in judged:
        for part in (kinds[row.kind], standings[standing]):
            part.add(row.position, row.amount, row.currency)
    return kinds, standings


def list_repayments(
    file: StatementFile, lines: Sequence[StatementLine]
) -> dict[str, list[Repayment]]:
    """Return the journal's repayments with the receipts or bank references of these lines.

    The keys are these receipts and references. At most 20 repayments of each key are read; those
    that may have moved money are preferred. The newest repayments come first.
    """
    payments = [line for line in lines if line.kind == Kind.PAYMENT]
    keys = {key for line in payments for key in (line.receipt_key, line.bank_key)} - {""}
    counts_last = Case(When(state__in=_MAY_HAVE_MOVED, then=0), default=1)
    place = Window(RowNumber(), F("external_id_key"), order_by=[counts_last, F("id").desc()])
    rows = Repayment.objects.filter(app_id=file.app_id, external_id_key__in=keys)
    found: dict[str, list[Repayment]] = {}
    for row in rows.annotate(place=place).filter(place__lte=_MOST_OF_A_KEY).order_by("-id"):
        found.setdefault(row.external_id_key, []).append(row)
    return found

"""Compare the contracts of one preview, with pure functions.

Missing fields cause no error. Amounts are in the app's currency, and rates are yearly fractions.
"""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from lendingadmin.lending.values import (
    ContractAmounts,
    InstallmentAmounts,
    InterestRates,
    LendingContract,
    Malformed,
    each,
    number,
)
from lendingadmin.records.loans.shown import CONTRACT
from lendingadmin.web.display.technical import Leaf, list_technical


class Column(NamedTuple):
    """One contract's figures. `place` is its position in the service's answer, from 1."""

    place: int
    name: str
    contract: LendingContract
    receives: Decimal | None
    repays: Decimal | None
    interest: Decimal | None
    fees: Decimal | None
    apr: Decimal | None
    aer: Decimal | None
    instalments: tuple[Decimal, ...]
    first_due: object
    last_due: object
    cheapest: bool = False
    lightest: bool = False

    @property
    def cost(self) -> Decimal | None:
        """Amount that the borrower repays minus the amount received; None if one is unknown."""
        if self.repays is None or self.receives is None:
            return None
        return self.repays - self.receives

    @property
    def heaviest(self) -> Decimal | None:
        """The largest single instalment that the borrower must pay; None if unknown."""
        return max(self.instalments, default=None)

    @property
    def smallest(self) -> Decimal | None:
        """The smallest single instalment; None if unknown."""
        return min(self.instalments, default=None)

    @property
    def how_many(self) -> int:
        """Number of instalments."""
        return len(each(self.contract.installments))

    @property
    def technical(self) -> list[Leaf]:
        """Content of the contract that the page does not show elsewhere."""
        return list_technical(self.contract, CONTRACT)


class Cell(NamedTuple):
    """One figure. `behind` is the difference from the best figure of the line.

    `behind` is None for the best figure, for an unknown figure, and in a line without a best
    figure.
    """

    column: Column
    value: object
    behind: Decimal | None
    best: bool


class Line(NamedTuple):
    """One line of the comparison. `kind` is the form in which the values are written."""

    label: str
    note: str
    kind: str
    cells: tuple[Cell, ...]


Worth = Callable[[Column], Decimal | None]
# Label, note, kind and value of a line. The last item is True if a higher value is better, False if
# a lower value is better, and None if no value is better.
_LINES: tuple[tuple[str, str, str, Callable[[Column], Any], bool | None], ...] = (
    (_("Borrower receives"), "", "money", lambda column: column.receives, True),
    (
        _("Instalments"),
        _("largest instalment"),
        "instalments",
        lambda column: column.heaviest,
        False,
    ),
    (_("Total to repay"), "", "money", lambda column: column.repays, False),
    (_("Total cost"), _("repaid minus received"), "money", lambda column: column.cost, False),
    (_("Interest"), "", "money", lambda column: column.interest, False),
    (_("Fees"), "", "money", lambda column: column.fees, False),
    (_("APR"), _("annual percentage rate"), "rate", lambda column: column.apr, False),
    (_("AER"), _("annual effective rate"), "rate", lambda column: column.aer, False),
    (_("Starts"), "", "day", lambda column: column.contract.start_date, None),
    (_("First due"), "", "day", lambda column: column.first_due, None),
    (_("Last due"), "", "day", lambda column: column.last_due, None),
    (_("Matures"), "", "day", lambda column: column.contract.maturity_date, None),
)


def columns(
    contracts: Sequence[LendingContract | Malformed], called: Callable[[object], str]
) -> tuple[Column, ...]:
    """Return a column for each readable contract.

    Mark the contract with the lowest cost, and the one whose largest instalment is the lowest.
    Contracts with equal values share a mark. If all values are equal, or if there is only one
    contract, there is no mark. `called` returns the name for a productId.
    """
    found = [
        _column(place, contract, called(contract.product_id))
        for place, contract in enumerate(contracts, start=1)
        if isinstance(contract, LendingContract)
    ]
    cheapest = _best(found, lambda column: column.cost)
    lightest = _best(found, lambda column: column.heaviest)
    return tuple(
        column._replace(
            cheapest=cheapest is not None and column.cost == cheapest,
            lightest=lightest is not None and column.heaviest == lightest,
        )
        for column in found
    )


def lines(found: Sequence[Column]) -> tuple[Line, ...]:
    """Return the lines of the comparison.

    If the values of a line differ, each cell has the difference from the best value.
    """
    compared = []
    for label, note, kind, value, more in _LINES:
        best = None if more is None else _best(found, value, more)
        cells = []
        for column in found:
            worth = value(column)
            behind = None if best is None or worth is None else worth - best
            cells.append(Cell(column, worth, behind or None, best is not None and worth == best))
        compared.append(Line(gettext(label), gettext(note), kind, tuple(cells)))
    return tuple(compared)


def _best(found: Iterable[Column], worth: Worth, more: bool = False) -> Decimal | None:
    """Return the best value; None if there are fewer than two different values."""
    values = {value for column in found if (value := worth(column)) is not None}
    if len(values) < 2:
        return None
    return max(values) if more else min(values)


def _column(place: int, contract: LendingContract, name: str) -> Column:
    amounts = contract.amounts if isinstance(contract.amounts, ContractAmounts) else None
    rates = contract.interest_rates if isinstance(contract.interest_rates, InterestRates) else None
    instalments = each(contract.installments)
    due = [one.due_date for one in instalments]
    paid_out = number(amounts.disbursement) if amounts else None
    tranches = _read_all(one.amount for one in each(contract.tranches))
    return Column(
        place=place,
        name=name,
        contract=contract,
        # The disbursement in the contract, or else the sum of its tranches.
        receives=sum(tranches, Decimal(0)) if paid_out is None and tranches else paid_out,
        repays=number(amounts.repayment) if amounts else None,
        interest=number(amounts.interest) if amounts else None,
        fees=number(amounts.fees) if amounts else None,
        apr=number(rates.apr) if rates else None,
        aer=number(rates.aer) if rates else None,
        instalments=_read_all(
            one.amounts.repayment if isinstance(one.amounts, InstallmentAmounts) else None
            for one in instalments
        ),
        first_due=due[0] if due else None,
        last_due=due[-1] if due else None,
    )


def _read_all(values: Iterable[object]) -> tuple[Decimal, ...]:
    """Return the amounts; an empty tuple if one of them can't be read."""
    amounts = [number(value) for value in values]
    known = tuple(amount for amount in amounts if amount is not None)
    return known if len(known) == len(amounts) else ()

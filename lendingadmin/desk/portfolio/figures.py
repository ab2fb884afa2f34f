"""Figures of a portfolio, added up loan by loan. Their size does not depend on the number of loans.

Amounts are exact and in the app's currency. Outstanding, overdue and at-risk amounts, and
performance, are of open loans only (CGAP, Microfinance Consensus Guidelines, 2003; spec: Loan,
performanceStatus). A loan counts in a figure if the service gave the values that the figure needs.
Otherwise the loan counts in the `untold` of this figure.

If the meaning of a figure changes, increase `models.FIGURES_VERSION`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from .amounts import exactly
from .models import SnapshotLoan

# Portfolio at risk: outstanding principal of open loans that are more than this many days late.
AT_RISK = (1, 30, 60, 90)
MONTHS = 13
# The most kinds of performance. A service may send a different performance for each loan, and the
# figures must stay small.
_MOST_KINDS = 40
OTHER_KINDS = "…"
# Figures of all loans. The other figures are of open loans only.
_OF_ALL_LOANS = ("paid", "months")


@dataclass
class Sum:
    """An amount, and the number of loans that contribute to it. A zero does not count."""

    amount: Decimal = Decimal(0)
    loans: int = 0

    def add(self, amount: Decimal) -> None:
        """Add the amount of one loan."""
        self.amount += amount
        self.loans += amount != 0


@dataclass
class Figures:
    """All figures of one snapshot. `day` is the day in the lender's time zone.

    sums          by name: outstanding, overdue, principal_outstanding, paid, par1 … par90
    months        principal by month of the start, `2026-05`, of the last MONTHS up to `day`
    performance   by the key of the status: outstanding amount and number of its open loans
    `untold`      number of loans that lack the values of a figure: outstanding, overdue,
                  at_risk, paid, months
    opened_by     number of loans known to be open or closed by a status `word`, and by `dates`
    statuses      number of loans by the key of their status
    """

    day: date
    sums: dict[str, Sum] = field(default_factory=dict)
    months: dict[str, Sum] = field(default_factory=dict)
    performance: dict[str, Sum] = field(default_factory=dict)
    untold: dict[str, int] = field(default_factory=dict)
    opened_by: dict[str, int] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("outstanding", "overdue", "principal_outstanding", "paid"):
            self.sums.setdefault(name, Sum())
        for days in AT_RISK:
            self.sums.setdefault(f"par{days}", Sum())
        for month in months_to(self.day):
            self.months.setdefault(month, Sum())

    def add_all(self, rows: Iterable[SnapshotLoan]) -> None:
        """Add these loans to the figures. Their performance may become OTHER_KINDS."""
        with exactly():
            for row in rows:
                self._add(row)

    def _add(self, row: SnapshotLoan) -> None:
        by = "word" if row.has_status_word else "dates"
        self.opened_by[by] = self.opened_by.get(by, 0) + 1
        if row.status in self.statuses or len(self.statuses) < _MOST_KINDS:
            self.statuses[row.status] = self.statuses.get(row.status, 0) + 1
        self._sum("paid", row.paid_since_last)
        self._disbursed(row)
        if row.is_open:
            self._add_open(row)

    def _add_open(self, row: SnapshotLoan) -> None:
        self._sum("outstanding", row.outstanding)
        self._sum("overdue", row.overdue)
        self._at_risk(row)
        if row.performance not in self.performance and len(self.performance) >= _MOST_KINDS:
            row.performance = OTHER_KINDS
        kind = self.performance.setdefault(row.performance, Sum())
        kind.amount += row.outstanding or Decimal(0)
        kind.loans += 1

    def is_known(self, name: str) -> bool:
        """Return True if any loan has the values of this figure, or if there are no loans."""
        is_open = sum(kind.loans for kind in self.performance.values())
        loans = sum(self.opened_by.values()) if name in _OF_ALL_LOANS else is_open
        return not loans or self.untold.get(name, 0) < loans

    def share_at_risk(self, days: int) -> Decimal | None:
        """Return the share of the outstanding principal that is at risk, from 0 to 1.

        Return None if no principal is outstanding.
        """
        whole = self.sums["principal_outstanding"].amount
        return self.sums[f"par{days}"].amount / whole if whole > 0 else None

    def _sum(self, name: str, amount: Decimal | None) -> None:
        if amount is None:
            self.untold[name] = self.untold.get(name, 0) + 1
        else:
            self.sums[name].add(amount)

    def _at_risk(self, row: SnapshotLoan) -> None:
        owed, late = row.principal_outstanding, row.days_late
        if owed is None or (late is None and owed):
            self.untold["at_risk"] = self.untold.get("at_risk", 0) + 1
        if not owed:
            return
        self.sums["principal_outstanding"].add(owed)
        for days in AT_RISK:
            if late is not None and late > days:
                self.sums[f"par{days}"].add(owed)

    def _disbursed(self, row: SnapshotLoan) -> None:
        if row.start_day is None or row.principal is None:
            self.untold["months"] = self.untold.get("months", 0) + 1
        elif row.start_day <= self.day:
            month = self.months.get(month_of(row.start_day))
            if month is not None:
                month.add(row.principal)

    def as_json(self) -> dict[str, Any]:
        """Return the figures for a JSON column. Amounts are text with all digits."""
        return {
            "day": self.day.isoformat(),
            "untold": self.untold,
            "opened_by": self.opened_by,
            "statuses": self.statuses,
            "sums": _write_sums(self.sums),
            "months": _write_sums(self.months),
            "performance": _write_sums(self.performance),
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "Figures":
        """Return the figures from the JSON of `as_json`."""
        return cls(
            day=date.fromisoformat(kept["day"]),
            untold=dict(kept["untold"]),
            opened_by=dict(kept["opened_by"]),
            statuses=dict(kept.get("statuses", {})),
            sums=_read_sums(kept["sums"]),
            months=_read_sums(kept["months"]),
            performance=_read_sums(kept["performance"]),
        )


def _write_sums(sums: Mapping[str, Sum]) -> dict[str, tuple[str, int]]:
    return {key: (f"{one.amount:f}", one.loans) for key, one in sums.items()}


def _read_sums(kept: Mapping[str, Any]) -> dict[str, Sum]:
    return {key: Sum(Decimal(amount), loans) for key, (amount, loans) in kept.items()}


def month_of(day: date) -> str:
    """Return the month as `2026-05`."""
    return f"{day.year:04}-{day.month:02}"


def months_to(day: date) -> list[str]:
    """Return the last MONTHS months up to the month of `day`, the oldest first."""
    last = day.year * 12 + day.month - 1
    return [f"{n // 12:04}-{n % 12 + 1:02}" for n in range(max(12, last - MONTHS + 1), last + 1)]

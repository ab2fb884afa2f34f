"""Check for missing rows, with the balances and totals of the statement itself."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, groupby

from django.utils.translation import gettext as _

from .lines import Flaw, Kind, Line, Statement

_ZERO = Decimal(0)
# The most breaks that are named. A file that was cut and sorted has thousands.
_NAMED = 20


@dataclass(frozen=True)
class Proof:
    """Result of the check: the comparisons that were possible, and the breaks that were found.

    Without `checks` no comparison was possible, and the statement is neither complete nor broken.
    `found` is the number of all breaks, and `breaks` has the first ones. Running balances alone
    prove only that nothing is missing between the rows. `has_ends` is True if the opening and
    closing balance were compared with the rows, so that no row is missing at the ends. `skipped`
    counts rows of the file that do not belong to the statement, such as headings, totals and text.
    """

    checks: Sequence[str]
    breaks: Sequence[Flaw]
    found: int
    has_ends: bool = False
    skipped: int = 0

    @property
    def is_complete(self) -> bool:
        """True if opening and closing balance were compared and no break was found."""
        return self.has_ends and not self.found


def prove(statement: Statement) -> Proof:
    """Return the result of comparing a statement's balances, lines and totals with each other."""
    flaws = list(statement.flaws)
    if statement.unknown_words:
        # It is unknown which rows are payments, so the rows can't be added up.
        return Proof([], flaws[:_NAMED], len(flaws), skipped=statement.skipped)
    # The fee of a row is a separate line after the row, in both orders of the rows.
    rows = [list(row) for _number, row in groupby(statement.lines, key=lambda line: line.number)]
    lines = list(chain.from_iterable(rows[:: -1 if statement.newest_first else 1]))
    moved, *others = _part_by_currency(statement, lines)
    checks, breaks, has_ends = list[str](), list[Flaw](), False
    for part, opening in ((moved, statement.opening), *((other, None) for other in others)):
        if _can_compare(part, opening):
            checks = [_("each balance agrees with the balance before")]
            breaks += _find_gaps(part, opening)
    if statement.opening is not None and statement.closing is not None:
        has_ends = True
        checks.append(_("opening balance, money in and money out add up to the closing balance"))
        breaks += _compare_ends(statement, moved)
    for total, words, text, sign in (
        (
            statement.paid_in,
            _("money in adds up to the total at the top of the file"),
            _("Money in adds up to %(found)s, but the top of the file says %(total)s."),
            1,
        ),
        (
            statement.paid_out,
            _("money out adds up to the total at the top of the file"),
            _("Money out adds up to %(found)s, but the top of the file says %(total)s."),
            -1,
        ),
    ):
        if total is not None:
            checks.append(words)
            amounts = [line.amount * sign for line in moved if line.amount]
            found = sum((amount for amount in amounts if amount > 0), _ZERO)
            if found != total:
                values = {"found": f"{found:,f}", "total": f"{total:,f}"}
                breaks.append(Flaw(0, text % values))
    for part in others:
        # The balances of a head are in one currency. A single running balance has none before it.
        if checks and (statement.has_balances or not _can_compare(part, None)):
            words = _(
                "Row %(number)s is in %(currency)s, but the balances are in another currency."
            )
            breaks += [
                Flaw(line.number, words % {"number": line.number, "currency": line.currency})
                for line in part
            ]
    named = {flaw.number for flaw in flaws}
    breaks += flaws
    breaks += [
        Flaw(line.number, _("Row %(number)s has no amount.") % {"number": line.number})
        for line in lines
        if line.amount is None
        and line.balance is None
        and line.kind is not Kind.FAILED
        and line.number not in named
    ]
    is_read = not statement.unread
    return Proof(checks, breaks[:_NAMED], len(breaks), has_ends and is_read, statement.skipped)


def _part_by_currency(statement: Statement, lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines that moved money, one list for each currency.

    The first list has the currency of the statement.
    """
    moved = [line for line in lines if line.kind is not Kind.FAILED and line.amount is not None]
    named = Counter(line.currency for line in moved if line.currency).most_common(1)
    main = statement.currency or (named[0][0] if named else "")
    parts: dict[str, list[Line]] = {main: []}
    for line in moved:
        parts.setdefault(line.currency or main, []).append(line)
    return list(parts.values())


def _can_compare(lines: Sequence[Line], opening: Decimal | None) -> bool:
    """Return True if at least two balances can be compared, the opening balance included."""
    running = sum(line.balance is not None for line in lines)
    return running > 1 or (running > 0 and opening is not None)


def _find_gaps(lines: Sequence[Line], opening: Decimal | None) -> Iterator[Flaw]:
    """Yield a flaw for each row whose balance is not the balance before plus the row's amount.

    Amounts of rows without a balance are added up until the next row that has one. If a part of the
    file is in another order, the first flaw shows the place.
    """
    before, moved = opening, _ZERO
    for line in lines:
        moved += line.amount or _ZERO
        if line.balance is None:
            continue
        if before is not None and before + moved != line.balance:
            words = _(
                "At row %(number)s the balance is %(found)s and should be %(expected)s. A row of "
                "%(missing)s is missing, extra or changed near this row."
            )
            values = {
                "number": line.number,
                "found": f"{line.balance:,f}",
                "expected": f"{before + moved:,f}",
                "missing": f"{line.balance - before - moved:,f}",
            }
            yield Flaw(line.number, words % values)
        before, moved = line.balance, _ZERO


def _compare_ends(statement: Statement, moved: Sequence[Line]) -> Iterator[Flaw]:
    opening, closing = statement.opening or _ZERO, statement.closing or _ZERO
    total = sum((line.amount or _ZERO for line in moved), opening)
    if total != closing:
        words = _(
            "Opening balance and rows add up to %(total)s, but the closing balance is "
            "%(closing)s. %(missing)s is missing."
        )
        values = {"total": total, "closing": closing, "missing": closing - total}
        yield Flaw(0, words % {name: f"{one:,f}" for name, one in values.items()})

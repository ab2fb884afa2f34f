"""Checks between the parts of one file: the common account, the order, and missing parts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from decimal import Decimal
from itertools import pairwise

from django.utils.translation import gettext as _

from lendingadmin.desk.statements.identity import normalise_account
from lendingadmin.desk.statements.lines import Flaw, Kind, Line, Refused

from .days import read_moment
from .head import read_head
from .layouts import fold_heading
from .meanings import is_total

# A bank's placeholders for a missing reference.
_NONE = ("NOTPROVIDED", "NONREF")
# The opening and the closing balance of a message; None if the message has none.
Balances = tuple[Decimal | None, Decimal | None]
# A number with fewer digits is a page number, not an account.
_DIGITS = 4


def find_given(*texts: str | None) -> str:
    """Return the first text that is neither empty nor a placeholder; empty if there is none."""
    return next((text for text in texts if text and text.upper() not in _NONE), "")


def find_account(accounts: Iterable[str]) -> str:
    """Return the only account, as written first; empty if none.

    Raise Refused for several accounts.
    """
    named = [account for account in accounts if account]
    if len(set(map(normalise_account, named))) > 1:
        words = _(
            "The file has statements of several accounts. Export the statement of each account "
            "as a separate file."
        )
        raise Refused(words, code="accounts")
    return named[0] if named else ""


def is_other_head(
    first: Sequence[Sequence[str]],
    rows: Sequence[Sequence[str]],
    account: str,
    zone: tzinfo,
    *,
    is_new: bool,
) -> bool:
    """Return True if rows within a table name another account than `first`, the rows above it.

    `is_new` is True if the rows are next to new headings. Then another holder, or another number
    with the same label, is enough too.
    """
    head, other = (read_head(part, zone, day_first=True) for part in (first, rows))
    named = normalise_account(str(other.get("account", "")))
    if named and (account or is_new) and named != normalise_account(account):
        return True
    if not is_new:
        return False
    ids, others = _list_numbers(first, zone), _list_numbers(rows, zone)
    ids["holder"], others["holder"] = (
        fold_heading(str(part.get("holder", head.get("holder", "")))) for part in (head, other)
    )
    return any(ids.get(label, number) != number for label, number in others.items())


def _list_numbers(rows: Sequence[Sequence[str]], zone: tzinfo) -> dict[str, str]:
    """Return the numbers in a head, by label, without days and totals."""
    found = dict[str, str]()
    for row in rows:
        cells = [cell for cell in row if cell]
        label, _sign, rest = (cells or [""])[0].partition(":")
        number = "".join([rest, *cells[1:2]][: 1 if rest.strip() else 2]).replace(" ", "")
        is_number = number.replace("-", "").isalnum() and sum(map(str.isdigit, number)) >= _DIGITS
        days = (read_moment(number, zone, day_first=first).at for first in (True, False))
        if label and is_number and not is_total(label) and not any(days):
            found[fold_heading(label)] = number
    return found


def is_newest_first(messages: Sequence[Balances]) -> bool:
    """Return True if each message begins with the final balance of the message after it."""
    follows = all(one[1] == other[0] for one, other in pairwise(messages))
    precedes = all(one[0] == other[1] for one, other in pairwise(messages))
    return len(messages) > 1 and precedes and not follows


def find_gaps(messages: Sequence[Balances]) -> Iterator[Flaw]:
    """Yield a flaw where a message does not begin with the balance that ended the one before."""
    for number, (one, other) in enumerate(pairwise(messages), start=1):
        ends, begins = one[1], other[0]
        if ends is not None and begins is not None and ends != begins:
            words = _(
                "Message %(number)s ends with the balance %(ends)s, but the next message "
                "begins with %(begins)s. A message between these two is missing."
            )
            values = {"number": number, "ends": f"{ends:,f}", "begins": f"{begins:,f}"}
            yield Flaw(0, words % values)


def are_newest_first(found: Sequence[Line]) -> bool:
    """Return True if the newest row is first.

    The times show the order, or else the balances.
    """
    moments = [line.moment for line in found if line.moment]
    falling = sum(a > b for a, b in pairwise(moments))
    rising = sum(a < b for a, b in pairwise(moments))
    if falling != rising:
        return falling > rising
    moved, balances = defaultdict[int, Decimal](Decimal), dict[int, Decimal]()
    for line in found:
        if line.kind is not Kind.FAILED:
            moved[line.number] += line.amount or 0
            if line.balance is not None:
                balances[line.number] = line.balance
    upwards = sum(balances[a] == balances[b] + moved[a] for a, b in pairwise(balances))
    return upwards > sum(balances[b] == balances[a] + moved[b] for a, b in pairwise(balances))

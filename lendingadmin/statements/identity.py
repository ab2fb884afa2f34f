"""What a payment of a statement is known by, and recorded as (spec: MakeRepayment, externalId).

An operator's receipt is one payment's alone. A bank's reference may repeat, from one standing order
to the next, or be missing: there the id is made of all that tells payments of an account apart.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from typing import NamedTuple

from babel.numbers import get_currency_precision, is_currency

from .lines import Line

_DAY = timedelta(days=1)
_PHONE_DIGITS, _LONGEST = 7, 60


class Parts(NamedTuple):
    """What tells the payments of an account apart; the reference is empty where there is none."""

    moment: datetime | None
    amount: Decimal | None
    currency: str
    reference: str
    balance: Decimal | None


def read_parts(line: Line) -> Parts:
    """Return what a bank's row is told apart by. A reference that lost digits tells nothing; where
    the bank gives none, what the payer gave does, unless it may be a phone number.
    """
    reference = "" if line.is_damaged else line.receipt
    if not reference and sum(map(str.isdigit, line.reference)) < _PHONE_DIGITS:
        reference = line.reference[:_LONGEST]
    return Parts(line.moment, line.amount, line.currency, reference, line.balance)


def make_ids(account: str, rows: Sequence[Parts], zone: tzinfo) -> list[str]:
    """Return for each row an id that is its own and the same in whatever file the row comes again.

    It can be read: account, day, amount, balance and reference, and which of several alike it is.
    The letters between keep the parts apart where ids are compared without their signs.
    """
    # A spreadsheet takes the zeros before it, and banks write it with spaces or a branch.
    account = normalise_account(account)
    seen, found = Counter[str](), list[str]()
    for row in rows:
        day = f"{row.moment.astimezone(zone):%Y%m%d}" if row.moment else ""
        written = _write(row.amount, row.currency)
        balance = f"-B{_write(row.balance, row.currency)}" if row.balance is not None else ""
        base = f"{account}-D{day}-A{written}{balance}"
        base += f"-R{row.reference}" if row.reference else ""
        seen[base] += 1
        found.append(base if seen[base] == 1 else f"{base}-N{seen[base]}")
    return found


def normalise_account(account: str) -> str:
    """Return an account without signs, and without the zeros that a spreadsheet takes."""
    return "".join(sign for sign in account if sign.isalnum()).lstrip("0")


def order_alike(lines: Sequence[Line]) -> list[int]:
    """Return the places of lines in an order that no export changes: rows that are alike in all
    else stand by their words.
    """
    return sorted(range(len(lines)), key=lambda at: (lines[at].payer, lines[at].details))


def is_same_day(moment: datetime, *, has_time: bool, other: datetime) -> bool:
    """Return whether a repayment of this other moment may be what a row says of its own.

    A row without a time has all of its day, one with a time a day to both sides.
    """
    begins = moment - _DAY if has_time else moment
    return begins <= other < moment + _DAY


def _write(amount: Decimal | None, currency: str) -> str:
    decimals = max(get_currency_precision(currency) if is_currency(currency) else 2, 2)
    return f"{amount or 0:.{decimals}f}"

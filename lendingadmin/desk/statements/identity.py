"""The identity of a payment on a bank statement, recorded as `externalId` (spec: MakeRepayment).

An operator's receipt belongs to one payment. A bank's reference can be missing, or can repeat, as
in a standing order. Therefore the id of a bank's payment combines all values that distinguish the
payments of an account.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from hashlib import sha256

from babel.numbers import get_currency_precision, is_currency

from .lines import Line

_DAY = timedelta(days=1)
_PHONE_DIGITS, _LONGEST = 7, 60


def make_ids(account: str, lines: Sequence[Line], zone: tzinfo) -> list[str]:
    """Return a unique id for each line of a bank.

    The same row in another file gets the same id. The id has the account, day, amount, balance, and
    the reference or else a hash of the payer. Letters separate these parts, because ids are
    compared without punctuation. Equal rows are numbered in the order of payer and details, so that
    their ids are the same in every export.
    """
    # Spreadsheets remove leading zeros, and banks add spaces or the currency.
    account = normalise_account(account)
    seen, found = Counter[str](), [""] * len(lines)
    for at in sorted(range(len(lines)), key=lambda at: (lines[at].payer, lines[at].details)):
        base = _describe(account, lines[at], zone)
        seen[base] += 1
        found[at] = base if seen[base] == 1 else f"{base}-N{seen[base]}"
    return found


def _describe(account: str, line: Line, zone: tzinfo) -> str:
    """Return the text that distinguishes a payment of an account.

    Leave out a reference that lost digits. If the bank gives no reference, use the payer's
    reference, unless it may be a phone number. If there is no reference at all, use a hash of the
    payer.
    """
    reference = "" if line.is_damaged else line.receipt
    if not reference and sum(map(str.isdigit, line.reference)) < _PHONE_DIGITS:
        reference = line.reference[:_LONGEST]
    day = f"{line.moment.astimezone(zone):%Y%m%d}" if line.moment else ""
    base = f"{account}-D{day}-A{_write(line.amount, line.currency)}"
    base += f"-B{_write(line.balance, line.currency)}" if line.balance is not None else ""
    base += f"-R{reference}" if reference else ""
    payer = f"{line.payer} {line.reference} {line.details}".strip()
    is_known = bool(reference) or line.balance is not None
    # Six characters of a hash distinguish the payers without their names.
    folded = "".join(filter(str.isalnum, payer.casefold()))
    mark = sha256(f"{account} {folded}".encode()).hexdigest()[:6].upper()
    return base if is_known or not payer else f"{base}-P{mark}"


def normalise_account(account: str) -> str:
    """Return an account number without punctuation, leading zeros and a currency at its end."""
    bare = "".join(sign for sign in account if sign.isalnum()).lstrip("0").upper()
    has_currency = bare[-4:-3].isdigit() and is_currency(bare[-3:])
    return bare[:-3] if has_currency else bare


def is_same_day(moment: datetime, *, has_time: bool, other: datetime) -> bool:
    """Return whether another moment is on the day of a row.

    A row without a time covers the 24 hours from its midnight; a row with a time covers one day
    before and after.
    """
    begins = moment - _DAY if has_time else moment
    return begins <= other < moment + _DAY


def _write(amount: Decimal | None, currency: str) -> str:
    decimals = max(get_currency_precision(currency) if is_currency(currency) else 2, 2)
    return f"{amount or 0:.{decimals}f}"

"""What stands above the headings of a table: whose account it is of, its period and balances."""

import re
from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from .days import read_moment
from .figures import read_amount
from .layouts import fold_heading

# By the label: the statement's field.
_LABELS = {
    "account holder": "holder",
    "organisation name": "holder",
    "organization name": "holder",
    "account name": "holder",
    "short code": "account",
    "account": "account",
    "account number": "account",
    "account no": "account",
    "account no.": "account",
    "msisdn": "account",
    "time period": "period",
    "statement period": "period",
    "period": "period",
    "opening balance": "opening",
    "closing balance": "closing",
    "total paid in": "paid_in",
    "total withdrawn": "paid_out",
    "total credit": "paid_in",
    "total credits": "paid_in",
    "total debit": "paid_out",
    "total debits": "paid_out",
    "currency": "currency",
}
_AMOUNTS = ("opening", "closing", "paid_in", "paid_out")
_DAY = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ](?:\d{1,2}|[^\W\d_]{3,9})[-/. ]\d{4}"
)


def read_head(rows: Sequence[Sequence[str]], zone: tzinfo, *, day_first: bool) -> dict[str, Any]:
    """The fields of a Statement that its head says; of several of one label the first.

    What a label means stands behind its colon or in the next cell; of a period, in all that follow.
    """
    found: dict[str, Any] = {}
    for row in rows:
        cells = [cell for cell in row if cell]
        for at, cell in enumerate(cells):
            label, _, rest = cell.partition(":")
            field = _LABELS.get(fold_heading(label))
            if field is None or field in found:
                continue
            following = [rest.strip(), *cells[at + 1 :]] if rest.strip() else cells[at + 1 :]
            text = " ".join(following) if field == "period" else "".join(following[:1])
            found |= _read_value(field, text, zone, day_first)
    return found


def _read_value(field: str, text: str, zone: tzinfo, day_first: bool) -> dict[str, Any]:
    if field == "period":
        # Behind the two of the period may stand when it was printed.
        days = [read_moment(one, zone, day_first=day_first).at for one in _DAY.findall(text)[:2]]
        known = sorted(one.date() for one in days if one)
        return {"begins": known[0], "ends": known[-1]} if len(known) > 1 else {}
    if field not in _AMOUNTS:
        return {field: text} if text else {}
    amount = read_amount(text)
    if amount is None:
        return {}
    return {field: abs(amount) if field == "paid_out" else amount}

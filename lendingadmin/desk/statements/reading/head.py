"""Reader of the rows above the headings of a table: the account, its period and its balances."""

import re
from collections.abc import Sequence
from datetime import tzinfo
from itertools import takewhile
from typing import Any

from .days import read_moment
from .figures import read_amount
from .layouts import fold_heading

# The beginning of an amount that commas divide into groups of three figures; and a further group.
_BEGUN, _THREE = re.compile(r"\D{0,5}\d{1,3}"), re.compile(r"\d{3}(?:\.\d{1,2})?")
# The labels of each field of the statement.
_LABELS_OF = {
    "holder": "account holder · organisation name · organization name · account name",
    "account": "short code · account · account number · account no · account no. · msisdn",
    "period": "time period · statement period · period",
    "begins": "from · from date · date from · start date · date start · start · du · begin date · "
    "date de début · date debut · début · kuanzia",
    "ends": "to · to date · date to · end date · date end · end · au · date de fin · date fin · "
    "fin · hadi · mpaka",
    "opening": "opening balance",
    "closing": "closing balance",
    "paid_in": "total paid in · total credit · total credits",
    "paid_out": "total withdrawn · total debit · total debits",
    "currency": "currency · account currency · devise",
}
_LABELS = {label: field for field, labels in _LABELS_OF.items() for label in labels.split(" · ")}
_ENDS = ("begins", "ends")
_AMOUNTS = ("opening", "closing", "paid_in", "paid_out")
_MONTH = r"[^\W\d_]{3,9}\.?"
_DAY = re.compile(
    rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|"
    rf"\d{{1,2}}[-/. ](?:\d{{1,2}}|{_MONTH})[-/., ] ?(?:\d{{4}}|\d{{2}}(?![\d:]))|"
    rf"{_MONTH} \d{{1,2}},? \d{{4}}"
)
# The first and last day in one text: “From 01/11/2026 to 30/11/2026”.
_SPAN = re.compile(
    rf"(?i)\b(?:from|du|kuanzia|between)\b\W{{0,3}}(?P<begins>{_DAY.pattern})"
    rf".{{0,30}}?\b(?:to|au|hadi|and)\b(?: date)?\W{{0,3}}(?P<ends>{_DAY.pattern})"
)
_ABOUT = re.compile(r"^(?:statement|report|period|transactions?) ")
_LONGEST = 200


def read_head(rows: Sequence[Sequence[str]], zone: tzinfo, *, day_first: bool) -> dict[str, Any]:
    """Return the fields of a Statement that a head names. The first of equal labels counts.

    The value is after the colon of the label, or in the next cell. The value of a period is all
    text after the label.
    """
    found: dict[str, Any] = {}
    for row in rows:
        cells = [cell for cell in row if cell]
        if "begins" not in found and (span := _SPAN.search(" ".join(cells)[:_LONGEST])):
            found |= _read_value("period", f"{span['begins']} {span['ends']}", zone, day_first)
        for at, cell in enumerate(cells):
            field, rest = _find_field(cell)
            if field is None or field in found:
                continue
            following = [rest, *cells[at + 1 :]] if rest else cells[at + 1 :]
            text = " ".join(following) if field == "period" else "".join(following[:1])
            if field in _AMOUNTS and _BEGUN.fullmatch(text):
                # Without quotation marks, an amount with commas is divided into several cells.
                text += "".join(takewhile(_THREE.fullmatch, following[1:]))
            found |= _read_value(field, text, zone, day_first)
    # A period needs a first and a last day, in this order.
    if not found.keys() >= {*_ENDS} or found["begins"] > found["ends"]:
        return {name: value for name, value in found.items() if name not in _ENDS}
    return found


def _find_field(cell: str) -> tuple[str | None, str]:
    """Return the field that a cell's label names, and the text after the label.

    The field is None if the label is unknown.
    """
    label, _, rest = cell.partition(":")
    folded = fold_heading(label)
    if folded not in _LABELS and (day := _DAY.search(cell[:_LONGEST])):
        folded, rest = fold_heading(cell[: day.start()]), cell[day.start() :]
    return _LABELS.get(folded) or _LABELS.get(_ABOUT.sub("", folded)), rest.strip()


def _read_value(field: str, text: str, zone: tzinfo, day_first: bool) -> dict[str, Any]:
    days = (read_moment(one, zone, day_first=day_first).at for one in _DAY.findall(text))
    if field == "period":
        # The date of printing may follow the two dates of the period.
        known = sorted(one.date() for one in list(days)[:2] if one)
        return {"begins": known[0], "ends": known[-1]} if len(known) > 1 else {}
    if field in _ENDS:
        return {field: day.date()} if (day := next(days, None)) else {}
    if field not in _AMOUNTS:
        return {field: text} if text else {}
    amount = read_amount(text)
    if amount is None:
        return {}
    return {field: abs(amount) if field == "paid_out" else amount}

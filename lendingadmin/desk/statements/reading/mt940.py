"""Reader of MT940, the text format of SWIFT for bank statements."""

import re
from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any

import mt940
from django.utils.translation import gettext as _

from lendingadmin.desk.statements.lines import (
    Kind,
    Line,
    Refused,
    Statement,
    find_currency,
    list_others,
)

from .chain import find_account, find_gaps, find_given, is_newest_first
from .figures import is_of_currency
from .tables import MOST_ROWS, decode

_TAG = re.compile(r"[ \t]*:(\d\d[A-Z]?):")
# Only these tags of a message are read, because banks leave other tags blank or break them.
_READ = ("25", "25P", "60F", "60M", "61", "86", "62F", "62M")
# An entry whose amount the library can read. From 1.234,50 the library would read only the 1.
_ENTRY = re.compile(r"(?im)^:61:\d{6}(?:\d{4})?[RE]?[CD][A-Z]?\d+,\d{0,3}(?![\d.,])")
_CLOSING = ("62F", "62M")
_CHARGES = ("CHG", "COM", "FEE", "CHR")
_KEYWORDS = re.compile(r"/(EREF|REMI|NAME|ORDP|BENM|IBAN|CSID|MARF)/+")
_KEYED = re.compile(r"\b(EREF|KREF|MREF|SVWZ)(?:\+|: ?)")
# The mark of a field within the words of a row.
_FIELD = re.compile(r"\?\d\d")


_DEFAULT = mt940.models.Transactions.DEFAULT_PROCESSORS
_PROCESSORS: dict[str, list[Any]] = {
    # The library treats a row without a type as a new row.
    "post_statement": [
        *_DEFAULT["post_statement"],
        lambda _read, _tag, _found, row: row | {"id": row.get("id") or "NMSC"},
    ],
    # The library drops the words that it sorts.
    "post_transaction_details": [
        *_DEFAULT["post_transaction_details"],
        lambda _read, _tag, found, row: (
            row | {"words": _FIELD.sub(" ", str(found.get("transaction_details") or ""))}
        ),
    ],
}


def read_mt940(content: bytes, *, zone: tzinfo) -> Statement:
    """Return the statement in a file.

    Raise Refused if an entry can't be read, if there are too many entries, if there is neither an
    entry nor a balance, or if the file has statements of several accounts.
    """
    messages = _split(decode(content))
    count = sum(one.count("\n:61:") for one in messages)
    if sum(len(_ENTRY.findall(one)) for one in messages) != count:
        words = _(
            "This MT940 file has amounts that are not written like 1234,50. Ask the bank for CSV."
        )
        raise Refused(words, code="mt940")
    if count > MOST_ROWS:
        raise Refused(_("The statement has too many entries. Export the statement in parts."))
    try:
        read = [
            mt940.parse(message, options=mt940.Options.all(), processors=_PROCESSORS)
            for message in messages
        ]
    except Exception as error:
        # The library may raise any exception. In each case the file can't be read.
        words = _("This MT940 file can't be read. Ask the bank for CAMT.053 or CSV.")
        raise Refused(words, code="mt940") from error
    heads = [one.data for one in read]
    account = find_account(str(head.get("account_identification") or "") for head in heads)
    balances = [(_amount(head, "opening"), _amount(head, "closing")) for head in heads]
    if is_newest_first(balances):
        read, balances = read[::-1], balances[::-1]
    rows = [row for one in read for row in one.transactions if "amount" in row.data]
    if not any("final_opening_balance" in head for head in heads) and not rows:
        words = _("This MT940 has no entries and no balance. Export the statement again.")
        raise Refused(words, code="mt940")
    if len(rows) != count:
        words = _("Only %(read)s of %(count)s entries of this MT940 can be read.")
        raise Refused(words % {"count": count, "read": len(rows)}, code="mt940")
    lines = [_read_row(number, row.data, zone) for number, row in enumerate(rows, start=1)]
    return Statement(
        layout="mt940",
        network="",
        account=account,
        currency=find_currency(lines),
        lines=lines,
        # A message that is missing between two others also shows as a difference between these
        # balances.
        opening=balances[0][0],
        closing=balances[-1][1],
        flaws=list(find_gaps(balances)),
        has_unique_ids=False,
    )


def _split(text: str) -> list[str]:
    """Return the messages of a file, each with the tags that are read.

    A message begins at :20:, or, if a bank writes none, at the first tag after a closing balance.
    Text after that balance belongs to the message and not to its last row, so the text is dropped.
    Lines may be indented; the indentation of their tag is removed.
    """
    messages, is_closed, is_kept, indent = list[list[str]](), True, False, 0
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        found = _TAG.match(line)
        tag = found[1] if found else ""
        if tag == "20" or (is_closed and tag in _READ and tag != "86" and tag not in _CLOSING):
            messages.append([":20:NONREF"])
            is_closed = False
        bare = line.lstrip(" \t")
        if tag:
            is_kept, indent = tag in _READ and not is_closed, len(line) - len(bare)
        if is_kept and bare not in ("-", "-}"):
            messages[-1].append(line[min(indent, len(line) - len(bare)) :])
        is_closed = is_closed or tag in _CLOSING
    return ["\n".join([*one, "-"]) for one in messages]


def _amount(head: dict[str, Any], which: str) -> Decimal | None:
    found = head.get(f"final_{which}_balance") or head.get(f"intermediate_{which}_balance")
    return found.amount.amount if found is not None and found.amount is not None else None


def _read_row(number: int, data: dict[str, Any], zone: tzinfo) -> Line:
    money, mark = data["amount"], str(data.get("status") or "").upper()
    # A reversed credit is outgoing money, but the library returns a positive amount.
    amount = {"RC": -abs(money.amount), "RD": abs(money.amount)}.get(mark, money.amount)
    currency = str(money.currency or "")[:3]
    known = amount if is_of_currency(amount, currency) else None
    day = data.get("entry_date") or data.get("date")
    words = " ".join(str(data.get("transaction_details") or "").split())
    texts = {**_read_keys(_FIELD.sub(" ", words)), **{k: str(v) for k, v in data.items() if v}}
    # The library appends the reference from the words (KREF) to the reference of the row.
    given = texts.get("customer_reference", "").split("\n")
    reference = find_given(texts.get("end_to_end_reference"), texts.get("EREF"), *given)
    details = texts.get("purpose") or texts.get("REMI") or texts.get("SVWZ") or words
    receipt = find_given(texts.get("bank_reference"))
    others = (find_given(one) for one in (texts.get("EREF"), *given, receipt))
    whole = (texts.get("extra_details"), texts.get("words"))
    return Line(
        number=number,
        kind=Kind.OTHER if known is None else _sort(mark, str(data.get("id") or ""), amount),
        amount=known,
        currency=currency,
        moment=datetime(day.year, day.month, day.day, tzinfo=zone) if day else None,
        has_time=False,
        receipt=receipt,
        payer=texts.get("applicant_name") or texts.get("NAME") or texts.get("ORDP") or "",
        reference=reference,
        details=details,
        status=mark,
        others=list_others(reference, details, *others, *whole),
    )


def _sort(mark: str, kind: str, amount: Decimal) -> Kind:
    # RTI: an item that was returned.
    if mark in ("RC", "RD") or kind.upper().endswith("RTI"):
        return Kind.REVERSAL
    if any(word in kind.upper() for word in _CHARGES) and amount < 0:
        return Kind.CHARGE
    return Kind.PAYMENT if amount > 0 else Kind.OTHER


def _read_keys(words: str) -> dict[str, str]:
    """Return the text after each key of `/EREF/X/REMI/Y` or `EREF+X SVWZ+Y`."""
    pieces = _KEYWORDS.split(words)
    if len(pieces) < 3:
        pieces = _KEYED.split(words)
    return {key: text.strip(" /") for key, text in zip(pieces[1::2], pieces[2::2], strict=False)}

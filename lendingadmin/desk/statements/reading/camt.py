"""Reader of CAMT.053, the bank statement of ISO 20022, in any version."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, iterparse
from django.utils.translation import gettext as _

from lendingadmin.desk.statements.lines import (
    Kind,
    Line,
    Refused,
    Statement,
    find_currency,
    list_others,
)

from .chain import Balances, find_account, find_gaps, find_given, is_newest_first
from .containers import open_camt
from .days import read_moment
from .figures import is_of_currency
from .meanings import STATUS, Answers, read_status
from .tables import MOST_ROWS

# An XML element of the standard library. Only the library's parser is dangerous; it is not used.
Element = Any
# The status codes of ISO 20022. Only booked money has moved.
_STATUSES = {"BOOK": True, "PDNG": False, "INFO": False, "FUTR": False, "EXPD": False}
# The bank's codes for a returned debit, cheque or transfer.
_RETURNS = ("UPDD", "UPCQ", "UPCT", "RRTN", "RPCR", "RTRN")
_CHARGES = ("CHRG", "FEES", "COMM", "CHAR")
_ADJUSTED = "CAJT"
_SETTLEMENTS = ("SWEP", "ZABA", "TOPG", _ADJUSTED)
# Enough for twenty thousand entries of a hundred elements each. No statement is this deep.
_MOST_ELEMENTS, _DEEPEST = 2_000_000, 40
_AMOUNT = re.compile(r"\d{1,15}(?:\.\d{0,5})?")
# Elements outside `Refs` that have a reference: of the creditor, of a document, or within a text.
_REFERENCES = ("Ref", "Nb", "AddtlRmtInf", "AddtlTxInf")
_PHONES = [f"{path}/{x}" for path in ("Pty/CtctDtls", "CtctDtls") for x in ("MobNb", "PhneNb")]


def read_camt(content: bytes, *, zone: tzinfo, answers: Answers) -> Statement:
    """Return the statement in a file.

    Raise Refused for XML that can't be read, or several accounts.
    """
    reader, (stream, others) = _Reader(zone, answers), open_camt(content)
    try:
        for element in _walk(stream):
            if element.tag in ("Ntry", "Bal", "Acct", "FrToDt", "Stmt"):
                reader.take(element)
            if element.tag in ("Ntry", "Bal", "Stmt"):
                element.clear()
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        words = _("This XML can't be read. Export the statement again.")
        raise Refused(words, code="xml") from error
    return replace(reader.build(), unread=others)


def _walk(stream: io.BytesIO) -> Iterator[Element]:
    """Yield each element when it ends, without its namespace.

    Raise Refused for too many elements.
    """
    count = depth = 0
    for event, element in iterparse(stream, ("start", "end"), forbid_dtd=True):
        if event == "end":
            depth -= 1
            element.tag = str(element.tag).rpartition("}")[2]
            yield element
            continue
        count, depth = count + 1, depth + 1
        if count > _MOST_ELEMENTS or depth > _DEEPEST:
            words = _("This XML is far larger than a statement. Export the statement in parts.")
            raise Refused(words, code="xml")


class _Reader:
    def __init__(self, zone: tzinfo, answers: Answers) -> None:
        self.zone, self.answers, self.lines = zone, answers, list[Line]()
        self.unknown_words = list[str]()
        self.messages = list[tuple[Balances, list[Line]]]()
        self.before = 0
        self.head: dict[str, Any] = {}
        self.accounts = list[str]()
        self.holder = ""
        self.opening: Decimal | None = None
        self.closing: Decimal | None = None
        self.currency = ""

    def take(self, element: Element) -> None:
        """Process an element that has ended. Raise Refused if there are too many entries."""
        if element.tag == "Ntry":
            self.lines.extend(self._read_entry(element))
            if self.before + len(self.lines) > MOST_ROWS:
                raise Refused(
                    _("The statement has too many entries. Export the statement in parts.")
                )
        elif element.tag == "Bal":
            self._read_balance(element)
        elif element.tag == "Stmt":
            self._close_message()
        elif element.tag == "FrToDt":
            self._read_period(element)
        elif element.find("Id") is not None:
            # The accounts of counterparties are within entries, so these paths do not find them.
            paths = ("IBAN", "Id/IBAN", "Id/Othr/Id")
            self.accounts.append(find_given(*(_text(element, path) for path in paths)))
            self.holder = self.holder or _text(element, "Ownr/Nm")
            self.currency = self.currency or _text(element, "Ccy")

    def _read_period(self, element: Element) -> None:
        names = ("FrDtTm", "FrDt", "ToDtTm", "ToDt")
        moments = [one for name in names if (one := self._read_day(element, name))]
        # If a period ends at midnight, its last day is the day before, unless it begins at that
        # midnight.
        if moments and element.find("ToDtTm") is not None and moments[-1] > moments[0]:
            moments[-1] -= timedelta(microseconds=1)
        known = [one.date() for one in moments]
        # Each statement of a file has a period of its own.
        known += [self.head[name] for name in ("begins", "ends") if name in self.head]
        if known:
            self.head |= {"begins": min(known), "ends": max(known)}

    def build(self) -> Statement:
        """Return the statement from all processed elements."""
        # Entries outside any statement element count too.
        if self.lines or not self.messages:
            self._close_message()
        if is_newest_first([balances for balances, _lines in self.messages]):
            self.messages.reverse()
        balances = [one for one, _lines in self.messages]
        lines = [line for _one, lines in self.messages for line in lines]
        if 0 < sum(not line.status for line in lines) < len(lines):
            # Only some entries have a status, so a person must explain an empty status.
            is_done = self._read_status("")
            kind = Kind.FAILED if is_done is False else Kind.OTHER
            lines = [x if x.status or is_done else replace(x, kind=kind) for x in lines]
        return Statement(
            layout="camt-053",
            network="",
            account=find_account(self.accounts),
            holder=self.holder,
            currency=self.currency or find_currency(lines),
            lines=lines,
            opening=next((one for one, _end in balances if one is not None), None),
            closing=next((one for _begin, one in reversed(balances) if one is not None), None),
            flaws=list(find_gaps(balances)),
            unknown_words={STATUS: self.unknown_words} if self.unknown_words else {},
            has_unique_ids=False,
            **self.head,
        )

    def _read_status(self, status: str, *, is_alone: bool = False) -> bool | None:
        """Return True if an entry is booked.

        If its status is unknown, ask a person and return None.
        """
        if status.upper() in _STATUSES:
            return _STATUSES[status.upper()]
        is_done, word = read_status(status, self.answers, is_alone=is_alone)
        if is_done is None and word not in self.unknown_words:
            self.unknown_words.append(word)
        return is_done

    def _close_message(self) -> None:
        self.messages.append(((self.opening, self.closing), self.lines))
        self.before += len(self.lines)
        self.lines, self.opening, self.closing = [], None, None

    def _read_balance(self, element: Element) -> None:
        code = _text(element, "Tp/CdOrPrtry/Cd") or _text(element, "Tp/Cd")
        amount = _read_amount(element)
        if amount is None:
            return
        if _text(element, "CdtDbtInd") == "DBIT":
            amount = -amount
        if code in ("OPBD", "PRCD") and self.opening is None:
            self.opening = amount
        elif code == "CLBD":
            self.closing = amount

    def _read_entry(self, entry: Element) -> Iterator[Line]:
        side = _text(entry, "CdtDbtInd").upper()
        # If the side is unknown, it is not clear whether the money came in or went out.
        amount = _read_amount(entry) if side in ("CRDT", "DBIT") else None
        if amount is not None and not is_of_currency(amount, _find_currency(entry)):
            amount = None
        is_out = side == "DBIT"
        if is_out and amount is not None:
            amount = -amount
        status = _text(entry, "Sts/Cd") or _text(entry, "Sts/Prtry") or _text(entry, "Sts")
        is_done = self._read_status(status, is_alone=True)
        kind = Kind.FAILED if is_done is False else _sort(entry, amount)
        kind = Kind.OTHER if is_done is None else kind
        details = list(entry.iter("TxDtls"))
        for part, own, charge in _split(entry, details, abs(amount or Decimal(0))):
            signed = None if amount is None else (-own if is_out else own)
            line = self._build_line(entry, part, signed, kind, status)
            yield line
            if charge and kind is not Kind.FAILED:
                yield replace(line, kind=Kind.CHARGE, amount=-charge)

    def _build_line(
        self,
        entry: Element,
        part: Element,
        amount: Decimal | None,
        kind: Kind,
        status: str,
    ) -> Line:
        moment = self._read_day(entry, "BookgDt") or self._read_day(entry, "ValDt")
        party = "Dbtr" if amount is None or amount > 0 else "Cdtr"
        # The ultimate debtor, who pays through another person's account, is the payer.
        names = (f"RltdPties/{x}{y}/Nm" for x in (f"Ultmt{party}", party) for y in ("/Pty", ""))
        payer = find_given(*(_text(part, name) for name in names))
        # If an entry has several details that can't be separated, its line gets the words of all
        # details.
        words = [x.text or "" for x in part.iter("Ustrd") if part is not entry]
        reference = find_given(
            _text(part, "RmtInf/Strd/CdtrRefInf/Ref"), _text(part, "Refs/EndToEndId")
        )
        # `NtryRef` is not used, because it only numbers the entries of a file.
        receipt = find_given(_text(part, "Refs/AcctSvcrRef"), _text(entry, "AcctSvcrRef"))
        details = " ".join([*words, _text(entry, "AddtlNtryInf")]).strip()
        # If the details can't be separated, it is not clear to which detail a reference belongs.
        others = [] if part is entry else list(_list_references(part))
        return Line(
            number=self.before + len(self.lines) + 1,
            kind=kind,
            amount=amount,
            currency=_find_currency(entry),
            moment=moment,
            has_time=bool(_text(entry, "BookgDt/DtTm")),
            receipt=receipt,
            phone=find_given(*(_text(part, f"RltdPties/{party}/{path}") for path in _PHONES)),
            payer=payer,
            reference=reference,
            details=details,
            status=status,
            others=list_others(reference, details, *others, receipt),
        )

    def _read_day(self, element: Element, name: str) -> datetime | None:
        texts = (_text(element, path) for path in (f"{name}/DtTm", f"{name}/Dt", name))
        text = find_given(*texts)
        # A date may have an offset but no time. The offset is then ignored.
        return read_moment(text if "T" in text else text[:10], self.zone, day_first=True).at


def _split(
    entry: Element, details: Sequence[Element], amount: Decimal
) -> Sequence[tuple[Element, Decimal, Decimal]]:
    """Return the details of an entry, each with its amount and the bank's charge.

    The amounts of the details must add up to the amount of the entry, if necessary less charges. If
    they do not, return one part with the amount of the entry: the only detail, or the entry itself.
    The payer of such an entry with several details is unknown.
    """
    sums = [_read_amount(part) or _read_amount(part, "AmtDtls/TxAmt/Amt") for part in details]
    known = [one for one in sums if one is not None]
    kept = [_read_charges(part) for part in details]
    if details and len(known) == len(details):
        if len(details) > 1 and sum(known) == amount:
            kept = [Decimal(0)] * len(details)
        if sum(known) - sum(kept) == amount:
            return list(zip(details, known, kept, strict=True))
    return [(details[0] if len(details) == 1 else entry, amount, Decimal(0))]


def _list_references(part: Element) -> Iterator[str]:
    """Yield all references of a detail, and the further information about it."""
    for one in part.iter():
        for leaf in one.iter() if one.tag == "Refs" else [one] if one.tag in _REFERENCES else ():
            yield find_given(" ".join((leaf.text or "").split()))


def _read_charges(part: Element) -> Decimal:
    """Return the charges that the bank deducted before it credited the rest of an amount."""
    records = part.findall("Chrgs/Rcrd") or part.findall("Chrgs")
    debits = (one for one in records if _text(one, "CdtDbtInd") != "CRDT")
    sums = (_read_amount(x) or _read_amount(x, "TtlChrgsAndTaxAmt") for x in debits)
    return sum((one or Decimal(0) for one in sums), Decimal(0))


def _sort(entry: Element, amount: Decimal | None) -> Kind:
    """Return the kind of an entry that was booked."""
    codes = {x.text or "" for tag in ("Cd", "FmlyCd", "SubFmlyCd") for x in entry.iter(tag)}
    if amount is None:
        return Kind.OTHER
    is_returned = entry.find(".//RtrInf") is not None or codes & set(_RETURNS)
    if is_returned or _text(entry, "RvslInd").lower() in ("true", "1"):
        return Kind.REVERSAL
    if codes & set(_CHARGES) and amount < 0:
        return Kind.CHARGE
    own = codes & {*_SETTLEMENTS}
    # An adjustment code on a credit with a named debtor may be a payment.
    names = (_text(x, "Pty/Nm") or _text(x, "Nm") for x in entry.iter("Dbtr"))
    if own - {_ADJUSTED} or (own and not (amount > 0 and any(names))):
        return Kind.SETTLEMENT
    return Kind.PAYMENT if amount > 0 else Kind.OTHER


def _text(element: Element, path: str) -> str:
    return " ".join((element.findtext(path) or "").split())


def _read_amount(element: Element, path: str = "Amt") -> Decimal | None:
    text = _text(element, path)
    if not _AMOUNT.fullmatch(text):
        return None
    amount = Decimal(text)
    return amount if amount == round(amount, 3) else None


def _find_currency(entry: Element) -> str:
    amount = entry.find("Amt")
    return amount.get("Ccy", "")[:3] if amount is not None else ""

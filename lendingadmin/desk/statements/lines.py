"""The content of a statement of any file format: its head, and a line for each of its rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from django.db import models
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """The kind of a line. Each line has one kind, so the counts by kind add up to all lines."""

    PAYMENT = "payment", _("payment")
    CHARGE = "charge", _("charge")
    SETTLEMENT = "settlement", _("settlement")
    REVERSAL = "reversal", _("reversal")
    FAILED = "failed", _("failed")
    OTHER = "other", _("other")


class Standing(models.TextChoices):
    """The result of comparing a line with the records of this dashboard."""

    DAMAGED = "damaged", _("damaged id")
    TWICE = "twice", _("twice in the file")
    CONFIRMED = "confirmed", _("recorded")
    OTHER_AMOUNT = "other-amount", _("recorded with another amount")
    SAME_REFERENCE = "same-reference", _("same reference recorded")
    WAITING = "waiting", _("waiting for a decision")
    MISSING = "missing", _("not recorded")
    NONE = "none", _("no payment")


class Place(models.TextChoices):
    """The place of a payment's money. A payment with a place has exactly one place (places.py)."""

    UNALLOCATED = "unallocated", _("unallocated")
    RECORDED = "recorded", _("recorded")
    RETURNED = "returned", _("returned")
    NOT_OURS = "not-ours", _("not ours")
    ELSEWHERE = "elsewhere", _("recorded elsewhere")
    COPY = "copy", _("in another statement")


#: Places that a person chooses for money that must not be recorded in this dashboard.
PUT = (Place.RETURNED, Place.NOT_OURS, Place.ELSEWHERE)


@dataclass(frozen=True, slots=True)
class About:
    """Payer of a line, and texts about the purpose of the payment. A missing value is empty.

    `reverses` is the receipt of the payment that this row reverses. `others` are the other
    references and words of the row, which can contradict `reference`.
    """

    phone: str = ""
    payer: str = ""
    reference: str = ""
    details: str = ""
    status: str = ""
    reverses: str = ""
    others: Sequence[str] = ()

    @property
    def words(self) -> str:
        """All texts of the row except its reference and its payer."""
        return " · ".join(filter(None, (self.details, *self.others)))

    @property
    def sentences(self) -> str:
        """The details, and the other texts with several words.

        Single ids are left out, because they may look like phone numbers.
        """
        return " · ".join(filter(None, (self.details, *(x for x in self.others if " " in x))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(About):
    """One row of a statement, or one detail of a bank's entry.

    `number` is the row in the file as a spreadsheet counts it, or the count of the detail. `amount`
    is the money that the line moves, positive in and negative out; for a failed row it is the money
    that would have moved. `moment` has a time zone. Without a time of day (`has_time`), `moment` is
    midnight in the statement's zone. It is None if the date can't be read. An id that lost digits
    (`is_damaged`) is never a key; `receipt` shows it as the file has it.
    """

    number: int
    kind: Kind
    amount: Decimal | None
    currency: str
    moment: datetime | None
    has_time: bool = True
    receipt: str = ""
    balance: Decimal | None = None
    is_damaged: bool = False


def list_others(reference: str, details: str, *texts: str | None) -> Sequence[str]:
    """Return the texts of a row except its reference and details, each text once."""
    found = dict.fromkeys(" ".join(text.split()) for text in texts if text)
    return [text for text in found if text not in ("", reference, details)]


def find_currency(lines: Iterable[Line]) -> str:
    """Return the only currency that lines name; empty if they name none or several."""
    named = {line.currency for line in lines} - {""}
    return named.pop() if len(named) == 1 else ""


@dataclass(frozen=True)
class Flaw:
    """A contradiction within a file. `number` is the row, or 0 for the complete file."""

    number: int
    words: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A file that was read: its layout, the values of its head, and its lines in order.

    `layout` is the key of the layout. `network` is the name of the operator or bank. `account` is
    the short code, number or IBAN of the account. `begins` and `ends` are the first and the last
    day according to the head; None if the head names none. Balances and totals come from the head
    too; `paid_out` is positive. `day_first` is the order in which days were read. If both orders
    were possible (`day_is_proposed`), a person is asked. A person is asked about `unknown_words`
    too: words of a status or a side that no list has, by field. `flaws` are rows that can't be
    read. `unread` are the parts of the file that were not read. `skipped` counts the rows of
    headings, totals and text. `has_unique_ids` is True if a transaction id belongs to only one
    payment, as an operator's receipt does. A bank's reference may repeat or be missing.
    """

    layout: str
    network: str
    account: str
    currency: str
    lines: Sequence[Line]
    holder: str = ""
    begins: date | None = None
    ends: date | None = None
    opening: Decimal | None = None
    closing: Decimal | None = None
    paid_in: Decimal | None = None
    paid_out: Decimal | None = None
    newest_first: bool = False
    day_first: bool = True
    day_is_proposed: bool = False
    unknown_words: dict[str, list[str]] = field(default_factory=dict)
    flaws: Sequence[Flaw] = ()
    unread: Sequence[str] = ()
    skipped: int = 0
    has_unique_ids: bool = True

    @property
    def has_balances(self) -> bool:
        """True if the head names a balance or a total. These are in one currency."""
        sums = (self.opening, self.closing, self.paid_in, self.paid_out)
        return any(one is not None for one in sums)


@dataclass(frozen=True, kw_only=True)
class UnknownTable:
    """A table of an unknown layout, with the data that a person needs to name its columns.

    `header` is the row of headings, and `header_row` its number. `sample` has some of the rows
    below. `fingerprint` identifies the same layout next time. `deciding` has the headings of a
    status, a side and a currency, by field. A mapping must include these columns.
    """

    header: Sequence[str]
    header_row: int
    sample: Sequence[Sequence[str]]
    fingerprint: str
    deciding: dict[str, str] = field(default_factory=dict)


#: The layout of a table whose columns a person named.
MAPPED = "mapped"


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """The heading of each column that a person named; "" if the table lacks the column.

    A mapping has either `amount` or `paid_in` and `paid_out`. The sign or the `side` gives the
    direction of an `amount`; without both, all amounts are incoming. `has_unique_ids` is explained
    at Statement.
    """

    moment: str
    amount: str = ""
    paid_in: str = ""
    paid_out: str = ""
    receipt: str = ""
    reference: str = ""
    payer: str = ""
    phone: str = ""
    details: str = ""
    balance: str = ""
    status: str = ""
    side: str = ""
    currency: str = ""
    has_unique_ids: bool = False


class Refused(Exception):
    """Error: a file can't be read. The sentence gives the reason, and what to export instead.

    `code` is the machine-readable reason, like the code of a ValidationError.
    """

    def __init__(self, sentence: str, code: str = "invalid") -> None:
        super().__init__(sentence)
        self.code = code

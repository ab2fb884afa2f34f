"""Lines and sums of a statement as the screen and the CSV show them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from django.utils.translation import gettext as _

from lendingadmin.core.encryption import Undecryptable
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_CONTACT, SEE_NAMES
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.people.index import words
from lendingadmin.web.display.statuses import Status
from lendingadmin.web.redact import REDACTED

from .findings import CHIPS as FINDING_CHIPS
from .findings import Finding
from .lines import PUT, Standing
from .models import Allocation, StatementLine
from .reading.days import is_odd_day
from .standings import CHIPS, Sums


class About(NamedTuple):
    """The payer of a line, and the texts about the purpose of the payment."""

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
        """The details and other texts, without single ids, which may look like phone numbers."""
        return " · ".join(filter(None, (self.details, *(x for x in self.others if " " in x))))


@dataclass(frozen=True)
class Seen:
    """A line, with the part of the payer's data that a person may see.

    Details may hold a name and a phone number.
    """

    line: StatementLine
    payer: str
    phone: str
    reference: str
    details: str


@dataclass(frozen=True)
class ShownLine(Seen):
    """A line with the repayments that have its receipt."""

    chip: Status
    repayments: Sequence[Repayment]
    may_record: bool


@dataclass(frozen=True)
class ShownAllocation(Seen):
    """A row of a batch, with its finding and its result."""

    row: Allocation
    finding: Status
    result: Status | None


class ShownSums(NamedTuple):
    """One line of sums: a label or chip, the number of rows, and amounts by currency."""

    key: str
    label: str
    chip: Status | None
    lines: int
    amounts: Sequence[tuple[str, Decimal]]


def read_visibility(person: User) -> dict[str, bool]:
    """Return the arguments `sees_names` and `sees_phones` of the functions below for a person."""
    return {"sees_names": person.has_perm(SEE_NAMES), "sees_phones": person.has_perm(SEE_CONTACT)}


def read_about(line: StatementLine) -> About:
    """Return the payer and texts of a line; all empty if they can't be decrypted."""
    if not line.about or isinstance(line.about, Undecryptable):
        return About()
    return About(*json.loads(line.about))


def describe_line(
    line: StatementLine,
    standing: Standing,
    repayments: Mapping[str, Sequence[Repayment]],
    *,
    sees_names: bool,
    sees_phones: bool,
) -> ShownLine:
    """Return a line as a person with these rights sees it."""
    return ShownLine(
        *_mask_line(line, sees_names=sees_names, sees_phones=sees_phones),
        chip=describe_standing(standing),
        repayments=[
            one
            for key in (line.receipt_key, line.bank_key)
            if key
            for one in repayments.get(key, ())
        ],
        may_record=(
            standing == Standing.MISSING
            and bool(line.amount and line.amount > 0)
            and not line.file.is_counted_cash
            and not line.file.needs_answer
            and not has_odd_day(line)
            and line.place not in PUT
        ),
    )


def has_odd_day(line: StatementLine) -> bool:
    """Return True if the day of a line can't be right.

    Such a day does not fit the head of the statement, or is in the future or very old.
    """
    file, zone = line.file, lending_app(line.file.app_id).zone
    if line.moment is None:
        return False
    today = file.created_at.astimezone(zone).date()
    day = line.moment.astimezone(zone).date()
    return is_odd_day(day, file.begins, file.ends, today, file.layout)


def describe_allocation(row: Allocation, *, sees_names: bool, sees_phones: bool) -> ShownAllocation:
    """Return a row of a batch as a person with these rights sees it."""
    return ShownAllocation(
        *_mask_line(row.line, sees_names=sees_names, sees_phones=sees_phones),
        row=row,
        finding=describe_finding(row.finding),
        result=row.repayment.message.chip if row.repayment else None,
    )


def _mask_line(
    line: StatementLine, *, sees_names: bool, sees_phones: bool
) -> tuple[StatementLine, str, str, str, str]:
    """Return the fields of Seen for a line.

    The details include the other texts of the row, except texts that are part of its id.
    """
    about = read_about(line)
    others = (one for one in about.others if one not in line.receipt)
    details = " · ".join(filter(None, (about.details, *others)))
    return (
        line,
        mask(about.payer, sees_names),
        mask(about.phone, sees_phones),
        mask_reference(about.reference, sees_phones),
        mask(details, sees_names and sees_phones),
    )


def describe_finding(finding: str) -> Status:
    """Return the chip of a finding."""
    return Status(str(Finding(finding).label), *FINDING_CHIPS[Finding(finding)])


def describe_standing(standing: Standing) -> Status:
    """Return the chip of a standing."""
    return Status(str(standing.label), *CHIPS[standing])


def describe_sums(sums: Mapping[str, Sums]) -> list[ShownSums]:
    """Return the sums by kind, without empty kinds."""
    return [
        ShownSums(key, one.label, None, len(one.numbers), list(one.sums.items()))
        for key, one in sums.items()
        if one.numbers
    ]


def describe_standings(sums: Mapping[str, Sums]) -> list[ShownSums]:
    """Return the sums of the payments by standing."""
    return [
        ShownSums(
            key, "", describe_standing(Standing(key)), len(one.numbers), list(one.sums.items())
        )
        for key, one in sums.items()
        if one.numbers and key != Standing.NONE
    ]


def mask_reference(reference: str, sees_phones: bool) -> str:
    """Return the payer's reference, masked if it is a phone number that the person may not see."""
    is_phone = len(words.read_phone(reference)) >= words.PHONE_ENDINGS[0]
    return mask(reference, sees_phones) if is_phone else reference


def mask(text: str, may_see: bool) -> str:
    """Return the text if the person may see it, else a mark in its place.

    An empty text stays empty.
    """
    return text if may_see or not text else _(REDACTED)

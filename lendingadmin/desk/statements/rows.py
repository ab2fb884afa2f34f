"""Lines of a statement and rows of a batch, as the screen and the CSV show them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
from .lines import PUT, About, Standing
from .models import Allocation, StatementLine
from .reading.days import is_odd_day
from .standings import CHIPS


@dataclass(frozen=True)
class Seen:
    """A line, with only the data of the payer that a person may see.

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


def read_about(line: StatementLine) -> About:
    """Return the payer and texts of a line; all empty if they can't be decrypted."""
    if not line.about or isinstance(line.about, Undecryptable):
        return About()
    return About(*json.loads(line.about))


def describe_lines(
    person: User,
    lines: Iterable[tuple[StatementLine, Standing]],
    repayments: Mapping[str, Sequence[Repayment]] | None = None,
) -> list[ShownLine]:
    """Return lines with their standings and repayments by key, as this person may see them."""
    found, rights = repayments or {}, (person.has_perm(SEE_NAMES), person.has_perm(SEE_CONTACT))
    return [
        ShownLine(
            *_mask_line(line, *rights),
            chip=Status(str(standing.label), *CHIPS[standing]),
            repayments=[
                one
                for key in (line.receipt_key, line.bank_key)
                if key
                for one in found.get(key, ())
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
        for line, standing in lines
    ]


def has_odd_day(line: StatementLine) -> bool:
    """Return True if the day of a line can't be right (`reading.days.is_odd_day`)."""
    file, zone = line.file, lending_app(line.file.app_id).zone
    if line.moment is None:
        return False
    today = file.created_at.astimezone(zone).date()
    day = line.moment.astimezone(zone).date()
    return is_odd_day(day, file.begins, file.ends, today, file.layout)


def describe_allocations(person: User, rows: Iterable[Allocation]) -> list[ShownAllocation]:
    """Return rows of a batch as this person may see them."""
    rights = person.has_perm(SEE_NAMES), person.has_perm(SEE_CONTACT)
    return [
        ShownAllocation(
            *_mask_line(row.line, *rights),
            row=row,
            finding=describe_finding(row.finding),
            result=row.repayment.message.chip if row.repayment else None,
        )
        for row in rows
    ]


def _mask_line(
    line: StatementLine, sees_names: bool, sees_phones: bool
) -> tuple[StatementLine, str, str, str, str]:
    """Return the fields of Seen for a line.

    Other texts that are part of the line's id are left out.
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


def mask_reference(reference: str, sees_phones: bool) -> str:
    """Return the payer's reference, masked if it is a phone number that the person may not see."""
    is_phone = len(words.read_phone(reference)) >= words.PHONE_ENDINGS[0]
    return mask(reference, sees_phones) if is_phone else reference


def mask(text: str, may_see: bool) -> str:
    """Return the text if the person may see it, else a mark; an empty text stays empty."""
    return text if may_see or not text else _(REDACTED)

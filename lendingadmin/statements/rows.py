"""What the screen and the CSV show of a statement's lines and of their sums."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from django.utils.translation import gettext as _

from lendingadmin.display.statuses import Status
from lendingadmin.encryption import Undecryptable
from lendingadmin.repayments.models import Repayment
from lendingadmin.ui.redact import REDACTED

from .lines import Kind
from .models import StatementLine
from .standings import CHIPS, Standing, Sums


class About(NamedTuple):
    """Who paid a line, and for what."""

    phone: str = ""
    payer: str = ""
    reference: str = ""
    details: str = ""
    status: str = ""
    reverses: str = ""


@dataclass(frozen=True)
class ShownLine:
    """A line, what may be seen of who paid it, and the repayments that bear its receipt."""

    line: StatementLine
    payer: str
    phone: str
    reference: str
    details: str
    chip: Status
    repayments: Sequence[Repayment]
    may_record: bool


class ShownSums(NamedTuple):
    """One line of a sum: a label or chip, how many rows, and what they move by currency."""

    key: str
    label: str
    chip: Status | None
    lines: int
    amounts: Sequence[tuple[str, Decimal]]


def read_about(line: StatementLine) -> About:
    """Who paid a line; nothing where it can't be opened."""
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
    """A line as somebody with these rights sees it; details may hold a name and a phone."""
    about = read_about(line)
    return ShownLine(
        line=line,
        payer=_mask(about.payer, sees_names),
        phone=_mask(about.phone, sees_phones),
        reference=about.reference,
        details=_mask(about.details, sees_names and sees_phones),
        chip=describe_standing(standing),
        repayments=repayments.get(line.receipt_key, ()) if line.receipt_key else (),
        may_record=standing == Standing.MISSING and bool(line.amount and line.amount > 0),
    )


def describe_standing(standing: Standing) -> Status:
    """The chip of a standing."""
    return Status(str(standing.label), *CHIPS[standing])


def describe_sums(sums: Mapping[str, Sums]) -> list[ShownSums]:
    """The sums by kind, without the kinds that no row is of."""
    return [
        ShownSums(key, str(Kind(key).label), None, one.lines, list(one.by_currency.items()))
        for key, one in sums.items()
        if one.lines
    ]


def describe_standings(sums: Mapping[str, Sums]) -> list[ShownSums]:
    """The sums of the payments by standing."""
    return [
        ShownSums(
            key, "", describe_standing(Standing(key)), one.lines, list(one.by_currency.items())
        )
        for key, one in sums.items()
        if one.lines and key != Standing.NONE
    ]


def _mask(text: str, may_see: bool) -> str:
    return text if may_see or not text else _(REDACTED)

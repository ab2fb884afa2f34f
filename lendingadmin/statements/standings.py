"""What the journal says of each line of a statement.

A statement proves that money reached the network, not that the service has it: it confirms what is
recorded here, and resolves nothing that is unknown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import models
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _

from lendingadmin.gateway import lending_app
from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.states import NEEDS_CHECKING, RepaymentState, Resolution

from .lines import Kind
from .models import StatementFile, StatementLine

_RECORDED = Q(state__in=(RepaymentState.RECORDED, RepaymentState.PRESUMED)) | Q(
    state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED
)
_WAITING = Q(state__in=(*NEEDS_CHECKING, RepaymentState.AWAITING, RepaymentState.PENDING))


class Standing(models.TextChoices):
    """What is known here of a line."""

    DAMAGED = "damaged", _("damaged id")
    TWICE = "twice", _("twice in the file")
    CONFIRMED = "confirmed", _("recorded here")
    OTHER_AMOUNT = "other-amount", _("recorded with another amount")
    WAITING = "waiting", _("not settled here yet")
    MISSING = "missing", _("not recorded here")
    NONE = "none", _("no payment")


#: The tone and icon of each.
CHIPS = {
    Standing.DAMAGED: ("warn", "exclamation-triangle"),
    Standing.TWICE: ("warn", "document-duplicate"),
    Standing.CONFIRMED: ("good", "check-circle"),
    Standing.OTHER_AMOUNT: ("bad", "x-circle"),
    Standing.WAITING: ("odd", "question-mark-circle"),
    Standing.MISSING: ("info", "clock"),
    Standing.NONE: ("", "minus"),
}


@dataclass
class Sums:
    """How many lines there are of a standing or kind, and what they move by currency."""

    lines: int = 0
    by_currency: dict[str, Decimal] = field(default_factory=dict)

    def add(self, currency: str, amount: Decimal | None) -> None:
        """Add a line."""
        self.lines += 1
        self.by_currency[currency] = self.by_currency.get(currency, Decimal(0)) + (amount or 0)


def judge(file: StatementFile) -> QuerySet[Any]:
    """The lines of a file with their `standing`, in the file's order."""
    lines = StatementLine.objects.filter(file=file)
    same = Repayment.objects.filter(app_id=file.app_id, external_id_key=OuterRef("receipt_key"))
    twice = StatementLine.objects.filter(
        file=OuterRef("file"), kind=Kind.PAYMENT, receipt_key=OuterRef("receipt_key")
    ).exclude(pk=OuterRef("pk"))
    recorded, own = same.filter(_RECORDED), ("", lending_app(file.app_id).currency)
    as_much = recorded.filter(amount=OuterRef("amount"))
    return lines.annotate(
        standing=Case(
            When(~Q(kind=Kind.PAYMENT), then=Value(Standing.NONE)),
            When(Q(is_damaged=True) | Q(receipt_key=""), then=Value(Standing.DAMAGED)),
            When(Exists(twice), then=Value(Standing.TWICE)),
            When(
                Exists(as_much.filter(currency_code=OuterRef("currency")))
                | Q(Exists(as_much.filter(currency_code__in=own)), currency__in=own),
                then=Value(Standing.CONFIRMED),
            ),
            When(Exists(recorded), then=Value(Standing.OTHER_AMOUNT)),
            When(Exists(same.filter(_WAITING)), then=Value(Standing.WAITING)),
            default=Value(Standing.MISSING),
            output_field=models.CharField(max_length=12),
        )
    ).order_by("position")


def add_up(lines: Iterable[tuple[str, str, str, Decimal | None]]) -> tuple[dict[Any, Sums], ...]:
    """The sums by kind and by standing, of (kind, standing, currency, amount)."""
    kinds = {kind.value: Sums() for kind in Kind}
    standings = {standing.value: Sums() for standing in Standing}
    for kind, standing, currency, amount in lines:
        kinds[kind].add(currency, amount)
        standings[standing].add(currency, amount)
    return kinds, standings


def list_repayments(
    file: StatementFile, lines: Sequence[StatementLine]
) -> dict[str, list[Repayment]]:
    """The repayments of the journal that bear the receipts of these lines, by what they are."""
    keys = {line.receipt_key for line in lines if line.kind == Kind.PAYMENT} - {""}
    rows = Repayment.objects.filter(app_id=file.app_id, external_id_key__in=keys).order_by("-id")
    found: dict[str, list[Repayment]] = {}
    for row in rows[: 4 * len(keys)]:
        found.setdefault(row.external_id_key, []).append(row)
    return found

"""The results of sheets and of their rows. The journal decides, not the entered amounts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Substr, Upper
from django.utils.translation import gettext as _

from lendingadmin.desk.statements.findings import Decision
from lendingadmin.desk.statements.models import Allocation, StatementLine
from lendingadmin.desk.statements.rows import describe_finding
from lendingadmin.desk.statements.standings import Recorded
from lendingadmin.money.repayments.managers import RECORDED, sum_thousandths, to_amount
from lendingadmin.money.repayments.models import Repayment, normalise_external_id
from lendingadmin.web.display.statuses import Status

from .codes import LENGTH, make_external_id
from .models import Sheet, SheetReturn, SheetRow


@dataclass(frozen=True)
class RowOutcome:
    """A row of a sheet, with its entered amounts and its result.

    `amounts` has one amount for each return; None if the field was empty. `repayments` are those
    with the row's transaction id, the recorded ones first. `chip` is the state of the row; None if
    nothing was collected.
    """

    row: SheetRow
    amounts: Sequence[Decimal | None]
    repayments: Sequence[Repayment]
    chip: Status | None
    allocation: Allocation | None

    @property
    def amount(self) -> Decimal | None:
        """Amount that was entered last; None if no amount was entered."""
        return self.amounts[-1] if self.amounts else None

    @property
    def recorded(self) -> Decimal:
        """Recorded sum under the transaction id of the row."""
        return sum((one.amount for one in self.repayments if _counts(one)), Decimal(0))

    @property
    def differs(self) -> bool:
        """True if the returns have different amounts, or if another amount was recorded."""
        other = bool(self.recorded) and self.recorded != (self.amount or 0)
        return len(set(self.amounts)) > 1 or other


class Difference(NamedTuple):
    """A row with two different entered amounts.

    `before` and `now` are the amounts; None if the row was empty.
    """

    number: int
    before: Decimal | None
    now: Decimal | None


class Standing(NamedTuple):
    """The state of a sheet: its chip, the sum that was entered last, and the recorded sum.

    `typed`, the entered sum, is None if no amounts were entered or if the sheet is cancelled.
    """

    chip: Status
    typed: Decimal | None
    recorded: Decimal


def read_outcomes(sheet: Sheet) -> list[RowOutcome]:
    """Return the rows of a sheet in order, with a fixed number of queries."""
    returns = list(sheet.returns.order_by("number"))
    typed = [read_amounts(one) for one in returns]
    rows = list(sheet.rows.order_by("number"))
    repayments = _read_repayments(sheet, rows)
    # The allocation of each row, by number. If amounts were entered twice, the last entry counts.
    files = [one.file_id for one in returns if one.file_id]
    decided = Allocation.objects.filter(batch__file__in=files).select_related("line", "batch__file")
    decided = decided.defer("batch__file__content").order_by("batch__file", "position", "-part")
    allocations = {one.line.number: one for one in decided}
    found = []
    for row in rows:
        own = repayments.get(row.number, [])
        amounts = [one.get(row.number) for one in typed]
        allocation = allocations.get(row.number)
        chip = _describe(amounts, own, allocation)
        found.append(RowOutcome(row, amounts, own, chip, allocation))
    return found


def read_amounts(kept: SheetReturn) -> dict[int, Decimal]:
    """Return the entered amounts above zero by the number of the row."""
    if kept.file_id is None:
        return {}
    lines = StatementLine.objects.filter(file=kept.file_id).order_by("position")
    return {number: amount for number, amount in lines.values_list("number", "amount") if amount}


def compare(before: Mapping[int, Decimal], now: Mapping[int, Decimal]) -> list[Difference]:
    """Return the rows whose amounts differ between two returns of a sheet."""
    numbers = sorted({*before, *now})
    both = [Difference(number, before.get(number), now.get(number)) for number in numbers]
    return [one for one in both if one.before != one.now]


def read_standings(sheets: Sequence[Sheet]) -> dict[int, Standing]:
    """Return the state of each of these sheets of one app, with two queries."""
    returns = SheetReturn.objects.filter(sheet__in=sheets).order_by("number")
    last = {one.sheet_id: one for one in returns}
    recorded = _sum_recorded(sheets)
    return {
        sheet.pk: _judge(sheet, last.get(sheet.pk), recorded.get(sheet.code, Decimal(0)))
        for sheet in sheets
    }


def is_partly_recorded() -> Q:
    """Return the condition for returned sheets that have an amount that is not recorded."""
    same = {"app_id": OuterRef("file__app_id"), "external_id_key": OuterRef("receipt_key")}
    missing = StatementLine.objects.filter(
        ~Exists(Repayment.objects.filter(RECORDED, **same)),
        file__sheet_return__sheet=OuterRef("pk"),
    )
    return Q(state=Sheet.State.RETURNED) & Q(Exists(missing))


def _sum_recorded(sheets: Sequence[Sheet]) -> dict[str, Decimal]:
    """Return the recorded sum of each sheet, by the code of the sheet.

    The sum has all repayments with a transaction id of the sheet, including those that were sent
    again. Sheets without a recorded row are left out.
    """
    if not sheets:
        return {}
    lines = StatementLine.objects.filter(file__sheet_return__sheet__in=sheets)
    rows = Repayment.objects.filter(
        RECORDED, app_id=sheets[0].app_id, external_id_key__in=lines.values("receipt_key")
    )
    # A normalised id consists of `cash`, the code and the number of the row.
    sums = rows.values(code=Upper(Substr("external_id_key", len("cash") + 1, LENGTH)))
    found = sums.order_by("code").annotate(total=sum_thousandths(Q()))
    return {group["code"]: to_amount(group["total"]) for group in found}


def _judge(sheet: Sheet, last: SheetReturn | None, recorded: Decimal) -> Standing:
    if sheet.state == Sheet.State.CANCELLED:
        return Standing(Status(_("cancelled"), "", "minus-circle"), None, recorded)
    if last is None:
        return Standing(Status(_("out on paper"), "info", "clock"), None, recorded)
    if recorded > last.counted:
        words = _("more recorded than counted")
        return Standing(Status(words, "bad", "exclamation-triangle"), last.counted, recorded)
    if not last.counted:
        return Standing(Status(_("nothing collected"), "", "minus"), last.counted, recorded)
    if recorded == last.counted:
        return Standing(Status(_("recorded"), "good", "check-circle"), last.counted, recorded)
    words = _("partly recorded") if recorded else _("returned, not recorded yet")
    return Standing(Status(words, "warn", "exclamation-triangle"), last.counted, recorded)


def _read_repayments(sheet: Sheet, rows: Iterable[SheetRow]) -> dict[int, list[Repayment]]:
    """Return the repayments with the transaction ids of the rows, by the number of the row."""
    keys = {normalise_external_id(make_external_id(sheet.code, row.number)): row for row in rows}
    same = Repayment.objects.filter(app_id=sheet.app_id, external_id_key__in=list(keys))
    found: dict[int, list[Repayment]] = {}
    for one in same.order_by("pk"):
        found.setdefault(keys[one.external_id_key].number, []).append(one)
    return {
        number: sorted(own, key=lambda one: (not _counts(one), -one.pk))
        for number, own in found.items()
    }


def _describe(
    amounts: Sequence[Decimal | None], own: Sequence[Repayment], allocation: Allocation | None
) -> Status | None:
    if own:
        return own[0].message.chip
    if not any(amounts):
        return None
    if allocation is None:
        return Status(_("being checked"), "info", "clock")
    if allocation.decision == Decision.LEFT_OUT:
        return Status(_("left out"), "", "minus-circle")
    if allocation.decision == Decision.ACCEPTED:
        return Status(_("to be recorded"), "info", "clock")
    return describe_finding(allocation.finding)


def _counts(repayment: Repayment) -> bool:
    """Return True if the repayment is recorded, by the same rule as RECORDED."""
    return Recorded.of(repayment).is_recorded

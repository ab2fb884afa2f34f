"""Commands of the area: make, print, return and cancel sheets."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, ngettext_lazy

from lendingadmin.core import audit
from lendingadmin.core.audit.trail import transition
from lendingadmin.core.gateway import LendingApp, lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio.models import Snapshot
from lendingadmin.desk.statements import allocating, batches, keeping, tasks
from lendingadmin.desk.statements.lines import Kind, Line
from lendingadmin.desk.statements.models import Batch
from lendingadmin.people.search.kinds import RecordKind
from lendingadmin.people.search.lookups import Finder, Match
from lendingadmin.web.decisions import Task, ToDecide
from lendingadmin.web.navigation import Badge

from . import choosing
from .choosing import LONGEST, Choosing, Wanted, add_up
from .codes import make_code, make_external_id, read_code
from .models import Sheet, SheetReturn, SheetRow
from .permissions import CANCEL, MAKE, READ
from .policies import list_late

RETURN = "dashboard.sheets.return"

State = Sheet.State


class Unbalanced(Exception):
    """Error: the counted cash differs from the sum of the amounts.

    `difference` is the counted cash minus the sum.
    """

    def __init__(self, total: Decimal, counted: Decimal) -> None:
        super().__init__("the counted cash differs from the sum")
        self.total, self.difference = total, counted - total


class OnOtherSheet(Exception):
    """Error: a loan is on another sheet of the same day, so no sheet was made."""


class NotReturnable(Exception):
    """Error: the sheet can't be returned now.

    The sheet is cancelled, or amounts of an earlier return are not recorded yet.
    """


def make_sheets(
    app: LendingApp, wanted: Wanted, found: Choosing, idempotency_key: str, by: User
) -> list[Sheet]:
    """Make the sheets of the chosen loans, each with an audit entry, and return them.

    If the same form was sent before, return the sheets that were made then. Raise OnOtherSheet if
    one of the loans is on another sheet of the day.
    """
    parts = [found.chosen[at : at + LONGEST] for at in range(0, len(found.chosen), LONGEST)]
    try:
        with transaction.atomic():
            # This lock makes forms that are sent at the same time wait for each other.
            newest = Snapshot.objects.filter(app_id=app.app_id).order_by("-pk")
            list(newest.select_for_update().values_list("pk")[:1])
            if first := _list_first(idempotency_key):
                return first
            if not choosing.read_others(app.app_id, wanted.day).isdisjoint(
                one.account_id for one in found.chosen
            ):
                raise OnOtherSheet
            sheets = []
            for part, rows in enumerate(parts, start=1):
                sheet = Sheet.objects.create(
                    app_id=app.app_id,
                    code=make_code(),
                    day=wanted.day,
                    choice=wanted.choice,
                    product_id=wanted.product_id,
                    officer=wanted.officer,
                    row_count=len(rows),
                    due=add_up(one.due for one in rows),
                    overdue=add_up(one.overdue for one in rows),
                    counted_at=found.counted_at,
                    idempotency_key=idempotency_key,
                    part=part,
                    created_by=by,
                )
                SheetRow.objects.bulk_create(
                    SheetRow(sheet=sheet, number=number, **one._asdict())
                    for number, one in enumerate(rows, start=1)
                )
                sheets.append(sheet)
            for sheet in sheets:
                count = sheet.row_count
                words = ngettext("%(count)s row for %(day)s", "%(count)s rows for %(day)s", count)
                detail = words % {"count": count, "day": sheet.day}
                audit.record_about(sheet, by, MAKE, "made", detail=detail)
    except IntegrityError:
        if first := _list_first(idempotency_key):
            return first
        raise
    return sheets


def _list_first(idempotency_key: str) -> list[Sheet]:
    """Return the sheets that an earlier POST of the same form made."""
    return list(Sheet.objects.filter(idempotency_key=idempotency_key).order_by("part"))


def note_printing(sheet: Sheet, by: User) -> datetime | None:
    """Record on the sheet and in the audit trail that the sheet is opened for printing.

    Return the time of the first opening; None if this is the first opening.
    """
    with transaction.atomic():
        now = timezone.now()
        rows = Sheet.objects.filter(pk=sheet.pk)
        is_first = rows.filter(printed_at=None).update(printed_at=now) == 1
        sheet.refresh_from_db(fields=["printed_at"])
        again = gettext_noop("opened for reprinting")
        outcome = gettext_noop("opened for printing") if is_first else again
        count = sheet.row_count
        detail = ngettext("%(count)s name", "%(count)s names", count) % {"count": count}
        audit.record_about(sheet, by, MAKE, outcome, detail=detail)
    return None if is_first else sheet.printed_at


def take_back(
    sheet: Sheet, amounts: Mapping[int, Decimal], counted: Decimal, day: date, by: User
) -> SheetReturn:
    """Save the collected amounts by the number of the row, and queue their check.

    Everything is committed together with an audit entry, before any call of the service. Raise
    Unbalanced if the counted cash is not exactly the sum of the amounts. Raise NotReturnable if the
    sheet is cancelled or an earlier return is not finished.
    """
    check_balance(amounts, counted)
    app = lending_app(sheet.app_id)
    try:
        with transaction.atomic():
            locked = Sheet.objects.select_for_update().get(pk=sheet.pk)
            last = find_last_return(locked)
            if locked.state == State.CANCELLED or not is_over(last):
                raise NotReturnable
            number = last.number + 1 if last else 1
            kept = SheetReturn(sheet=sheet, number=number, counted=counted, day=day, created_by=by)
            if amounts:
                name, lines = f"{sheet.code}/{number}", _build_lines(app, sheet, amounts, day)
                kept.file = keeping.keep_counted_cash(app, name, sheet.code, day, lines, by)
            kept.save()
            Sheet.objects.filter(pk=sheet.pk).update(state=State.RETURNED)
            if kept.file and (batch := batches.begin(kept.file, by)):
                tasks.enqueue(batch)
            given = {"count": len(amounts), "cash": f"{counted:f}", "currency": app.currency}
            outcome = "typed" if number == 1 else gettext_noop("typed again")
            words = ngettext(
                "%(count)s amount, %(cash)s %(currency)s",
                "%(count)s amounts, %(cash)s %(currency)s",
                len(amounts),
            )
            detail = words % given
            audit.record_about(sheet, by, RETURN, outcome, detail=detail)
    except IntegrityError:
        # Another person entered the amounts of this sheet at the same time.
        raise NotReturnable from None
    sheet.refresh_from_db()
    return kept


def check_balance(amounts: Mapping[int, Decimal], counted: Decimal) -> None:
    """Raise Unbalanced if the counted cash is not exactly the sum of the amounts."""
    total = add_up(amounts.values())
    if total != counted:
        raise Unbalanced(total, counted)


def find_last_return(sheet: Sheet) -> SheetReturn | None:
    """Return the newest return of a sheet; None if there is none."""
    rows = sheet.returns.select_related("file__batch", "created_by")
    return rows.defer("file__content").order_by("-number").first()


def is_over(last: SheetReturn | None) -> bool:
    """Return True if the last return is finished, so that amounts may be entered again.

    A return is finished if it has no amounts or if its batch is done. It is also finished if its
    batch is checked and no amount waits for a decision or for the recording.
    """
    if last is None or last.file is None:
        return True
    batch = Batch.objects.filter(file=last.file_id).first()
    if batch is None or batch.state not in (Batch.State.READY, Batch.State.DONE):
        return False
    left = (batches.list_to_do(batch), allocating.list_undecided(batch))
    return batch.state == Batch.State.DONE or not any(rows.exists() for rows in left)


def cancel(sheet: Sheet, reason: str, by: User) -> bool:
    """Cancel an open sheet, with an audit entry.

    No amounts can be entered for a cancelled sheet.

    Return False if the sheet is not open.
    """
    fields: dict[str, Any] = {"state": State.CANCELLED, "reason": reason}
    fields |= {"cancelled_by": by, "cancelled_at": timezone.now()}
    starts = Sheet.objects.filter(state=State.OPEN)
    return transition(sheet, starts, fields, by=by, action=CANCEL, outcome="cancelled")


LATE = ngettext_lazy(
    "%(count)s late collection sheet",
    "%(count)s late collection sheets",
    "number",
)


def list_waiting(app_id: str, person: User) -> QuerySet[Sheet]:
    """Return the late sheets for a person who may cancel them; empty for other people."""
    if not person.has_perm(CANCEL, app_id):
        return Sheet.objects.none()
    return list_late(lending_app(app_id)).select_related("officer")


def _build_lines(
    app: LendingApp, sheet: Sheet, amounts: Mapping[int, Decimal], day: date
) -> Sequence[Line]:
    """Return the rows with an amount as lines, each with the id of its loan.

    The time of the lines is noon, because noon is on the same day in every zone that a service may
    use. The time is never in the future.
    """
    noon = datetime.combine(day, time(12), app.zone)
    moment = min(noon, timezone.now().astimezone(app.zone))
    rows = sheet.rows.filter(number__in=list(amounts)).order_by("number")
    return [
        Line(
            number=row.number,
            kind=Kind.PAYMENT,
            amount=amounts[row.number],
            currency=app.currency,
            moment=moment,
            has_time=False,
            receipt=make_external_id(sheet.code, row.number),
            reference=row.account_id,
        )
        for row in rows
    ]


BADGE = Badge("sheets", list_waiting)


def _describe(sheet: Sheet) -> Task:
    app = lending_app(sheet.app_id)
    return Task(
        sheet.get_absolute_url(),
        sheet.shown_code,
        datetime.combine(sheet.day, time(), app.zone),
        amount=add_up([sheet.due, sheet.overdue]),
        currency=app.currency,
        by=sheet.officer.username if sheet.officer else "",
    )


DECISION = ToDecide(
    "sheet",
    "sheets",
    LATE,
    list_waiting,
    describe=_describe,
    oldest_first=("day", "pk"),
    button=gettext_lazy("Open"),
)


SHEET = RecordKind(gettext_noop("Collection sheet"), "clipboard-document-list", "sheet", READ)


def find_sheets(app_id: str, wanted: str) -> tuple[Match, ...]:
    """Return the sheet with this code, or with a row of this transaction id; empty if none."""
    code = read_code(wanted)
    rows = Sheet.objects.filter(app_id=app_id, code=code) if code else Sheet.objects.none()
    words = _("for %(day)s, rows: %(count)s")
    return tuple(
        Match(SHEET, row.code, words % {"day": f"{row.day:%Y-%m-%d}", "count": row.row_count})
        for row in rows
    )


FINDER = Finder(READ, find_sheets)

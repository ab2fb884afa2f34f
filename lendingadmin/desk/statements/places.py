"""The place of the money of each payment on a statement.

A payment has a place only if no row of its statement is missing or broken, and no question about
the statement is open (`StatementFile.is_certain`).

The places are: recorded in this dashboard, recorded elsewhere, unallocated, returned, and not ours.
Unallocated money gets another place when a repayment is recorded, or when a person chooses the
place and gives a reason. A person chooses “recorded elsewhere” for a payment that the service has
and this journal does not.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from lendingadmin.core.audit.trail import transition
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.managers import RECORDED
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.people.index.words import fold_number
from lendingadmin.web.keyset import unindexed

from .agreement import Agreement, compare_payer
from .identity import normalise_account
from .lines import PUT, About, Kind, Place
from .models import Allocation, StatementFile, StatementLine
from .rows import read_about

PLACE = "dashboard.statements.place"
_AT_ONCE = 500
# Presumed repayments do not count, because they may belong to another payment.
_KNOWN = RECORDED & ~Q(state=RepaymentState.PRESUMED)
#: The worker looks for newly recorded payments once in this interval.
EVERY = timedelta(minutes=1)


def find_places(app_id: str, keys: Sequence[str]) -> dict[str, Place]:
    """Return the known places of payments by receipt. A payment in another file is a COPY."""
    recorded = Repayment.objects.filter(_KNOWN, app_id=app_id, external_id_key__in=keys)
    others = StatementLine.objects.filter(receipt_key__in=keys, file__app_id=app_id)
    others = others.filter(kind=Kind.PAYMENT).exclude(place__in=("", Place.COPY))
    return dict.fromkeys(
        recorded.values_list("external_id_key", flat=True), Place.RECORDED
    ) | dict.fromkeys(others.values_list("receipt_key", flat=True), Place.COPY)


def find_put(app_id: str, keys: Iterable[str]) -> set[str]:
    """Return the receipts whose money a person placed (PUT), in any file of the app."""
    same = StatementLine.objects.filter(receipt_key__in=set(keys) - {""}, place__in=PUT)
    return set(same.filter(file__app_id=app_id).values_list("receipt_key", flat=True))


def find_taken_back(app_id: str, keys: Iterable[str]) -> set[str]:
    """Return the receipts that a reversal names, in a file of the app that has no breaks."""
    # `unindexed` makes the database use the partial index of reversals. The index of files would
    # read all rows.
    back = StatementLine.objects.exclude(reverses_key="").filter(reverses_key__in=set(keys))
    own = back.filter(unindexed(Q(file__app_id=app_id)))
    rows = own.values_list("reverses_key", "file__proof__found")
    return {key for key, found in rows if not found}


def find_maybe_reversed(file: StatementFile, lines: Sequence[StatementLine]) -> set[int]:
    """Return the positions of payments that an unnamed reversal may have reversed.

    Such a reversal names no payment. Its account and amount fit the payment, it is not older, and
    its payer and reference do not contradict the payment. If a reversal names a bank's reference,
    which may repeat, it may have reversed any payment with this reference.
    """
    named = find_taken_back(file.app_id, [line.bank_key for line in lines if line.bank_key])
    wanted = {-line.amount for line in lines if line.amount}
    rows = StatementLine.objects.filter(
        # Here `unindexed` makes the database use the partial index of reversals that name no
        # payment.
        unindexed(Q(file__app_id=file.app_id, file__network=file.network)),
        kind=Kind.REVERSAL,
        reverses_key="",
        amount__in=wanted,
    )
    # A file without a head names no account. The same account may be written in two ways.
    account = normalise_account(file.account)
    reversals = [
        (row, read_about(row))
        for row in rows.select_related("file").defer("file__content")
        if not account or normalise_account(row.file.account) in ("", account)
    ]
    return {
        line.position
        for line in lines
        if line.bank_key in named
        or any(
            row.amount == -(line.amount or 0)
            and _is_not_older(row, line)
            and may_name_same(about, read_about(line))
            for row, about in reversals
        )
    }


def _is_not_older(reversal: StatementLine, line: StatementLine) -> bool:
    if reversal.moment is None or line.moment is None:
        return True
    if reversal.has_time and line.has_time:
        return reversal.moment >= line.moment
    return reversal.moment + timedelta(days=1) > line.moment


def may_name_same(reversal: About, payment: About) -> bool:
    """Return True if a reversal shares a payer or reference with a payment.

    Also return True if nothing can be compared.
    """
    shared = []
    if reversal.reference and payment.reference:
        one, other = fold_number(reversal.reference), fold_number(payment.reference)
        # A reversal may have a reference of its own, so a different reference proves nothing.
        shared += [True] if one == other else []
    if reversal.phone and payment.phone:
        phones = _compare_phones(reversal.phone, payment.phone)
        shared += [] if phones == Agreement.UNKNOWN else [phones == Agreement.AGREES]
    if reversal.payer and payment.payer:
        payer = About(payer=reversal.payer)
        shared.append(compare_payer(payer, payment.payer, "") == Agreement.AGREES)
    return any(shared) or not shared


def _compare_phones(one: str, other: str) -> Agreement:
    """Compare two phone numbers. One may have hidden digits or lack its country."""
    for shown, whole in ((one, other.lstrip("+")), (other, one.lstrip("+"))):
        if whole.isdigit():
            return compare_payer(About(phone=shown), "", whole)
    return Agreement.AGREES if one == other else Agreement.UNKNOWN


def place_recorded() -> int:
    """Set the place of unallocated payments that are now recorded; return their number."""
    lines = StatementLine.objects.filter(is_unallocated=True)
    keys = list(lines.filter(is_recorded(_KNOWN)).values_list("pk", flat=True)[:_AT_ONCE])
    return StatementLine.objects.filter(pk__in=keys).update(place=Place.RECORDED)


def is_recorded(what: Q) -> Q:
    """Return the condition for lines whose money is recorded by repayments that fit `what`.

    The repayment has the line's receipt, or it has the bank's reference and the same day and
    amount. Each part of a split line must be recorded.
    """
    own_id = Q(external_id_key=OuterRef("receipt_key"))
    same = Repayment.objects.filter(what, own_id, app_id=OuterRef("file__app_id"))
    parts = Allocation.objects.filter(line=OuterRef("pk"))
    own = Repayment.objects.filter(what, pk=OuterRef("repayment"))
    is_part_left = Exists(parts.filter(part__gt=1)) & Exists(parts.filter(~Exists(own)))
    # This is `identity.is_same_day` in SQL. Rows of banks have no time.
    typed = Repayment.objects.filter(
        what,
        app_id=OuterRef("file__app_id"),
        external_id_key=OuterRef("bank_key"),
        amount=OuterRef("amount"),
        transaction_date__gte=OuterRef("moment"),
        transaction_date__lt=OuterRef("moment") + timedelta(days=1),
    )
    return (~Q(receipt_key="") & Q(Exists(same)) & ~is_part_left) | (
        ~Q(bank_key="") & Q(Exists(typed))
    )


def list_unallocated(app_id: str) -> QuerySet[StatementLine]:
    """Return the unallocated payments of an app, the oldest first."""
    # `unindexed` makes the database use the partial index of unallocated lines. The index of files
    # would read all rows.
    own = unindexed(Q(file__app_id=app_id))
    lines = StatementLine.objects.filter(own, ~is_recorded(RECORDED), is_unallocated=True)
    return lines.select_related("file", "owner").order_by("moment", "pk")


def take(line: StatementLine, by: User) -> None:
    """Make a person the owner of a payment, if the payment is still unallocated."""
    starts = StatementLine.objects.filter(place=Place.UNALLOCATED)
    transition(line, starts, {"owner": by}, by=by, action=PLACE, outcome="taken")


def put(line: StatementLine, place: Place, reason: str, by: User) -> bool:
    """Save that money was returned, is not ours or is recorded elsewhere.

    Return False if the money is no longer unallocated.
    """
    fields: dict[str, Any] = {"place": place, "place_reason": reason}
    fields |= {"placed_by": by, "placed_at": timezone.now()}
    starts = StatementLine.objects.filter(place=Place.UNALLOCATED)
    outcome = place.value.replace("-", " ")
    return transition(line, starts, fields, by=by, action=PLACE, outcome=outcome)

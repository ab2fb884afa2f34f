"""Alarms for managers about repayments in the journal that an uploaded statement contradicts.

An alarm is shown on the repayment and on the home page until a manager has seen it. A statement
with missing rows or an open question raises no alarm.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import groupby

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import mistakes, services
from lendingadmin.money.repayments.managers import RECORDED
from lendingadmin.money.repayments.models import Repayment

from . import places
from .coverage import ACCOUNTS_OF, is_covered, list_accounts, list_covers
from .identity import is_same_day
from .lines import Kind
from .models import Allocation, StatementFile, StatementLine
from .standings import Recorded, Row

#: A payment may appear on a statement some days late.
NOT_FOUND_AFTER = timedelta(days=2)
_FILES = 20
#: The alarm for a repayment that is missing on the statements of its day.
NO_STATEMENT = gettext_lazy("No statement of %(network)s has this transaction id.")
#: Sentences about rows that moved no money of a borrower. The first kind that fits is used.
WITHOUT_MONEY = {
    Kind.FAILED: gettext_lazy("Row %(row)s of the statement is a failed payment with this id."),
    Kind.REVERSAL: gettext_lazy("Row %(row)s of the statement is a reversal with this id."),
    Kind.SETTLEMENT: gettext_lazy("Row %(row)s of the statement is a settlement with this id."),
    Kind.CHARGE: gettext_lazy("Row %(row)s of the statement is a charge with this id."),
    Kind.OTHER: gettext_lazy(
        "Row %(row)s of the statement has this id, but the kind of this row is unknown."
    ),
}


def find_contradictions(
    rows: Sequence[Row], entered: Sequence[Recorded], split: set[int], currency: str
) -> dict[int, str]:
    """Return a sentence for each repayment that differs from the rows with its transaction id.

    The keys are ids of repayments; without a difference the result is empty. If no row is a
    payment, the sentence names the kind of the row. The amount of a payment that is twice in its
    file counts once. `split` has the ids of repayments that a batch recorded. `currency` is the
    app's currency, used for rows and repayments that have none.
    """
    kinds = {row.kind for row in rows}
    if Kind.PAYMENT not in kinds:
        kind = next((one for one in WITHOUT_MONEY if one in kinds), Kind.OTHER)
        return {one.pk: WITHOUT_MONEY[kind] % {"row": rows[0].number} for one in entered}
    paid = [row for row in rows if row.kind == Kind.PAYMENT][-1]
    own = next((row.currency for row in reversed(rows) if row.currency), currency)
    total = sum((one.amount for one in entered), Decimal(0))
    found = ""
    if {one.currency_code or currency for one in entered} != {own}:
        found = _("Row %(row)s of the statement is in another currency: %(amount)s %(currency)s.")
    elif total != paid.amount:
        found = _(
            "Row %(row)s of the statement shows %(amount)s, but %(total)s is recorded with the "
            "same transaction id."
        )
    elif len({one.account_id for one in entered}) > 1 and any(x.pk not in split for x in entered):
        found = _(
            "Repayments with this id are recorded on several loans, but only row %(row)s of "
            "the statement has this id."
        )
    values = {
        "row": paid.number,
        "amount": f"{paid.amount or 0:,f}",
        "total": f"{total:,f}",
        "currency": own,
    }
    return {one.pk: found % values for one in entered} if found else {}


def raise_alarms(file: StatementFile, by: User) -> int:
    """Raise alarms for contradicted repayments, and report reversed repayments as mistakes.

    A repayment that was possibly reversed gets an alarm too. Return the number of repayments with a
    contradiction or a possible reversal, plus the number of reported mistakes. Call this outside a
    transaction, because each alarm is committed separately.
    """
    if not file.is_certain:
        return 0
    against = dict(_list_contradictions(file))
    for repayment in Repayment.objects.filter(pk__in=against, alarm="").order_by("pk"):
        text = _("%(file)s: %(words)s")
        words = {"file": file, "words": against[repayment.pk]}
        services.raise_alarm(repayment, text % words)
    alarmed = {*against, *_raise_maybe_reversed(file)}
    return len(alarmed) + _report_reversals(file, by)


def search_covered_days(now: datetime) -> None:
    """Raise alarms for repayments that are missing in the statements of their network.

    The worker calls this. Each file is searched once, after its last day is NOT_FOUND_AFTER old.
    """
    due = StatementFile.objects.filter(
        searched_at=None,
        covers_to__lt=(now - NOT_FOUND_AFTER).date(),
        app_id__in=[app.app_id for app in settings.LENDING_APPS],
    )
    for file in due.order_by("covers_to").defer("content")[:_FILES]:
        if not file.proof.get("found") and file.network:
            for repayment, words in _list_not_found(file):
                services.raise_alarm(repayment, words)
        StatementFile.objects.filter(pk=file.pk).update(searched_at=now)


def _list_not_found(file: StatementFile) -> Iterator[tuple[Repayment, str]]:
    """Yield recorded repayments that no statement shows as a payment.

    The repayments have the network and the days of the file. Each repayment comes with the words of
    its alarm. If another kind of row has the repayment's id, the alarm names this row. A day is
    checked only if every known account of the network has a statement for it.
    """
    first, last = file.covers_from, file.covers_to
    if first is None or last is None:
        return
    app = lending_app(file.app_id)
    covers = list_covers(file.app_id, first - ACCOUNTS_OF, last, file.network)
    known = list_accounts(file.app_id, covers, first - ACCOUNTS_OF)
    accounts = known.get(file.network, [])
    rows = Repayment.objects.filter(
        RECORDED, app_id=file.app_id, network=file.network, external_id_minted=False, alarm=""
    )
    rows = rows.on_days(first, last, "transactionDate", app.zone)
    # A row of a bank that has the repayment's id as its reference also counts.
    own, of_bank = (
        Q(**{name: OuterRef("external_id_key")}) for name in ("receipt_key", "bank_key")
    )
    same = StatementLine.objects.filter(own | of_bank, file__app_id=file.app_id)
    missing = rows.filter(~Exists(same.filter(kind=Kind.PAYMENT)))
    for repayment in missing.order_by("transaction_date"):
        day = repayment.transaction_date.astimezone(app.zone).date()
        if is_covered(day, accounts, covers):
            key = repayment.external_id_key
            others = StatementLine.objects.filter(
                Q(receipt_key=key) | Q(bank_key=key), file__app_id=file.app_id
            )
            line = others.select_related("file").order_by("pk").first()
            words = str(NO_STATEMENT) % {"network": file.network}
            if line is not None:
                words = WITHOUT_MONEY[Kind(line.kind)] % {"row": line.number}
                words = _("%(file)s: %(words)s") % {"file": line.file, "words": words}
            yield repayment, words


def _list_contradictions(file: StatementFile) -> Iterator[tuple[int, str]]:
    currency = lending_app(file.app_id).currency
    entered = _read_entered(file)
    of_batch = Allocation.objects.filter(
        repayment__in=[one.pk for same in entered.values() for one in same]
    )
    split = set(of_batch.values_list("repayment_id", flat=True))
    found: dict[str, list[Row]] = {}
    lines = StatementLine.objects.filter(file=file).order_by("position")
    for row in map(Row._make, lines.values_list(*Row._fields)):
        key = row.receipt_key if row.receipt_key in entered else row.bank_key
        if key in entered:
            found.setdefault(key, []).append(row)
    unpaid = [key for key, rows in found.items() if all(x.kind != Kind.PAYMENT for x in rows)]
    # A charge can have the id of its payment, and that payment may be in another file.
    elsewhere = StatementLine.objects.filter(
        kind=Kind.PAYMENT, receipt_key__in=unpaid, file__app_id=file.app_id
    )
    paid = set(elsewhere.values_list("receipt_key", flat=True))
    for key, rows in found.items():
        if key not in paid:
            yield from find_contradictions(rows, entered[key], split, currency).items()


def _read_entered(file: StatementFile) -> dict[str, list[Recorded]]:
    """Return the recorded repayments by receipt or bank reference.

    A bank reference counts only if it is once in the file.
    """
    lines = StatementLine.objects.filter(file=file)
    recorded = Repayment.objects.filter(RECORDED, app_id=file.app_id)
    keys = lines.exclude(receipt_key="").values("receipt_key")
    same = recorded.filter(external_id_key__in=keys).values_list(*Recorded._fields)
    of_bank = lines.exclude(bank_key="")
    once = of_bank.values("bank_key").annotate(rows=Count("pk")).filter(rows=1).values("bank_key")
    named = of_bank.filter(bank_key__in=once)
    days = {key: at for key, at in named.values_list("bank_key", "moment") if at}
    typed = recorded.filter(external_id_key__in=once).values_list(*Recorded._fields)
    found: dict[str, list[Recorded]] = {}
    for one in map(Recorded._make, same):
        found.setdefault(one.external_id_key, []).append(one)
    for one in map(Recorded._make, typed):
        day = days.get(one.external_id_key)
        if day and is_same_day(day, has_time=False, other=one.transaction_date):
            found.setdefault(one.external_id_key, []).append(one)
    return found


def _report_reversals(file: StatementFile, by: User) -> int:
    """Report each recorded repayment that a row reverses as a mistake; return their number."""
    reversals = StatementLine.objects.filter(file=file).exclude(reverses_key="")
    by_key = {line.reverses_key: line for line in reversals.order_by("position")}
    by_key |= _find_reversed_of_bank(file, by_key)
    count = 0
    for repayment in list(_list_recorded(file.app_id, by_key)):
        line = by_key[repayment.external_id_key]
        words = _("Row %(row)s of %(file)s reverses this payment: %(amount)s.")
        values = {"row": line.number, "file": file, "amount": f"{line.amount or 0:,f}"}
        name = f"{file.token}-{line.position}-{repayment.pk}"
        with suppress(mistakes.OneIsOpen):
            mistakes.report(repayment, words % values, by, name)
            count += 1
    return count


def _list_recorded(app_id: str, keys: Iterable[str]) -> QuerySet[Repayment]:
    return Repayment.objects.filter(RECORDED, app_id=app_id, external_id_key__in=list(keys))


def _find_reversed_of_bank(
    file: StatementFile, by_key: Mapping[str, StatementLine]
) -> dict[str, StatementLine]:
    """Return reversals that name a bank's reference, by the key of the reversed payment.

    Exactly one payment with this reference must have the amount of the reversal. If several
    payments have the amount, the reversed payment is not known, and the reversal is left out. A
    person must then decide before any of these payments is recorded.
    """
    rows = StatementLine.objects.filter(
        bank_key__in=list(by_key),
        kind=Kind.PAYMENT,
        file__app_id=file.app_id,
        file__account=file.account,
    )
    found: dict[int, set[str]] = {}
    for of_bank, own, amount in rows.values_list("bank_key", "receipt_key", "amount"):
        if by_key[of_bank].amount == -(amount or 0):
            found.setdefault(by_key[of_bank].pk, set()).add(own)
    lines = {line.pk: line for line in by_key.values()}
    return {keys.pop(): lines[pk] for pk, keys in found.items() if len(keys) == 1}


def _raise_maybe_reversed(file: StatementFile) -> Iterator[int]:
    """Add an alarm to each recorded repayment that a reversal of the file may have reversed.

    Yield the ids of these repayments. The reversal names no payment, so a person must decide which
    payment was reversed.
    """
    reversals = StatementLine.objects.filter(file=file, kind=Kind.REVERSAL, reverses_key="")
    by_amount = {
        -line.amount: line
        for line in reversals.order_by("-position")
        if line.amount and not _was_told_before(line)
    }
    recorded = Repayment.objects.filter(
        RECORDED, app_id=file.app_id, external_id_key=OuterRef("receipt_key")
    )
    lines = StatementLine.objects.filter(
        Exists(recorded),
        kind=Kind.PAYMENT,
        amount__in=list(by_amount),
        file__app_id=file.app_id,
        file__network=file.network,
        file__account=file.account,
    ).exclude(receipt_key="")
    found: dict[str, StatementLine] = {}
    by_file = sorted(lines.select_related("file"), key=lambda line: (line.file_id, line.position))
    for _number, group in groupby(by_file, key=lambda line: line.file_id):
        own = list(group)
        positions = places.find_maybe_reversed(own[0].file, own)
        found |= {line.receipt_key: line for line in own if line.position in positions}
    for key in set(found) - places.find_taken_back(file.app_id, list(found)):
        reversal = by_amount[found[key].amount or Decimal(0)]
        words = _(
            "This payment was possibly reversed. Row %(row)s of %(file)s reverses %(amount)s "
            "but does not say which payment."
        )
        values = {"row": reversal.number, "file": file, "amount": f"{-(reversal.amount or 0):,f}"}
        for repayment in _list_recorded(file.app_id, [key]):
            services.raise_alarm(repayment, words % values, joins=True)
            yield repayment.pk


def _was_told_before(reversal: StatementLine) -> bool:
    """Return whether an earlier complete file of the account already has this reversal."""
    file = reversal.file
    earlier = StatementLine.objects.filter(
        # These two conditions make the database use the partial index of reversals that name no
        # payment.
        kind=Kind.REVERSAL,
        reverses_key="",
        amount=reversal.amount,
        receipt_key=reversal.receipt_key,
        file__app_id=file.app_id,
        file__account=file.account,
        file__lt=file.pk,
    )
    if not reversal.receipt_key:
        earlier = earlier.filter(moment=reversal.moment)
    return not all(earlier.values_list("file__proof__found", flat=True))

"""What a statement that was brought in says against the journal: told to managers at once.

An alarm stands on the repayment and on the home page until a manager has seen it. A statement that
is not whole says nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import chain
from typing import NamedTuple, TypeVar

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from lendingadmin.gateway import lending_app
from lendingadmin.repayments import mistakes, services
from lendingadmin.repayments.managers import RECORDED
from lendingadmin.repayments.models import Repayment
from lendingadmin.staff.models import User

from .coverage import ACCOUNTS_OF, is_covered, list_accounts, list_covers
from .lines import Kind
from .models import Allocation, StatementFile, StatementLine

#: Payments may reach a statement some days late.
NOT_FOUND_AFTER = timedelta(days=2)
_AT_ONCE, _FILES = 500, 20
_Key = TypeVar("_Key", int, str)
# What a row is that brings no money, in the order in which they are told.
_WITHOUT_MONEY = (Kind.FAILED, Kind.SETTLEMENT, Kind.CHARGE, Kind.OTHER)


class Stated(NamedTuple):
    """What a statement's rows with one receipt say: the money that arrived, and the rows' kinds."""

    number: int
    amount: Decimal
    currency: str
    kinds: frozenset[str]


class Entered(NamedTuple):
    """What decides it of a recorded repayment; `is_split` where a batch split the payment."""

    number: int
    account_id: str
    amount: Decimal
    currency: str
    is_split: bool = False


def find_contradictions(
    stated: Stated, entered: Sequence[Entered], currency: str
) -> dict[int, str]:
    """What the journal has of one receipt that its statement does not: sentences by repayment.

    `currency` is the app's: what names none is in it.
    """
    if Kind.PAYMENT not in stated.kinds:
        words = _("Row %(row)s of the statement says that no money came in with this id: %(kind)s.")
        kind = next((one for one in _WITHOUT_MONEY if one in stated.kinds), Kind.OTHER)
        return {one.number: words % {"row": stated.number, "kind": kind.label} for one in entered}
    codes = {one.currency or currency for one in entered} | {stated.currency or currency}
    total = sum((one.amount for one in entered), Decimal(0))
    loans = {one.account_id for one in entered}
    found = ""
    if len(codes) > 1:
        found = _("Row %(row)s of the statement is in another currency: %(amount)s %(currency)s.")
    elif total != stated.amount:
        found = _(
            "Row %(row)s of the statement says %(amount)s; %(total)s is recorded with its id."
        )
    elif len(loans) > 1 and not all(one.is_split for one in entered):
        found = _("Its id is recorded on several loans; row %(row)s of the statement has it once.")
    values = {
        "row": stated.number,
        "amount": f"{stated.amount:,f}",
        "total": f"{total:,f}",
        "currency": stated.currency or currency,
    }
    return {one.number: found % values for one in entered} if found else {}


def raise_alarms(file: StatementFile, by: User) -> int:
    """Tell managers what a statement contradicts, and report what it takes back as mistakes.

    Returns how many repayments that are. Outside a transaction: each is committed by itself.
    """
    if file.proof.get("found"):
        return 0
    against = dict(_list_contradictions(file))
    for some in _split(sorted(against)):
        for repayment in Repayment.objects.filter(pk__in=some, alarm=""):
            text = _("%(file)s: %(words)s")
            words = {"file": file, "words": against[repayment.pk]}
            services.raise_alarm(repayment, text % words)
    return len(against) + sum(1 for _row in _report_reversals(file, by))


def search_covered_days(now: datetime) -> None:
    """The worker's duty: once a covered day is NOT_FOUND_AFTER old, tell managers of repayments
    that its network's statements should have and do not.
    """
    due = StatementFile.objects.filter(
        searched_at=None,
        covers_to__lt=(now - NOT_FOUND_AFTER).date(),
        app_id__in=[app.app_id for app in settings.LENDING_APPS],
    )
    for file in due.order_by("covers_to").defer("content")[:_FILES]:
        if not file.proof.get("found") and file.network:
            for repayment in _list_not_found(file):
                words = _("No statement of %(network)s has this transaction id.")
                services.raise_alarm(repayment, words % {"network": file.network})
        StatementFile.objects.filter(pk=file.pk).update(searched_at=now)


def _list_not_found(file: StatementFile) -> Iterator[Repayment]:
    """Recorded repayments of the file's network and days whose id no payment of a statement has.

    Only of days that each account of the network that is known has a statement of.
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
    paid = StatementLine.objects.filter(
        kind=Kind.PAYMENT, receipt_key=OuterRef("external_id_key"), file__app_id=file.app_id
    )
    for repayment in rows.filter(~Exists(paid)).order_by("transaction_date"):
        day = repayment.transaction_date.astimezone(app.zone).date()
        if is_covered(day, accounts, covers):
            yield repayment


def _list_contradictions(file: StatementFile) -> Iterator[tuple[int, str]]:
    currency = lending_app(file.app_id).currency
    entered = _read_entered(file)
    for key, stated in _read_stated(file, list(entered)).items():
        yield from find_contradictions(stated, entered[key], currency).items()


def _read_stated(file: StatementFile, keys: Sequence[str]) -> dict[str, Stated]:
    """What the file says of each of these receipts; of one that is twice in it, its payment's
    amount once.
    """
    found: dict[str, Stated] = {}
    columns = ("number", "kind", "receipt_key", "amount", "currency")
    lines = StatementLine.objects.filter(file=file).order_by("position")
    slices = (lines.filter(receipt_key__in=some) for some in _split(keys))
    for number, kind, key, amount, currency in chain.from_iterable(
        some.values_list(*columns) for some in slices
    ):
        before = found.get(key, Stated(number, Decimal(0), currency, frozenset()))
        is_payment = kind == Kind.PAYMENT
        found[key] = Stated(
            number if is_payment else before.number,
            amount if is_payment else before.amount,
            currency or before.currency,
            before.kinds | {Kind(kind)},
        )
    return found


def _read_entered(file: StatementFile) -> dict[str, list[Entered]]:
    """What the journal has recorded of the file's receipts."""
    found: dict[str, list[Entered]] = {}
    columns = ("external_id_key", "pk", "account_id", "amount", "currency_code")
    keys = StatementLine.objects.filter(file=file).exclude(receipt_key="").values("receipt_key")
    same = Repayment.objects.filter(RECORDED, app_id=file.app_id, external_id_key__in=keys)
    rows = list(same.values_list(*columns))
    split = set[int]()
    for some in _split([row[1] for row in rows]):
        parts = Allocation.objects.filter(repayment__in=some)
        split.update(parts.values_list("repayment_id", flat=True))
    for key, number, account_id, amount, code in rows:
        entered = Entered(number, account_id, amount, code, number in split)
        found.setdefault(key, []).append(entered)
    return found


def _report_reversals(file: StatementFile, by: User) -> Iterator[Repayment]:
    """Report a mistake on each recorded repayment whose money a row takes back."""
    reversals = StatementLine.objects.filter(file=file).exclude(reverses_key="")
    by_key = {line.reverses_key: line for line in reversals.order_by("position")}
    for some in _split(list(by_key)):
        same = Repayment.objects.filter(RECORDED, app_id=file.app_id, external_id_key__in=some)
        for repayment in list(same):
            line = by_key[repayment.external_id_key]
            words = _("Row %(row)s of %(file)s takes this payment back: %(amount)s.")
            values = {"row": line.number, "file": file, "amount": f"{line.amount or 0:,f}"}
            name = f"{file.token}-{line.position}-{repayment.pk}"
            try:
                mistakes.report(repayment, words % values, by, name)
            except mistakes.OneIsOpen:
                continue
            yield repayment


def _split(keys: Sequence[_Key]) -> Iterable[Sequence[_Key]]:
    return (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE))

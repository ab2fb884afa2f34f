"""Comparison of a day's entries in the journal with the payments on statements.

Each entry and each payment is in exactly one part, so the parts of each side add up to its total.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.db import models
from django.db.models import Case, Q, Value, When
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.repayments.managers import CASH, IN_CASH, RECORDED, get_midnight
from lendingadmin.money.repayments.models import Repayment

from .alarms import NOT_FOUND_AFTER
from .coverage import ACCOUNTS_OF, Cover, is_covered, list_accounts, list_covers
from .lines import Kind, Place
from .models import COUNTED_CASH, StatementFile, StatementLine
from .places import is_recorded
from .standings import Recorded, Sums


class EntryPart(models.TextChoices):
    """The result of comparing a recorded repayment with the statements."""

    CONFIRMED = "confirmed", _("confirmed by a statement")
    OTHER_AMOUNT = "other-amount", _("on a statement, but with another amount")
    LISTED = "listed", _("on a statement that is not complete")
    NOT_FOUND = "not-found", _("missing on the statement")
    MAY_COME = "may-come", _("maybe on the next statement")
    CASH = "cash", _("cash over the counter")
    UNCHECKED = (
        "unchecked",
        _("no statement yet, or no transaction id"),
    )


@dataclass(frozen=True)
class Day:
    """The entries and the payments of a day by part, and the statements with rows of the day.

    `covered` are the networks whose statements cover the day, and `files` are these statements.
    `so_far` has the other files with rows of the day, each with the time of its last row.
    """

    entries: Mapping[str, Sums]
    credits: Mapping[str, Sums]
    covered: Sequence[str]
    files: Sequence[Cover]
    so_far: Sequence[tuple[StatementFile, datetime]]

    @property
    def entered(self) -> dict[str, Decimal]:
        """Sums of the entries in the journal, by currency."""
        return _add_up(x for one in self.entries.values() for x in one.sums.items())

    @property
    def arrived(self) -> dict[str, Decimal]:
        """Sums of the payments on statements, by currency."""
        return _add_up(x for one in self.credits.values() for x in one.sums.items())


def sort_all(
    entries: Sequence[Recorded],
    confirmed: Mapping[str, Decimal],
    listed: Mapping[str, Decimal],
    totals: Mapping[str, Decimal],
    covered: Collection[str],
    *,
    is_late: bool,
) -> dict[str, Sums]:
    """Return the sums of the entries by part; each entry is in one part.

    `confirmed` has the amounts in complete statements, `listed` the amounts in other statements,
    and `totals` the sums that are recorded; all by id.
    """
    parts = {part.value: Sums(str(part.label)) for part in EntryPart}
    for one in entries:
        key = one.external_id_key
        if one.network == CASH:
            part = EntryPart.CASH
        elif key in confirmed or key in listed:
            part = EntryPart.CONFIRMED if key in confirmed else EntryPart.LISTED
            if confirmed.get(key, listed.get(key)) != totals.get(key, one.amount):
                part = EntryPart.OTHER_AMOUNT
        elif not (one.network and one.network in covered):
            part = EntryPart.UNCHECKED
        else:
            part = EntryPart.NOT_FOUND if is_late else EntryPart.MAY_COME
        parts[part].add(one.pk, one.amount, one.currency_code)
    return parts


def read_day(app: LendingApp, day: date, now: datetime) -> Day:
    """Return entries and payments of a day in an app's zone, with a fixed number of queries."""
    covers = list_covers(app.app_id, day - ACCOUNTS_OF, day)
    accounts = list_accounts(app.app_id, covers, day - ACCOUNTS_OF)
    covered = [
        network
        for network, own in accounts.items()
        if is_covered(day, own, [one for one in covers if one.network == network])
    ]
    entries = _read_entries(app, day)
    keys = {one.external_id_key for one in entries} - {""}
    confirmed, listed = _read_stated(app, keys, day)
    same = Repayment.objects.filter(RECORDED, app_id=app.app_id, external_id_key__in=keys)
    # The sum that is recorded with each of these ids, on all days and loans.
    totals = _add_up(same.values_list("external_id_key", "amount"))
    is_late = now >= get_midnight(day + timedelta(days=1), app.zone) + NOT_FOUND_AFTER
    files = [one for one in covers if one.first <= day <= one.last]
    covering = [one.number for one in files]
    others = _list_others(app, day, covering)
    found, until = _read_credits(app, day, [*covering, *others])
    return Day(
        sort_all(entries, confirmed, listed, totals, covered, is_late=is_late),
        found,
        covered,
        files,
        [(file, until[pk]) for pk, file in others.items() if pk in until],
    )


def _list_others(app: LendingApp, day: date, covering: Sequence[int]) -> dict[int, StatementFile]:
    """Return the files that may have rows of a day but do not cover it.

    These files were uploaded before the day was over, or they are not complete. A file whose head
    names no days is included if it was uploaded within ACCOUNTS_OF after the day began.
    """
    since = get_midnight(day, app.zone)
    names_days = Q(begins__lte=day, ends__gte=day)
    names_none = Q(begins=None, created_at__lt=since + ACCOUNTS_OF)
    files = StatementFile.objects.filter(
        names_days | names_none, app_id=app.app_id, created_at__gte=since
    )
    files = files.exclude(layout__in=["", COUNTED_CASH]).exclude(pk__in=covering)
    return {file.pk: file for file in files.only("network", "account", "layout").order_by("pk")}


def _read_entries(app: LendingApp, day: date) -> list[Recorded]:
    """Return the recorded repayments of a day, each with its currency.

    Cash has the network CASH. A repayment whose id was made by the dashboard has no network,
    because no statement has this id.
    """
    rows = Repayment.objects.filter(RECORDED, app_id=app.app_id)
    rows = rows.on_days(day, day, "transactionDate", app.zone).order_by("transaction_date", "pk")
    no_network = When(external_id_minted=True, then=Value(""))
    of = Case(When(IN_CASH, then=Value(CASH)), no_network, default="network")
    columns = rows.annotate(of=of).values_list("of", *Recorded._fields)
    found = [(network, Recorded(*values)) for network, *values in columns]
    return [
        one._replace(network=network, currency_code=one.currency_code or app.currency)
        for network, one in found
    ]


def _read_stated(
    app: LendingApp, keys: set[str], day: date
) -> tuple[dict[str, Decimal], dict[str, Decimal]]:
    """Return the amounts of payments in complete statements, and the amounts in other statements.

    A payment counts if its receipt is one of these ids, or if it is on this day and its bank's
    reference is.
    """
    since, until = (get_midnight(day + timedelta(days=n), app.zone) for n in (0, 1))
    lines = StatementLine.objects.filter(
        Q(receipt_key__in=keys) | Q(bank_key__in=keys, moment__gte=since, moment__lt=until),
        kind=Kind.PAYMENT,
        file__app_id=app.app_id,
    ).exclude(place="")
    confirmed, listed = dict[str, Decimal](), dict[str, Decimal]()
    columns = ("receipt_key", "bank_key", "amount", "place", "file__proof")
    for own, of_bank, amount, place, checked in lines.values_list(*columns):
        key = own if own in keys else of_bank
        if amount and checked.get("has_ends") and not checked.get("found"):
            confirmed.setdefault(key, amount)
        # A copy of a payment in another file counts only if that file is complete.
        elif amount and place != Place.COPY:
            listed.setdefault(key, amount)
    return confirmed, listed


def _read_credits(
    app: LendingApp, day: date, files: Sequence[int]
) -> tuple[dict[str, Sums], dict[int, datetime]]:
    """Return a day's payments by place, and the time of the last payment in each file.

    Copies are left out.
    """
    since = get_midnight(day, app.zone)
    lines = StatementLine.objects.filter(
        file__in=files,
        kind=Kind.PAYMENT,
        moment__gte=since,
        moment__lt=get_midnight(day + timedelta(days=1), app.zone),
    ).exclude(place__in=("", Place.COPY))
    unplaced = lines.filter(is_recorded(RECORDED), place=Place.UNALLOCATED)
    lately = set(unplaced.values_list("pk", flat=True))
    parts = {place.value: Sums(str(place.label)) for place in Place if place != Place.COPY}
    until: dict[int, datetime] = {}
    columns = ("pk", "file_id", "moment", "place", "amount", "currency")
    for number, file_id, moment, place, amount, code in lines.values_list(*columns):
        where = Place.RECORDED.value if number in lately else place
        parts[where].add(number, amount, code or app.currency)
        until[file_id] = max(moment, until.get(file_id, moment))
    return parts, until


def _add_up(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for key, amount in amounts:
        found[key] = found.get(key, Decimal(0)) + amount
    return found

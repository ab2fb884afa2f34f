"""Which days of a network the statements that were brought in cover, for each of its accounts."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from lendingadmin.repayments.confirmations import AccountCover

from .lines import Statement
from .models import COUNTED_CASH, StatementFile

#: An account that had a statement in this time before is one of the network's.
ACCOUNTS_OF = timedelta(days=60)
_DAY = timedelta(days=1)


class Cover(NamedTuple):
    """The whole days that a file covers, both included; `is_proven` where it is proven whole."""

    number: int
    network: str
    account: str
    first: date
    last: date
    is_proven: bool

    @property
    def name(self) -> str:
        """What the file is called."""
        return f"statement-{self.number}"


def find_days(statement: Statement, today: date) -> tuple[date | None, date | None]:
    """The whole days that a statement covers by its head, or between its first and last row.

    Of a day at the edge of its rows nothing says that it is whole, nor of `today`, on which it was
    brought in: a head may name days that are still to come.
    """
    if statement.begins and statement.ends:
        last = min(statement.ends, today - _DAY)
        return (statement.begins, last) if last >= statement.begins else (None, None)
    days = sorted({line.moment.date() for line in statement.lines if line.moment})
    if len(days) < 3:
        return None, None
    return days[0] + _DAY, days[-1] - _DAY


def list_covers(app_id: str, since: date, until: date, network: str | None = None) -> list[Cover]:
    """The files of an app that cover some of these days; what is not whole covers none."""
    files = StatementFile.objects.filter(
        app_id=app_id, covers_from__lte=until, covers_to__gte=since
    )
    if network is not None:
        files = files.filter(network=network)
    columns = ("pk", "network", "account", "covers_from", "covers_to", "proof")
    return [
        Cover(number, of, account, first, last, bool(proof.get("checks")))
        for number, of, account, first, last, proof in files.order_by("pk").values_list(*columns)
        if first and last and not proof.get("found")
    ]


def list_accounts(covers: Iterable[Cover]) -> dict[str, list[str]]:
    """The accounts of each network that files are of."""
    found: dict[str, set[str]] = {}
    for cover in covers:
        found.setdefault(cover.network, set()).add(cover.account)
    return {network: sorted(accounts) for network, accounts in sorted(found.items())}


def is_covered(day: date, accounts: Iterable[str], covers: Sequence[Cover]) -> bool:
    """Whether each of these accounts of a network has a file that covers the day."""
    on_day = {cover.account for cover in covers if cover.first <= day <= cover.last}
    return bool(wanted := set(accounts)) and wanted <= on_day


def find_missing(app_id: str, first: date, last: date) -> list[AccountCover]:
    """Which of these days no statement covers, for each account that had a file of late, whether
    that covers any or not.
    """
    covers = list_covers(app_id, first - ACCOUNTS_OF, last)
    own: dict[tuple[str, str], list[Cover]] = {}
    for cover in covers:
        own.setdefault((cover.network, cover.account), []).append(cover)
    since = datetime.combine(first - ACCOUNTS_OF, time.min, UTC)
    files = StatementFile.objects.filter(app_id=app_id, created_at__gte=since)
    accounts = files.exclude(layout__in=["", COUNTED_CASH]).values_list("network", "account")
    for key in accounts.distinct():
        own.setdefault(key, [])
    return [AccountCover(*key, _find_stretches(first, last, own[key])) for key in sorted(own)]


def _find_stretches(first: date, last: date, covers: list[Cover]) -> list[tuple[date, date]]:
    """The stretches between first and last that none of these covers, one account's all."""
    missing, begins = [], first
    for cover in sorted(covers, key=lambda one: one.first):
        if cover.first > begins:
            missing.append((begins, cover.first - _DAY))
        begins = max(begins, cover.last + _DAY)
    if begins <= last:
        missing.append((begins, last))
    return missing

"""The days that the uploaded statements cover, for each account of a network."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from lendingadmin.money.repayments.confirmations import AccountCover

from .lines import Statement
from .models import COUNTED_CASH, StatementFile

#: An account belongs to a network if it has a statement within this time before the first day.
ACCOUNTS_OF = timedelta(days=60)
_DAY = timedelta(days=1)


class Cover(NamedTuple):
    """A complete file, with the first and the last day that it covers; both are included."""

    number: int
    network: str
    account: str
    first: date
    last: date

    @property
    def name(self) -> str:
        """Name of the file."""
        return f"statement-{self.number}"


def find_days(statement: Statement, today: date) -> tuple[date | None, date | None]:
    """Return the first and last day that a statement covers according to its head.

    Both are None if the head does not name the days, or if no covered day is over. `today` is the
    day of the upload. It and later days are not covered, because they are not over.
    """
    if not (statement.begins and statement.ends):
        return None, None
    last = min(statement.ends, today - _DAY)
    return (statement.begins, last) if last >= statement.begins else (None, None)


def list_covers(app_id: str, since: date, until: date, network: str | None = None) -> list[Cover]:
    """Return the complete files of an app that cover some of these days."""
    files = StatementFile.objects.filter(
        app_id=app_id, covers_from__lte=until, covers_to__gte=since
    )
    if network is not None:
        files = files.filter(network=network)
    columns = ("pk", "network", "account", "covers_from", "covers_to", "proof")
    return [
        Cover(number, of, account, first, last)
        for number, of, account, first, last, proof in files.order_by("pk").values_list(*columns)
        if first and last and proof.get("has_ends") and not proof.get("found")
    ]


def list_accounts(app_id: str, covers: Iterable[Cover], since: date) -> dict[str, list[str]]:
    """Return the accounts of each network in these covers and in files uploaded since a day.

    An account whose files are never complete is included too, but no file covers its days.
    """
    begins = datetime.combine(since, time.min, UTC)
    files = StatementFile.objects.filter(app_id=app_id, created_at__gte=begins)
    files = files.exclude(layout__in=["", COUNTED_CASH]).exclude(account="")
    uploaded = files.values_list("network", "account").distinct()
    found: dict[str, set[str]] = {}
    for network, account in (*uploaded, *(one[1:3] for one in covers)):
        found.setdefault(network, set()).add(account)
    return {network: sorted(accounts) for network, accounts in sorted(found.items())}


def is_covered(day: date, accounts: Iterable[str], covers: Sequence[Cover]) -> bool:
    """Return True if there are accounts and each has a file that covers the day."""
    on_day = {cover.account for cover in covers if cover.first <= day <= cover.last}
    return bool(wanted := set(accounts)) and wanted <= on_day


def find_missing(app_id: str, first: date, last: date) -> list[AccountCover]:
    """Return the days without a statement, for each account with a recent file.

    A file is recent if its upload, or a day that it covers, is not older than ACCOUNTS_OF before
    `first`. An account is listed even if its files cover no day.
    """
    covers = list_covers(app_id, first - ACCOUNTS_OF, last)
    return [
        AccountCover(network, account, _find_stretches(first, last, covers, (network, account)))
        for network, own in list_accounts(app_id, covers, first - ACCOUNTS_OF).items()
        for account in own
    ]


def _find_stretches(
    first: date, last: date, covers: list[Cover], account: tuple[str, str]
) -> list[tuple[date, date]]:
    """Return the periods between two days that no file of an account covers."""
    missing, begins = [], first
    own = (one for one in covers if one[1:3] == account)
    for cover in sorted(own, key=lambda one: one.first):
        if cover.first > begins:
            missing.append((begins, cover.first - _DAY))
        begins = max(begins, cover.last + _DAY)
    if begins <= last:
        missing.append((begins, last))
    return missing

"""End of day: each person's entries of one day, by channel, network and currency.

A repayment belongs to the day of its entry, because its money is in the till of that day. People
can choose the day of the transaction date instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import Any

from django.db.models import Count, F, Q
from django.utils.http import urlencode

from lendingadmin.core.gateway import LendingApp

from . import managers
from .models import Repayment
from .states import RepaymentState


@dataclass(frozen=True)
class Figures:
    """Counts of entries by state, and sums in one currency.

    `presumed` is the part of `landed` that only the balances show. `awaiting` is the part of
    `not_sent` that waits for a second person. The service may or may not have the `doubtful`
    repayments.
    """

    entered: int
    landed: int
    landed_sum: Decimal
    presumed: int
    doubtful: int
    doubtful_sum: Decimal
    refused: int
    not_sent: int
    awaiting: int
    abandoned: int

    @property
    def not_recorded(self) -> int:
        """Number of repayments that the service does not have, according to our records."""
        return self.refused + self.not_sent + self.abandoned


@dataclass(frozen=True)
class Line:
    """One person's entries by one channel and network, in one currency."""

    person: str
    channel: str
    network: str
    currency: str
    figures: Figures
    query: str


@dataclass(frozen=True)
class Till:
    """All lines of one currency, and their total."""

    currency: str
    lines: Sequence[Line]
    total: Figures
    query: str


def list_lines(
    app: LendingApp, day: date, by: str = "", person_id: int | None = None
) -> list[Line]:
    """Return the day's entries in groups, ordered by currency first.

    `by` chooses the date, as in `on_days`. With `person_id`, include only the entries of this
    person.
    """
    rows = Repayment.objects.filter(app_id=app.app_id).on_days(day, day, by, app.zone)
    if person_id is not None:
        rows = rows.filter(created_by_id=person_id)
    keys = {"by_person": F("created_by__username"), **managers.get_group_keys(app)}
    order = ("by_currency", "by_person", "by_channel", "by_network")
    counts = {name: Count("pk", filter=wanted) for name, wanted in managers.STANDINGS.items()}
    found = (
        rows.values(**keys)
        .annotate(
            **counts,
            entered=Count("pk"),
            landed_sum=managers.sum_thousandths(managers.RECORDED),
            presumed=Count("pk", filter=Q(state=RepaymentState.PRESUMED)),
            awaiting=Count("pk", filter=Q(state=RepaymentState.AWAITING)),
            doubtful_sum=managers.sum_thousandths(managers.STANDINGS["doubtful"]),
        )
        .order_by(*order)
    )
    place = urlencode({"since": day.isoformat(), "until": day.isoformat(), "by": by})
    return [_line(group, place) for group in found]


def _line(group: Mapping[str, Any], place: str) -> Line:
    names = ("person", "channel", "network", "currency")
    keys = {name: str(group[f"by_{name}"]) for name in names}
    found = {field.name: group[field.name] for field in fields(Figures)}
    sums = {name: managers.to_amount(group[name]) for name in ("landed_sum", "doubtful_sum")}
    return Line(**keys, figures=Figures(**found | sums), query=f"{place}&{urlencode(keys)}")


def group_by_currency(found: Iterable[Line], day: date, by: str = "") -> list[Till]:
    """Return the lines in one Till for each currency, because sums never mix currencies."""
    place = {"since": day.isoformat(), "until": day.isoformat(), "by": by}
    return [
        Till(code, own, _total(own), urlencode(place | {"currency": code}))
        for code, group in groupby(found, key=lambda line: line.currency)
        if (own := list(group))
    ]


def _total(of: Sequence[Line]) -> Figures:
    names = [field.name for field in fields(Figures)]
    return Figures(**{name: sum(getattr(line.figures, name) for line in of) for name in names})

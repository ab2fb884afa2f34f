"""Exactly the loans behind a figure of a snapshot, and behind each bar of its pictures."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.http import Http404, QueryDict

from lendingadmin.display.numbers import counted
from lendingadmin.display.statuses import numbered
from lendingadmin.ui.lists import DEFAULT_PAGE_SIZE, whole_number

from .figures import AT_RISK, OTHER_KINDS, Figures, Sum
from .models import Snapshot, SnapshotLoan

# What each figure is made of, for the lists of loans that lack it.
_UNTOLD = {
    "outstanding": ("what is outstanding", Q(outstanding=None)),
    "overdue": ("what is overdue", Q(overdue=None)),
    "at_risk": (
        "the outstanding principal, or how late they are",
        Q(principal_outstanding=None) | Q(days_late=None, principal_outstanding_rank__isnull=False),
    ),
    "paid": ("what was paid since the count before", Q(paid_since_last=None)),
    "months": ("principal or start", Q(principal=None) | Q(start_day=None)),
}
_AMOUNTS = {
    "outstanding": ("outstanding", "Loans with something outstanding"),
    "overdue": ("overdue", "Loans with something overdue"),
    "principal_outstanding": ("principal_outstanding", "Loans with outstanding principal"),
    "paid": ("paid_since_last", "Loans paid since the count before"),
}
_HEADINGS = {
    "principal": "Principal",
    "principal_outstanding": "Outstanding principal",
    "paid_since_last": "Paid since the count before",
    "outstanding": "Outstanding",
    "overdue": "Overdue",
}


class Drilldown(NamedTuple):
    """A list of loans: its title, its rows in order, and the amount that is added up.

    `amount` is the name of a field of SnapshotLoan; `total` is the figure, None where the rows are
    those that the figure lacks.
    """

    title: str
    rows: QuerySet[SnapshotLoan]
    amount: str
    total: Sum | None

    @property
    def heading(self) -> str:
        """What the amount is called."""
        return _HEADINGS[self.amount]


def build_drilldown(
    snapshot: Snapshot, figures: Figures, by: str, words: Callable[[str], str]
) -> Drilldown | None:
    """What an address asks for; None where no figure is called so.

    `by` is outstanding, overdue, principal_outstanding, paid, par30, month:2026-05, performance:2
    or untold:overdue; `words` gives a performance status in words.
    """
    kind, _, value = by.partition(":")
    rows = SnapshotLoan.objects.filter(snapshot=snapshot)
    if by in _AMOUNTS:
        return _amount(rows, figures, by)
    if by in [f"par{days}" for days in AT_RISK]:
        return _at_risk(rows, figures, int(by.removeprefix("par")))
    if kind == "month" and value in figures.months:
        return _month(rows, figures, value)
    if kind == "performance" and value in figures.performance:
        title = f"Loans of performance: {words(value)}"
        rows = _largest_first(rows.filter(performance=value), "outstanding")
        return Drilldown(title, rows, "outstanding", figures.performance[value])
    if kind == "untold" and value in _UNTOLD:
        lacking, without = _UNTOLD[value]
        title = f"Loans of which the service did not tell {lacking}"
        return Drilldown(title, rows.filter(without).order_by("account_id"), "outstanding", None)
    return None


class NotKept(Http404):
    """The snapshot was thinned, or was never complete."""


def asked_for(app_id: str, number: int, query: QueryDict) -> tuple[Snapshot, Drilldown]:
    """The snapshot and the list that an address names; `by` is its figure.

    Raises NotKept, and Http404 for a figure that there is not.
    """
    rows = Snapshot.objects.filter(app_id=app_id, state=Snapshot.State.DONE)
    snapshot = rows.filter(pk=number).first()
    if snapshot is None:
        raise NotKept("This count is not kept any more.")
    figures = Figures.from_json(snapshot.figures)
    found = build_drilldown(snapshot, figures, query.get("by") or "outstanding", performance_words)
    if found is None:
        raise Http404("No figure is called so.")
    return snapshot, found


def read_keys(kwargs: Mapping[str, Any], query: QueryDict) -> list[str]:
    """The ids on a page of such a list; none where its snapshot is not kept any more."""
    try:
        _, found = asked_for(kwargs["app_id"], kwargs["number"], query)
    except Http404:
        return []
    skip = whole_number(query.get("from"))
    return list(found.rows.values_list("account_id", flat=True)[skip : skip + DEFAULT_PAGE_SIZE])


def performance_words(key: str) -> str:
    """A performance status in words: those of the settings, its number, `not told`."""
    if key == OTHER_KINDS:
        return "other kinds"
    status = numbered(key, settings.LENDING_PERFORMANCE_STATUSES)
    return status.word if status else "not told"


def _amount(rows: QuerySet[SnapshotLoan], figures: Figures, by: str) -> Drilldown:
    name, title = _AMOUNTS[by]
    rows = rows.filter(**{f"{name}_rank__isnull": False})
    return Drilldown(title, _largest_first(rows, name), name, figures.sums[by])


def _at_risk(rows: QuerySet[SnapshotLoan], figures: Figures, days: int) -> Drilldown:
    title = f"Loans {counted(days, 'day')} late or more"
    rows = rows.filter(days_late__gte=days, principal_outstanding_rank__isnull=False)
    rows = _largest_first(rows, "principal_outstanding")
    return Drilldown(title, rows, "principal_outstanding", figures.sums[f"par{days}"])


def _month(rows: QuerySet[SnapshotLoan], figures: Figures, month: str) -> Drilldown:
    year, number = map(int, month.split("-"))
    first, after = date(year, number, 1), date(year + number // 12, number % 12 + 1, 1)
    rows = rows.filter(start_day__gte=first, start_day__lt=after, start_day__lte=figures.day)
    rows = _largest_first(rows.filter(principal_rank__isnull=False), "principal")
    return Drilldown(f"Loans that began in {first:%B %Y}", rows, "principal", figures.months[month])


def _largest_first(rows: QuerySet[SnapshotLoan], name: str) -> QuerySet[SnapshotLoan]:
    return rows.order_by(F(f"{name}_rank").desc(nulls_last=True), "id")


def arrears(snapshot: Snapshot, at_most: int) -> list[SnapshotLoan]:
    """The loans with the largest overdue amounts; none that is negative."""
    rows = SnapshotLoan.objects.filter(snapshot=snapshot, overdue_rank__isnull=False)
    return list(rows.filter(overdue_rank__gt=0).order_by("-overdue_rank", "id")[:at_most])

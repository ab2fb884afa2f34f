"""The loans that a figure of a snapshot adds up, and those of each bar of its pictures."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import Http404, QueryDict
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_noop as _

from lendingadmin.web.display.statuses import find_status
from lendingadmin.web.keyset import filter_in_order

from .figures import AT_RISK, OTHER_KINDS, Figures, Sum
from .models import FIGURES_VERSION, LACKS_VALUES, LARGEST_OUTSTANDING, Snapshot, SnapshotLoan

_OPEN = Q(is_open=True)
# The lists of loans that lack the values of a figure: the title, and which loans these are.
_UNTOLD = {
    "outstanding": (
        _("Open loans of which the service did not report what is outstanding"),
        _OPEN & Q(outstanding=None),
    ),
    "overdue": (
        _("Open loans of which the service did not report what is overdue"),
        _OPEN & Q(overdue=None),
    ),
    "at_risk": (
        _(
            "Open loans of which the service did not report the outstanding principal, or how late "
            "they are"
        ),
        _OPEN
        & (
            Q(principal_outstanding=None)
            | Q(days_late=None, principal_outstanding_rank__isnull=False)
        ),
    ),
    "paid": (
        _("Loans of which the service did not report what was paid since the count before"),
        Q(paid_since_last=None),
    ),
    "months": (
        _("Loans of which the service did not report principal or start"),
        Q(principal=None) | Q(start_day=None),
    ),
}
_AMOUNTS = {
    "outstanding": ("outstanding", _("Open loans with something outstanding"), _OPEN),
    "overdue": ("overdue", _("Open loans with something overdue"), _OPEN),
    "principal_outstanding": (
        "principal_outstanding",
        _("Open loans with outstanding principal"),
        _OPEN,
    ),
    "paid": ("paid_since_last", _("Loans paid since the count before"), Q()),
}
_HEADINGS = {
    "principal": _("Principal"),
    "principal_outstanding": _("Outstanding principal"),
    "paid_since_last": _("Paid since the count before"),
    "outstanding": _("Outstanding"),
    "overdue": _("Overdue"),
}


class Drilldown(NamedTuple):
    """A list of loans: its title, its rows in order, and the amount that is added up.

    `amount` is the name of a field of SnapshotLoan; `total` is the figure, None where the rows lack
    its values.
    """

    title: str
    rows: QuerySet[SnapshotLoan]
    amount: str
    total: Sum | None

    @property
    def heading(self) -> str:
        """What the amount is called."""
        return gettext(_HEADINGS[self.amount])


def build_drilldown(
    snapshot: Snapshot, figures: Figures, by: str, words: Callable[[str], str]
) -> Drilldown | None:
    """The list of a figure; None where there is no such figure.

    `by` is outstanding, overdue, principal_outstanding, paid, par30, month:2026-05, performance:2
    or untold:overdue; `words` gives a performance status in words.
    """
    rows = SnapshotLoan.objects.filter(snapshot=snapshot)
    kind, value = by.partition(":")[::2]
    late = by.removeprefix("par")
    if by in _AMOUNTS:
        name, title, counted_in = _AMOUNTS[by]
        rows = rows.filter(counted_in, **{f"{name}_rank__isnull": False})
        return Drilldown(gettext(title), _sort_largest(rows, name), name, figures.sums[by])
    if by.startswith("par") and late in map(str, AT_RISK):
        name = "principal_outstanding"
        title = ngettext(
            "Open loans more than %(days)s day late",
            "Open loans more than %(days)s days late",
            int(late),
        ) % {"days": late}
        rows = rows.filter(_OPEN, principal_outstanding_rank__isnull=False)
        rows = filter_in_order(rows, Q(days_late__gt=int(late)), figures.sums[by].loans)
        return Drilldown(title, _sort_largest(rows, name), name, figures.sums[by])
    if kind == "month" and value in figures.months:
        first = date.fromisoformat(f"{value}-01")
        title = gettext("Loans that began in %(month)s") % {"month": f"{first:%B %Y}"}
        figure = figures.months[value]
        began = Q(start_day__gte=first, start_day__lt=_next_month(first))
        began &= Q(start_day__lte=figures.day)
        rows = filter_in_order(rows.filter(principal_rank__isnull=False), began, figure.loans)
        return Drilldown(title, _sort_largest(rows, "principal"), "principal", figure)
    if kind == "performance" and value in figures.performance:
        title = gettext("Open loans of performance: %(status)s") % {"status": words(value)}
        # Those that owe nothing or did not report it belong to it too.
        rows = rows.filter(_OPEN, performance=value).order_by(LARGEST_OUTSTANDING, "id")
        return Drilldown(title, rows, "outstanding", figures.performance[value])
    if kind == "untold" and value in _UNTOLD:
        title, without = _UNTOLD[value]
        if value != "paid":
            without &= LACKS_VALUES
        rows = rows.filter(without).order_by("account_id")
        return Drilldown(gettext(title), rows, "outstanding", None)
    return None


class NotKept(Http404):
    """The snapshot was pruned, or its loans were, or it was never complete."""


class OlderFigures(NotKept):
    """The snapshot was taken while the figures had another meaning."""


def find_drilldown(app_id: str, number: int, query: QueryDict) -> tuple[Snapshot, Drilldown]:
    """The snapshot and the list that an address names; `by` is its figure.

    Raises NotKept, OlderFigures, and Http404 for a figure that does not exist.
    """
    rows = Snapshot.objects.filter(app_id=app_id, state=Snapshot.State.DONE)
    snapshot = rows.filter(pk=number).first()
    if snapshot is None or not snapshot.has_loans:
        raise NotKept("The loans of this count are not kept any more.")
    if snapshot.figures_version != FIGURES_VERSION:
        raise OlderFigures("The figures had another meaning at this count.")
    figures = Figures.from_json(snapshot.figures)
    found = build_drilldown(snapshot, figures, query.get("by") or "outstanding", write_performance)
    if found is None:
        raise Http404("No figure is called so.")
    return snapshot, found


def write_performance(key: str) -> str:
    """A performance status in the words of the settings, or its number; `not reported` for none."""
    if key == OTHER_KINDS:
        return gettext("other kinds")
    status = find_status(key, settings.LENDING_PERFORMANCE_STATUSES)
    return status.word if status else gettext("not reported")


def _next_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _sort_largest(rows: QuerySet[SnapshotLoan], name: str) -> QuerySet[SnapshotLoan]:
    """Rows that all have the amount, the largest first: as an index holds them.

    With NULLS LAST neither database would see that the index serves the order.
    """
    return rows.order_by(f"-{name}_rank", "id")


def list_arrears(snapshot: Snapshot, at_most: int) -> list[SnapshotLoan]:
    """The open loans with the largest overdue amounts, without negative ones."""
    rows = SnapshotLoan.objects.filter(_OPEN, snapshot=snapshot, overdue_rank__isnull=False)
    return list(rows.filter(overdue_rank__gt=0).order_by("-overdue_rank", "id")[:at_most])

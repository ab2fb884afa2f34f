"""Kinds and orders of loan lists, and the form that reads a list from an address."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from django import forms
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext_noop as _

from lendingadmin.web.display.statuses import find_status
from lendingadmin.web.lists import DEFAULT_PAGE_SIZE, PAGE_SIZES, as_id, whole_number
from lendingadmin.web.policies import PERFORMANCE, read_words

from .figures import AT_RISK, OTHER_KINDS, Figures
from .models import LACKS_VALUES, LONGEST_ID


class DaysLate(NamedTuple):
    """A range of days late; the last range has no end."""

    label: str
    first: int
    last: int | None


# Ranges of days late, by the word in the address.
LATE: Mapping[str, DaysLate] = {
    "1-7": DaysLate(_("1 to 7"), 1, 7),
    "8-30": DaysLate(_("8 to 30"), 8, 30),
    "31-60": DaysLate(_("31 to 60"), 31, 60),
    "61-90": DaysLate(_("61 to 90"), 61, 90),
    "91": DaysLate(_("91 or more"), 91, None),
}
# The orders of a list, by the word in the address. Each order has its column, and True if the index
# of the column has the largest value first. The pages and the CSV declare the names of the columns.
SORTED_BY = {
    "loan": ("account_id", False),
    "product": ("product_id", False),
    "late": ("days_late", False),
    "overdue": ("overdue_rank", True),
    "outstanding": ("outstanding_rank", True),
    "principal": ("principal_rank", True),
    "principal_outstanding": ("principal_outstanding_rank", True),
    "paid_since_last": ("paid_since_last_rank", True),
    "due": ("next_due_day", False),
    "began": ("start_day", False),
    "settled": ("settlement_day", True),
}


class ListKind(NamedTuple):
    """A predefined list: its label, its title, its order and its loans.

    `indexed` are the orders that have an index for the condition of the list. `is_open` is None if
    closed loans are on the list too. `amount` is the column that is shown next to the overdue and
    outstanding amounts. A list of a figure has no label.
    """

    label: str
    title: str
    sort: str
    indexed: tuple[str, ...] = ()
    condition: Q = Q()
    is_open: bool | None = True
    amount: str = ""


KINDS: Mapping[str, ListKind] = {
    "": ListKind(_("Open"), _("Open loans"), "-outstanding"),
    "overdue": ListKind(
        _("Overdue"),
        _("Overdue loans"),
        "-overdue",
        ("overdue", "late"),
        Q(overdue_rank__gt=0),
    ),
    "due-today": ListKind(_("Due today"), _("Loans due today"), "-outstanding", ("due",)),
    "due-this-week": ListKind(_("Due this week"), _("Loans due this week"), "due", ("due",)),
    "first-missed": ListKind(
        _("First instalment missed"),
        _("First instalment missed"),
        "-overdue",
        # Without this condition, a list in the order of days late would begin with loans that are
        # not late.
        ("overdue", "late"),
        Q(is_first_missed=True),
    ),
    "closed": ListKind(
        _("Recently closed"),
        _("Loans closed in the last 30 days"),
        "-settled",
        # Some orders of closed loans have no index, but these loans are few and quickly sorted.
        tuple(SORTED_BY),
        is_open=False,
        amount="principal",
    ),
}
AMOUNTS = {
    "principal": _("Principal"),
    "principal_outstanding": _("Outstanding principal"),
    "paid_since_last": _("Paid since last update"),
}
# The lists of the figures of a snapshot. Each list has exactly the loans that its figure adds up.
FIGURE = "figure-"


def _build_figure(
    title: str,
    amount: str,
    is_open: bool | None = True,
    condition: Q | None = None,
    indexed: tuple[str, ...] = (),
) -> ListKind:
    """Return the list of loans with an amount that meet a condition, the largest first."""
    known = Q(**{f"{SORTED_BY[amount][0]}__isnull": False}) & (condition or Q())
    shown = amount if amount in AMOUNTS else ""
    return ListKind("", title, f"-{amount}", indexed or (amount,), known, is_open, shown)


def _build_untold(title: str, condition: Q, is_open: bool | None = True) -> ListKind:
    """Return the list of the loans that lack the values of a figure."""
    return ListKind("", title, "loan", ("loan",), condition, is_open)


_FIGURES: Mapping[str, ListKind] = {
    "outstanding": _build_figure(_("Open loans with an outstanding amount"), "outstanding"),
    "overdue": _build_figure(_("Open loans with an overdue amount"), "overdue"),
    "principal_outstanding": _build_figure(
        _("Open loans with outstanding principal"), "principal_outstanding"
    ),
    "paid": _build_figure(_("Loans paid since last update"), "paid_since_last", None),
    "untold:outstanding": _build_untold(
        _("Open loans without a reported outstanding amount"),
        Q(outstanding=None) & LACKS_VALUES,
    ),
    "untold:overdue": _build_untold(
        _("Open loans without a reported overdue amount"),
        Q(overdue=None) & LACKS_VALUES,
    ),
    "untold:at_risk": _build_untold(
        _("Open loans without a reported outstanding principal or days late"),
        LACKS_VALUES
        & (
            Q(principal_outstanding=None)
            | Q(days_late=None, principal_outstanding_rank__isnull=False)
        ),
    ),
    "untold:paid": _build_untold(
        _("Loans without a reported repayment since last update"),
        Q(paid_since_last=None),
        None,
    ),
    "untold:months": _build_untold(
        _("Loans without a reported principal or start"),
        LACKS_VALUES & (Q(principal=None) | Q(start_day=None)),
        None,
    ),
}


def find_kind(show: str) -> ListKind | None:
    """Return the kind of list that an address names; None if there is no such kind.

    The list of a figure is `figure-` followed by outstanding, overdue, principal_outstanding, paid,
    par30, month:2026-05, performance:2 or `untold:overdue`.
    """
    by = show.removeprefix(FIGURE)
    found = KINDS.get(show) if by == show else _FIGURES.get(by)
    if found is not None:
        return found._replace(title=gettext(found.title))
    if by == show or "\x00" in by:
        return None
    name, _colon, value = by.partition(":")
    if name == "performance" and name != by:
        title = gettext("Open loans with performance: %(status)s")
        title %= {"status": write_performance(value)}
        # Loans without an outstanding amount are also on this list.
        return ListKind("", title, "-outstanding", ("outstanding",), Q(performance=value))
    days = by.removeprefix("par")
    if by != days and days in map(str, AT_RISK):
        title = ngettext(
            "Open loans more than %(days)s day late",
            "Open loans more than %(days)s days late",
            int(days),
        ) % {"days": days}
        late = Q(days_late__gt=int(days))
        return _build_figure(title, "principal_outstanding", True, late, ("late",))
    if name != "month":
        return None
    try:
        first = date.fromisoformat(f"{value}-01")
    except ValueError:
        return None
    title = gettext("Loans started in %(month)s") % {"month": f"{first:%B %Y}"}
    last = first.replace(day=monthrange(first.year, first.month)[1])
    began = Q(start_day__range=(first, last))
    return _build_figure(title, "principal", None, began, ("began",))


def list_figures(figures: Figures) -> list[str]:
    """Return the kinds of list for the figures of a snapshot."""
    names = [*figures.sums, *(f"untold:{name}" for name in figures.untold)]
    names += [f"month:{month}" for month in figures.months]
    names += [f"performance:{key}" for key in figures.performance]
    return [FIGURE + name for name in names]


def write_performance(key: str) -> str:
    """Return the word for a performance status from the settings, or else its number."""
    if key == OTHER_KINDS:
        return gettext("other kinds")
    status = find_status(key, read_words(PERFORMANCE))
    return status.word if status else gettext("not reported")


class LoanListForm(forms.Form):
    """Form that reads a list from an address: kind, days late, product, order and page size.

    `count` is the number of the snapshot to list.
    """

    show = forms.CharField(required=False, widget=forms.HiddenInput)
    count = forms.IntegerField(required=False, widget=forms.HiddenInput)
    late = forms.ChoiceField(
        choices=[
            ("", gettext_lazy("any")),
            *((key, gettext_lazy(late.label)) for key, late in LATE.items()),
        ],
        label=gettext_lazy("Days late"),
        required=False,
    )
    product = forms.ChoiceField(required=False)
    sort = forms.CharField(required=False, widget=forms.HiddenInput)
    pageSize = forms.TypedChoiceField(  # noqa: N815
        choices=[(size, size) for size in PAGE_SIZES], coerce=int, widget=forms.HiddenInput
    )

    def __init__(self, data: Mapping[str, Any], products: Sequence[tuple[str, int]]) -> None:
        given = {name: value for name, value in data.items() if value}
        # Leave out an invalid value of a hidden field, because a person can't correct it.
        kind = find_kind(given.get("show", ""))
        self.kind = kind or KINDS[""]
        if kind is None:
            given.pop("show", None)
        if whole_number(given.get("pageSize")) not in PAGE_SIZES:
            given.pop("pageSize", None)
        if not whole_number(given.get("count")):
            given.pop("count", None)
        if str(given.get("sort", "")).removeprefix("-") not in SORTED_BY:
            given.pop("sort", None)
        super().__init__({"pageSize": str(DEFAULT_PAGE_SIZE)} | given)
        choices = [("", gettext("any")), *((key, f"{key} ({loans:,})") for key, loans in products)]
        asked = as_id(given.get("product"))
        if len(asked) <= LONGEST_ID and asked not in dict(choices):
            # A saved list may name a product that no open loan has any more.
            choices.append((asked, asked))
        self.fields["product"].choices = choices  # type: ignore[attr-defined]

    def clean_sort(self) -> str:
        """Return the chosen order, or else the order of the kind."""
        return self.cleaned_data["sort"] or self.kind.sort

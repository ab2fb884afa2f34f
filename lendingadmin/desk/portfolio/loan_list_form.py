"""What a list of loans is asked for: its kinds and orders, and the form that reads an address."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_noop as _

from lendingadmin.web.lists import DEFAULT_PAGE_SIZE, PAGE_SIZES, as_id

from .models import LONGEST_ID


class DaysLate(NamedTuple):
    """A range of days late, the last without an end."""

    label: str
    first: int
    last: int | None


# By the address's word.
LATE: Mapping[str, DaysLate] = {
    "1-7": DaysLate(_("1 to 7"), 1, 7),
    "8-30": DaysLate(_("8 to 30"), 8, 30),
    "31-60": DaysLate(_("31 to 60"), 31, 60),
    "61-90": DaysLate(_("61 to 90"), 61, 90),
    "91": DaysLate(_("91 and more"), 91, None),
}
# By the address's word: the column, and whether its index holds the largest first. Names in CSV and
# on the screen stand with the columns there.
SORTED_BY = {
    "loan": ("account_id", False),
    "product": ("product_id", False),
    "late": ("days_late", False),
    "overdue": ("overdue_rank", True),
    "outstanding": ("outstanding_rank", True),
    "principal": ("principal_rank", True),
    "due": ("next_due_day", False),
    "began": ("start_day", False),
    "settled": ("settlement_day", True),
}


class ListKind(NamedTuple):
    """A list to begin with: its label, its title and its order.

    `indexed` are the orders in which an index holds what parts it from other lists.
    """

    label: str
    title: str
    sort: str
    indexed: tuple[str, ...] = ()


KINDS: Mapping[str, ListKind] = {
    "": ListKind(_("Open"), _("Open loans"), "-outstanding"),
    "overdue": ListKind(_("Overdue"), _("Overdue loans"), "-overdue", ("overdue", "late")),
    "due-today": ListKind(_("Due today"), _("Loans due today"), "-outstanding", ("due",)),
    "due-this-week": ListKind(_("Due this week"), _("Loans due this week"), "due", ("due",)),
    "first-missed": ListKind(
        _("First instalment missed"),
        _("First instalment missed"),
        "-overdue",
        # In the order of days late all loans that are not late would come first.
        ("overdue", "late"),
    ),
    "closed": ListKind(
        _("Closed lately"),
        _("Loans closed in the last 30 days"),
        "-settled",
        # They are few, and of loans that are not open no other order has an index: all are sorted.
        tuple(SORTED_BY),
    ),
}


class LoanListForm(forms.Form):
    """The state of a list, from its address: kind, days late, product, order and page size."""

    show = forms.ChoiceField(
        choices=[(key, kind.label) for key, kind in KINDS.items()],
        required=False,
        widget=forms.HiddenInput,
    )
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
        choices=[
            (size, format_lazy(gettext_lazy("{size} a page"), size=size)) for size in PAGE_SIZES
        ],
        coerce=int,
        label=gettext_lazy("Page size"),
    )

    def __init__(self, data: Mapping[str, Any], products: Sequence[tuple[str, int]]) -> None:
        given = {name: value for name, value in data.items() if value}
        # What no field shows can't be corrected, so it is left out.
        if given.get("show") not in KINDS:
            given.pop("show", None)
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
        """The order that was asked for, else that of the kind."""
        return self.cleaned_data["sort"] or KINDS[self.cleaned_data.get("show", "")].sort

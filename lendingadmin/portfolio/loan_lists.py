"""Lists over the loans of the newest count: which loans each shows, in which order, their totals.

A list is what `LoanListForm` reads from an address. What was recorded here since the count corrects
it (recorded_since.py).
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from django import forms
from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, DecimalField, F, Func, Q, QuerySet, Subquery, Sum
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_noop as _

from lendingadmin.caching import shared
from lendingadmin.gateway import LendingApp
from lendingadmin.ui.keyset import COUNTED, filter_in_order
from lendingadmin.ui.lists import DEFAULT_PAGE_SIZE, PAGE_SIZES, as_id

from .amounts import exactly
from .models import LONGEST_ID, Snapshot, SnapshotLoan
from .recorded_since import RecordedSince, list_recorded_since, read_recorded_since
from .snapshot_job import find_with_loans

_OPEN = Q(is_open=True)
_CLOSED_LATELY = timedelta(days=30)
_KEPT_SECONDS = 6 * 3600


class DaysLate(NamedTuple):
    """A range of days late, the last without an end."""

    label: str
    first: int
    last: int | None


# By the address's word.
_LATE: Mapping[str, DaysLate] = {
    "1-7": DaysLate(_("1 to 7"), 1, 7),
    "8-30": DaysLate(_("8 to 30"), 8, 30),
    "31-60": DaysLate(_("31 to 60"), 31, 60),
    "61-90": DaysLate(_("61 to 90"), 61, 90),
    "91": DaysLate(_("91 and more"), 91, None),
}
# By the address's word: the column, and whether its index holds the largest first. Names in CSV and
# on the screen stand with the columns there.
_SORTED_BY = {
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
_SUMMED = ("overdue", "outstanding", "next_due_amount", "principal")


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
        tuple(_SORTED_BY),
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
            *((key, gettext_lazy(late.label)) for key, late in _LATE.items()),
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
        if str(given.get("sort", "")).removeprefix("-") not in _SORTED_BY:
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


class Total(NamedTuple):
    """A sum of what the service reported, and of how many loans it reported nothing."""

    amount: Decimal
    not_reported: int


class Totals(NamedTuple):
    """How many loans a list has, and their sums by column."""

    loans: int
    sums: dict[str, Total]


class ListedLoan(NamedTuple):
    """A loan of the count, its amounts less what was recorded since by column, and that."""

    loan: SnapshotLoan
    amounts: dict[str, Decimal | None]
    recorded: RecordedSince | None


def open_list(app: LendingApp, state: Mapping[str, Any]) -> "LoanList | None":
    """The list that a state describes, over the newest count; None before the first.

    Where a value of the state can't be, the list has no rows and its form says why.
    """
    snapshot = find_with_loans(app.app_id)
    if snapshot is None:
        return None
    form = LoanListForm(state, list_products(snapshot))
    return LoanList(app, snapshot, form, read_recorded_since(app, snapshot))


def prepare_lists(app: LendingApp) -> None:
    """Add up each list to begin with, so that nobody waits for it; what is known costs nothing."""
    for show in KINDS:
        found = open_list(app, {"show": show})
        if found is not None:
            found.prepare()


def list_products(snapshot: Snapshot) -> list[tuple[str, int]]:
    """The products of open loans, with how many each has."""
    key = f"loan-products:{snapshot.pk}"
    found: list[Sequence[Any]] | None = shared.get(key)
    if found is None:
        rows = SnapshotLoan.objects.filter(_OPEN, snapshot=snapshot).exclude(product_id="")
        groups = rows.values_list("product_id").annotate(loans=Count("pk")).order_by("product_id")
        found = list(groups)
        shared.set(key, found, _KEPT_SECONDS)
    return [(product_id, loans) for product_id, loans in found]


class LoanList:
    """One list over a count, as its form says; `recorded` is what corrects it, by loan."""

    def __init__(
        self,
        app: LendingApp,
        snapshot: Snapshot,
        form: LoanListForm,
        recorded: Mapping[str, RecordedSince],
    ) -> None:
        self.snapshot, self.form, self.recorded = snapshot, form, recorded
        self.is_valid = form.is_valid()
        self.wanted: Mapping[str, Any] = form.cleaned_data
        if not self.is_valid:
            return
        self.today = timezone.localdate(timezone=app.zone)
        self.counted_on = snapshot.began_at.astimezone(app.zone).date()
        self._conditions = list(self._build_conditions())
        self._counted = SnapshotLoan.objects.filter(
            *(condition for condition, _orders in self._conditions), snapshot=snapshot
        )
        since = list_recorded_since(app, snapshot).values("account_id")
        self._touched_rows = self._counted.filter(account_id__in=since) if recorded else None

    @property
    def title(self) -> str:
        """What the list holds, in words."""
        if not self.is_valid:
            return gettext("Loans")
        if self.wanted["show"] == "due-today" and self.counted_on < self.today:
            return gettext("Loans due since they were counted, up to today")
        return gettext(KINDS[self.wanted["show"]].title)

    @cached_property
    def rows(self) -> QuerySet[SnapshotLoan]:
        """The loans in order, without those that were settled since the count."""
        column = F(self._column)
        ordered = column.desc(nulls_last=True) if self._sign else column.asc(nulls_last=True)
        return self._leave_out_settled(self._counted).order_by(ordered, self._tie)

    @property
    def first_rows(self) -> QuerySet[SnapshotLoan]:
        """Those of the rows that have what they are ordered by: they come first.

        The indexes hold them in this order, and no row without a value.
        """
        found = self._leave_out_settled(self._counted_in_order)
        known = found.filter(**{f"{self._column}__isnull": False})
        return known.order_by(f"{self._sign}{self._column}", self._tie)

    @property
    def last_rows(self) -> QuerySet[SnapshotLoan]:
        """Those of the rows that lack what they are ordered by."""
        return self.rows.filter(**{f"{self._column}__isnull": True}).order_by(self._tie)

    @property
    def _counted_in_order(self) -> QuerySet[SnapshotLoan]:
        """The counted loans of the list, as the database finds the first of them soonest."""
        rows, count = SnapshotLoan.objects.filter(snapshot=self.snapshot), self._sum_counted()[0]
        for condition, orders in self._conditions:
            is_indexed = self._order in orders
            rows = rows.filter(condition) if is_indexed else filter_in_order(rows, condition, count)
        return rows

    def _leave_out_settled(self, rows: QuerySet[SnapshotLoan]) -> QuerySet[SnapshotLoan]:
        return rows.exclude(pk__in=self._settled) if self._settled else rows

    @property
    def _order(self) -> str:
        return str(self.wanted["sort"]).removeprefix("-")

    @property
    def _column(self) -> str:
        return _SORTED_BY[self._order][0]

    @property
    def _sign(self) -> str:
        return "-" if self.wanted["sort"].startswith("-") else ""

    @property
    def _tie(self) -> str:
        """How equal ones are ordered: so that an index may be read from either end."""
        return "-id" if bool(self._sign) != _SORTED_BY[self._order][1] else "id"

    @cached_property
    def totals(self) -> Totals:
        """The count's totals, less what was recorded since."""
        loans, sums = self._sum_counted()
        with exactly():
            for loan in self._touched:
                left = {} if loan.pk in self._settled else self._correct(loan)
                for name, (amount, not_reported) in sums.items():
                    before = getattr(loan, name)
                    if before is None:
                        sums[name] = Total(amount, not_reported - (loan.pk in self._settled))
                    else:
                        settled = before - (left.get(name) or Decimal(0))
                        sums[name] = Total(amount - settled, not_reported)
        return Totals(loans - len(self._settled), sums)

    def prepare(self) -> None:
        """Let its totals be known before somebody asks for them."""
        self._sum_counted()

    def count_some(self) -> int:
        """How many loans it has, up to `keyset.COUNTED` + 1: for what stands on each page."""
        return self.rows.order_by()[: COUNTED + 1].count()

    def build_row(self, loan: SnapshotLoan) -> ListedLoan:
        """The loan with its amounts of now, as far as they are known here."""
        return ListedLoan(loan, self._correct(loan), self.recorded.get(loan.account_id))

    def _correct(self, loan: SnapshotLoan) -> dict[str, Decimal | None]:
        return correct_amounts(loan, self.recorded.get(loan.account_id))

    @cached_property
    def _touched(self) -> list[SnapshotLoan]:
        """The loans of the list on which something was recorded since the count."""
        return [] if self._touched_rows is None else list(self._touched_rows)

    @cached_property
    def _settled(self) -> set[int]:
        """Those that do not belong on the list any more, by what was recorded since."""
        return {loan.pk for loan in self._touched if self._is_settled(loan)}

    def _is_settled(self, loan: SnapshotLoan) -> bool:
        """Whether all that the list is about was paid; what was not reported is never known to be.

        The count knows the next instalment alone. So a loan stays on the list of a week: it may
        be due again within it.
        """
        recorded = self.recorded.get(loan.account_id)
        if recorded is None or not recorded.amount:
            return False
        show = self.wanted["show"]
        if show == "first-missed":
            return True
        amounts = list[Decimal | None]()
        if show == "overdue" or self.wanted["late"]:
            amounts = [loan.overdue]
        elif show == "due-today" and self.counted_on == self.today:
            amounts = [loan.overdue, loan.next_due_amount]
        known = [amount for amount in amounts if amount is not None]
        with exactly():
            return 0 < len(known) == len(amounts) and recorded.amount >= sum(known)

    def count_first_rows(self) -> int:
        """How many of the rows have what they are ordered by; those of the count, once."""
        key = self._build_key(f"loans-by-{self._column}")
        counted = shared.get(key)
        if counted is None:
            counted = self._counted.filter(**{f"{self._column}__isnull": False}).count()
            shared.set(key, counted, _KEPT_SECONDS)
        settled = [loan for loan in self._touched if loan.pk in self._settled]
        return int(counted) - sum(getattr(loan, self._column) is not None for loan in settled)

    def _build_key(self, what: str) -> str:
        """What is known of the count's own loans on this list is kept so: they never change."""
        digest = hashlib.sha256(repr(self._conditions).encode()).hexdigest()[:32]
        return f"{what}:{self.snapshot.pk}:{digest}"

    def _sum_counted(self) -> tuple[int, dict[str, Total]]:
        """The totals of the count itself."""
        key = self._build_key("loan-totals")
        if found := shared.get(key):
            loans, sums = found
            return loans, {name: Total(Decimal(amount), n) for name, (amount, n) in sums.items()}
        loans, totals = _sum_up(self._counted)
        kept = {name: (str(total.amount), total.not_reported) for name, total in totals.items()}
        shared.set(key, (loans, kept), _KEPT_SECONDS)
        return loans, totals

    def _build_conditions(self) -> Iterator[tuple[Q, tuple[str, ...]]]:
        """What a loan of the list meets, each with the orders of which an index has those."""
        show = self.wanted["show"]
        yield Q(is_open=show != "closed"), tuple(_SORTED_BY)
        if show:
            yield self._build_kind(show), KINDS[show].indexed
        if self.wanted["late"]:
            late = _LATE[self.wanted["late"]]
            longest = Q(days_late__lte=late.last) if late.last else Q()
            yield Q(days_late__gte=late.first) & longest, ("late",)
        if self.wanted["product"]:
            yield Q(product_id=self.wanted["product"]), ("product", "outstanding")

    def _build_kind(self, show: str) -> Q:
        """What parts the loans of a kind from others. What fell due since the count is due."""
        if show == "overdue":
            return Q(overdue_rank__gt=0)
        if show == "due-today":
            return Q(next_due_day__gte=self.counted_on, next_due_day__lte=self.today)
        if show == "due-this-week":
            sunday = self.today + timedelta(days=6 - self.today.weekday())
            return Q(next_due_day__gte=self.counted_on, next_due_day__lte=sunday)
        if show == "first-missed":
            return Q(is_first_missed=True)
        return Q(settlement_day__gte=self.today - _CLOSED_LATELY)


def correct_amounts(
    loan: SnapshotLoan, recorded: RecordedSince | None
) -> dict[str, Decimal | None]:
    """The amounts of a counted loan less what was recorded since, which pays what is overdue first.

    By column: what is overdue, outstanding and next due, and the principal.
    """
    amounts: dict[str, Decimal | None] = {name: getattr(loan, name) for name in _SUMMED}
    if recorded is None or not recorded.amount:
        return amounts
    with exactly():
        amounts["outstanding"] = _less(loan.outstanding, recorded.amount)
        amounts["overdue"] = _less(loan.overdue, recorded.amount)
        if loan.overdue is not None:
            rest = max(recorded.amount - max(loan.overdue, Decimal(0)), Decimal(0))
            amounts["next_due_amount"] = _less(loan.next_due_amount, rest)
    return amounts


class LoanPaginator(Paginator[SnapshotLoan]):
    """Pages of a list, whose length is known from its totals."""

    def __init__(self, found: LoanList) -> None:
        super().__init__(found.rows, found.wanted["pageSize"])
        self._found = found

    @cached_property
    def count(self) -> int:
        """How many loans the list has."""
        return self._found.totals.loans

    def page(self, number: int | str) -> Page[SnapshotLoan]:
        """A page, taken off an index if one has its order; else only its own rows are read whole.

        It is looked for from the nearer end.
        """
        page, known = super().page(number), self._found.first_rows
        first, last = max(page.start_index() - 1, 0), page.end_index()
        if last <= self.count / 2:
            page.object_list = list(known[first:last])
            if len(page.object_list) == last - first:
                return page
        length = self._found.count_first_rows()
        page.object_list = [
            *_read_slice(known, length, first, min(last, length)),
            *_read_slice(
                self._found.last_rows, self.count - length, max(first - length, 0), last - length
            ),
        ]
        return page


def _read_slice(
    rows: QuerySet[SnapshotLoan], length: int, first: int, last: int
) -> list[SnapshotLoan]:
    """Those from `first` to before `last` of so many rows, none where there are none."""
    if last <= first:
        return []
    keys = rows.values("pk")
    if last > length / 2:
        keys, first, last = keys.reverse(), length - last, length - first
    found = SnapshotLoan.objects.filter(pk__in=Subquery(keys[first:last]))
    return list(found.order_by(*rows.query.order_by))


def _sum_up(rows: QuerySet[SnapshotLoan]) -> tuple[int, dict[str, Total]]:
    """Exact sums. SQLite would add the amounts, which are text, as floats; PostgreSQL need not."""
    if connection.vendor == "postgresql":
        return _sum_in_database(rows)
    sums, missing, loans = [Decimal(0)] * len(_SUMMED), [0] * len(_SUMMED), 0
    with exactly():
        for amounts in rows.order_by().values_list(*_SUMMED).iterator(chunk_size=5_000):
            loans += 1
            for at, amount in enumerate(amounts):
                if amount is None:
                    missing[at] += 1
                else:
                    sums[at] += amount
    return loans, dict(zip(_SUMMED, map(Total, sums, missing), strict=True))


def _sum_in_database(rows: QuerySet[SnapshotLoan]) -> tuple[int, dict[str, Total]]:
    asked: dict[str, Any] = {"loans": Count("pk")}
    for name in _SUMMED:
        amount = Func(name, template="CAST(%(expressions)s AS numeric)")
        asked[f"sum_{name}"] = Sum(amount, output_field=DecimalField())
        asked[f"known_{name}"] = Count(name)
    found = rows.order_by().aggregate(**asked)
    totals = {
        name: Total(found[f"sum_{name}"] or Decimal(0), found["loans"] - found[f"known_{name}"])
        for name in _SUMMED
    }
    return found["loans"], totals


def _less(amount: Decimal | None, paid: Decimal) -> Decimal | None:
    """What is left of an amount once so much was paid; a credit stays as it is."""
    if amount is None or amount <= 0:
        return amount
    return max(amount - paid, Decimal(0))

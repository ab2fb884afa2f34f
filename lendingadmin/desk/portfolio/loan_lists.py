"""Lists of the loans of a snapshot: the loans of each list, their order and their totals.

`LoanListForm` reads a list from an address. The list takes account of repayments that were recorded
since the newest snapshot (recorded_since.py). If the address names a snapshot, the list shows the
amounts of that snapshot, so that the total equals the figure.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from lendingadmin.core.caching import shared
from lendingadmin.core.gateway import LendingApp
from lendingadmin.web.keyset import COUNTED, Slice, filter_in_order
from lendingadmin.web.lists import whole_number

from .amounts import exactly
from .figures import Figures
from .loan_list_form import AMOUNTS, FIGURE, KINDS, LATE, SORTED_BY, LoanListForm, list_figures
from .loan_totals import Total, Totals, correct_amounts, sum_up
from .models import Snapshot, SnapshotLoan
from .recorded_since import RecordedSince, list_recorded_since, read_recorded_since
from .snapshot_job import find_with_loans

DUE_SINCE = gettext_noop("Loans that became due after the last update")
_CLOSED_LATELY = timedelta(days=30)
_KEPT_SECONDS = 6 * 3600


class CorrectedLoan(NamedTuple):
    """A loan of the snapshot, with corrected amounts by column, and the repayments recorded since.

    The repayments are subtracted from the amounts of the snapshot. `amount` is the amount that the
    list shows next to the overdue and outstanding amounts.
    """

    loan: SnapshotLoan
    amounts: dict[str, Decimal | None]
    recorded: RecordedSince | None
    amount: Decimal | None


def open_list(app: LendingApp, state: Mapping[str, Any]) -> "LoanList | None":
    """Return the list that `state` describes, from the named snapshot or else the newest one.

    Return None if there is no such snapshot, or if its loans are not stored. If a value of the
    state is not valid, the list has no rows and its form has the error.
    """
    number = whole_number(state.get("count"))
    snapshot = find_with_loans(app.app_id, number)
    if snapshot is None:
        return None
    form = LoanListForm(state, list_products(snapshot))
    return LoanList(app, snapshot, form, {} if number else read_recorded_since(app, snapshot))


def prepare_lists(app: LendingApp) -> None:
    """Add up all predefined lists in advance, so that pages do not wait.

    Totals that are already known are not added up again.
    """
    snapshot = find_with_loans(app.app_id)
    if snapshot is not None:
        for show in (*KINDS, *list_figures(Figures.from_json(snapshot.figures))):
            LoanList(app, snapshot, LoanListForm({"show": show}, []), {}).sum_counted()


def list_products(snapshot: Snapshot) -> list[tuple[str, int]]:
    """Return the products of open loans, each with its number of loans."""
    key = f"loan-products:{snapshot.pk}"
    found: list[Sequence[Any]] | None = shared.get(key)
    if found is None:
        rows = SnapshotLoan.objects.filter(is_open=True, snapshot=snapshot).exclude(product_id="")
        groups = rows.values_list("product_id").annotate(loans=Count("pk")).order_by("product_id")
        found = list(groups)
        shared.set(key, found, _KEPT_SECONDS)
    return [(product_id, loans) for product_id, loans in found]


class LoanList:
    """A list of the loans of a snapshot. The form describes the list.

    `recorded` has the repayments since the snapshot, by loan. They are subtracted.
    """

    def __init__(
        self,
        app: LendingApp,
        snapshot: Snapshot,
        form: LoanListForm,
        recorded: Mapping[str, RecordedSince],
    ) -> None:
        self.snapshot, self.form, self.recorded = snapshot, form, recorded
        self.kind = form.kind
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
        """Title of the list, in words."""
        if not self.is_valid:
            return gettext("Loans")
        if self.wanted["show"] == "due-today" and self.counted_on < self.today:
            return gettext(DUE_SINCE)
        return self.kind.title

    @property
    def heading(self) -> str:
        """Name of the amount that is shown next to the overdue and outstanding amounts."""
        return gettext(AMOUNTS[self.kind.amount])

    @property
    def total(self) -> Total:
        """Total of the amount that is shown next to the overdue and outstanding amounts."""
        return self.totals.sums[self.kind.amount]

    def read_page(self, behind: str = "") -> Slice:
        """Return the page that begins after the loan with the id `behind`.

        Loans without a value in the column of the order come last.
        """
        size, column = self.wanted["pageSize"], self._column
        parts = [self.first_rows, self.last_rows]
        rows = SnapshotLoan.objects.filter(snapshot=self.snapshot, account_id=behind)
        last = rows.first() if behind else None
        if last is not None:
            value = getattr(last, column)
            ties = Q(pk__lt=last.pk) if self._tie == "-id" else Q(pk__gt=last.pk)
            beyond = f"{column}__{'lt' if self._sign else 'gt'}"
            if value is None:
                parts = [parts[1].filter(ties)]
            else:
                # The first part lets the database use the index, and the second part handles equal
                # values.
                later = Q(**{f"{beyond}e": value}) & (Q(**{beyond: value}) | ties)
                parts[0] = parts[0].filter(later)
        page = list[SnapshotLoan]()
        for part in parts:
            if len(page) < min(size + 1, self.totals.loans):
                page += part[: size + 1 - len(page)]
        following = page[size - 1].account_id if len(page) > size else None
        return Slice([self.build_row(loan) for loan in page[:size]], following)

    @cached_property
    def rows(self) -> QuerySet[SnapshotLoan]:
        """The loans in order, without loans that were settled after the snapshot."""
        column = F(self._column)
        ordered = column.desc(nulls_last=True) if self._sign else column.asc(nulls_last=True)
        return self._leave_out_settled(self._counted).order_by(ordered, self._tie)

    @property
    def first_rows(self) -> QuerySet[SnapshotLoan]:
        """The rows with a value in the column of the order; they come before all other rows.

        The indexes have exactly these rows, in this order.
        """
        found = self._leave_out_settled(self._counted_in_order)
        known = found.filter(**{f"{self._column}__isnull": False})
        return known.order_by(f"{self._sign}{self._column}", self._tie)

    @property
    def last_rows(self) -> QuerySet[SnapshotLoan]:
        """Rows that lack the value of the order."""
        return self.rows.filter(**{f"{self._column}__isnull": True}).order_by(self._tie)

    @property
    def _counted_in_order(self) -> QuerySet[SnapshotLoan]:
        """The loans of the list, as a query whose first rows the database finds quickly."""
        rows, count = SnapshotLoan.objects.filter(snapshot=self.snapshot), self.sum_counted().loans
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
        return SORTED_BY[self._order][0]

    @property
    def _sign(self) -> str:
        return "-" if self.wanted["sort"].startswith("-") else ""

    @property
    def _tie(self) -> str:
        """The order of rows with equal values.

        With this order, one index serves both directions.
        """
        return "-id" if bool(self._sign) != SORTED_BY[self._order][1] else "id"

    @cached_property
    def totals(self) -> Totals:
        """Totals of the list, minus the repayments recorded since the snapshot."""
        loans, sums = self.sum_counted()
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

    def sum_counted(self) -> Totals:
        """Return the totals of the list as they were in the snapshot.

        The loans of a snapshot never change, so the totals are computed once and cached.
        """
        digest = hashlib.sha256(repr(self._conditions).encode()).hexdigest()[:32]
        key = f"loan-totals:{self.snapshot.pk}:{digest}"
        if found := shared.get(key):
            loans, kept = found
            sums = {name: Total(Decimal(text), missing) for name, (text, missing) in kept.items()}
            return Totals(loans, sums)
        loans, sums = totals = sum_up(self._counted)
        kept = {name: (str(total.amount), total.not_reported) for name, total in sums.items()}
        shared.set(key, (loans, kept), _KEPT_SECONDS)
        return totals

    def count_some(self) -> int:
        """Return the number of loans of the list, up to `keyset.COUNTED` + 1."""
        return self.rows.order_by()[: COUNTED + 1].count()

    def build_row(self, loan: SnapshotLoan) -> CorrectedLoan:
        """Return the loan, with its amounts minus the repayments recorded since the snapshot."""
        amounts = self._correct(loan)
        recorded = self.recorded.get(loan.account_id)
        return CorrectedLoan(loan, amounts, recorded, amounts.get(self.kind.amount))

    def _correct(self, loan: SnapshotLoan) -> dict[str, Decimal | None]:
        return correct_amounts(loan, self.recorded.get(loan.account_id))

    @cached_property
    def _touched(self) -> list[SnapshotLoan]:
        """The loans of the list that have had repayments since the snapshot."""
        return [] if self._touched_rows is None else list(self._touched_rows)

    @cached_property
    def _settled(self) -> set[int]:
        """Keys of loans that left the list because of repayments since the snapshot."""
        return {loan.pk for loan in self._touched if self._is_settled(loan)}

    def _is_settled(self, loan: SnapshotLoan) -> bool:
        """Return True if the amounts that put the loan on the list were paid.

        For a missed first instalment any repayment is enough. An amount that was not reported never
        counts as paid. A loan stays on the list “Due this week”, because the snapshot has only the
        next instalment and another may be due within the week.
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

    def _build_conditions(self) -> Iterator[tuple[Q, tuple[str, ...]]]:
        """Yield the conditions of the list, each with the orders that have an index for it."""
        if self.kind.is_open is not None:
            yield Q(is_open=self.kind.is_open), tuple(SORTED_BY)
        if condition := self._build_kind(self.wanted["show"]):
            yield condition, self.kind.indexed
        if self.wanted["late"]:
            late = LATE[self.wanted["late"]]
            longest = Q(days_late__lte=late.last) if late.last else Q()
            yield Q(days_late__gte=late.first) & longest, ("late",)
        if self.wanted["product"]:
            yield Q(product_id=self.wanted["product"]), ("product", "outstanding")

    def _build_kind(self, show: str) -> Q:
        """Return the condition of a kind of list.

        Loans that became due since the snapshot are due.
        """
        if show == "due-today":
            return Q(next_due_day__gte=self.counted_on, next_due_day__lte=self.today)
        if show == "due-this-week":
            sunday = self.today + timedelta(days=6 - self.today.weekday())
            return Q(next_due_day__gte=self.counted_on, next_due_day__lte=sunday)
        if show == "closed":
            return Q(settlement_day__gte=self.today - _CLOSED_LATELY)
        if show.startswith(f"{FIGURE}month:"):
            return self.kind.condition & Q(start_day__lte=self.counted_on)
        return self.kind.condition

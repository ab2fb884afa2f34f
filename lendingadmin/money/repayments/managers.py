"""Queries on the repayments that were entered in this dashboard: `Repayment.objects`."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self
from zoneinfo import ZoneInfo

from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, NullIf, Round
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.writes.unconfirmed import filter_unseen_alarms
from lendingadmin.web.keyset import COUNTED

from .states import UNAPPROVED, RepaymentState, Resolution

if TYPE_CHECKING:
    from .models import Repayment

# Repayments that count as recorded, because the service, evidence or a person says so.
RECORDED = Q(state__in=(RepaymentState.RECORDED, RepaymentState.PRESUMED)) | Q(
    state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED
)

# Repayments that no further check can decide, so they wait for a person.
UNDECIDED = (
    Q(state__in=(RepaymentState.PRESUMED, RepaymentState.NOT_FOUND))
    | Q(state=RepaymentState.UNKNOWN, next_check_at=None)
    | Q(set_aside_at__isnull=False)
)

# The statuses of entries at the service, with their conditions. Each entry has exactly one status.
STANDINGS: dict[str, Q] = {
    "landed": RECORDED,
    "doubtful": Q(needs_checking=True) & ~Q(state=RepaymentState.PRESUMED),
    RepaymentState.REFUSED: Q(state=RepaymentState.REFUSED),
    RepaymentState.NOT_SENT: Q(state__in=(*UNAPPROVED, RepaymentState.NOT_SENT)),
    "abandoned": Q(state=RepaymentState.RESOLVED, resolution=Resolution.NOT_RECORDED),
}

# A form offers at most _NETWORKS networks, from the _NEWEST newest entries.
_NETWORKS, _NEWEST = 5, 100

# The name of an empty channel or network, in groups and in the filter.
NOT_GIVEN = gettext_noop("—")

# The channels that the service knows (spec: MakeRepayment), with their names on screens.
IN_PERSON = "physical"
CHANNELS = {"web": gettext_lazy("web"), "mobile": gettext_lazy("mobile")}
CHANNELS[IN_PERSON] = gettext_lazy("in person")


def write_channel(value: str, *_zone: object) -> str:
    """Return the name of a channel on screens. An unknown channel is returned as it is."""
    return str(CHANNELS.get(value, gettext(value)) if value else "")


# The network of payments over the counter, as it is stored.
CASH = gettext_noop("Cash")


def write_network(value: str) -> str:
    """Return the name of a network on screens. Only cash is translated."""
    return gettext(value) if value == CASH else value


# Repayments whose money is in a till: those with the network cash, and those that were paid in
# person without a transaction id and without a network.
IN_CASH = Q(network=CASH) | Q(external_id_minted=True, network="", channel__in=("", IN_PERSON))


class RepaymentQuerySet(QuerySet["Repayment"]):
    """Queries on the journal's rows. Each order of rows has an index."""

    def of_loan(self, app_id: str, account_id: str) -> Self:
        """Return the repayments of one loan, the newest first."""
        rows = self.filter(app_id=app_id, account_id=account_id)
        return rows.select_related("created_by").order_by("-id")

    def of_borrower(self, app_id: str, borrower_id: str) -> Self:
        """Return the repayments of one borrower's loans, the newest first."""
        rows = self.filter(app_id=app_id, borrower_id=borrower_id)
        return rows.select_related("created_by").order_by("-id")

    def of_person(self, app_id: str, person_id: int) -> Self:
        """Return the repayments that one person entered in an app, the newest first."""
        rows = self.filter(app_id=app_id, created_by_id=person_id)
        return rows.select_related("created_by").order_by("-created_at", "-id")

    def find_last_with_id(self, app_id: str, person_id: int) -> Repayment | None:
        """Return the last repayment that this person entered by hand with a transaction id.

        Return None if there is none. Leave out the rows of a batch: they name a person too, but
        their channel and network come from the file.
        """
        rows = self.of_person(app_id, person_id)
        return rows.filter(external_id_minted=False, allocations=None).first()

    def list_networks(self, app_id: str) -> list[str]:
        """Return a few networks of the app's newest entries, the most frequent first."""
        newest = self.filter(app_id=app_id).order_by("-created_at", "-id")
        names = newest.values_list("network", flat=True)[:_NEWEST]
        return [name for name, _ in Counter(filter(None, names)).most_common(_NETWORKS)]

    def with_mistake(self) -> Self:
        """Annotate rows with `mistake`: "open", "reviewed", or empty if none is reported."""
        reports = self.model._meta.get_field("mistakes").related_model._default_manager
        of_row = reports.filter(repayment=OuterRef("pk"))
        return self.annotate(
            mistake=Case(
                When(Exists(of_row.filter(reviewed_at=None)), then=Value("open")),
                When(Exists(of_row), then=Value("reviewed")),
                default=Value(""),
            )
        )

    def with_unseen_alarm(self, app_id: str) -> QuerySet[Repayment]:
        """Return an app's repayments with an unseen alarm, the oldest alarm first."""
        return filter_unseen_alarms(self.filter(app_id=app_id).select_related("created_by"))

    def needing_checks(self, app_id: str) -> Self:
        """Return the repayments with an unknown result. The service may or may not have them."""
        return self.filter(app_id=app_id, needs_checking=True).select_related("created_by")

    def find_few(self, app_id: str, *conditions: Q) -> Self:
        """Return an app's rows that meet one of the conditions; each condition has an index.

        The subquery finds the rows before they are sorted. Otherwise SQLite would read the app's
        complete journal in order.
        """
        own = self.model._default_manager.filter(app_id=app_id)
        first, *others = (own.filter(condition).values("pk") for condition in conditions)
        return self.filter(pk__in=first.union(*others))

    def on_days(self, since: date | None, until: date | None, by: str, zone: ZoneInfo) -> Self:
        """Return the entries of these days, both included, in a zone.

        `by` is "transactionDate", or empty for the day of entry in the dashboard.
        """
        column, rows = "transaction_date" if by else "created_at", self
        if since:
            rows = rows.filter(**{f"{column}__gte": get_midnight(since, zone)})
        if until:
            rows = rows.filter(**{f"{column}__lt": get_midnight(until + timedelta(days=1), zone)})
        return rows

    def awaiting_approval(self, app_id: str) -> Self:
        """Return the repayments of an app that wait for a second person."""
        rows = self.filter(app_id=app_id, state=RepaymentState.AWAITING)
        return rows.select_related("created_by")

    def sum_entered(self, app: LendingApp, person_id: int, *, since: datetime) -> Decimal:
        """Return the sum that one person has entered since a time, in the app's currency.

        Repayments that were declined, refused, not sent or resolved as not recorded are left out.
        """
        over = (RepaymentState.DECLINED, RepaymentState.REFUSED, RepaymentState.NOT_SENT)
        rows = self.filter(
            app_id=app.app_id,
            created_by_id=person_id,
            created_at__gte=since,
            currency_code__in=("", app.currency),
        ).exclude(state__in=over)
        rows = rows.exclude(STANDINGS["abandoned"])
        return to_amount(rows.aggregate(total=sum_thousandths(Q()))["total"])

    def count_unknown(self, app_id: str) -> int:
        """Return the number of the app's unknown repayments, up to `keyset.COUNTED` + 1."""
        rows = self.filter(app_id=app_id, state=RepaymentState.UNKNOWN)
        return rows[: COUNTED + 1].count()

    def sum_recorded(self, app: LendingApp) -> list[tuple[str, Decimal]]:
        """Return the recorded sums by currency. The currency of the app is always included."""
        grouped = self.filter(RECORDED).values(code=get_group_keys(app)["by_currency"])
        found = grouped.order_by("code").annotate(total=sum_thousandths(Q()))
        sums = {group["code"]: to_amount(group["total"]) for group in found}
        return list(({app.currency: Decimal(0)} | sums).items())


def sum_thousandths(wanted: Q) -> Sum:
    """Return an aggregate expression: the sum of the amounts of the wanted rows, in thousandths.

    The sum is over integers, because SQLite would add decimals as floats. See `to_amount`.
    """
    thousandths = Cast(Round(F("amount") * 1000), BigIntegerField())
    return Sum(thousandths, filter=wanted, default=0)


def to_amount(thousandths: int | Decimal) -> Decimal:
    """Return the amount for the result of `sum_thousandths`."""
    return Decimal(thousandths) / 1000


def get_group_keys(app: LendingApp) -> dict[str, Any]:
    """Return the expressions that group and filter entries. Their values are never null."""
    return {
        "by_channel": Coalesce(NullIf("channel", Value("")), Value(NOT_GIVEN)),
        "by_network": Coalesce(NullIf("network", Value("")), Value(NOT_GIVEN)),
        "by_currency": Coalesce(NullIf("currency_code", Value("")), Value(app.currency)),
    }


def get_midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return the start of a day in a zone. If clocks are set back, return the first midnight."""
    return datetime(day.year, day.month, day.day, tzinfo=zone)

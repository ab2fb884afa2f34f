"""Questions that pages put to the journal."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import BigIntegerField, Exists, F, OuterRef, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Coalesce, NullIf, Round

from lendingadmin.readers import LendingApp

from .models import Mistake, Repayment, normalise_external_id
from .states import OPEN as OPEN
from .states import State, Verdict

# What counts as landed at the service: by its own word, by evidence, or by a person's.
LANDED = Q(state__in=(State.RECORDED, State.INFERRED)) | Q(
    state=State.SETTLED, settled_as=Verdict.RECORDED
)

# What each entry stands for at the service; every entry has exactly one standing.
STANDINGS: dict[str, Q] = {
    "landed": LANDED,
    "doubtful": Q(state__in=(*OPEN, State.NO_TRACE)),
    State.REFUSED: Q(state=State.REFUSED),
    State.NOT_SENT: Q(state=State.NOT_SENT),
    "given_up": Q(state=State.SETTLED, settled_as=Verdict.NOT_RECORDED),
}

# How a channel or network that was left empty is called, in groups and in the filter.
NOT_GIVEN = "not given"


def of_loan(app_id: str, account_id: str) -> QuerySet[Repayment]:
    """The repayments of one loan that were recorded here, the newest first."""
    rows = Repayment.objects.filter(app_id=app_id, account_id=account_id)
    return rows.select_related("created_by").order_by("-id")


def of_borrower(app_id: str, borrower_id: str) -> QuerySet[Repayment]:
    """What was recorded here on the loans of one borrower, the newest first."""
    rows = Repayment.objects.filter(app_id=app_id, borrower_id=borrower_id)
    return rows.select_related("created_by").order_by("-id")


def of_person(app_id: str, person_id: int) -> QuerySet[Repayment]:
    """What one person recorded in an app, the newest first."""
    rows = Repayment.objects.filter(app_id=app_id, created_by_id=person_id)
    return rows.select_related("created_by").order_by("-id")


def total(wanted: Q) -> Sum:
    """An aggregate: the sum of the amounts of those wanted, in thousandths.

    Whole numbers, because SQLite would add decimals as floats. See `amount_of`.
    """
    thousandths = Cast(Round(F("amount") * 1000), BigIntegerField())
    return Sum(thousandths, filter=wanted, default=0)


def amount_of(thousandths: int | Decimal) -> Decimal:
    """The amount that a `total` means."""
    return Decimal(thousandths) / 1000


def keys(app: LendingApp) -> dict[str, Any]:
    """What entries are grouped and filtered by, as expressions: nothing left empty."""
    return {
        "by_channel": Coalesce(NullIf("channel", Value("")), Value(NOT_GIVEN)),
        "by_network": Coalesce(NullIf("network", Value("")), Value(NOT_GIVEN)),
        "by_currency": Coalesce(NullIf("currency_code", Value("")), Value(app.currency)),
    }


def landed_sums(rows: QuerySet[Repayment], app: LendingApp) -> list[tuple[str, Decimal]]:
    """What landed of the rows, for each currency apart; the app's own is always there."""
    grouped = rows.filter(LANDED).values(code=keys(app)["by_currency"]).order_by("code")
    found = grouped.annotate(total=total(Q())).values_list("code", "total")
    sums = {code: amount_of(thousandths) for code, thousandths in found}
    return list(({app.currency: Decimal(0)} | sums).items())


def day(app: LendingApp, since: datetime) -> dict[str, object]:
    """What was entered here since a moment, in figures; `unknown_count` is of all times."""
    entered = Repayment.objects.filter(app_id=app.app_id, created_at__gte=since)
    return {
        "landed_count": entered.filter(LANDED).count(),
        "inferred_count": entered.filter(state=State.INFERRED).count(),
        "landed_sums": landed_sums(entered, app),
        "refused_count": entered.filter(state__in=(State.REFUSED, State.NOT_SENT)).count(),
        "unknown_count": unknown_count(app.app_id),
    }


def filtered(
    rows: QuerySet[Repayment], wanted: dict[str, Any], app: LendingApp
) -> QuerySet[Repayment]:
    """Those of the rows that a JournalForm's cleaned data asks for."""
    if wanted["state"]:
        rows = rows.filter(STANDINGS.get(wanted["state"], Q(state=wanted["state"])))
    if wanted["mistake"]:
        is_open = wanted["mistake"] == "open"
        reports = Mistake.objects.filter(repayment=OuterRef("pk"), reviewed_at__isnull=is_open)
        rows = rows.filter(Exists(reports))
    if wanted["person"]:
        rows = rows.filter(created_by__username__iexact=wanted["person"].strip())
    if wanted["record"]:
        record = wanted["record"].strip()
        same_id = Q(external_id_key=normalise_external_id(record))
        rows = rows.filter(same_id | Q(account_id=record) | Q(borrower_id=record))
    grouped = {f"by_{name}": wanted[name] for name in ("channel", "network", "currency")}
    rows = rows.alias(**keys(app)).filter(**{name: x for name, x in grouped.items() if x})
    return rows.filter(between(wanted["since"], wanted["until"], wanted["by"], app.zone))


def between(since: date | None, until: date | None, by: str, zone: ZoneInfo) -> Q:
    """Entries of these days, both included, in a zone.

    `by` is "transactionDate", or empty for when they were entered here.
    """
    column = "transaction_date" if by else "created_at"
    wanted = Q()
    if since:
        wanted &= Q(**{f"{column}__gte": midnight(since, zone)})
    if until:
        wanted &= Q(**{f"{column}__lt": midnight(until + timedelta(days=1), zone)})
    return wanted


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """When a day begins in a zone: the first of two midnights, where clocks are put back."""
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def unsettled(app_id: str) -> QuerySet[Repayment]:
    """Those that nobody can yet say of whether they were recorded, the oldest first."""
    states = [*OPEN, State.INFERRED, State.NO_TRACE]
    rows = Repayment.objects.filter(app_id=app_id, state__in=states)
    return rows.select_related("created_by").order_by("id")


def alarms(app_id: str) -> QuerySet[Repayment]:
    """Those with an alarm that nobody has seen yet."""
    rows = Repayment.objects.filter(app_id=app_id, alarm_seen_at=None).exclude(alarm="")
    return rows.select_related("created_by").order_by("alarm_at")


def unknown_count(app_id: str) -> int:
    """How many repayments of the app are unknown right now; the rail shows it."""
    return Repayment.objects.filter(app_id=app_id, state=State.UNKNOWN).count()

"""Queries on the repayments that were entered here."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import reduce
from operator import and_, or_
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import BigIntegerField, Count, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Coalesce, NullIf, Round

from lendingadmin.env import LendingApp
from lendingadmin.staff.models import User
from lendingadmin.ui.keyset import COUNTED, unindexed

from .models import Mistake, Repayment, normalise_external_id
from .states import OPEN as OPEN
from .states import RepaymentState, Resolution

# What counts as landed at the service: by its own word, by evidence, or by a person's.
LANDED = Q(state__in=(RepaymentState.RECORDED, RepaymentState.PRESUMED)) | Q(
    state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED
)

# What each entry stands for at the service; every entry has exactly one standing.
STANDINGS: dict[str, Q] = {
    "landed": LANDED,
    "doubtful": Q(state__in=(*OPEN, RepaymentState.NOT_FOUND)),
    RepaymentState.REFUSED: Q(state=RepaymentState.REFUSED),
    RepaymentState.NOT_SENT: Q(state=RepaymentState.NOT_SENT),
    "abandoned": Q(state=RepaymentState.RESOLVED, resolution=Resolution.NOT_RECORDED),
}

# What nobody can yet say of whether it was recorded.
UNRESOLVED = (*OPEN, RepaymentState.PRESUMED, RepaymentState.NOT_FOUND)

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
    return rows.select_related("created_by").order_by("-created_at", "-id")


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


def summarise_day(app: LendingApp, since: datetime) -> dict[str, object]:
    """What was entered here since a moment, in figures, by one reading of the day's entries."""
    entered = Repayment.objects.filter(app_id=app.app_id, created_at__gte=since)
    found = entered.values(code=keys(app)["by_currency"]).annotate(
        landed=Count("pk", filter=LANDED),
        presumed=Count("pk", filter=Q(state=RepaymentState.PRESUMED)),
        refused=Count("pk", filter=Q(state__in=(RepaymentState.REFUSED, RepaymentState.NOT_SENT))),
        total=total(LANDED),
    )
    groups = list(found.order_by("code"))
    sums = {group["code"]: amount_of(group["total"]) for group in groups if group["landed"]}
    return {
        "landed_count": sum(group["landed"] for group in groups),
        "presumed_count": sum(group["presumed"] for group in groups),
        "landed_sums": list(({app.currency: Decimal(0)} | sums).items()),
        "refused_count": sum(group["refused"] for group in groups),
    }


def filtered(wanted: dict[str, Any], app: LendingApp) -> dict[str, Q]:
    """What each filled field of a JournalForm's cleaned data asks for, but for the days."""
    found = {}
    if wanted["state"]:
        found["state"] = reduce(or_, _standing(wanted["state"]))
    if wanted["mistake"]:
        found["mistake"] = Q(pk__in=_reported(wanted["mistake"]).values("repayment"))
    if wanted["person"]:
        found["person"] = Q(created_by__in=_people(wanted["person"]))
    if wanted["record"]:
        found["record"] = reduce(or_, _of_record(wanted["record"]))
    left_empty = {"channel": NOT_GIVEN, "network": NOT_GIVEN, "currency_code": app.currency}
    for column, default in left_empty.items():
        value = wanted[column.partition("_")[0]]
        if value:
            meant = (value, "") if value == default else (value,)
            found[column] = Q(**{f"{column}__in": meant})
    return found


def order_of(wanted: dict[str, Any]) -> str:
    """The moment that a journal so filtered is ordered by: the one that its days are of."""
    return "transaction_date" if wanted["by"] else "created_at"


def find(
    rows: QuerySet[Repayment], wanted: dict[str, Any], app: LendingApp
) -> tuple[QuerySet[Repayment], Q | None]:
    """Rows among which `keyset.read_slice` finds what a JournalForm asks for, and its other wishes.

    The rows are few, or an index gives them in the journal's order.
    """
    rest = filtered(wanted, app)
    rows = rows.filter(between(wanted["since"], wanted["until"], wanted["by"], app.zone))
    own = {"app_id": app.app_id}
    if rest.pop("record", None):
        rows = rows.filter(pk__in=_few(app.app_id, *_of_record(wanted["record"])))
    elif rest.pop("mistake", None):
        reports = _reported(wanted["mistake"]).filter(unindexed(Q(repayment__app_id=app.app_id)))
        rows = rows.filter(pk__in=reports.values("repayment"))
    elif wanted["by"]:
        rows = rows.filter(**own)  # Of the indexes, only this one is in the order of that day.
    elif "state" in rest and wanted["state"] != "landed":  # Most have landed.
        state, is_one = rest.pop("state"), len(_standing(wanted["state"])) == 1
        few = Q(pk__in=_few(app.app_id, state))
        rows = rows.filter(state, **own) if is_one else rows.filter(few)
    else:
        rows = rows.filter(rest.pop("person", Q()), **own)
    return rows, reduce(and_, rest.values()) if rest else None


def _few(app_id: str, *conditions: Q) -> QuerySet[Any, Any]:
    """The ids of the few that fulfil one of these, to be found first and sorted then.

    SQLite otherwise reads the app's whole journal in its order.
    """
    own = Repayment.objects.filter(app_id=app_id)
    first, *others = (own.filter(one).values("pk") for one in conditions)
    return first.union(*others)


def _standing(wanted: str) -> list[Q]:
    """A state, or a standing of several, as conditions that each name one state."""
    several = {
        "landed": [
            Q(state=RepaymentState.RECORDED),
            Q(state=RepaymentState.PRESUMED),
            Q(state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED),
        ],
        "doubtful": [Q(state=state) for state in (*OPEN, RepaymentState.NOT_FOUND)],
        "abandoned": [STANDINGS["abandoned"]],
    }
    return several.get(wanted, [Q(state=wanted)])


def _people(name: str) -> list[int]:
    return list(User.objects.filter(username__iexact=name.strip()).values_list("pk", flat=True))


def _reported(wanted: str) -> QuerySet[Mistake]:
    return Mistake.objects.order_by().filter(reviewed_at__isnull=wanted == "open")


def _of_record(record: str) -> tuple[Q, Q, Q]:
    """What may be looked for as a loan, a borrower or a transaction id."""
    record = record.strip()
    same_id = Q(external_id_key=normalise_external_id(record))
    return same_id, Q(account_id=record), Q(borrower_id=record)


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


def unresolved(app_id: str) -> QuerySet[Repayment]:
    """Those that nobody can yet say of whether they were recorded."""
    found = _few(app_id, Q(state__in=UNRESOLVED))
    return Repayment.objects.filter(pk__in=found).select_related("created_by")


def alarms(app_id: str) -> QuerySet[Repayment]:
    """Those with an alarm that nobody has seen yet, the oldest alarm first."""
    rows = Repayment.objects.filter(
        app_id=app_id, alarm_at__isnull=False, alarm_seen_at__isnull=True
    )
    return rows.select_related("created_by").order_by("alarm_at", "id")


def count_unknown(app_id: str) -> int:
    """How many repayments of the app are unknown right now, up to `keyset.COUNTED` + 1.

    It stands on each page, so it counts no further.
    """
    rows = Repayment.objects.filter(app_id=app_id, state=RepaymentState.UNKNOWN)
    return rows[: COUNTED + 1].count()

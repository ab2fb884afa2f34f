"""Questions that pages put to the journal."""

from datetime import datetime
from decimal import Decimal

from django.db.models import Q, QuerySet, Sum

from .models import Repayment
from .states import OPEN as OPEN
from .states import State, Verdict

# What counts as landed at the service: by its own word, by evidence, or by a person's.
LANDED = Q(state__in=(State.RECORDED, State.INFERRED)) | Q(
    state=State.SETTLED, settled_as=Verdict.RECORDED
)


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


def landed_sum(rows: QuerySet[Repayment]) -> Decimal:
    """The sum of those that landed at the service, as far as is known here."""
    total = rows.order_by().filter(LANDED).aggregate(total=Sum("amount"))["total"]
    return Decimal(total or 0)


def day(app_id: str, since: datetime) -> dict[str, object]:
    """What was entered here since a moment, in figures; `unknown_count` is of all times."""
    entered = Repayment.objects.filter(app_id=app_id, created_at__gte=since)
    return {
        "landed_count": entered.filter(LANDED).count(),
        "landed_sum": landed_sum(entered),
        "refused_count": entered.filter(state__in=(State.REFUSED, State.NOT_SENT)).count(),
        "unknown_count": unknown_count(app_id),
    }


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

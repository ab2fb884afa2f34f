"""Repayments recorded in this dashboard since a count, by loan; they correct lists over it."""

from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Max, Q, QuerySet

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.repayments.managers import RECORDED, sum_thousandths, to_amount
from lendingadmin.money.repayments.models import Repayment

from .models import Snapshot


class RecordedSince(NamedTuple):
    """The repayments recorded on a loan since its count began, in the app's currency.

    `amount` was entered after the count had ended. `meanwhile` was entered during the count,
    which may include it or not. `at` is the time when the last of both was recorded.
    """

    amount: Decimal
    meanwhile: Decimal
    at: datetime


def list_recorded_since(app: LendingApp, snapshot: Snapshot) -> QuerySet[Repayment]:
    """The repayments that were entered since a count began and are recorded."""
    rows = Repayment.objects.filter(RECORDED, app_id=app.app_id)
    return rows.filter(created_at__gt=snapshot.began_at, currency_code__in=("", app.currency))


def read_recorded_since(app: LendingApp, snapshot: Snapshot) -> dict[str, RecordedSince]:
    """The sums of `list_recorded_since` by the loan's id."""
    is_after = Q(created_at__gt=snapshot.ended_at)
    groups = list_recorded_since(app, snapshot).values("account_id").order_by("account_id")
    sums = groups.annotate(
        after=sum_thousandths(is_after), meanwhile=sum_thousandths(~is_after), at=Max("state_at")
    )
    return {
        one["account_id"]: RecordedSince(
            to_amount(one["after"]), to_amount(one["meanwhile"]), one["at"]
        )
        for one in sums
    }

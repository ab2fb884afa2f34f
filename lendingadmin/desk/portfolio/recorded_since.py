"""Repayments recorded in this dashboard since a snapshot, by loan. Lists subtract them."""

from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Max, Q, QuerySet

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.repayments.managers import RECORDED, sum_thousandths, to_amount
from lendingadmin.money.repayments.models import Repayment

from .models import Snapshot


class RecordedSince(NamedTuple):
    """The repayments recorded on a loan since the snapshot began, in the app's currency.

    `amount` is the sum that was entered after the snapshot ended. `meanwhile` is the sum that was
    entered during the snapshot, which the snapshot may or may not include. `at` is the time when
    the last repayment was recorded.
    """

    amount: Decimal
    meanwhile: Decimal
    at: datetime


def list_recorded_since(app: LendingApp, snapshot: Snapshot) -> QuerySet[Repayment]:
    """Return the recorded repayments that were entered after a snapshot began."""
    rows = Repayment.objects.filter(RECORDED, app_id=app.app_id)
    return rows.filter(created_at__gt=snapshot.began_at, currency_code__in=("", app.currency))


def read_recorded_since(app: LendingApp, snapshot: Snapshot) -> dict[str, RecordedSince]:
    """Return the sums of `list_recorded_since` by the loan's id."""
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

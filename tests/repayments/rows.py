"""Repayments put into the journal as they may stand there, without a service."""

import itertools
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState, Resolution

NOON = datetime(2026, 3, 10, 9, tzinfo=UTC)
_numbers = itertools.count(1)
_KINDS = [
    *((state, "") for state in RepaymentState if state != RepaymentState.RESOLVED),
    *((RepaymentState.RESOLVED, resolution) for resolution in Resolution),
]


def row(
    by: User, state: RepaymentState = RepaymentState.RECORDED, amount: str = "100", **fields: Any
) -> Repayment:
    """One entry of the journal: of 100 on a loan of its own, recorded now."""
    number = next(_numbers)
    at: datetime = fields.get("created_at", timezone.now())
    usual: dict[str, Any] = {
        "app_id": "kenya",
        "account_id": f"L-{number}",
        "external_id": f"TX-ROW-{number}",
        "transaction_date": at,
        "value_date": at,
        "created_at": at,
        "state_at": at,
        "send_before": at,
        "idempotency_key": f"form-{number}",
        "created_by": by,
        "amount": Decimal(amount),
        "state": state,
    }
    return Repayment.objects.create(**usual | fields)


def acknowledge(repayment: Repayment, by: User | None) -> None:
    """Let the service acknowledge a repayment, in any state."""
    services.conclude_all([services.Move(repayment, RepaymentState.RECORDED, {})], by=by)


def a_busy_day(*people: User) -> None:
    """Something of everything at NOON in `kenya`, with keys that are awkward in an address."""
    keys = itertools.product(
        people, ["", "mobile", "web"], ["", "M-PESA", "A&B =+ “Bank”"], ["", "KES", "USD"]
    )
    for number, (person, channel, network, code) in enumerate(keys):
        for state, resolution in _KINDS[number % 4 :: 2]:
            row(
                person,
                state,
                str(number + 1),
                created_at=NOON,
                transaction_date=NOON - timedelta(days=number % 2),
                channel=channel,
                network=network,
                currency_code=code,
                resolution=resolution,
            )
    row(people[0], created_at=NOON - timedelta(days=1))
    row(people[0], created_at=NOON, app_id="ghana")

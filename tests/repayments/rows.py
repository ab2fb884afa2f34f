"""Repayments put into the journal as they may stand there, without a service."""

import itertools
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils import timezone

from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.states import State
from lendingadmin.staff.models import User

_numbers = itertools.count(1)


def row(by: User, state: State = State.RECORDED, amount: str = "100", **fields: Any) -> Repayment:
    """One entry of the journal: of 100 on a loan of its own, recorded now."""
    number = next(_numbers)
    at: datetime = fields.get("created_at", timezone.now())
    usual: dict[str, Any] = {
        "app_id": "kenya",
        "account_id": f"L-{number}",
        "external_id": f"TX-{number}",
        "transaction_date": at,
        "value_date": at,
        "created_at": at,
        "state_at": at,
        "send_before": at,
        "form": f"form-{number}",
        "created_by": by,
        "amount": Decimal(amount),
        "state": state,
    }
    return Repayment.objects.create(**usual | fields)

import itertools
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.repayments.services import Request
from tests.faults.server import FaultServer
from tests.repayments.service import LoanService
from tests.sandbox.calling import Caller

ROLE = "support"
make_service = LoanService


@pytest.fixture
def asked() -> Callable[..., Request]:
    """Makes what a person asked for: 500 on loan L-1, each time with its own transaction id."""
    numbers = itertools.count(1)

    def make(**fields: Any) -> Request:
        now = timezone.now() - timedelta(minutes=5)
        usual = {
            "app_id": "kenya",
            "account_id": "L-1",
            "borrower_id": "B-1",
            "external_id": f"TX-{next(numbers)}",
            "amount": Decimal("500.00"),
            "transaction_date": now,
            "value_date": now,
        }
        return Request(**(usual | fields))

    return make


@pytest.fixture
def proxy(
    app: LendingApp, book: Caller, fault_proxy: Callable[[str], FaultServer], settings: Any
) -> FaultServer:
    """Stands between the dashboard and the sandbox."""
    standing = fault_proxy(book.base_url)
    settings.LENDING_BASE_URL = standing.url
    return standing

from typing import Any

import pytest

from lendingadmin.portfolio import counting, tasks
from lendingadmin.portfolio.models import Snapshot
from tests.faults.server import FaultServer
from tests.portfolio.service import BookService, loan


@pytest.fixture
def service(fault_server: FaultServer, settings: Any) -> BookService:
    """The dashboard before a service with five loans, in pages of two."""
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    return BookService(fault_server, [loan(number) for number in range(5)])


def counted() -> Snapshot:
    """Count the book of `kenya` here and now, without a worker."""
    row = tasks.start("kenya", None)
    assert row is not None
    while counting.count_slice(row.pk) is not None:
        pass
    row.refresh_from_db()
    return row

"""A client of the service that answers as each test decides."""

import pytest

from lendingadmin.lending.client import LendingClient
from tests.faults.server import FaultServer
from tests.lending.cases import FixedToken


@pytest.fixture
def client(service: FaultServer) -> LendingClient:
    return LendingClient(service.url, "demo", FixedToken(), backoff=0.01)

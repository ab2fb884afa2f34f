"""A service that answers as each test decides, and a client of it."""

from collections.abc import Iterator

import pytest

from lendingadmin.lending.client import LendingClient
from tests.faults.behaviours import refusal
from tests.faults.server import FaultServer
from tests.lending.cases import FixedToken


@pytest.fixture
def service() -> Iterator[FaultServer]:
    server = FaultServer(refusal(404, "No rule of this test matches"))
    yield server
    server.stop()


@pytest.fixture
def client(service: FaultServer) -> LendingClient:
    return LendingClient(service.url, "demo", FixedToken(), backoff=0.01)

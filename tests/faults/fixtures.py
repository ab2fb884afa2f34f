"""Fixtures over the fault-injecting servers; tests/conftest.py offers them to every test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.faults import addresses
from tests.faults.behaviours import forward, refusal
from tests.faults.server import FaultServer


@pytest.fixture
def fault_server() -> Iterator[FaultServer]:
    """A server without manners: 404 to whatever no rule matches."""
    server = FaultServer(refusal(404, "No rule of this test matches"))
    yield server
    server.stop()


@pytest.fixture
def fault_proxy() -> Iterator[Callable[[str], FaultServer]]:
    """Makes a proxy before the real server at an address; it forwards whatever no rule matches."""
    with ExitStack() as stack:

        def stand_before(upstream: str) -> FaultServer:
            proxy = FaultServer(forward(), upstream)
            stack.callback(proxy.stop)
            return proxy

        yield stand_before


@pytest.fixture
def refused_address() -> Iterator[str]:
    """An address that refuses every connection."""
    with addresses.refused() as address:
        yield address


@pytest.fixture
def unanswered_address() -> Iterator[str]:
    """An address where connections neither open nor fail."""
    with addresses.unanswered() as address:
        yield address

"""What tests of the shared pages have in common."""

from collections.abc import Callable
from typing import Any

import pytest

from lendingadmin.core.gateway import LendingApp
from lendingadmin.lending.transport import Transport
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller


@pytest.fixture
def proxy(
    app: LendingApp,
    book: Caller,
    fault_proxy: Callable[[str], FaultServer],
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> FaultServer:
    """Stands between the dashboard, which waits only a moment for answers, and the sandbox."""
    monkeypatch.setitem(Transport.__init__.__kwdefaults__, "read_timeout", 1.5)
    standing = fault_proxy(book.base_url)
    settings.LENDING_BASE_URL = standing.url
    return standing

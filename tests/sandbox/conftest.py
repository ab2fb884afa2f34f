"""Callers of the sandbox, each with an app of its own."""

import pytest

from tests.sandbox.calling import Caller
from tests.sandbox_process import SandboxProcess


@pytest.fixture
def caller(sandbox: SandboxProcess, sandbox_app: str) -> Caller:
    """May do everything."""
    return Caller(sandbox, sandbox_app)


@pytest.fixture
def lender(caller: Caller) -> Caller:
    """One whose app has borrower `b`."""
    caller.borrower()
    return caller

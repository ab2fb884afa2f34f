"""Callers of the sandbox, each with an app of its own."""

from collections.abc import Iterator

import pytest

from tests.sandbox.calling import Caller
from tests.sandbox_process import SandboxProcess, running_sandbox


@pytest.fixture
def caller(sandbox: SandboxProcess, sandbox_app: str) -> Caller:
    """May do everything."""
    return Caller(sandbox, sandbox_app)


@pytest.fixture
def lender(caller: Caller) -> Caller:
    """One whose app has borrower `b`."""
    caller.borrower()
    return caller


@pytest.fixture(scope="session")
def instant_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    """One that takes no time over events, assessments and offers."""
    folder = tmp_path_factory.mktemp("instant")
    with running_sandbox(folder, processing_seconds=0) as process:
        yield process


@pytest.fixture(scope="session")
def slow_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    """One that is not done with anything while a test looks at it."""
    folder = tmp_path_factory.mktemp("slow")
    with running_sandbox(folder, processing_seconds=3600) as process:
        yield process


@pytest.fixture
def instant(instant_sandbox: SandboxProcess, sandbox_app: str) -> Caller:
    """Of the one that takes no time; its app has borrower `b`."""
    caller = Caller(instant_sandbox, sandbox_app)
    caller.borrower()
    return caller


@pytest.fixture
def slow(slow_sandbox: SandboxProcess, sandbox_app: str) -> Caller:
    """Of the one that is not done; its app has borrower `b`."""
    caller = Caller(slow_sandbox, sandbox_app)
    caller.borrower()
    return caller

"""The sandbox as tests meet it: a process of its own, spoken to over HTTP like any service."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import pytest

ROOT = Path(__file__).resolve().parent.parent
_READY = re.compile(r"Sandbox ready on (http://\S+)")


class SandboxProcess(NamedTuple):
    """Where a running sandbox is, who may call it, and where it keeps its data."""

    base_url: str
    auth_url: str
    client_id: str
    client_secret: str
    project_id: str
    database: Path
    process: "subprocess.Popen[str]"


def build_command(database: Path, **options: object) -> list[str]:
    """The command of a sandbox on a free port; `token_seconds=2` is `--token-seconds 2`."""
    options = {"port": 0, "database": database} | options
    words = [(f"--{name.replace('_', '-')}", str(value)) for name, value in options.items()]
    return [sys.executable, "manage.py", "sandbox", *(word for pair in words for word in pair)]


@contextmanager
def running_sandbox(folder: Path, *arguments: str, **options: object) -> Iterator[SandboxProcess]:
    """A sandbox on a free port with its database in `folder`; stopped at the end."""
    database = folder / "sandbox.sqlite3"
    process = subprocess.Popen(
        [*build_command(database, **{"processing_seconds": 1} | options), *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = _wait(process)
        yield SandboxProcess(
            address, address, "sandbox", "sandbox-secret", "demo", database, process
        )
    finally:
        process.terminate()
        process.wait(timeout=15)
        if process.stdout:
            process.stdout.close()


def _wait(process: "subprocess.Popen[str]") -> str:
    for line in process.stdout or ():
        if found := _READY.search(line):
            return found[1]
    raise AssertionError("the sandbox stopped before it was ready; see its errors above")


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxProcess]:
    """The one sandbox of a test run; tests keep apart by an app id each (`sandbox_app`)."""
    with running_sandbox(
        tmp_path_factory.mktemp("sandbox"),
        client="reader:reader-secret:lending.borrowers.list lending.loans.list",
    ) as process:
        yield process


@pytest.fixture
def sandbox_app() -> str:
    """An app id that nothing else uses."""
    return f"app-{uuid4().hex[:12]}"

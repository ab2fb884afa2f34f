"""The worker as a process of its own, on the test's database."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.databases import ROOT, database_url


@contextmanager
def worker(service: str, log: Path, **environ: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A running `manage.py db_worker`; its log goes to a file, and is shown where a test fails."""
    own = {
        "DJANGO_SETTINGS_MODULE": "tests.process_settings",
        "DATABASE_URL": database_url(),
        "LENDING_BASE_URL": service,
    }
    with log.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "db_worker", "--interval", "0.2"],
            cwd=ROOT,
            env=os.environ | own | environ,
            stdout=file,
            stderr=file,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait(10)
        sys.stdout.write(log.read_text())


def soon(true: Callable[[], object], seconds: float = 20) -> bool:
    """Wait until something is true; False when it does not come."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True

"""Several processes of several threads each that all do the same at one moment."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from tests.databases import database_url

ROOT = Path(__file__).resolve().parents[1]


def run_workers(module: str, count: int, *arguments: str, **environ: str) -> list[str]:
    """What the threads of `count` processes of a worker module got, all of them at once."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": database_url(),
        **environ,
    }
    command, pipe = [sys.executable, "-m", module, *arguments], subprocess.PIPE
    processes = [
        subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True)
        for _ in range(count)
    ]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    values = []
    for process in processes:
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        values += output.split()
    return values


def work(threads: int, ask: Callable[[], str]) -> None:
    """A worker's part: print `ready`, wait for a line, and print what each thread got."""
    from django.db import connection

    gate = threading.Barrier(threads + 1)
    values: list[str] = []

    def run() -> None:
        gate.wait()
        try:
            values.append(ask())
        finally:
            connection.close()

    running = [threading.Thread(target=run) for _ in range(threads)]
    for thread in running:
        thread.start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    gate.wait()
    for thread in running:
        thread.join()
    sys.stdout.write("\n".join(values))

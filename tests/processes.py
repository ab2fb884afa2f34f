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
    """Return what the threads of `count` processes of a worker module got, all of them at once."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": database_url(),
        "WORKERS": str(count),
        **environ,
    }
    command, pipe = [sys.executable, "-m", module, *arguments], subprocess.PIPE
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=pipe, text=True, timeout=60, check=True
    )
    return done.stdout.split()


def work(threads: int, ask: Callable[[], str]) -> None:
    """A worker module's part: print what each thread of each of its processes got.

    The processes are forked from one that has imported everything, and begin once all are there.
    """
    begin, is_over = os.pipe()
    children = []
    for _ in range(int(os.environ["WORKERS"])):
        if not (child := os.fork()):
            os.close(is_over)
            _run_threads(threads, ask, begin)
            os._exit(0)
        children.append(child)
    os.close(is_over)  # nobody else holds it: the children read its end, and begin
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    sys.exit(max(codes, key=abs))


def _run_threads(threads: int, ask: Callable[[], str], begin: int) -> None:
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
    os.read(begin, 1)
    gate.wait()
    for thread in running:
        thread.join()
    os.write(sys.stdout.fileno(), ("\n".join(values) + "\n").encode())

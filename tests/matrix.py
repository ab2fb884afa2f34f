"""The quick part of the suite on each Python with each Django: make matrix ARGS="tests/lending".

Each Python of this machine gets an environment that is thrown away afterwards: what the lock of the
tests names, and for a Django that the lock does not name, the newest of its line over it. A Python
that is not here is said as not run, and makes nothing fail. What the runs print is kept in
var/matrix.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.processes import ROOT

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# The lines of Django, and the oldest Python that each takes.
DJANGOS = {"5.2": "3.10", "6.0": "3.12"}
LOCK = ROOT / "tests" / "requirements.lock"
LOGS = ROOT / "var" / "matrix"
_PIP = ("-m", "pip", "install", "-qq", "--disable-pip-version-check", "--retries", "2")
_PYTEST = ("-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
_QUICK = ("--ignore", "tests/lints", "-m", "not exhaustive", "-p", "no:cacheprovider")


class Row(NamedTuple):
    """One line of the table; `passed` is None where nothing ran."""

    python: str
    django: str
    passed: bool | None
    said: str


def find_python(version: str) -> str | None:
    """An interpreter of this version by its usual name, or one of pyenv's; None without one."""
    name = f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for path in (shutil.which(name), *sorted(pyenv.glob(f"{version}.*/bin/{name}"))):
        # A shim of pyenv stands there for a Python that is not switched on, too.
        if path and _ask(str(path), "import venv, sys; print(sys.version)"):
            return str(path)
    return None


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def _ask(python: str, script: str) -> str:
    """What a script prints; empty where it fails."""
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def read_locked_line(lock: str) -> str:
    """The line of the Django that a lock names, such as 5.2. Raises ValueError without one."""
    found = re.search(r"^django==(\d+\.\d+)", lock, re.MULTILINE)
    if found is None:
        raise ValueError("the lock names no Django")
    return found[1]


def run_on(version: str, args: list[str]) -> Iterator[Row]:
    """The rows of one Python."""
    python = find_python(version)
    if python is None:
        yield Row(version, "-", None, "not run: there is no such Python here")
        return
    with tempfile.TemporaryDirectory(prefix="lendingadmin-matrix-") as folder:
        own = f"{folder}/bin/python"
        subprocess.run([python, "-m", "venv", folder], check=True)
        subprocess.run([own, *_PIP, "--require-hashes", "-r", str(LOCK)], check=True)
        full = _ask(own, "import platform; print(platform.python_version())")
        for line, oldest in DJANGOS.items():
            if _order(version) < _order(oldest):
                yield Row(full, line, None, f"not run: Django {line} needs Python {oldest}")
                continue
            if line != read_locked_line(LOCK.read_text()):
                subprocess.run([own, *_PIP, f"django=={line}.*"], check=True)
            yield _test(own, full, args)


def _test(own: str, version: str, args: list[str]) -> Row:
    django = _ask(own, "import django; print(django.__version__)")
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"python-{version}-django-{django}.log"
    with log.open("w") as said:
        command = [own, *_PYTEST, *_QUICK, *args]
        code = subprocess.run(command, cwd=ROOT, stdout=said, stderr=said, check=False).returncode
    last = (log.read_text().strip().splitlines() or ["nothing was said"])[-1]
    return Row(version, django, code == 0, last.strip("= "))


def main(args: list[str]) -> int:
    """Run all, print the table, and give 1 where one failed or none ran."""
    rows = [row for version in PYTHONS for row in run_on(version, args)]
    words = {True: "passed", False: "FAILED", None: "-"}
    for python, django, passed, said in rows:
        sys.stdout.write(f"{python:<9} {django:<8} {words[passed]:<7} {said}\n")
    ran = [row.passed for row in rows if row.passed is not None]
    return 0 if ran and all(ran) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

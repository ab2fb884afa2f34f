"""What `make` runs begins at all: a proof or a bench is seldom run whole."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(set(re.findall(r"-m (tests\.[\w.]+)", (ROOT / "Makefile").read_text())))


def test_make_runs_some() -> None:
    assert {"tests.proof", "tests.benchmarks.years", "tests.lighthouse"} <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_it_can_be_loaded_in_a_process_of_its_own(module: str) -> None:
    script = "import runpy, sys; runpy.run_module(sys.argv[1], run_name='loaded')"
    if (ROOT / module.replace(".", "/")).is_dir():
        module += ".__main__"
    ours = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    command = [sys.executable, "-c", script, module]
    loaded = subprocess.run(command, cwd=ROOT, env=ours, capture_output=True, text=True)
    assert loaded.returncode == 0, loaded.stderr

"""How far one request runs through the house: ceilings that only go down."""

import re
import subprocess
import sys

import pytest

from tests.processes import ROOT

pytestmark = pytest.mark.drill

# Functions, files and moves between files, as `make trace` prints them. Moves differ by a few from
# run to run, because reads run side by side.
CEILINGS = {
    "a repayment's POST": (215, 49, 321),
    "a page of the loans list": (197, 51, 233),
}


def test_no_request_runs_further_than_before() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.trace"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name, ceiling in CEILINGS.items():
        found = re.search(rf"^{re.escape(name)} +(\d+) +(\d+) +(\d+)$", told.stdout, re.MULTILINE)
        assert found is not None, told.stdout
        counts = tuple(map(int, found.groups()))
        assert all(now <= most for now, most in zip(counts, ceiling, strict=True)), (name, counts)

"""A statement whose worker and web are killed on the way is recorded to the cent, and once.

PROOF_ROWS=10000 PROOF_KILLS=4 is the length that is promised; it prints what it found (`-s`).
"""

import os
from pathlib import Path

import pytest

from tests.proof.statement import run

pytestmark = pytest.mark.exhaustive


def test_a_statement_is_recorded_to_the_cent_whoever_dies(tmp_path: Path) -> None:
    rows, kills = (
        int(os.environ.get(x, y)) for x, y in (("PROOF_ROWS", "120"), ("PROOF_KILLS", "1"))
    )
    result = run(tmp_path, rows, kills)
    print(result)  # noqa: T201
    assert result["service"] == result["file"] > 0
    assert result["kills"] == kills
    # A second upload has nothing to record.
    assert not result["again"]

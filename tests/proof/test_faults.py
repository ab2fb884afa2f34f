"""The faults of `python -m tests.proof.faults`, made short: every case, fewer people and pages."""

from pathlib import Path

from tests.proof.faults import Size, judge, open_stage, play_all

SMALL = Size(seconds=2, asked=24, asked_hanging=16, people=24, probes=20)
# Seconds. How quick a probe is says how busy the machine is; what waits for the service takes ten.
LONGEST_P95 = 3.0


def test_each_fault_is_told_in_words_and_heals_by_itself(tmp_path: Path) -> None:
    with open_stage(tmp_path) as stage:
        rows = list(play_all(stage, SMALL))
    assert {row.fault: judge(row, LONGEST_P95) for row in rows} == {row.fault: [] for row in rows}

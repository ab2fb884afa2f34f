"""The load of `make prove-money`, made small: the same people, faults and killed processes."""

from pathlib import Path

from tests.proof.load import Plan, run


def test_under_load_nothing_is_recorded_twice_lost_or_claimed_wrongly(tmp_path: Path) -> None:
    small = Plan(people=8, repayments=70, hang=1.0, late=3.0, quiet=2, others_every=0.1)
    result = run(tmp_path, small)
    assert result["broken"] == {}
    assert result["repayments"] >= 70
    assert result["faulted"] > 5 and result["others"] > 5

"""When a write whose answer is missing is checked again."""

from datetime import timedelta

from lendingadmin.money.writes.unconfirmed import next_delay


def test_checks_come_close_at_first_and_ever_wider() -> None:
    soon = [next_delay(n, timedelta(seconds=n)).total_seconds() for n in range(5)]
    assert soon == [1, 2, 4, 8, 15]
    assert next_delay(20, timedelta(minutes=1)) == timedelta(seconds=15)
    assert next_delay(20, timedelta(minutes=30)) == timedelta(minutes=1)
    assert next_delay(20, timedelta(hours=20)) == timedelta(minutes=5)

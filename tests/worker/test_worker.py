"""A worker that is asked to stop: what is in hand is ended first, whatever it is."""

import signal
import time

import pytest

from lendingadmin.core.worker import duties
from lendingadmin.core.worker.worker import Worker

pytestmark = pytest.mark.django_db(transaction=True)


def test_asked_to_stop_in_a_beat_it_ends_the_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker()
    done = []

    def beat() -> None:
        worker.shutdown(signal.SIGTERM, None)
        done.append("to its end")

    monkeypatch.setattr(duties, "run_duties", beat)
    worker.run()
    assert done == ["to its end"]


def test_asked_to_stop_in_its_sleep_it_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker()
    monkeypatch.setattr(duties, "run_duties", list)
    monkeypatch.setattr(time, "sleep", lambda seconds: worker.shutdown(signal.SIGTERM, None))
    with pytest.raises(SystemExit) as stopped:
        worker.run()
    assert stopped.value.code == 0


def test_asked_twice_it_breaks_off_what_is_in_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker()
    monkeypatch.setattr(worker, "reset_signals", lambda: None)

    def beat() -> None:
        worker.shutdown(signal.SIGTERM, None)
        worker.shutdown(signal.SIGTERM, None)

    monkeypatch.setattr(duties, "run_duties", beat)
    with pytest.raises(SystemExit) as stopped:
        worker.run()
    assert stopped.value.code == 1

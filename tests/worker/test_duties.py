"""The beat: what areas lend to it, and that one's fault is nobody else's."""

import pytest
from django.db import OperationalError

from lendingadmin.worker import duties, tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def lent(monkeypatch: pytest.MonkeyPatch) -> list[duties.Duty]:
    """The duties, for this test none but its own."""
    own: list[duties.Duty] = []
    monkeypatch.setattr(duties, "_DUTIES", own)
    return own


def test_an_area_that_fails_keeps_no_other_from_its_duty(
    lent: list[duties.Duty], caplog: pytest.LogCaptureFixture
) -> None:
    done = []

    def fail() -> None:
        raise ValueError("Anne Wanjiru has no loan")

    duties.register_duty(fail)
    duties.register_duty(lambda: done.append(1))
    duties.run_duties()
    assert done == [1]
    assert "ValueError" in caplog.text
    assert "Anne" not in caplog.text.replace('raise ValueError("Anne Wanjiru has no loan")', "")


def test_a_database_that_does_not_answer_ends_the_beat(lent: list[duties.Duty]) -> None:
    def fail() -> None:
        raise OperationalError("server closed the connection")

    duties.register_duty(fail)
    with pytest.raises(OperationalError):
        duties.run_duties()


def test_a_duty_that_is_lent_twice_is_done_once(lent: list[duties.Duty]) -> None:
    done = []

    def duty() -> None:
        done.append(1)

    duties.register_duty(duty)
    duties.register_duty(duty, tasks.prune)
    duties.run_duties()
    assert done == [1]


def test_every_task_of_the_product_is_put_back_when_it_is_lost() -> None:
    names = {path.removeprefix("lendingadmin.") for path in duties._TASKS}
    assert {
        "worker.tasks.prune",
        "repayments.tasks.check",
        "repayments.tasks.notify",
        "writes.tasks.check_writes",
        "writes.tasks.prune",
    } <= names

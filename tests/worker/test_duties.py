"""The beat: what areas lend to it, and that one's fault is nobody else's."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import pytest
from django.apps import AppConfig, apps
from django.db import OperationalError

from lendingadmin.core.areas import collect
from lendingadmin.core.staff.tasks import prune
from lendingadmin.core.worker import duties

pytestmark = pytest.mark.django_db


@pytest.fixture
def lent(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """The duties, for this test none but its own."""
    own: list[Callable[[], object]] = []
    monkeypatch.setattr(duties, "collect", {"duties": own, "tasks": ()}.get)
    return own


def test_an_area_that_fails_keeps_no_other_from_its_duty(
    lent: list[Callable[[], object]], caplog: pytest.LogCaptureFixture
) -> None:
    done = []

    def fail() -> None:
        raise ValueError("Anne Wanjiru has no loan")

    lent += [fail, lambda: done.append(1)]
    duties.run_duties()
    assert done == [1]
    assert "ValueError" in caplog.text
    assert "Anne" not in caplog.text.replace('raise ValueError("Anne Wanjiru has no loan")', "")


def test_a_database_that_does_not_answer_ends_the_beat(lent: list[Callable[[], object]]) -> None:
    def fail() -> None:
        raise OperationalError("server closed the connection")

    lent.append(fail)
    with pytest.raises(OperationalError):
        duties.run_duties()


def test_every_task_of_the_product_is_put_back_when_it_is_lost() -> None:
    modules = [import_module(f"{app.name}.tasks") for app in list_own_apps()]
    values = [value for one in modules for value in vars(one).values()]
    # Which class that is depends on Django, which from 6 on has its own.
    paths = {one.module_path for one in values if isinstance(one, type(prune))}
    assert paths == {one.module_path for one in collect("tasks")}
    assert {
        "lendingadmin.money.repayments.tasks.check",
        "lendingadmin.core.staff.tasks.tell_managers",
    } < paths


def list_own_apps() -> list[AppConfig]:
    """The product's apps that have tasks."""
    own = (app for app in apps.get_app_configs() if app.name.startswith("lendingadmin."))
    return [app for app in own if find_spec(f"{app.name}.tasks")]

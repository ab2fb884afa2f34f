"""A date that lies years away is pointed out before it is sent, and never refused for that."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.records.events.checking import check_event
from lendingadmin.web.dates import far_notice
from tests.borrowers.forms import filled
from tests.conftest import ClientOf
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller
from tests.web import acts
from tests.web.acts import Act, text_of

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
ASKS = [(acts.MAKE_LOAN, "startDate"), (acts.ASK, "timestamp"), (acts.ASSESS, "timestamp")]


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, ""),
        (-366, ""),
        (366, ""),
        (-367, "It is more than a year ago. Check the year."),
        (367, "It is more than a year from now. Check the year."),
        (-365 * 7 - 3, "It is 7 years ago. Check the year."),
        (365 * 100 + 30, "It is 100 years from now. Check the year."),
    ],
)
def test_what_is_said_of_a_date(days: int, said: str) -> None:
    assert far_notice("It", NOW + timedelta(days=days), NOW) == said


def test_an_event_of_another_year_is_pointed_out() -> None:
    event = {"timestamp": "2019-11-22T12:00:00.000Z"}
    assert "The event's time is 7 years ago. Check the year." in check_event(event, NOW).warnings


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("act", "field"), ASKS, ids=lambda one: str(one))
def test_a_form_without_a_confirm_step_asks_and_then_sends(
    act: Act, field: str, client_of: ClientOf, manager: User,
    app: LendingApp, book: Caller, proxy: FaultServer,
) -> None:  # fmt: skip
    desk = client_of(manager)
    url, form = act.prepare(desk, app, book)
    before = proxy.hits(act.match(book))
    form = {**form, field: "2019-06-01T10:00"}
    page = desk.post(url, form)
    assert "years ago. Check the year. Tick the box if the year is right." in text_of(page)
    assert proxy.hits(act.match(book)) == before
    again = filled(page, **{key: form[key] for key in form if key != "token"})
    desk.post(url, again | {"datesChecked": "on"})
    assert proxy.hits(act.match(book)) == before + 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("act", "field"), ASKS, ids=lambda one: str(one))
def test_a_date_of_this_year_is_not_asked_about(
    act: Act, field: str, client_of: ClientOf, manager: User,
    app: LendingApp, book: Caller,
) -> None:  # fmt: skip
    desk = client_of(manager)
    url, form = act.prepare(desk, app, book)
    then = timezone.now() - timedelta(days=30)
    answer: Any = desk.post(url, {**form, field: f"{then:%Y-%m-%dT%H:%M}"})
    assert answer.status_code == 302

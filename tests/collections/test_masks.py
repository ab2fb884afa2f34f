"""No phone number where nobody may be called, and no name or number for who may not see them."""

from datetime import time, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.models import Assignment, Basis
from lendingadmin.desk.collections import rules
from lendingadmin.desk.collections.models import CallQueue, Promise
from lendingadmin.desk.collections.policies import get_rules
from lendingadmin.desk.collections.queues import QUEUES
from tests.conftest import ClientOf
from tests.people_index.conftest import Put, index, put
from tests.policies.setting import set_calling
from tests.roles import hold_only

from .desk import COLLECTIONS, counted, note_call, press_next, read_page
from .service import CallService

pytestmark = pytest.mark.django_db
PHONES = ("254700000000", "0700000000", "+254 700")
__all__ = ["index", "put"]


def list_addresses() -> list[str]:
    """Every page of the area that is read."""
    found = [COLLECTIONS, f"{COLLECTIONS}stops/", *(f"{COLLECTIONS}{key}/" for key in QUEUES)]
    found += [one.get_absolute_url() for one in CallQueue.objects.all()]
    found += [f"{COLLECTIONS}calls/B-0/", f"{COLLECTIONS}calls/B-1/"]
    return [*found, *(one.get_absolute_url() for one in Promise.objects.all())]


def shows_phone(html: str) -> bool:
    return any(phone in html for phone in PHONES)


@pytest.fixture
def called(service: CallService, desk: Client, put: Put, people: dict[str, User]) -> CallService:
    """Borrowers whom the index knows; the officer is calling the first, and another promised.

    They are the officer's and support's own, and in a queue that a manager made.
    """
    for number, name in enumerate(("officer", "support")):
        Assignment.objects.create(
            app_id="kenya", borrower_id=f"B-{number}", officer=people[name], basis=Basis.HAND
        )
    CallQueue.objects.create(app_id="kenya", name="All", created_by=people["manager"])
    for number in range(3):
        service.add(number, 7 - number)
        individual = service.borrowers[f"B-{number}"]["individual"]
        individual["phoneNumber"] = "+254700000000"
        put(f"B-{number}", **individual)
    counted()
    desk.post(f"{COLLECTIONS}calls/B-2/begin")
    day = timezone.localdate() + timedelta(days=9)
    note_call(desk, "B-2", "promise", amount="5", day=day.isoformat())
    assert press_next(desk) == "B-0"
    return service


def test_the_number_is_there_when_it_may_be_called(called: CallService, desk: Client) -> None:
    assert shows_phone(read_page(desk, f"{COLLECTIONS}late-1-7/"))
    assert shows_phone(read_page(desk, f"{COLLECTIONS}calls/B-0/"))


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    weekdays=st.frozensets(st.integers(0, 6)),
    begin=st.integers(0, 22),
    hours=st.integers(1, 23),
    is_closed=st.booleans(),
)
def test_outside_of_the_hours_no_route_has_a_number(
    called: CallService,
    desk: Client,
    weekdays: frozenset[int],
    begin: int,
    hours: int,
    is_closed: bool,
) -> None:
    """Whatever the hours are: a number stands somewhere only while people may be called."""
    end = time(min(begin + hours, 23), 59)
    hours = [f"{begin:02}:00", f"{end:%H:%M}"]
    app = lending_app("kenya")
    today = timezone.localdate(timezone=app.zone)
    set_calling(
        hours=[hours if weekday in weekdays else None for weekday in range(7)],
        closed=[[today.isoformat(), "staff day"]] if is_closed else [],
    )
    may_call = rules.is_open(get_rules(app), timezone.now())
    shown = {address: shows_phone(read_page(desk, address)) for address in list_addresses()}
    assert any(shown.values()) == may_call, shown


@pytest.mark.parametrize("held", ["", "dashboard.borrowers.names", "dashboard.borrowers.contact"])
def test_who_may_see_no_names_or_numbers_sees_none(
    called: CallService, client_of: ClientOf, support: User, held: str
) -> None:
    rights = ("dashboard.collections.call", "lending.loans.list", "lending.loans.get")
    hold_only(support, *rights, "lending.borrowers.get", *filter(None, [held]))
    clerk = client_of(support)
    clerk.post(f"{COLLECTIONS}calls/B-1/begin")
    html = "".join(read_page(clerk, address) for address in list_addresses())
    assert ("KAMAU" in html.upper()) == held.endswith("names")
    assert shows_phone(html) == held.endswith("contact")

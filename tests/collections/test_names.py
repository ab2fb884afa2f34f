"""The borrower's name beside the id on pages of collections; initials without the right."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_NAMES
from lendingadmin.desk.collections.models import Promise, Stop
from tests.conftest import ClientOf
from tests.people_index.conftest import Put, index, put
from tests.people_index.test_pages import names_over
from tests.roles import group_of

from .desk import COLLECTIONS, counted, note_call, press_next, read_page
from .service import CallService

pytestmark = pytest.mark.django_db
__all__ = ["index", "put"]
# The index knows an older name than the service.
NAME, INITIALS = "Kamau Old", "K. O."


@pytest.fixture
def pages(service: CallService, boss: Client, put: Put) -> list[str]:
    """Pages with one borrower, who promised, disputes a loan and is being called."""
    service.add(0)
    counted()
    day = timezone.localdate() + timedelta(days=9)
    boss.post(f"{COLLECTIONS}calls/B-0/begin")
    note_call(boss, "B-0", "promise", amount="5", day=day.isoformat())
    boss.post(f"{COLLECTIONS}calls/B-0/begin")
    note_call(boss, "B-0", "dispute", note="says it is paid")
    boss.post(f"{COLLECTIONS}calls/B-0/begin")
    # After the calls, because the page of a call updates the index.
    put("B-0", surname="Kamau", othernames="Old")
    stops = f"{COLLECTIONS}stops/"
    found = [COLLECTIONS, stops, f"{stops}{Stop.objects.get().pk}/end"]
    return [*found, Promise.objects.get().get_absolute_url()]


@pytest.fixture
def boss(client_of: ClientOf, manager: User) -> Client:
    return client_of(manager)


def test_a_name_stands_over_the_id(boss: Client, pages: list[str]) -> None:
    for page in pages:
        assert names_over(read_page(boss, page), "B-0", NAME), page


def test_without_the_right_it_is_the_initials(
    boss: Client, pages: list[str], manager: User
) -> None:
    group = group_of(manager)
    codename = SEE_NAMES.removeprefix("dashboard.")
    group.permissions.remove(*group.permissions.filter(codename=codename))
    for page in pages:
        html = read_page(boss, page)
        assert names_over(html, "B-0", INITIALS) and NAME not in html, page


def test_the_call_has_the_name_of_the_index_if_the_service_is_down(
    desk: Client, service: CallService, put: Put
) -> None:
    service.add(0)
    put("B-0", surname="Kamau", othernames="Old")
    counted()
    assert press_next(desk) == "B-0"
    service.down.add("B-0")
    html = read_page(desk, f"{COLLECTIONS}calls/B-0/")
    heading = html[html.index("<h1>") : html.index("</h1>")]
    assert NAME in heading and "B-0" not in heading

"""The borrowers list and page against the running sandbox, and against services that are odd."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from tests.borrowers.forms import filled, is_unchanged
from tests.conftest import ClientOf
from tests.faults.behaviours import html, reply, token
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db
ROLE = "viewer"


def test_list_and_page(desk: Client, app: LendingApp, book: Caller) -> None:
    book.borrower("co", category="company", company={"tradingName": "Mama Mboga Ltd"})
    listed = desk.get(f"/apps/{app.app_id}/borrowers/").content.decode()
    assert "W. A." in listed
    assert "M. M. L." in listed
    page = desk.get(f"/apps/{app.app_id}/borrowers/b/?whole=1").content.decode()
    assert "•••001" in page
    assert f"/apps/{app.app_id}/loans/l/" in page


def test_a_panel_is_refreshed_by_an_icon_that_says_how_old_it_is(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    book.borrower("B-1")
    panel = desk.get(f"/apps/{app.app_id}/borrowers/B-1/panels/loans").content.decode()
    assert re.search(r' title="Refresh the loans, as of \d\d:\d\d:\d\d Nairobi time"', panel)


def test_an_outage_is_told_once_and_each_part_says_that_it_is_not_shown(
    desk: Client, app: LendingApp, book: Caller, refused_address: str, settings: Any
) -> None:
    settings.LENDING_BASE_URL = refused_address
    page = desk.get(f"/apps/{app.app_id}/borrowers/b/?whole=1")
    assert page.content.decode().count('class="notice bad"') == 1
    assert list_marks(page, "not-shown") == ["unreachable"] * 3


def test_a_gateway_without_the_service_behind_it_is_an_outage_too(
    desk: Client, app: LendingApp, fault_server: FaultServer, settings: Any
) -> None:
    fault_server.on("/token", token())
    fault_server.on("/borrowers", html(503))
    fault_server.on("/loans", html(503))
    fault_server.on("/events", html(503))
    fault_server.on("/assessments", html(503))
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    page = desk.get(f"/apps/{app.app_id}/borrowers/b/?whole=1")
    assert page.content.decode().count('class="notice bad"') == 1
    assert list_marks(page, "not-shown") == ["lending-error"] * 3


def test_ids_of_any_kind_have_a_page(desk: Client, app: LendingApp, book: Caller) -> None:
    for borrower_id in ("new", "a:b", "a b", "100%", "é?#", "x.."):
        book.borrower(borrower_id)
    listed = desk.get(f"/apps/{app.app_id}/borrowers/?pageSize=25")
    for borrower in listed.context["list"].items:
        answer = desk.get(
            reverse("borrower", args=[app.app_id, borrower.borrower_id]), {"whole": 1}
        )
        assert answer.status_code == 200
        assert answer.context["borrower"].borrower_id == borrower.borrower_id
        if " " in borrower.borrower_id:
            assert "cannot contain spaces" in answer.content.decode()


def test_the_name_alone_and_its_absence(
    desk: Client, boss: Client, app: LendingApp, book: Caller
) -> None:
    assert "WANJIRU ANNE" in boss.get(f"/apps/{app.app_id}/borrowers/b/name").content.decode()
    assert ">W. A.<" in desk.get(f"/apps/{app.app_id}/borrowers/b/name").content.decode()
    gone = desk.get(f"/apps/{app.app_id}/borrowers/nobody/name")
    assert gone.status_code == 200
    assert "<bdi>nobody</bdi>" in gone.content.decode()


GOOD = {
    "borrowerId": "B-1",
    "category": "individual",
    "status": 1,
    "startDate": "2026-01-01T00:00:00.000Z",
    "individual": {"surname": "A", "dateOfBirth": "1990-01-01", "noOfDependants": 1},
    "company": {"name": "x"},
    "devices": [{"deviceId": "d", "active": True, "createdAt": "2026-01-01T00:00:00.000Z"}],
    "loans": [{"loanId": "l", "principalAmount": 1, "startDate": "2026-01-01T00:00:00.000Z"}],
    "settings": {"timezone": "Africa/Nairobi"},
    "profiles": {"x": 1},
}


LISTS = {
    "loans": {"accountId": "L", "borrowerId": "B-1", "loanAmount": 1, "status": 2},
    "assessments": {
        "accountId": "borrower:B-1",
        "assessmentId": "A",
        "result": {"type": "authorized", "creditScore": 600},
    },
    "events": {
        "accountId": "borrower:B-1",
        "eventId": "E",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "data": [{"kind": "x/sms", "values": [{}]}],
    },
}
PROJECT = "GET /v1/projects/demo/apps/kenya"


def odd_service(fault_server: FaultServer, settings: Any) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    for name in LISTS:
        fault_server.on(f"{PROJECT}/{name}?", reply({name: []}))


def test_what_is_no_object_in_a_list_is_shown_as_it_came(
    boss: Client, fault_server: FaultServer, settings: Any
) -> None:
    odd_service(fault_server, settings)
    lists = {"devices": ["a device in words"], "loans": [["a loan", 7]]}
    fault_server.on(f"{PROJECT}/borrowers/", reply(GOOD | lists))
    page = boss.get("/apps/kenya/borrowers/B-1/?whole=1").content.decode()
    assert "a device in words" in page
    assert "[&quot;a loan&quot;, 7]" in page


def test_of_a_list_that_is_not_filtered_it_says_that_one_page_was_looked_at(
    desk: Client, fault_server: FaultServer, settings: Any
) -> None:
    odd_service(fault_server, settings)
    other = LISTS["assessments"] | {"accountId": "borrower:B-2", "assessmentId": "A-other"}
    listed = {"assessments": [LISTS["assessments"], other, other], "nextPageToken": "more"}
    fault_server.on(f"{PROJECT}/assessments?", reply(listed))
    page = desk.get("/apps/kenya/borrowers/B-1/panels/assessments").content.decode()
    assert "pageToken=more" in page
    assert "A-other" not in page


@pytest.mark.parametrize("record", [{}, {"category": "individual"}, {"devices": None, "loans": []}])
def test_a_record_that_lacks_lists_is_unchanged_when_sent_as_it_was_opened(
    client_of: ClientOf,
    manager: User,
    fault_server: FaultServer,
    settings: Any,
    record: dict[str, object],
) -> None:
    odd_service(fault_server, settings)
    fault_server.on(f"{PROJECT}/borrowers/", reply(record | {"borrowerId": "B-1"}))
    boss, edit = client_of(manager), "/apps/kenya/borrowers/B-1/edit"
    unchanged = boss.post(edit, filled(boss.get(edit)))
    assert is_unchanged(unchanged)

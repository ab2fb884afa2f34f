"""The pages of assessments against the sandbox: list, create, wait, read."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.records.assessments.models import KnownAssessment
from tests.conftest import ClientOf
from tests.sandbox.calling import Caller, ago, new_assessment
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)
KIND = "assessmentTypes/credit-90-days"


def address(app: LendingApp, rest: str = "") -> str:
    return f"/apps/{app.app_id}/assessments/{rest}"


def hidden(page: Any) -> dict[str, str]:
    """What the form sends back by itself."""
    found = re.findall(
        r'name="(token|seen|timestamp)"[^>]* value="([^"]*)"', page.content.decode()
    ) + re.findall(r'value="([^"]*)"[^>]* name="(timestamp)"', page.content.decode())
    return {name: value for name, value in found if name in ("token", "seen", "timestamp")}


def start(desk: Client, app: LendingApp, account: str = "borrower:b", **fields: str) -> Any:
    page = desk.get(address(app, "new"), {"accountId": account})
    body = hidden(page) | {"accountId": account, "assessmentType": KIND} | fields
    return desk.post(address(app, "new"), body)


def made(book: Caller, **fields: object) -> Any:
    return book.post("/assessments", new_assessment(**fields)).body


def test_the_types_are_offered_with_all_that_is_known_of_them(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    page = desk.get(address(app, "new"), {"accountId": "borrower:b"}).content.decode()
    for words in (
        "Credit, 90 days",
        "uses data of",
        "platforms: android",
        "borrowers: individual",
        "in beta testing",
        "deprecated. The service may refuse",
    ):
        assert words in page
    assert page.index("Credit, 90 days") < page.index("(beta)") < page.index("Credit, 60 days")
    assert 'value="borrower:b"' in page


def test_it_is_started_waited_for_and_read(desk: Client, app: LendingApp, book: Caller) -> None:
    answer = start(desk, app)
    assert answer.status_code == 302
    assert KnownAssessment.objects.get().account_id == "borrower:b"
    page = desk.get(answer.headers["Location"])
    waiting = page.content.decode()
    assert list_marks(page, "finding") == ["running"]
    assert "data-poll hx-get" in waiting
    assert "normally at most 1 min 30 s" in waiting
    entry = Entry.objects.get(action="assessments.create")
    assert (entry.subject, entry.saved) == ("borrower:b", "yes")


def test_what_was_asked_reaches_the_service_in_its_own_zone(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    answer = start(desk, app, timestamp="2026-01-31T15:00:05")
    key = answer.headers["Location"].rstrip("/").rpartition("/")[2]
    kept = book.get(f"/assessments/{key}").body
    assert kept["timestamp"] == "2026-01-31T12:00:05.000Z"
    assert (kept["accountId"], kept["assessmentType"]) == ("borrower:b", KIND)


def test_a_bare_id_is_a_borrowers(desk: Client, app: LendingApp, book: Caller) -> None:
    assert start(desk, app, accountId="b").status_code == 302
    assert Entry.objects.get(action="assessments.create").subject == "borrower:b"


def test_the_same_form_again_lands_on_the_first(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    page = desk.get(address(app, "new"), {"accountId": "borrower:b"})
    body = hidden(page) | {"accountId": "borrower:b", "assessmentType": KIND}
    first, again = (desk.post(address(app, "new"), body) for _ in range(2))
    assert first.headers["Location"] == again.headers["Location"]
    assert len(book.get("/assessments").body["assessments"]) == 1


def test_a_running_one_is_warned_of_before_and_after(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    blind = desk.get(address(app, "new"))
    key = made(book)["assessmentId"]
    warned = desk.get(address(app, "new"), {"accountId": "borrower:b"})
    assert list_marks(warned, "finding") == ["already-running"]
    assert key in warned.content.decode()
    assert list_marks(warned, "saved") == []
    body = hidden(blind) | {"accountId": "borrower:b", "assessmentType": KIND}
    stopped = desk.post(address(app, "new"), body)
    assert stopped.status_code == 200
    assert list_marks(stopped, "finding") == ["already-running"]
    assert list_marks(stopped, "saved") == ["no"]
    assert len(book.get("/assessments").body["assessments"]) == 1
    assert desk.post(address(app, "new"), body | hidden(stopped)).status_code == 302


def test_one_of_another_borrower_is_no_warning(desk: Client, app: LendingApp, book: Caller) -> None:
    book.borrower("other")
    made(book, accountId="borrower:other")
    page = desk.get(address(app, "new"), {"accountId": "borrower:b"})
    assert list_marks(page, "finding") == []


def test_a_refusal_keeps_what_was_entered(desk: Client, app: LendingApp, book: Caller) -> None:
    answer = start(desk, app, "borrower:nobody")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert list_marks(page, "finding") == ["bad-request"]
    assert 'value="borrower:nobody"' in page
    assert re.search(rf'value="{KIND}"[^>]*checked', page)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"assessmentType": ""}, "Choose an assessment type."),
        (
            {"accountId": "borrower:"},
            "Enter the account&#x27;s type, a colon and the account&#x27;s id.",
        ),
        ({"timestamp": "yesterday"}, "Enter a valid date/time."),
        ({"token": "stale"}, "This form was open for too long"),
    ],
)
def test_nothing_is_sent_that_is_not_whole(
    desk: Client, app: LendingApp, book: Caller, fields: dict[str, str], words: str
) -> None:
    answer = start(desk, app, **fields)
    assert answer.status_code == 200
    assert words in answer.content.decode()
    assert book.get("/assessments").body["assessments"] == []


def test_a_viewer_starts_none(client_of: ClientOf, viewer: User, app: LendingApp) -> None:
    desk = client_of(viewer)
    assert desk.get(address(app, "new")).status_code == 403
    assert address(app, "new") not in desk.get(address(app)).content.decode()


def test_the_list_has_it_and_its_pages_follow(desk: Client, app: LendingApp, book: Caller) -> None:
    for number in range(26):
        made(book, timestamp=ago(hours=number + 1))
    first = desk.get(address(app), {"pageSize": "25"})
    second = desk.get(first.context["list"].next_url)
    keys = [one.assessment_id for page in (first, second) for one in page.context["list"].items]
    assert len(set(keys)) == len(keys) == 26
    assert f'href="{address(app, keys[0])}/"' in first.content.decode()
    assert f'href="/apps/{app.app_id}/borrowers/b/"' in first.content.decode()


def test_finished_it_polls_no_more(
    desk: Client, app: LendingApp, book: Caller, settings: Any
) -> None:
    key = made(book)["assessmentId"]
    until = timezone.now() + timedelta(seconds=10)
    while timezone.now() < until:
        page = desk.get(address(app, f"{key}/status?polls=2")).content.decode()
        if "data-poll hx-get" not in page:
            break
    assert list_marks(page, "finding") == ["no-data"]
    assert "Report data</a>" in page
    assert "events/reported?accountId=borrower%3Ab&amp;until=20" in page
    assert "Data: too little; Rules: not reached; Result: invalid" in page
    assert "accountId=borrower%3Ab" in page

"""The list of events and the page of one: against the sandbox, and against odd services."""

import re
from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.records.events.reading import PART
from tests.conftest import ClientOf
from tests.events.samples import DOMAIN, SECRETS, STAMP, WHEN, address, body, ms, new_url
from tests.faults.behaviours import reply, token
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller

PURPOSE = {"purpose": "complaint"}
pytestmark = pytest.mark.django_db
ROLE = "viewer"


@pytest.fixture
def reported(book: Caller) -> Caller:
    """The app with one event of all five kinds, of borrower `b`."""
    assert book.post("/events", body()).status == 200
    return book


def test_the_list_counts_what_events_hold(desk: Client, app: LendingApp, reported: Caller) -> None:
    page = desk.get(f"/apps/{app.app_id}/events/").content.decode()
    assert address(app) in page
    assert f"/apps/{app.app_id}/borrowers/b/" in page
    assert "2 messages, 1 contact, 2 battery readings, 1 location, 1 app" in page
    assert not [secret for secret in SECRETS if secret in page]
    assert new_url(app) not in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?accountId=borrower:b", True),
        ("?accountId=borrower:c", False),
        ("?eventType=personal_data.captured", True),
        ("?eventType=other", False),
        ("?timestamp=STAMP", True),
        ("?timestamp=2026-01-01T00:00:00.000Z", False),
        ("?status=2", False),
        ("?category=sms", False),
        ("?appVersionId=none", False),
        ("?order=desc&pageSize=25", True),
    ],
)
def test_every_filter_reaches_the_service(
    desk: Client, app: LendingApp, reported: Caller, query: str, found: bool
) -> None:
    query = query.replace("STAMP", STAMP)
    page = desk.get(f"/apps/{app.app_id}/events/{query}").content.decode()
    assert (address(app) in page) == found
    assert found or 'data-finding="no-match"' in page


def test_a_filter_with_a_space_is_refused_with_the_reason(desk: Client, app: LendingApp) -> None:
    answer = desk.get(f"/apps/{app.app_id}/events/?accountId=borrower:a+b")
    form = answer.context["form"]
    assert form.has_error("accountId", "space")
    assert f'id="{form["accountId"].auto_id}_error"' in answer.content.decode()


def test_the_page_is_masked_and_shows_each_kind(
    desk: Client, app: LendingApp, reported: Caller
) -> None:
    page = desk.get(address(app)).content.decode()
    assert not [secret for secret in SECRETS if secret in page]
    for words in ("Messages", "Contacts", "Battery readings", "Locations", "Apps"):
        assert words in page
    assert 'class="message in"' in page
    assert 'class="message out"' in page
    assert 'path class="course"' in page
    assert "from 40 % to 81 %" in page
    assert 'data-finding="masked"' in page and "officer or manager" in page


def test_revealing_is_a_post_that_is_audited_and_kept_nowhere(
    client_of: ClientOf, officer: User, app: LendingApp, reported: Caller
) -> None:
    desk = client_of(officer)
    assert f'action="{address(app)}revealed"' in desk.get(address(app)).content.decode()
    assert not Entry.objects.filter(action="dashboard.personalContent.reveal").exists()
    answer = desk.post(f"{address(app)}revealed", PURPOSE)
    page = answer.content.decode()
    assert [secret for secret in SECRETS if secret in page] == list(SECRETS)
    assert "no-store" in answer.headers["Cache-Control"]
    entry = Entry.objects.get(action="dashboard.personalContent.reveal")
    assert (entry.username, entry.app_id, entry.outcome) == ("officer", app.app_id, "revealed")
    assert "borrower:b" in entry.subject
    assert entry.detail == "event, part 1 of 1; purpose: a complaint"
    bookmarked = desk.get(f"{address(app)}revealed")
    assert bookmarked.headers["Location"] == address(app)


@pytest.mark.parametrize("sent", [{}, {"purpose": ""}, {"purpose": "because I like to"}])
def test_without_a_purpose_of_the_list_nothing_is_revealed(
    client_of: ClientOf, officer: User, app: LendingApp, reported: Caller, sent: dict[str, str]
) -> None:
    page = client_of(officer).post(f"{address(app)}revealed", sent).content.decode()
    assert not [secret for secret in SECRETS if secret in page]
    assert 'data-finding="masked"' in page
    assert not Entry.objects.filter(action="dashboard.personalContent.reveal").exists()


def test_a_viewer_cannot_reveal(desk: Client, app: LendingApp, reported: Caller) -> None:
    answer = desk.post(f"{address(app)}revealed", PURPOSE)
    assert answer.status_code == 403
    assert not [secret for secret in SECRETS if secret in answer.content.decode()]
    assert not Entry.objects.filter(outcome="revealed").exists()


def test_an_event_that_nobody_reported_is_a_card(desk: Client, app: LendingApp) -> None:
    answer = desk.get(address(app))
    assert answer.status_code == 404
    card = answer.context["card"]
    assert (card.tone, card.reference) == ("warn", "events.list")
    assert card.title in answer.content.decode()


@pytest.mark.parametrize("account", ["borrower:a b/ü?", "device:x:y", "borrower:new"])
def test_any_account_id_has_a_page(
    desk: Client, app: LendingApp, fault_server: FaultServer, settings: Any, account: str
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    others = [body(accountId="borrower:other"), body(accountId=account, timestamp="2026")]
    listed = {"events": [*others, body(accountId=account)], "nextPageToken": None}
    path = f"GET /v1/projects/demo/apps/{app.app_id}/events?"
    fault_server.on(path, reply(simplejson.dumps(listed)))
    page = desk.get(f"/apps/{app.app_id}/events/").content.decode()
    url = re.findall(r'<a class="stretch" href="([^"]+)"', page)[2]
    assert " " not in url
    answer = desk.get(url)
    assert answer.status_code == 200
    assert answer.context["event"].account_id == account
    assert answer.context["event"].raw["timestamp"] == STAMP


def test_a_long_event_comes_in_parts(
    client_of: ClientOf, officer: User, app: LendingApp, book: Caller
) -> None:
    texts = [
        {"address": "A", "direction": "inbound", "timestamp": ms(WHEN) - n, "rawBody": f"no {n}."}
        for n in range(PART + 1)
    ]
    whole = [{"kind": f"{DOMAIN}/sms", "values": texts}]
    assert book.post("/events", body(data=whole)).status == 200
    desk = client_of(officer)
    first = desk.post(f"{address(app)}revealed", PURPOSE).content.decode()
    second = desk.post(f"{address(app)}revealed", PURPOSE | {"part": "1"}).content.decode()
    assert (first.count('class="message in"'), second.count('class="message in"')) == (PART, 1)
    assert "no 0." in second
    assert "no 0." not in first
    assert "no 0." not in desk.get(f"{address(app)}?part=1").content.decode()


def test_csv_has_no_content_and_a_viewer_has_no_csv(
    client_of: ClientOf, viewer: User, support: User, app: LendingApp, reported: Caller
) -> None:
    url = f"/apps/{app.app_id}/events/export.csv?technical=1&accountId=borrower:b"
    assert client_of(viewer).get(url).status_code == 403
    answer = client_of(support).get(url)
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert text.count("borrower:b") == 1
    assert "2 messages" in text
    assert not [secret for secret in SECRETS if secret in text]


PAGE = "/apps/kenya/events/borrower_3Ab/personal_5Fdata.captured/" + STAMP.replace(":", "_3A")


@pytest.mark.parametrize(
    ("result", "masked", "shown"),
    [
        ({"sender": "Mama Njeri", "none": None}, ["sender", "none", "—"], ["Mama Njeri"]),
        ({"of": {"a": ["+254722"]}, "count": 254722}, ["of", "count"], ["+254722", "<bdi>254722"]),
        ("Mama Njeri", ["As received"], ["As received", "Mama Njeri"]),
        ({}, ["The service sent no data."], ["The service sent no data."]),
    ],
)
def test_a_result_is_masked_like_the_data_it_is_of(
    client_of: ClientOf,
    officer: User,
    fault_server: FaultServer,
    settings: Any,
    result: object,
    masked: list[str],
    shown: list[str],
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    listed = reply({"events": [body(result=result, data=[])], "nextPageToken": None})
    fault_server.on("GET /v1/projects/demo/apps/kenya/events?", listed)
    desk = client_of(officer)
    page = desk.get(f"{PAGE}/").content.decode()
    assert all(words in page for words in masked)
    assert "Mama Njeri" not in page and "254722" not in page
    revealed = desk.post(f"{PAGE}/revealed", PURPOSE).content.decode()
    assert all(words in revealed for words in shown)

"""Reporting events whose JSON is pasted: what reaches the service, once, and what is held back."""

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
import simplejson
from django.test import Client
from django.utils.html import escape

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteFound
from lendingadmin.records.events.kinds import KINDS
from lendingadmin.records.events.views import DUPLICATE
from lendingadmin.web.models import Draft
from tests.conftest import ClientOf
from tests.events.samples import (
    DOMAIN,
    STAMP,
    TEXT,
    address,
    bare,
    body,
    data,
    is_wrong,
    new_url,
    pasted,
    send,
    stored,
    token_of,
)
from tests.faults.behaviours import reply, token
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def enter(desk: Client, app: LendingApp, **fields: str) -> str:
    """Paste one message; the address of the step that sends."""
    answer = desk.post(new_url(app), pasted(desk, app, **fields))
    assert answer.status_code == 302, answer.context["form"].errors
    return str(answer.headers["Location"])


def test_pasted_checked_sent_and_read(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app)
    page = desk.get(confirm).content.decode()
    assert str(KINDS["sms"].many).capitalize() in page
    assert TEXT not in page
    assert stored(book) == []
    answer = send(desk, confirm)
    assert answer.headers["Location"] == address(app)
    (event,) = stored(book)
    assert (event["accountId"], event["timestamp"], event["category"]) == (
        "borrower:b",
        STAMP,
        "sms",
    )
    assert event["data"][0]["kind"] == f"{DOMAIN}/sms"
    assert event["data"][0]["values"][0]["rawBody"] == TEXT
    entry = Entry.objects.get(action="events.create")
    assert (entry.saved, entry.subject) == ("yes", f"borrower:b {STAMP}")
    assert not Draft.objects.exists()


def test_a_whole_event_needs_no_other_field(desk: Client, app: LendingApp, book: Caller) -> None:
    empty = dict.fromkeys(("accountId", "timestamp", "domain"), "")
    send(desk, enter(desk, app, **empty, pasted=simplejson.dumps(body())))
    (event,) = stored(book)
    assert (event["accountId"], event["timestamp"]) == ("borrower:b", STAMP)
    assert [len(entry["values"]) for entry in event["data"]] == [2, 1, 2, 1, 1]


def test_sent_again_it_lands_on_the_first(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app)
    sent = {"token": token_of(desk.get(confirm))}
    first, again = desk.post(confirm, sent), desk.post(confirm, sent)
    assert first.headers["Location"] == again.headers["Location"] == address(app)
    assert desk.get(confirm).headers["Location"] == address(app)
    assert len(stored(book)) == 1


@pytest.mark.parametrize(
    ("fields", "field", "wrong"),
    [
        ({"pasted": ""}, "pasted", "required"),
        ({"pasted": "not json"}, "pasted", "not_json"),
        ({"pasted": "[]"}, None, "no sets"),
        ({"accountId": "b"}, None, "account"),
        ({"category": "contact"}, None, "kinds"),
        ({"domain": ""}, None, "domain"),
        (
            {"pasted": simplejson.dumps(body(accountId="borrower:c"))},
            *("accountId", "other_account"),
        ),
        ({"token": "x"}, None, "stale"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_sent(
    desk: Client,
    app: LendingApp,
    book: Caller,
    fields: dict[str, str],
    field: str | None,
    wrong: str,
) -> None:
    answer = desk.post(new_url(app), pasted(desk, app, **fields))
    assert answer.status_code == 200
    assert is_wrong(answer, field, wrong)
    assert stored(book) == []
    assert not Draft.objects.exists()


def test_a_change_of_mind_finds_what_was_pasted(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    confirm = enter(desk, app)
    page = desk.get(f"{new_url(app)}?form={confirm.rpartition('/')[2]}").content.decode()
    assert TEXT in page
    assert 'value="borrower:b"' in page


def test_the_domain_comes_from_the_events_that_are_there(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    assert 'name="domain" value=' not in desk.get(new_url(app)).content.decode()
    assert book.post("/events", body(data=data("their.domain"))).status == 200
    assert 'name="domain" value="their.domain"' in desk.get(new_url(app)).content.decode()


def test_a_duplicate_is_found_before_it_is_sent(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    assert book.post("/events", body()).status == 200
    page = desk.post(new_url(app), pasted(desk, app)).content.decode()
    assert DUPLICATE in page
    assert f'href="{address(app)}"' in page
    assert TEXT in page


def test_the_services_own_refusal_leads_to_the_event(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    confirm = enter(desk, app)
    sent = {"token": token_of(desk.get(confirm))}
    assert book.post("/events", body()).status == 200
    page = desk.post(confirm, sent).content.decode()
    assert escape(book.post("/events", body()).description) in page
    assert 'data-saved="no"' in page
    assert f'href="{address(app)}"' in page
    assert Entry.objects.get(action="events.create").saved == "no"
    assert Draft.objects.exists()


def answer_posts(server: FaultServer, app: LendingApp, body: str, status: int) -> None:
    """Let a service without events answer each new one like this."""
    path = f"/v1/projects/demo/apps/{app.app_id}/events"
    server.on("POST /v1/oauth2/token", token())
    server.on(f"GET {path}", reply('{"events": [], "nextPageToken": null}'))
    server.on(f"POST {path}", reply(body, status=status))


def test_a_refused_event_that_is_not_there_has_no_link_to_it(
    desk: Client, app: LendingApp, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    answer_posts(fault_server, app, '{"error_description": "no such kind"}', 400)
    confirm = enter(desk, app)
    page = desk.post(confirm, {"token": token_of(desk.get(confirm))}).content.decode()
    assert "no such kind" in page
    assert address(app) not in page


def test_an_answer_that_never_came_is_unknown(
    desk: Client, app: LendingApp, fault_server: FaultServer, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    answer_posts(fault_server, app, "{}", 503)
    confirm = enter(desk, app)
    sent = send(desk, confirm)
    page = desk.get(sent.headers["Location"]).content.decode()
    assert 'data-saved="unknown"' in page
    assert Write.objects.get().checks.get().found == WriteFound.NOT_SEEN
    assert desk.get(confirm).headers["Location"] == sent.headers["Location"]
    assert Entry.objects.get(action="events.create").saved == "unknown"


def test_anothers_form_is_not_there(
    desk: Client, client_of: ClientOf, manager: User, app: LendingApp, book: Caller
) -> None:
    confirm = enter(desk, app)
    answer = client_of(manager).get(confirm)
    assert answer.headers["Location"] == new_url(app)


LIMIT = 5_000_000  # Spec: Limits, event data size


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["multipart", "urlencoded"])
def test_as_much_can_be_pasted_as_the_service_takes(
    desk: Client, app: LendingApp, book: Caller, kind: str
) -> None:
    # Two bytes a letter, six where a form is not sent in parts.
    text = "مرحبا" * ((LIMIT - 2000) // 10)
    form = pasted(desk, app) | {"pasted": bare(text)}
    if kind == "multipart":
        answer = desk.post(new_url(app), form)
    else:
        urlencoded = "application/x-www-form-urlencoded"
        answer = desk.post(new_url(app), urlencode(form), content_type=urlencoded)
    assert answer.status_code == 302
    confirm = answer.headers["Location"]
    assert LIMIT - 2000 < desk.get(confirm).context["findings"].size < LIMIT
    send(desk, confirm)
    (event,) = stored(book)
    assert event["data"][0]["values"][0]["rawBody"] == text


def test_too_much_is_told_beside_the_field_and_stays(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    text = "x" * LIMIT
    answer = desk.post(new_url(app), pasted(desk, app, pasted=bare(text)))
    assert answer.status_code == 200 and stored(book) == []
    assert text in answer.content.decode()
    ((name, (words,)),) = answer.context["form"].errors.items()
    assert name == "pasted"
    assert "the service accepts less than 5,000,000" in words


def test_what_was_pasted_is_there_again_when_it_is_changed(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    text = "y" * 100_000
    confirm = enter(desk, app, pasted=bare(text))
    found = re.search(r'href="([^"]+form=[^"]+)"', desk.get(confirm).content.decode())
    assert found and text in desk.get(unescape(found[1])).content.decode()


def test_a_form_past_every_limit_is_a_page_that_says_so(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    answer = desk.post(new_url(app), pasted(desk, app, pasted="x" * 17_000_000))
    assert answer.status_code == 400
    assert "400.html" in [one.name for one in answer.templates]
    assert stored(book) == []

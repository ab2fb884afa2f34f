"""Reporting events by file: what reaches the service, and that a file is chosen once."""

import zlib
from base64 import b64decode
from typing import Any

import pytest
import simplejson
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.records.events.checking import NO_TIME
from lendingadmin.web import uploads
from lendingadmin.web.models import Draft
from tests.conftest import ClientOf
from tests.events.samples import (
    DOMAIN,
    STAMP,
    TEXT,
    address,
    body,
    data,
    is_wrong,
    new_url,
    pasted,
    send,
    stored,
    token_of,
    upload,
)
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_whole_event_as_a_file(desk: Client, app: LendingApp, book: Caller) -> None:
    answer = upload(desk, app, simplejson.dumps(body()).encode())
    assert send(desk, answer.headers["Location"]).headers["Location"] == address(app)
    (event,) = stored(book)
    assert [len(entry["values"]) for entry in event["data"]] == [2, 1, 2, 1, 1]


def test_data_alone_takes_the_rest_from_the_form(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    bare = simplejson.dumps(data()[:1]).replace(f"{DOMAIN}/", "").encode()
    when = pasted(desk, app)["timestamp"]
    answer = upload(desk, app, bare, accountId="borrower:b", timestamp=when, domain="x.y")
    send(desk, answer.headers["Location"])
    (event,) = stored(book)
    assert (event["data"][0]["kind"], event["category"]) == ("x.y/sms", "sms")


@pytest.mark.parametrize(
    ("content", "field", "wrong"),
    [
        (b"not json", "file", "not_json"),
        (b"\xff\xfe", "file", "not_json"),
        (b"[" * 100_000, "file", "not_json"),
        (b"{}", "file", "no_list"),
        (b"7", "file", "no_list"),
        (b"[]", None, "no sets"),
        (simplejson.dumps(body(accountId=["x"])).encode(), None, "account"),
        (simplejson.dumps(body(timestamp="yesterday")).encode(), None, "time"),
        (simplejson.dumps(body(eventType="other")).encode(), None, "type"),
        (simplejson.dumps(body(data=[{"kind": [], "values": 1}])).encode(), None, "kind"),
    ],
)
def test_a_file_that_is_no_event(
    desk: Client, app: LendingApp, content: bytes, field: str | None, wrong: str
) -> None:
    answer = upload(desk, app, content)
    assert answer.status_code == 200
    assert is_wrong(answer, field, wrong)


def test_a_file_of_another_ending_is_refused(desk: Client, app: LendingApp, book: Caller) -> None:
    whole = simplejson.dumps(body()).encode()
    assert is_wrong(upload(desk, app, whole, name="event.csv"), "file", "name")
    assert upload(desk, app, whole, name="EVENT.JSON").status_code == 302
    assert stored(book) == []


def test_a_file_of_another_account_is_refused(desk: Client, app: LendingApp) -> None:
    page = upload(desk, app, simplejson.dumps(body()).encode(), accountId="borrower:other")
    assert page.context["form"].has_error("accountId", "other_account")
    assert 'id="id_accountId_error"' in page.content.decode()


class TestAFileIsChosenOnce:
    """A browser sends a file once: whatever comes after, it is still there."""

    def again(self, desk: Client, app: LendingApp, page: Any, **fields: str) -> Any:
        """Send the form that a page shows, without a file."""
        usual = {"token": token_of(page), "accountId": "", "timestamp": "", "domain": ""}
        return desk.post(f"{new_url(app)}?by=file", usual | {"category": ""} | fields)

    def test_after_a_change_of_mind(self, desk: Client, app: LendingApp, book: Caller) -> None:
        answer = upload(desk, app, simplejson.dumps(body()).encode(), domain="x.y")
        confirm = desk.get(answer.headers["Location"]).content.decode()
        change = f"{new_url(app)}?by=file&form={answer.headers['Location'].rpartition('/')[2]}"
        assert change.replace("&", "&amp;") in confirm
        form = desk.get(change)
        assert "event.json" in form.content.decode()
        assert 'value="x.y"' in form.content.decode()
        assert "errorlist" not in form.content.decode()
        later = "2026-11-01T10:00:00"
        answer = self.again(desk, app, form, timestamp=later)
        send(desk, answer.headers["Location"])
        (event,) = stored(book)
        assert event["timestamp"] == "2026-11-01T07:00:00.000Z"
        assert [len(entry["values"]) for entry in event["data"]] == [2, 1, 2, 1, 1]
        assert not Draft.objects.exists()

    def test_after_an_error(self, desk: Client, app: LendingApp, book: Caller) -> None:
        bare = simplejson.dumps(data()).encode()
        page = upload(desk, app, bare, accountId="borrower:b")
        assert NO_TIME in page.content.decode()
        assert "event.json" in page.content.decode()
        assert stored(book) == []
        (draft,) = Draft.objects.all()
        assert TEXT in gzip_text(draft.entered)
        when = pasted(desk, app)["timestamp"]
        answer = self.again(desk, app, page, accountId="borrower:b", timestamp=when)
        assert send(desk, answer.headers["Location"]).headers["Location"] == address(app)

    def test_after_a_form_that_was_open_for_too_long(
        self, desk: Client, app: LendingApp, book: Caller
    ) -> None:
        page = upload(desk, app, simplejson.dumps(body()).encode(), token="x")
        assert is_wrong(page, None, "stale")
        assert self.again(desk, app, page).status_code == 302

    def test_until_another_one_is_chosen(self, desk: Client, app: LendingApp, book: Caller) -> None:
        page = upload(desk, app, simplejson.dumps(data()).encode(), accountId="borrower:b")
        other = SimpleUploadedFile("other.json", simplejson.dumps(body()).encode())
        answer = self.again(desk, app, page, file=other)  # type: ignore[arg-type]
        send(desk, answer.headers["Location"])
        assert stored(book)[0]["timestamp"] == STAMP

    def test_one_that_cannot_be_read_does_not_take_its_place(
        self, desk: Client, app: LendingApp
    ) -> None:
        page = upload(desk, app, simplejson.dumps(data()).encode(), accountId="borrower:b")
        wrong = SimpleUploadedFile("wrong.json", b"not json")
        page = self.again(desk, app, page, file=wrong)  # type: ignore[arg-type]
        text = page.content.decode()
        assert is_wrong(page, "file", "not_json")
        assert "event.json" in text and "wrong.json" not in text

    def test_what_did_not_pass_is_sent_from_no_page(self, desk: Client, app: LendingApp) -> None:
        page = upload(desk, app, simplejson.dumps(data()).encode(), accountId="borrower:b")
        idempotency_key = Draft.objects.get().token
        answer = desk.get(f"{new_url(app)}/{idempotency_key}")
        assert answer.headers["Location"] == f"{new_url(app)}?by=file&form={idempotency_key}"
        assert token_of(page)

    def test_another_person_does_not_find_it(
        self, desk: Client, client_of: ClientOf, manager: User, app: LendingApp
    ) -> None:
        upload(desk, app, simplejson.dumps(data()).encode(), accountId="borrower:b")
        idempotency_key = Draft.objects.get().token
        page = (
            client_of(manager)
            .get(f"{new_url(app)}?by=file&form={idempotency_key}")
            .content.decode()
        )
        assert "event.json" not in page


def gzip_text(entered: str) -> str:
    """The file of a draft as text; in the database it is sealed besides."""
    return zlib.decompress(b64decode(simplejson.loads(entered)["file"])).decode()


def test_a_file_is_read_no_further_than_its_limit(
    desk: Client, app: LendingApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "LONGEST", 100_000)
    page = upload(desk, app, b" " * 200_000)
    assert page.context["form"].has_error("file", "too_long")
    assert 'id="id_file_error"' in page.content.decode()
    assert not Draft.objects.exists()


def test_nearly_five_megabytes_go_through(desk: Client, app: LendingApp, book: Caller) -> None:
    text = "مرحبا " * 8  # two bytes a letter, six when it is escaped
    value = data()[0]["values"][0] | {"rawBody": text}
    whole = body(data=[{"kind": f"{DOMAIN}/sms", "values": [value] * 18_000}])
    content = simplejson.dumps(whole, ensure_ascii=False).encode()
    answer = upload(desk, app, content)
    assert answer.status_code == 302, answer.context["form"].errors
    assert len(Draft.objects.get().entered) < 1_000_000
    assert send(desk, answer.headers["Location"]).headers["Location"] == address(app)

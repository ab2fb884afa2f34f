"""Pages of notes against the running sandbox: who may, what is kept, where it stands."""

import logging
import re
from typing import Any

import pytest
from django.core.exceptions import NON_FIELD_ERRORS
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.records.notes.models import Mention, Note
from lendingadmin.records.notes.services import Record, write_note
from tests.conftest import ClientOf
from tests.personal import find_kept
from tests.repayments.pages import enter
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "support"
TEXT = "Zebrafink asked to be called after six"


def token(page: Any) -> str:
    found = re.search(r'name="token" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]


def write(desk: Client, address: str, text: str = TEXT, **fields: str) -> Any:
    if "token" not in fields:
        fields["token"] = token(desk.get(address))
    return desk.post(address, {"text": text, **fields}, follow=True)


@pytest.fixture
def base(app: LendingApp, book: Caller) -> str:
    return f"/apps/{app.app_id}"


@pytest.mark.parametrize("record", ["borrowers/b", "loans/l"])
def test_a_note_is_written_and_stands_on_the_timeline(desk: Client, base: str, record: str) -> None:
    page = write(desk, f"{base}/{record}/notes/new")
    assert page.redirect_chain == [(f"{base}/{record}/timeline/", 302)]
    assert [one.level_tag for one in page.context["messages"]] == ["success"]
    assert TEXT in page.content.decode()
    note = Note.objects.get()
    assert (note.borrower_id, note.account_id) == ("b", "l" if record == "loans/l" else "")


def test_no_text_stands_in_a_log_an_address_a_cache_the_trail_or_a_clear_column(
    desk: Client, base: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        page = write(desk, f"{base}/borrowers/b/notes/new", f"{TEXT} @manager", is_pinned="on")
        note = Note.objects.get()
        desk.get(note.get_absolute_url())
        write(desk, f"{note.get_absolute_url()}revise", "Zebrafink again")
        desk.get(f"{base}/borrowers/b/")
        desk.get(f"{base}/loans/l/timeline/")
    addresses = [at for at, _ in page.redirect_chain]
    assert "Zebrafink" not in f"{caplog.text}{addresses}{page.headers}"
    assert find_kept(["Zebrafink"]) == []
    assert Entry.objects.filter(action="dashboard.notes.write").count() == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "required"),
        ("   \n ", "required"),
        ("x" * 4001, "max_length"),
        ("a \x00 note", "null_characters_not_allowed"),
    ],
)
def test_what_is_wrong_is_said_beside_the_field_and_the_text_stays(
    desk: Client, base: str, text: str, code: str
) -> None:
    answer = write(desk, f"{base}/borrowers/b/notes/new", text)
    page = answer.content.decode()
    assert answer.context["form"].has_error("text", code) and 'id="id_text_error"' in page
    assert not text.strip() or text.strip()[:40] in page
    assert not Note.objects.exists()


def test_a_form_that_is_sent_twice_writes_once_and_a_foreign_one_nothing(
    desk: Client, boss: Client, base: str
) -> None:
    address = f"{base}/borrowers/b/notes/new"
    own = token(desk.get(address))
    for _ in range(2):
        write(desk, address, token=own)
    assert Note.objects.count() == 1
    elsewhere = token(desk.get(f"{base}/loans/l/notes/new"))
    for bad in ("", "x", elsewhere, token(boss.get(address))):
        answer = write(desk, address, "as-typed", token=bad)
        page, form = answer.content.decode(), answer.context["form"]
        assert form.has_error(NON_FIELD_ERRORS, "stale") and "errorlist" in page
        assert "as-typed" in page
    assert Note.objects.count() == 1


def test_a_viewer_sees_no_note_and_writes_none(
    desk: Client, viewer: User, client_of: ClientOf, base: str
) -> None:
    write(desk, f"{base}/borrowers/b/notes/new", is_pinned="on")
    note, looker = Note.objects.get(), client_of(viewer)
    for address in (f"{base}/borrowers/b/notes/new", note.get_absolute_url()):
        assert looker.get(address).status_code == 403
    for address in ("borrowers/b/", "loans/l/", "borrowers/b/timeline/", "loans/l/timeline/"):
        page = looker.get(f"{base}/{address}").content.decode()
        assert "Zebrafink" not in page
        assert "data-note" not in page
    assert "kind=notes" not in page
    assert looker.get(f"{base}/borrowers/b/timeline/?kind=notes").status_code == 404


def test_a_borrowers_note_is_written_while_the_service_is_gone(
    desk: Client, base: str, settings: Any, refused_address: str
) -> None:
    settings.LENDING_BASE_URL = refused_address
    page = write(desk, f"{base}/borrowers/b/notes/new")
    assert [one.level_tag for one in page.context["messages"]] == ["success"]
    assert Note.objects.exists() and "unread-loans" in list_marks(page, "finding")


def test_a_note_on_a_loan_that_cannot_be_read_is_not_lost(
    desk: Client, base: str, settings: Any, refused_address: str
) -> None:
    address, there = f"{base}/loans/l/notes/new", settings.LENDING_BASE_URL
    own = token(desk.get(address))
    settings.LENDING_BASE_URL = refused_address
    page = write(desk, address, token=own)
    assert TEXT in page.content.decode() and not Note.objects.exists()
    assert "can&#x27;t be reached" in page.content.decode()
    settings.LENDING_BASE_URL = there
    write(desk, address, token=token(page))
    assert Note.objects.get().borrower_id == "b"


def test_pinned_it_stands_on_the_record_and_beside_the_review(
    desk: Client, base: str, app: LendingApp
) -> None:
    write(desk, f"{base}/borrowers/b/notes/new")
    note = Note.objects.get()
    pages = (f"{base}/borrowers/b/", f"{base}/loans/l/")
    assert not any(TEXT in desk.get(one).content.decode() for one in pages)
    page = desk.post(f"{note.get_absolute_url()}pin", {"pin": "on"}, follow=True)
    assert [one.level_tag for one in page.context["messages"]] == ["success"]
    assert Note.objects.get().is_pinned
    assert all(TEXT in desk.get(one).content.decode() for one in pages)
    review = desk.get(enter(desk, app))
    assert TEXT in review.content.decode().partition('id="pinned-title"')[2]
    desk.post(f"{note.get_absolute_url()}pin", {"pin": ""})
    assert not any(TEXT in desk.get(one).content.decode() for one in pages)


def test_its_page_shows_all_versions_and_who_may_do_what(
    desk: Client, boss: Client, officer: User, client_of: ClientOf, base: str
) -> None:
    write(desk, f"{base}/loans/l/notes/new")
    address = Note.objects.get().get_absolute_url()
    assert f">{TEXT}</textarea>" in desk.get(f"{address}revise").content.decode().replace("\n", "")
    page = write(desk, f"{address}revise", "at-eight").content.decode()
    assert TEXT in page and "at-eight" in page and "version 2" in page
    revise, delete = f'href="{address}revise"', f'action="{address}delete"'
    for browser, revises, deletes in ((desk, True, True), (boss, False, True)):
        page = browser.get(address).content.decode()
        assert (revise in page, delete in page) == (revises, deletes)
        # Home is marked on Home alone, though every address begins with its own.
        assert 'aria-current="page"' not in page
    other = client_of(officer)
    assert delete not in other.get(address).content.decode()
    assert other.post(f"{address}delete").status_code == 403
    assert boss.get(f"{address}revise").status_code == 404
    page = boss.post(f"{address}delete", follow=True).content.decode()
    deleted = re.search(r'data-finding="deleted".*?</section>', page, re.DOTALL)
    assert deleted and "manager" in deleted[0]
    assert [one.text for one in Note.objects.get().versions.all()] == ["", ""]
    assert TEXT not in page and "at-eight" not in page
    timeline = desk.get(f"{base}/loans/l/timeline/").content.decode()
    assert "deleted by manager" in timeline


def test_a_note_of_another_app_is_not_there(desk: Client, base: str, support: User) -> None:
    other = write_note(Record("ghana", "b"), TEXT, support, "elsewhere")
    for address in ("", "revise"):
        assert desk.get(f"{base}/notes/{other.pk}/{address}").status_code == 404
    for address in ("pin", "delete", "seen"):
        assert desk.post(f"{base}/notes/{other.pk}/{address}").status_code == 404


def test_who_is_named_finds_it_at_home_until_it_is_seen(
    desk: Client, boss: Client, base: str
) -> None:
    write(desk, f"{base}/borrowers/b/notes/new", "@manager look at this")
    home = boss.get(f"{base}/").content.decode()
    note = Note.objects.get()
    link, seen = f'href="{note.get_absolute_url()}"', f"{note.get_absolute_url()}seen"
    assert link in home and "look at this" in home
    assert link not in desk.get(f"{base}/").content.decode()
    assert f'action="{seen}"' in boss.get(note.get_absolute_url()).content.decode()
    home = boss.post(seen, follow=True).content.decode()
    assert link not in home and "look at this" not in home
    assert Mention.objects.get().seen_at is not None


def test_reading_a_note_is_in_the_trail_and_links_lead_to_its_history(
    desk: Client, boss: Client, base: str
) -> None:
    write(desk, f"{base}/loans/l/notes/new")
    note = Note.objects.get()
    page = boss.get(note.get_absolute_url()).content.decode()
    read = Entry.objects.filter(action="lending.borrowers.get", username="manager")
    assert read.get().subject == "borrower:b"
    history = re.search(r'href="(/audit/\?record=[^"]+)"', page)
    assert history
    entries = boss.get(history[1].replace("&amp;", "&")).context["entries"]
    assert "dashboard.notes.write" in {one.action for one in entries}

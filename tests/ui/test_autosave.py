"""What is typed into a form is stored for one person and one form, until it is submitted."""

import json
import logging
import re
import threading
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.audit.models import Entry
from lendingadmin.gateway import LendingApp
from lendingadmin.staff import retention
from lendingadmin.staff.models import User
from lendingadmin.ui import autosave, quotas
from lendingadmin.ui.models import Draft
from lendingadmin.ui.quotas import OverQuota
from lendingadmin.writes import idempotency
from tests.borrowers.forms import filled
from tests.conftest import ClientOf
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db
ROLE = "support"
TYPED = {"amount": ["1234.56"], "notes": ["paid by Achieng's sister"]}


@pytest.fixture
def page(app: LendingApp, book: Caller) -> str:
    return f"/apps/{app.app_id}/loans/l/repayments/new"


def form_on(desk: Client, page: str) -> str:
    """What the page calls its form this time."""
    return attributes(desk, page)["data-autosave"]


def attributes(desk: Client, page: str) -> dict[str, str]:
    form = re.search(r"<form[^>]* data-autosave[^>]*>", desk.get(page).content.decode())
    assert form, page
    return dict(re.findall(r'(data-[a-z-]+)="([^"]*)"', form[0]))


def keep(desk: Client, form: str, fields: object = TYPED, **more: str) -> int:
    sent = {"form": form, "fields": json.dumps(fields)} | more
    return desk.post("/autosave", sent).status_code


def kept(desk: Client, form: str) -> Any:
    return desk.get("/autosave", {"form": form}).json()["fields"]


def test_what_was_typed_is_there_when_the_page_is_opened_again(desk: Client, page: str) -> None:
    first = attributes(desk, page)
    assert "data-autosaved" not in first
    assert keep(desk, first["data-autosave"]) == 204
    again = attributes(desk, page)
    assert re.fullmatch(r"\d\d:\d\d", again["data-autosaved"])
    assert kept(desk, again["data-autosave"]) == TYPED


def test_the_last_typed_wins_and_nothing_typed_is_nothing_kept(desk: Client, page: str) -> None:
    one, other = form_on(desk, page), form_on(desk, page)
    keep(desk, one)
    keep(desk, other, {"amount": ["5"]})
    assert kept(desk, one) == {"amount": ["5"]}
    keep(desk, one, {})
    assert "data-autosaved" not in attributes(desk, page)
    assert not Draft.objects.exists()


def test_a_form_that_is_shown_again_adds_to_what_was_typed(desk: Client, page: str) -> None:
    form = form_on(desk, page)
    keep(desk, form)
    keep(desk, form, {"notes": ["x"]}, add="")
    assert kept(desk, form) == {"amount": ["1234.56"], "notes": ["x"]}


def test_it_is_sealed_and_in_no_log_and_in_no_audit_trail(
    desk: Client, page: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    form = form_on(desk, page)
    entries = Entry.objects.count()
    keep(desk, form)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM ui_draft")
        assert "Achieng" not in str(cursor.fetchall())
    told = [record.getMessage() for record in caplog.records if "django.db" not in record.name]
    assert not any("Achieng" in line for line in told)
    assert Entry.objects.count() == entries


def test_nobody_else_is_given_it(
    desk: Client, page: str, client_of: ClientOf, manager: User
) -> None:
    form = form_on(desk, page)
    keep(desk, form)
    other = client_of(manager)
    assert "data-autosaved" not in attributes(other, page)
    assert kept(other, form) == {}
    # Nor can they put words into it.
    keep(other, form, {"amount": ["1"]})
    assert kept(desk, form) == TYPED
    assert client_of(None).get("/autosave", {"form": form}).status_code == 302


def test_other_forms_are_other_drafts(desk: Client, page: str) -> None:
    keep(desk, form_on(desk, page))
    assert "data-autosaved" not in attributes(desk, f"{page}?form=other")


def test_secrets_do_not_get_in(desk: Client, page: str) -> None:
    form = form_on(desk, page)
    secrets = {"password": ["x"], "token": ["x"], "csrfmiddlewaretoken": ["x"], "new_Password": []}
    keep(desk, form, secrets | {"currencyCode": ["KES"]})
    assert kept(desk, form) == {"currencyCode": ["KES"]}


@pytest.mark.parametrize("fields", [[], "x", None, {"a": "b"}, {"a": [1]}, {"a": None}])
def test_what_no_page_sends_is_refused(desk: Client, page: str, fields: object) -> None:
    assert keep(desk, form_on(desk, page), fields) == 400


def test_what_is_nested_without_end_is_refused(desk: Client, page: str) -> None:
    sent = {"form": form_on(desk, page), "fields": "[" * 100_000}
    assert desk.post("/autosave", sent).status_code == 400


def test_a_person_cannot_have_any_number_of_them_kept(desk: Client, page: str) -> None:
    form = form_on(desk, page)
    for number in range(autosave.MOST + 3):
        assert keep(desk, f"{number:064x}.abcdefgh") == 204
    assert Draft.objects.filter(purpose=autosave.PURPOSE).count() == autosave.MOST
    # The oldest have gone; what is typed now is kept.
    assert kept(desk, f"{0:064x}.abcdefgh") == {}
    assert keep(desk, form) == 204
    assert kept(desk, form) == TYPED


def test_what_a_person_keeps_has_a_size_and_nothing_goes_for_what_is_too_much(
    desk: Client, page: str, monkeypatch: pytest.MonkeyPatch, support: User, officer: User
) -> None:
    monkeypatch.setattr(Draft, "MOST_KEPT", 1_000)
    own: Any = SimpleNamespace(user=support)
    idempotency.save_draft(own, "events.create", "first", {"typed": "x" * 500})
    form = form_on(desk, page)
    assert keep(desk, form, {"notes": ["y" * 300]}) == 204
    with pytest.raises(OverQuota, match="unfinished forms hold as much as is kept") as refused:
        idempotency.save_draft(own, "events.create", "second", {"typed": "z" * 500})
    assert 0 < refused.value.retry_after <= 12 * 3600
    assert keep(desk, f"{0:064x}.abcdefgh", {"notes": ["z" * 300]}) == 429
    # Nothing was deleted for it; what is there may change, and others keep what they like.
    assert idempotency.load_draft(own, "events.create", "first") == {"typed": "x" * 500}
    idempotency.save_draft(own, "events.create", "first", {"typed": "x" * 550})
    assert kept(desk, form) == {"notes": ["y" * 300]}
    idempotency.save_draft(SimpleNamespace(user=officer), "e", "third", {"typed": "x" * 500})  # type: ignore[arg-type]
    # A form that was submitted makes room.
    autosave.mark_submitted(support, form)
    assert keep(desk, f"{0:064x}.abcdefgh", {"notes": ["z" * 300]}) == 204


def test_typing_is_kept_so_often_in_an_hour(
    desk: Client, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = quotas.LIMITS[quotas.DRAFTS]
    monkeypatch.setitem(quotas.LIMITS, quotas.DRAFTS, limit._replace(most=2))
    form = form_on(desk, page)
    assert [keep(desk, form) for _ in range(4)] == [204, 204, 429, 429]
    assert kept(desk, form) == TYPED


@pytest.mark.skipif(connection.vendor != "sqlite", reason="others scan a table this small")
def test_their_size_is_read_from_an_index(support: User) -> None:
    with CaptureQueriesContext(connection) as queries:
        Draft.check_room(support, "token", 1)
    (query,) = queries
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
        plan = " ".join(str(line) for line in cursor.fetchall())
    assert "COVERING INDEX draft_size" in plan


def test_a_form_that_led_on_has_done_so_whatever_becomes_of_what_was_typed(
    desk: Client, page: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise OperationalError("database is locked")

    shown: Any = desk.get(page)
    form = form_on(desk, page)
    monkeypatch.setattr(autosave, "_write", gone)
    entered = filled(shown) | {"amount": "10.00", autosave.PARAMETER: form}
    assert desk.post(page, entered).status_code == 302
    assert "could not be deleted" in caplog.text


def test_it_is_bounded(desk: Client, page: str) -> None:
    form = form_on(desk, page)
    assert keep(desk, form, {"a": ["x" * autosave.LONGEST]}) == 413
    half = "x" * (autosave.LONGEST * 2 // 3)
    assert keep(desk, form, {"a": [half]}) == 204
    assert keep(desk, form, {"b": [half]}, add="") == 413
    assert kept(desk, form) == {"a": [half]}


@pytest.mark.parametrize("form", ["", "x", "0" * 64, f"{'0' * 64}.", f"{'0' * 64}.<script>"])
def test_a_form_that_is_none_of_ours(desk: Client, app: LendingApp, form: str) -> None:
    assert keep(desk, form) == 404
    assert desk.get("/autosave", {"form": form}).status_code == 404


def test_a_stranger_s_page_cannot_send_it(page: str, support: User, desk: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(support)
    assert keep(strict, form_on(desk, page)) == 403


def test_it_goes_when_the_form_has_led_on_and_nothing_late_brings_it_back(
    desk: Client, page: str
) -> None:
    shown: Any = desk.get(page)
    form = form_on(desk, page)
    keep(desk, form)
    entered = filled(shown) | {"amount": "10.00", autosave.PARAMETER: form}
    assert desk.post(page, entered).status_code == 302
    assert "data-autosaved" not in attributes(desk, page)
    # A word that was on its way when the form was sent.
    assert keep(desk, form) == 204
    assert "data-autosaved" not in attributes(desk, page)
    # The next one is a new form.
    keep(desk, form_on(desk, page))
    assert "data-autosaved" in attributes(desk, page)


def test_a_form_shown_again_with_what_is_wrong_keeps_it(desk: Client, page: str) -> None:
    shown: Any = desk.get(page)
    form = form_on(desk, page)
    keep(desk, form)
    wrong = desk.post(page, filled(shown) | {"amount": "none", autosave.PARAMETER: form})
    assert wrong.status_code == 200
    again = re.search(r"<form[^>]* data-autosave[^>]*>", wrong.content.decode())
    assert again
    assert "data-autosave-add" in again[0]
    # The person's input is in it already.
    assert "data-autosaved" not in again[0]
    assert kept(desk, form) == TYPED


def test_a_session_that_ended_keeps_it_and_signing_out_forgets_it(
    desk: Client, page: str, support: User, client_of: ClientOf
) -> None:
    keep(desk, form_on(desk, page))
    desk.session.flush()
    again = client_of(support)
    assert "data-autosaved" in attributes(again, page)
    again.post("/accounts/logout/")
    assert "data-autosaved" not in attributes(client_of(support), page)
    assert not Draft.objects.exists()


def test_it_is_forgotten_after_twelve_hours(desk: Client, page: str) -> None:
    form = form_on(desk, page)
    keep(desk, form)
    Draft.objects.update(created_at=timezone.now() - timedelta(hours=12, minutes=1))
    assert "data-autosaved" not in attributes(desk, page)
    assert kept(desk, form) == {}
    retention.delete_over()
    assert not Draft.objects.exists()


def test_typing_on_keeps_it_young(desk: Client, page: str) -> None:
    form = form_on(desk, page)
    keep(desk, form)
    Draft.objects.update(created_at=timezone.now() - timedelta(hours=11))
    keep(desk, form)
    assert Draft.objects.get().created_at > timezone.now() - timedelta(minutes=1)


def test_a_key_that_is_gone_is_nothing_kept(desk: Client, page: str, settings: Any) -> None:
    form = form_on(desk, page)
    keep(desk, form)
    settings.DATA_KEYS = ["b3RoZXItdGVzdHMtb3RoZXItdGVzdHMtb3RoZXItdGU="]
    assert "data-autosaved" not in attributes(desk, page)
    assert keep(desk, form, {"amount": ["2"]}) == 204


@pytest.mark.parametrize(
    "where", ["borrowers/new", "borrowers/b/edit", "loans/new", "events/new", "assessments/new"]
)
def test_the_forms_that_matter_are_kept(
    client_of: ClientOf, manager: User, app: LendingApp, book: Caller, where: str
) -> None:
    desk = client_of(manager)
    assert form_on(desk, f"/apps/{app.app_id}/{where}")


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("typed_before", [True, False])
def test_a_word_that_is_being_kept_while_the_form_is_sent_does_not_bring_it_back(
    support: User, typed_before: bool
) -> None:
    form = f"{'0' * 64}.abcdefgh"
    if typed_before:
        autosave.save(support, form, {"amount": ["1"]})
    has_read, may_write = threading.Event(), threading.Event()
    statements: list[str] = []

    def pause(execute: Any, sql: str, *rest: Any) -> Any:
        """Stop once, between the first statement on the table and the second."""
        statements.extend([sql] if "ui_draft" in sql else [])
        if len(statements) == 2 and not has_read.is_set():
            has_read.set()
            assert may_write.wait(30)
        return execute(sql, *rest)

    def keep_late() -> None:
        with connection.execute_wrapper(pause):
            autosave.save(support, form, TYPED)
        connection.close()

    def send() -> None:
        autosave.mark_submitted(support, form)
        connection.close()

    def waits_for_a_lock() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            return bool(cursor.fetchone()[0])

    late, sending = threading.Thread(target=keep_late), threading.Thread(target=send)
    late.start()
    assert has_read.wait(30)
    sending.start()
    while sending.is_alive() and not waits_for_a_lock():
        sending.join(0.01)
    may_write.set()
    late.join()
    sending.join()
    assert autosave.read_saved(support, form) == ({}, None)

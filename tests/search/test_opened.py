"""The last ten records that a person opened."""

import threading
from datetime import timedelta

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.people.search.models import Opened
from tests.roles import take_roles
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db
ROLE = "viewer"


def kept(person: User) -> list[tuple[str, str]]:
    rows = Opened.objects.filter(person=person).order_by("-at")
    return list(rows.values_list("kind", "key"))


def last(desk: Client, app: LendingApp) -> str:
    answer = desk.get(f"/apps/{app.app_id}/find/last", headers={"HX-Request": "true"})
    return answer.content.decode()


def test_pages_that_were_shown_are_remembered_newest_first(
    desk: Client, app: LendingApp, book: Caller, viewer: User
) -> None:
    desk.get(f"/apps/{app.app_id}/loans/l/")
    desk.get(f"/apps/{app.app_id}/borrowers/b/")
    assert kept(viewer) == [("borrower", "b"), ("loan", "l")]
    desk.get(f"/apps/{app.app_id}/loans/l/")
    assert kept(viewer) == [("loan", "l"), ("borrower", "b")]
    panel = last(desk, app)
    assert panel.index("/loans/l/") < panel.index("/borrowers/b/")


def test_what_was_not_shown_is_not_remembered(
    desk: Client, app: LendingApp, book: Caller, viewer: User
) -> None:
    for gone in ("loans/gone/", "borrowers/gone/?whole=1", "borrowers/gone/panels/record"):
        desk.get(f"/apps/{app.app_id}/{gone}")
    desk.get(f"/apps/{app.app_id}/assessments/gone/")
    assert kept(viewer) == []


def test_ten_are_kept_of_each_person_and_app(
    desk: Client, app: LendingApp, book: Caller, viewer: User, officer: User
) -> None:
    Opened.objects.create(
        person=officer, app_id=app.app_id, kind="loan", key="theirs", at="2026-01-01T00:00Z"
    )
    for number in range(11):
        book.loan(f"l{number}")
        desk.get(f"/apps/{app.app_id}/loans/l{number}/")
    assert [key for _, key in kept(viewer)] == [f"l{number}" for number in range(10, 0, -1)]
    assert kept(officer) == [("loan", "theirs")]
    assert "theirs" not in last(desk, app)


def test_kinds_that_the_person_may_not_open_any_more_are_not_shown(
    desk: Client, app: LendingApp, book: Caller, viewer: User
) -> None:
    desk.get(f"/apps/{app.app_id}/loans/l/")
    take_roles(viewer)
    assert "/loans/l/" not in last(desk, app)


def test_it_goes_with_the_person(desk: Client, app: LendingApp, book: Caller, viewer: User) -> None:
    desk.get(f"/apps/{app.app_id}/loans/l/")
    viewer.delete()
    assert not Opened.objects.exists()


def statements(desk: Client, page: str) -> list[str]:
    """What opening a page asks of the table, by its first word."""
    with CaptureQueriesContext(connection) as seen:
        desk.get(page)
    return [query["sql"].split()[0] for query in seen if "search_opened" in query["sql"]]


def test_it_takes_two_statements_and_one_where_it_is_the_newest(
    desk: Client, app: LendingApp, book: Caller, viewer: User
) -> None:
    page = f"/apps/{app.app_id}/loans/l/"
    assert statements(desk, page) == ["SELECT", "INSERT"]
    assert statements(desk, page) == ["SELECT"]
    # The list says how long ago it was opened.
    Opened.objects.update(at=timezone.now() - timedelta(minutes=6))
    assert statements(desk, page) == ["SELECT", "INSERT"]
    assert Opened.objects.get().at > timezone.now() - timedelta(minutes=1)


@pytest.mark.django_db(transaction=True)
def test_a_page_never_waits_for_a_writer(
    desk: Client, app: LendingApp, book: Caller, viewer: User
) -> None:
    page, answers = f"/apps/{app.app_id}/loans/l/", []
    locked, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        """Write, and not commit before the page has answered."""
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("LOCK TABLE search_opened IN EXCLUSIVE MODE")
            locked.set()
            may_end.wait(60)
        connection.close()

    def ask() -> None:
        answers.append(desk.get(page).status_code)
        connection.close()

    desk.get(f"/apps/{app.app_id}/loans/")  # whatever is written once, such as the token
    holder, asker = threading.Thread(target=hold), threading.Thread(target=ask)
    holder.start()
    assert locked.wait(10)
    asker.start()
    asker.join(10)  # half of what the database would wait
    waited = asker.is_alive()
    may_end.set()
    holder.join()
    asker.join()
    assert not waited, "the page waited until the writer had committed"
    assert (answers, kept(viewer)) == ([200], [])
    # The connection waits for writers as before.
    desk.get(page)
    assert kept(viewer) == [("loan", "l")]
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)


@pytest.mark.parametrize("error", [OperationalError("is locked"), InterfaceError("is closed")])
def test_a_page_goes_without_where_the_database_will_not_have_it(
    error: Exception, desk: Client, app: LendingApp, book: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Opened.objects, "bulk_create", gone)
    assert desk.get(f"/apps/{app.app_id}/loans/l/").status_code == 200

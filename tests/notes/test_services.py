"""What is kept of a note: versions, pins, tombstones, whom it names; and what goes of it."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.records.notes import erasure, mentions, services
from lendingadmin.records.notes.models import Mention, Note, NoteVersion
from lendingadmin.records.notes.services import Record
from tests.personal import find_kept
from tests.roles import give_roles

pytestmark = pytest.mark.django_db
TEXT = "Zebrafink pays when the harvest is in"
BORROWER, LOAN = Record("kenya", "B-1"), Record("kenya", "B-1", "L-1")


def write(by: User, text: str = TEXT, record: Record = BORROWER, **more: Any) -> Note:
    key = more.pop("key", f"key-{NoteVersion.objects.count()}")
    return services.write_note(record, text, by, key, **more)


def texts(note: Note) -> list[str]:
    return [one.text for one in note.versions.all()]


def test_a_note_is_kept_encrypted_and_nothing_of_it_stands_readable(officer: User) -> None:
    note = write(officer, is_pinned=True)
    assert texts(note) == [TEXT] and note.is_pinned
    assert find_kept(["Zebrafink"]) == []


def test_the_same_form_writes_once(officer: User) -> None:
    first = write(officer, key="form")
    assert write(officer, "another text", key="form") == first
    assert services.revise_note(first, "again", officer, "form") == first
    assert texts(first) == [TEXT] and Note.objects.count() == 1
    assert Entry.objects.count() == 1


def test_a_change_is_a_new_version_by_its_author_alone(officer: User, manager: User) -> None:
    note = write(officer)
    services.revise_note(note, "moved", officer, "second")
    assert texts(note) == [TEXT, "moved"]
    assert Note.objects.get().newest.number == 2
    with pytest.raises(services.NotTheirs):
        services.revise_note(note, "Not mine", manager, "third")
    assert len(texts(note)) == 2


@pytest.mark.parametrize(
    ("role", "may"), [("officer", True), ("manager", True), ("support", False)]
)
def test_its_author_or_a_manager_deletes_it(people: dict[str, User], role: str, may: bool) -> None:
    note = write(people["officer"], is_pinned=True)
    services.revise_note(note, "second", people["officer"], "second")
    if not may:
        with pytest.raises(services.NotTheirs):
            services.delete_note(note, people[role])
        assert texts(note) == [TEXT, "second"]
        return
    assert services.delete_note(note, people[role])
    assert texts(note) == ["", ""]
    assert (note.author, note.deleted_by) == (people["officer"], people[role])
    assert note.deleted_at is not None and not note.is_pinned
    assert not services.delete_note(note, people[role])
    with pytest.raises(services.Gone):
        services.revise_note(note, "back", people["officer"], "third")
    assert texts(note) == ["", ""]


def test_what_is_deleted_is_not_pinned_again(officer: User) -> None:
    note = write(officer)
    assert services.pin_note(note, officer, is_pinned=True) and note.is_pinned
    assert not services.pin_note(note, officer, is_pinned=True)
    services.delete_note(note, officer)
    assert not services.pin_note(note, officer, is_pinned=True)
    assert not note.is_pinned


def test_the_trail_has_each_step_and_nothing_of_a_text(officer: User) -> None:
    note = write(officer, f"{TEXT} @nobody", LOAN)
    services.revise_note(note, f"{TEXT}, again", officer, "second")
    services.pin_note(note, officer, is_pinned=True)
    services.pin_note(note, officer, is_pinned=False)
    services.delete_note(note, officer)
    entries = list(Entry.objects.order_by("id"))
    done = ["written", "revised", "pinned", "unpinned", "deleted"]
    assert [one.outcome for one in entries] == done
    assert {(one.action, one.subject, one.url) for one in entries} == {
        ("dashboard.notes.write", "L-1", note.get_absolute_url())
    }
    assert "Zebrafink" not in str([vars(one) for one in entries])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ask @wanjiru", ["wanjiru"]),
        ("@wanjiru. And @otieno, please", ["wanjiru.", "wanjiru", "otieno"]),
        ("(@a.b-c_d)", ["a.b-c_d"]),
        ("mail me at anne@example.com", []),
        ("@", []),
        ("@@", ["@"]),
        ("nobody here", []),
    ],
)
def test_who_is_named(text: str, names: list[str]) -> None:
    assert mentions.find_names(text) == names


def test_only_who_may_read_notes_in_the_app_is_called(
    people: dict[str, User], officer: User
) -> None:
    elsewhere = User.objects.create_user("elsewhere")
    give_roles(elsewhere, "support", apps=["ghana"])
    gone = User.objects.create_user("gone", is_active=False)
    give_roles(gone, "support")
    write(officer, "@support, @viewer, @elsewhere, @gone, @officer and @never")
    assert [one.person.username for one in Mention.objects.all()] == ["support"]


def test_a_new_version_calls_whom_it_names_newly(people: dict[str, User], officer: User) -> None:
    note = write(officer, "@support")
    assert mentions.mark_seen(note, people["support"])
    assert not mentions.mark_seen(note, people["support"])
    services.revise_note(note, "@support @manager", officer, "second")
    assert list(mentions.list_unseen(people["support"], "kenya")) == []
    assert len(mentions.list_unseen(people["manager"], "kenya")) == 1
    assert list(mentions.list_unseen(people["manager"], "ghana")) == []
    services.revise_note(note, "nobody any more", officer, "third")
    assert list(mentions.list_unseen(people["manager"], "kenya")) == []
    assert Mention.objects.get().person == people["support"]


def test_what_is_deleted_calls_nobody(people: dict[str, User], officer: User) -> None:
    note = write(officer, "@support")
    services.delete_note(note, officer)
    assert list(mentions.list_unseen(people["support"], "kenya")) == []


def test_a_loan_shows_its_own_pins_and_its_borrowers(officer: User) -> None:
    own = write(officer, "loan", LOAN, is_pinned=True)
    his = write(officer, "borrower", is_pinned=True)
    other = write(officer, "other loan", Record("kenya", "B-1", "L-2"), is_pinned=True)
    write(officer, "not pinned", LOAN)
    write(officer, "other app", Record("ghana", "B-1", "L-1"), is_pinned=True)
    write(officer, "other borrower", Record("kenya", "B-2"), is_pinned=True)
    assert list(services.list_pinned("kenya", "B-1", "L-1")) == [his, own]
    assert list(services.list_pinned("kenya", "B-1")) == [other, his, own]


def test_what_is_old_loses_its_texts_version_by_version(officer: User, support: User) -> None:
    note = write(officer, "@support", is_pinned=True)
    services.revise_note(note, "@support newer", officer, "second")
    now = timezone.now()
    old = NoteVersion.objects.filter(number=1)
    old.update(created_at=now - timedelta(days=40))
    limit = now - timedelta(days=30)
    assert erasure.erase_older(limit, 500) == 1
    note.refresh_from_db()
    assert texts(note) == ["", "@support newer"]
    assert note.deleted_at is None and note.is_pinned and Mention.objects.exists()
    NoteVersion.objects.update(created_at=now - timedelta(days=40))
    assert erasure.erase_older(limit, 500) == 1
    note.refresh_from_db()
    assert texts(note) == ["", ""] and not note.is_pinned
    assert note.deleted_at is not None and note.deleted_by is None
    assert not Mention.objects.exists()
    assert erasure.erase_older(limit, 500) == 0


def test_so_many_go_at_once(officer: User) -> None:
    for _ in range(3):
        write(officer)
    assert erasure.erase_older(timezone.now(), 2) == 2
    assert NoteVersion.objects.exclude(text="").count() == 1


def test_a_text_that_is_moved_to_another_note_opens_nowhere(officer: User) -> None:
    first, second = write(officer, "first"), write(officer, "second")
    with connection.cursor() as cursor:
        cursor.execute("SELECT text FROM notes_noteversion WHERE note_id = %s", [first.pk])
        (cipher,) = cursor.fetchone()
        cursor.execute(
            "UPDATE notes_noteversion SET text = %s WHERE note_id = %s", [cipher, second.pk]
        )
    assert "the key is missing" in Note.objects.get(pk=second.pk).newest.text

"""Mentions in a text: `@wanjiru` names the colleague with that user name."""

import re

from django.db.models import QuerySet
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import NOTES_READ

from .models import Mention, Note

# An @ inside a word does not count, because it may be in an e-mail address. The characters after
# the @ are those that a user name may have.
_NAMED = re.compile(r"(?<![\w.+-])@([A-Za-z0-9_@.+-]+)")
# Characters that may end a user name, but may also be the punctuation of the sentence.
_MARKS = ".,-+@"
_MOST = 20


def find_names(text: str) -> list[str]:
    """Return the possible user names in a text, with and without punctuation at the end."""
    names: dict[str, None] = {}
    for found in _NAMED.findall(text)[:_MOST]:
        names[found] = None
        if bare := found.rstrip(_MARKS):
            names[bare] = None
    return list(names)


def find_people(text: str, app_id: str) -> list[User]:
    """Return the people that a text names, if they may read notes in the app."""
    names = find_names(text)
    if not names:
        return []
    app: object = app_id
    readers = User.objects.with_perm(NOTES_READ, obj=app)  # type: ignore[arg-type]
    return list(readers.filter(username__in=names).distinct())


def keep_mentions(note: Note, text: str, by: User) -> None:
    """Update a note's mentions to match its text.

    A person who has seen the note does not get another mention. If the new text no longer names a
    person who has not seen the note, delete the mention. People can't mention themselves.
    """
    named = [one for one in find_people(text, note.app_id) if one.pk != by.pk]
    note.mentions.filter(seen_at=None).exclude(person__in=named).delete()
    for person in named:
        Mention.objects.get_or_create(note=note, person=person)


def list_unseen(person: User, app_id: str) -> QuerySet[Mention]:
    """Return this person's unseen mentions in an app, the oldest first.

    The result is empty if the person has no right to read notes.
    """
    if not person.has_perm(NOTES_READ, app_id):
        return Mention.objects.none()
    rows = Mention.objects.filter(person=person, seen_at=None, note__app_id=app_id)
    return rows.select_related("note").prefetch_related("note__versions__author").order_by("id")


def mark_seen(note: Note, person: User) -> bool:
    """Remove the note from this person's home page; return True if it was there."""
    rows = Mention.objects.filter(note=note, person=person, seen_at=None)
    return bool(rows.update(seen_at=timezone.now()))

"""Commands that change people of the dashboard, and their entries in the trail.

`reach` defines the people whom a manager may change. `second_manager` defines the changes that need
a second manager, and `deciding` has the commands of that manager.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.signals import pre_save
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from lendingadmin.core.audit import record
from lendingadmin.core.audit.origin import describe_operator
from lendingadmin.core.english import in_english
from lendingadmin.core.policies.deciding import is_second_on
from lendingadmin.core.staff import second_manager, tasks
from lendingadmin.core.staff.models import PersonChange, User
from lendingadmin.core.staff.reach import (
    Move,
    gives_managing,
    gives_up_managing,
    is_provided,
    list_moves,
    list_people,
)
from lendingadmin.core.staff.roles import MANAGE_PEOPLE
from lendingadmin.core.staff.second_manager import describe_moves
from lendingadmin.core.staff.sessions import end_sessions, hash_session_key
from lendingadmin.core.staff.setup_links import setup_tokens
from lendingadmin.core.staff.two_step import end_grace

PEOPLE = "people"
SECOND_FACTOR = "people.secondFactor"
SESSIONS = "people.sessions"
SETUP_LINK = "people.setupLink"
PASSWORD = "password"  # noqa: S105
NEW_PASSWORD = "people.password"  # noqa: S105  # pragma: allowlist secret

ANOTHER_MUST_DEACTIVATE = gettext_lazy("Another manager must deactivate your account.")
ANOTHER_MUST_TAKE_ROLE = gettext_lazy("Another manager must take this role from you.")
NEEDS_NO_PASSWORD = gettext_lazy("This person signs in with %(provider)s and needs no password.")
REACTIVATE_FIRST = gettext_lazy("Reactivate the account first.")

# Words for fields, where the field's name is not the word on pages.
_FIELDS = {
    "email": gettext_noop("e-mail"),
    "is_active": gettext_noop("active"),
    "is_superuser": gettext_noop("superuser"),
    "permissions": gettext_noop("rights"),
    "username": gettext_noop("user name"),
}


# Reasons for a refused change.
NO_LONGER_MANAGES = gettext_lazy("You may no longer manage people. Nothing changed.")
NO_PASSWORD = gettext_lazy("This person has not chosen a password yet.")
OWN_PASSWORD = gettext_lazy("Change your own password on your profile.")
OWN_TWO_STEP = gettext_lazy("Change your own two-step sign-in on your profile.")


class ChangeRefused(Exception):
    """Error: a rule refuses this change to a person. The text explains the rule to the manager."""


class Done(NamedTuple):
    """Result of a command on a person.

    `is_changed` is True if something changed. `asked` is the change that waits for approval, or
    None.
    """

    person: User
    is_changed: bool
    asked: PersonChange | None = None


@contextmanager
def change_person(by: User, pk: int) -> Iterator[User]:
    """Lock a person for a change by a manager, in a transaction.

    Manager and person are read again while they are locked. So if two managers deactivate each
    other at the same time, only one of them succeeds. Raise ChangeRefused if the manager has lost
    the right, or if the person is no longer within the manager's reach.
    """
    with transaction.atomic():
        # The order of the keys prevents a deadlock. With `no_key` other transactions can add
        # entries of the trail that refer to these people.
        people = User.objects.select_for_update(no_key=True).filter(pk__in=(by.pk, pk))
        list(people.order_by("pk"))
        manager = User.objects.filter(pk=by.pk, is_active=True).first()
        if manager is None or not manager.has_perm(MANAGE_PEOPLE):
            raise ChangeRefused(NO_LONGER_MANAGES)
        person = list_people(manager).filter(pk=pk).first()
        if person is None:
            raise ChangeRefused(_("You may no longer manage this person."))
        yield person


def add_person(request: HttpRequest, by: User, form: "ModelForm[User]") -> Done:
    """Save a new person from a valid form, without a password.

    Roles that need a second manager wait. Raise ChangeRefused if no manager could approve them.
    """
    with transaction.atomic():
        person = form.save(commit=False)
        person.set_unusable_password()
        person.save()
        done, asked = _set_roles(by, form, person)
        record_change(request, "added", person, describe_changes(form, describe_moves(done)))
        _record_asked(request, asked)
    return Done(person, True, asked)


def save_person(request: HttpRequest, by: User, form: "ModelForm[User]") -> Done:
    """Save the fields of a valid form of a person, and no other fields.

    Roles that need a second manager wait. Raise ChangeRefused as `change_person` does, if managers
    would lose their own right to manage people, or if no manager could approve the roles.
    """
    with change_person(by, form.instance.pk) as person:
        # The form has no roles if the identity provider decides the person's roles.
        if gives_up_managing(by, person, form.cleaned_data.get("roles")):
            raise ChangeRefused(ANOTHER_MUST_TAKE_ROLE)
        names = [name for name in form.cleaned_data if name != "roles"]
        for name in names:
            setattr(person, name, form.cleaned_data[name])
        # Other fields are not saved, because the person may choose a password at the same time.
        person.save(update_fields=names)
        done, asked = _set_roles(by, form, person)
        is_changed = bool(done) or any(name != "roles" for name in form.changed_data)
        if is_changed:
            record_change(request, "changed", person, describe_changes(form, describe_moves(done)))
        _record_asked(request, asked)
    return Done(person, is_changed, asked)


def _set_roles(
    by: User, form: "ModelForm[User]", person: User
) -> tuple[list[Move], PersonChange | None]:
    """Apply the moves that need no second manager, and request the others.

    Return the applied moves, and the request; None if no move needs a second manager.
    """
    moves = list_moves(person, by, form.cleaned_data.get("roles"))
    waiting = second_manager.list_waiting(moves, person)
    done = [move for move in moves if move not in waiting]
    move_roles(person, done)
    return done, _ask(by, person, PersonChange.Kind.ROLES, waiting) if waiting else None


def move_roles(person: User, moves: Iterable[Move]) -> None:
    """Give and remove roles. A move that was already made changes nothing.

    If a role lets the person manage people, call `cancel_set_up_by_one`.
    """
    moves = list(moves)
    for move in moves:
        held = person.app_roles.filter(app_id=move.app_id, role=move.role)
        if not move.is_given:
            held.delete()
        elif not held.exists():
            person.app_roles.create(app_id=move.app_id, role=move.role)
    if gives_managing(moves):
        cancel_set_up_by_one([person])


def cancel_set_up_by_one(people: Iterable[User]) -> None:
    """Remove a single manager's access to the accounts of people who now manage people.

    Otherwise that manager could sign in as a second manager. Cancel the open set-up link. If the
    link of a single manager set up the account, also remove the account's password and factors;
    this ends its sessions. Change nothing while the rule “Second manager” is off.
    """
    if not is_second_on():
        return
    cancelled = [one for one in people if one.setup_link_at or one.is_set_up_by_one]
    for person in cancelled:
        if person.is_set_up_by_one:
            person.set_unusable_password()
            delete_factors(person)
        person.setup_link_at, person.is_set_up_by_one = None, False
        person.save(update_fields=["password", "setup_link_at", "is_set_up_by_one"])
    for person in cancelled:
        _record(None, SETUP_LINK, person, "cancelled")


def _ask(
    by: User, person: User, kind: PersonChange.Kind, moves: Sequence[Move] = ()
) -> PersonChange:
    """Save a change that waits for a second manager; withdraw an earlier one of its kind.

    Raise ChangeRefused if no manager could approve the change.
    """
    if obstacle := second_manager.find_obstacle(by, person, moves):
        raise ChangeRefused(obstacle)
    now = timezone.now()
    waiting = person.changes.filter(kind=kind, state=PersonChange.State.WAITING)
    waiting.update(state=PersonChange.State.WITHDRAWN, decided_at=now)
    keys = [["+" if move.is_given else "-", move.app_id, move.role.pk] for move in moves]
    return person.changes.create(kind=kind, moves=keys, asked_by=by, asked_at=now)


def _record_asked(request: HttpRequest, change: PersonChange | None) -> None:
    if change:
        record_change(request, "asked", change.person, second_manager.describe_change(change))
        tasks.tell_managers.enqueue(change.pk)


def deactivate(request: HttpRequest, by: User, pk: int) -> User:
    """Deactivate a person; end the sessions and the set-up link. May raise ChangeRefused."""
    with change_person(by, pk) as person:
        if person.pk == by.pk:
            raise ChangeRefused(ANOTHER_MUST_DEACTIVATE)
        if person.is_active:
            person.is_active, person.setup_link_at = False, None
            person.save(update_fields=["is_active", "setup_link_at"])
            end_sessions(person)
            record_change(request, "deactivated", person)
    return person


def reactivate(request: HttpRequest, by: User, pk: int) -> User:
    """Activate a person again; the password has not changed. May raise ChangeRefused."""
    with change_person(by, pk) as person:
        if not person.is_active:
            person.is_active = True
            person.save(update_fields=["is_active"])
            record_change(request, "reactivated", person)
    return person


def end_all_sessions(request: HttpRequest, by: User, pk: int) -> tuple[User, int]:
    """End all sessions of a person, except the session of this request.

    Return the person and the number of ended sessions. May raise ChangeRefused.
    """
    with change_person(by, pk) as person:
        own = hash_session_key(request.session.session_key) if person.pk == by.pk else None
        ended = end_sessions(person, but=own)
        if ended:
            _record(request, SESSIONS, person, "ended", str(ended))
    return person, ended


def end_other_sessions(request: HttpRequest, person: User) -> int:
    """End a person's sessions except the session of this request; return their number."""
    ended = end_sessions(person, but=hash_session_key(request.session.session_key))
    if ended:
        _record(request, SESSIONS, person, "ended", str(ended))
    return ended


def remove_second_factors(request: HttpRequest, by: User, pk: int) -> Done:
    """Remove the second factors of a person who lost a phone or key, or request an approval.

    The person then signs in with only the password. Managers can't remove their own factors with
    this command, because the page for one's own factors asks for the factor first. May raise
    ChangeRefused.
    """
    with change_person(by, pk) as person:
        if person.pk == by.pk:
            raise ChangeRefused(OWN_TWO_STEP)
        if second_manager.needs_second(person):
            asked = _ask(by, person, PersonChange.Kind.SECOND_FACTOR)
            _record_asked(request, asked)
            return Done(person, False, asked)
        is_removed = delete_factors(person)
        if is_removed:
            _record(request, SECOND_FACTOR, person, "removed")
    return Done(person, is_removed)


def delete_factors(person: User) -> bool:
    """Delete a person's second factors; return True if there was one."""
    removed = Authenticator.objects.filter(user=person).delete()[0]
    if removed:
        end_grace(person)
    return bool(removed)


def make_setup_link(request: HttpRequest, by: User, pk: int) -> tuple[User, str]:
    """Make a link with which a person chooses a password; an earlier link becomes invalid.

    Return the person and the path of the link, which is a secret. The path is empty if a second
    manager must approve the link first. May raise ChangeRefused.
    """
    with change_person(by, pk) as person:
        if person.pk == by.pk:
            raise ChangeRefused(OWN_PASSWORD)
        check_needs_link(person)
        if second_manager.needs_second(person):
            _record_asked(request, _ask(by, person, PersonChange.Kind.SETUP_LINK))
            return person, ""
        path = issue_link(person)
        _record(request, SETUP_LINK, person, "made")
    return person, path


def check_needs_link(person: User) -> None:
    """Raise ChangeRefused if a set-up link is not needed or not allowed.

    A link is refused for an inactive account, and for a person who signs in with the identity
    provider. A link is also refused while a role that lets the person manage people waits for
    approval, because whichever person has the link would also get that role.
    """
    if not person.is_active:
        raise ChangeRefused(REACTIVATE_FIRST)
    if is_provided(person):
        raise ChangeRefused(NEEDS_NO_PASSWORD % {"provider": settings.OIDC_NAME})
    if second_manager.is_managing_asked_for(person):
        raise ChangeRefused(
            _(
                "A role that lets this person manage people needs a second manager's "
                "approval. You can make the set-up link after the approval."
            )
        )


def issue_link(person: User) -> str:
    """Start a new set-up link of a person and return its path, which is a secret."""
    person.setup_link_at = timezone.now()
    person.save(update_fields=["setup_link_at"])
    return setup_tokens.build_path(person)


def set_password_by_link(request: HttpRequest, pk: int, token: str, password: str) -> bool:
    """Set the password that a person chose with a link; return False if the link is invalid.

    Each link works once. A new password ends all sessions that began with the old password.
    """
    with transaction.atomic():
        person = User.objects.select_for_update(no_key=True).get(pk=pk)
        if not setup_tokens.check_token(person, token):
            return False
        person.set_password(password)
        person.setup_link_at, person.must_choose_password = None, False
        # If the person manages people, two managers made the link, because a role that gives this
        # right cancels other links (`move_roles`).
        person.is_set_up_by_one = not second_manager.needs_second(person)
        fields = ["password", "setup_link_at", "must_choose_password", "is_set_up_by_one"]
        person.save(update_fields=fields)
        _record(request, PASSWORD, person, "set by link")
    return True


def require_new_password(request: HttpRequest, by: User, pk: int) -> User:
    """Sign a person out and require another password before any other action.

    Managers do this if other people may know the password. If the person must already choose
    another password, nothing changes. May raise ChangeRefused.
    """
    with change_person(by, pk) as person:
        if person.pk == by.pk:
            raise ChangeRefused(OWN_PASSWORD)
        if not person.has_usable_password():
            raise ChangeRefused(NO_PASSWORD)
        if not person.must_choose_password:
            person.must_choose_password = True
            person.save(update_fields=["must_choose_password"])
            end_sessions(person)
            _record(request, NEW_PASSWORD, person, "required")
    return person


@contextmanager
def give_password(command: str, action: str, outcome: str) -> Iterator[None]:
    """Require another password from each person who is saved in this block.

    The operator who runs the command knows the present password. The trail names the operator.
    """
    given: list[User] = []

    def require(instance: User, **_signal: Any) -> None:
        instance.must_choose_password = instance.has_usable_password()
        given.append(instance)

    pre_save.connect(require, sender=User)
    try:
        yield
    finally:
        pre_save.disconnect(require, sender=User)
    detail = f"{command}, {describe_operator()}"
    for person in given:
        _record(None, action, person, outcome, detail)


@in_english
def describe_changes(form: Any, role_moves: Iterable[str] = ()) -> str:
    """Return the changed fields of a form and the moves of roles in words, without passwords."""
    fields = [name for name in form.changed_data if "password" not in name and name != "roles"]
    changes = [_describe_change(form, name) for name in fields]
    if moves := ", ".join(role_moves):
        changes.append(f"{_('roles')} ({moves})")
    if any("password" in name for name in form.changed_data):
        changes.append(_("password"))
    return ", ".join(changes)


def _describe_change(form: Any, name: str) -> str:
    """Return a changed field in words, with the added and removed items, if there are any."""
    after = form.cleaned_data.get(name)
    words = _(_FIELDS.get(name, name.replace("_", " ")))
    if not isinstance(after, QuerySet):
        return words
    before = {name_item(item) for item in form.initial.get(name) or ()}
    now = {name_item(item) for item in after}
    moves = [f"+{item}" for item in sorted(now - before)]
    moves += [f"-{item}" for item in sorted(before - now)]
    return f"{words} ({', '.join(moves)})"


def name_item(item: Any) -> str:
    """Return the full name of a permission, or the name of a group."""
    if isinstance(item, Permission):
        return f"{item.content_type.app_label}.{item.codename}"
    return str(item)


def record_change(
    request: HttpRequest | None, outcome: str, person: User, detail: str = ""
) -> None:
    """Record a change to a person in the trail; mail the person if another person made it."""
    _record(request, PEOPLE, person, outcome, detail)


def _record(
    request: HttpRequest | None, action: str, person: User, outcome: str, detail: str = ""
) -> None:
    url = reverse("person", args=[person.pk])
    texts = {"subject": person.username, "outcome": outcome, "detail": detail, "url": url}
    entry = record(request, action, **texts)
    if entry.user_id != person.pk:
        tasks.tell_person.enqueue(entry.pk)

"""What may be done to people of the dashboard, by whom, and how it is recorded.

A manager works with the rights under `lending` and `dashboard` and with the user model's own, in
the apps in which they manage people. People who hold more (a superuser, a role with other
permissions, a role in another app) do not exist for a manager, who could otherwise take over their
account.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from lendingadmin.audit import record
from lendingadmin.gateway.lending_apps import LendingApp
from lendingadmin.staff import tasks
from lendingadmin.staff.models import AppRole, User
from lendingadmin.staff.roles import MANAGE_PEOPLE
from lendingadmin.staff.session_store import hash_session_key
from lendingadmin.staff.sessions import end_sessions
from lendingadmin.staff.setup_links import setup_tokens

PEOPLE = "people"
SECOND_FACTOR = "people.secondFactor"
SESSIONS = "people.sessions"
SETUP_LINK = "people.setupLink"
PASSWORD = "password"  # noqa: S105

ANOTHER_MUST_DEACTIVATE = gettext_lazy("Another manager must deactivate your account.")
ANOTHER_MUST_TAKE_ROLE = gettext_lazy("Another manager must take this role from you.")

# The fields of people and groups whose names are not yet the words for them.
_FIELDS = {
    "email": gettext_noop("e-mail"),
    "is_active": gettext_noop("active"),
    "is_superuser": gettext_noop("superuser"),
    "permissions": gettext_noop("rights"),
    "username": gettext_noop("user name"),
}

_WITHIN = Q(content_type__app_label__in=("lending", "dashboard")) | Q(
    content_type__app_label="staff", content_type__model="user"
)


class RoleInApp(NamedTuple):
    """A role to be held in an app."""

    app_id: str
    role: Group


class ChangeRefused(Exception):
    """A rule refuses this change to a person; the text says so to the one who asked for it."""


def list_permissions(manager: User) -> QuerySet[Permission]:
    """The permissions that this manager may put into a group."""
    every = Permission.objects.select_related("content_type")
    return every if manager.is_superuser else every.filter(_WITHIN)


def list_groups(manager: User) -> QuerySet[Group]:
    """The groups that this manager may see and give."""
    if manager.is_superuser:
        return Group.objects.all()
    return Group.objects.exclude(permissions__in=Permission.objects.exclude(_WITHIN))


def list_people(manager: User) -> QuerySet[User]:
    """The people whom this manager may see and change."""
    if manager.is_superuser:
        return User.objects.all()
    every = {app.app_id for app in settings.LENDING_APPS}
    own = {app.app_id for app in list_apps(manager)}
    beyond = AppRole.objects.filter(
        Q(role__permissions__in=Permission.objects.exclude(_WITHIN)) | Q(app_id__in=every - own)
    )
    return User.objects.exclude(is_superuser=True).exclude(pk__in=beyond.values("person"))


def list_apps(manager: User) -> list[LendingApp]:
    """The apps in which this manager gives and takes roles."""
    return manager.list_apps_with(MANAGE_PEOPLE)


def list_given(person: User, manager: User) -> QuerySet[AppRole]:
    """The roles of a person that this manager may take."""
    apps = [app.app_id for app in list_apps(manager)]
    return person.app_roles.filter(app_id__in=apps).select_related("role")


def gives_up_managing(by: User, person: User, chosen: Iterable[RoleInApp]) -> bool:
    """Whether somebody would take the right to manage people from themselves, in any app.

    A superuser holds it without a role.
    """
    if by.pk != person.pk or person.is_superuser:
        return False
    label, codename = MANAGE_PEOPLE.split(".", 1)
    managing = Group.objects.filter(
        permissions__codename=codename, permissions__content_type__app_label=label
    )
    keys = set(managing.values_list("pk", flat=True))
    kept = {app_id for app_id, role in chosen if role.pk in keys}
    return any(app.app_id not in kept for app in list_apps(by))


@contextmanager
def change_person(by: User, pk: int) -> Iterator[User]:
    """Lock a person for a change by a manager, in a transaction.

    Both are read again under the lock, so that two managers who deactivate each other at the same
    time cannot both succeed: one manager is always left. Raises ChangeRefused where the manager is
    no longer one, or the person is out of the manager's reach by now.
    """
    with transaction.atomic():
        # In the order of their keys, so that no two wait for each other.
        # Entries of the trail refer to people and must not wait for this, hence no key.
        people = User.objects.select_for_update(no_key=True).filter(pk__in=(by.pk, pk))
        list(people.order_by("pk"))
        manager = User.objects.filter(pk=by.pk, is_active=True).first()
        if manager is None or not manager.has_perm(MANAGE_PEOPLE):
            raise ChangeRefused(_("You may no longer manage people. Nothing was changed."))
        person = list_people(manager).filter(pk=pk).first()
        if person is None:
            raise ChangeRefused(_("This person is no longer among those whom you manage."))
        yield person


def add_person(request: HttpRequest, by: User, form: "ModelForm[User]") -> User:
    """Save a new person out of a valid form, without a password: a set-up link gives them one."""
    with transaction.atomic():
        person = form.save(commit=False)
        person.set_unusable_password()
        person.save()
        moves = _set_roles(person, by, form.cleaned_data["roles"])
        record_change(request, "added", person, describe_changes(form, moves))
    return person


def save_person(request: HttpRequest, by: User, form: "ModelForm[User]") -> User:
    """Save the fields of a valid form of a person, and no others. Raises ChangeRefused."""
    with change_person(by, form.instance.pk) as person:
        chosen = form.cleaned_data["roles"]
        if gives_up_managing(by, person, chosen):
            raise ChangeRefused(ANOTHER_MUST_TAKE_ROLE)
        names = [name for name in form.cleaned_data if name != "roles"]
        for name in names:
            setattr(person, name, form.cleaned_data[name])
        # Only these: the person may be choosing a password at the same time.
        person.save(update_fields=names)
        moves = _set_roles(person, by, chosen)
        if form.changed_data or moves:
            record_change(request, "changed", person, describe_changes(form, moves))
    return person


def _set_roles(person: User, by: User, chosen: Iterable[RoleInApp]) -> list[str]:
    """Give and take what this manager may; the moves in words: “+officer in kenya”."""
    held = {(one.app_id, one.role.pk): one for one in list_given(person, by)}
    wanted = {(one.app_id, one.role.pk): one for one in chosen}
    new = [AppRole(person=person, app_id=x.app_id, role=x.role) for x in _without(wanted, held)]
    old = _without(held, wanted)
    AppRole.objects.bulk_create(new)
    person.app_roles.filter(pk__in=[one.pk for one in old]).delete()
    several = len(settings.LENDING_APPS) > 1
    given, taken = ([str(x) if several else x.role.name for x in some] for some in (new, old))
    return [*(f"+{one}" for one in sorted(given)), *(f"-{one}" for one in sorted(taken))]


def _without(several: Mapping[Any, Any], others: Container[Any]) -> list[Any]:
    return [one for key, one in several.items() if key not in others]


def deactivate(request: HttpRequest, by: User, pk: int) -> User:
    """Close a person's account: sessions end, and a set-up link is void. Raises ChangeRefused."""
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
    """Open a closed account again, with the password that it had. Raises ChangeRefused."""
    with change_person(by, pk) as person:
        if not person.is_active:
            person.is_active = True
            person.save(update_fields=["is_active"])
            record_change(request, "reactivated", person)
    return person


def end_all_sessions(request: HttpRequest, by: User, pk: int) -> tuple[User, int]:
    """Sign a person out everywhere; a manager's own, but for the one that asks.

    Gives the person and how many sessions ended. Raises ChangeRefused.
    """
    with change_person(by, pk) as person:
        own = hash_session_key(request.session.session_key) if person.pk == by.pk else None
        ended = end_sessions(person, but=own)
        if ended:
            _record(request, SESSIONS, person, "ended", str(ended))
    return person, ended


def end_other_sessions(request: HttpRequest, person: User) -> int:
    """Sign oneself out everywhere but in the session that asks; give how many ended."""
    ended = end_sessions(person, but=hash_session_key(request.session.session_key))
    if ended:
        _record(request, SESSIONS, person, "ended", str(ended))
    return ended


def remove_second_factors(request: HttpRequest, by: User, pk: int) -> tuple[User, bool]:
    """For a person who lost their phone or key: the password alone signs them in again.

    Nobody removes their own here: their own page asks for the factor first. Gives the person and
    whether there was anything to remove. Raises ChangeRefused.
    """
    with change_person(by, pk) as person:
        if person.pk == by.pk:
            raise ChangeRefused(_("Change your own two-step sign-in under your name."))
        removed = Authenticator.objects.filter(user=person).delete()[0]
        if removed:
            # Who is required to have one gets the days of grace again.
            person.two_step_due_at = None
            person.save(update_fields=["two_step_due_at"])
            _record(request, SECOND_FACTOR, person, "removed")
    return person, bool(removed)


def make_setup_link(request: HttpRequest, by: User, pk: int) -> tuple[User, str]:
    """Make the link by which a person chooses a password; one made before is void.

    Gives the person and the link's path, which is a secret. Raises ChangeRefused.
    """
    with change_person(by, pk) as person:
        if person.pk == by.pk:
            raise ChangeRefused(_("Change your own password under your name."))
        if not person.is_active:
            raise ChangeRefused(_("Reactivate the account first."))
        person.setup_link_at = timezone.now()
        person.save(update_fields=["setup_link_at"])
        _record(request, SETUP_LINK, person, "made")
    return person, setup_tokens.build_path(person)


def set_password_by_link(request: HttpRequest, pk: int, token: str, password: str) -> bool:
    """Set the password that a person chose, once for each link; False where the link is void.

    A new password ends every session that was begun with the old one.
    """
    with transaction.atomic():
        person = User.objects.select_for_update(no_key=True).get(pk=pk)
        if not setup_tokens.check_token(person, token):
            return False
        person.set_password(password)
        person.setup_link_at = None
        person.save(update_fields=["password", "setup_link_at"])
        _record(request, PASSWORD, person, "set by link")
    return True


def describe_changes(form: Any, role_moves: Iterable[str] = ()) -> str:
    """The changed fields of a form, never a password, with roles and rights added and removed."""
    fields = [name for name in form.changed_data if "password" not in name and name != "roles"]
    changes = [_describe_change(form, name) for name in fields]
    if moves := ", ".join(role_moves):
        changes.append(f"{_('roles')} ({moves})")
    if any("password" in name for name in form.changed_data):
        changes.append(_("password"))
    return ", ".join(changes)


def _describe_change(form: Any, name: str) -> str:
    """One changed field in words, and for a choice of many what was added and removed."""
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
    """The name of a group, or the full name of a permission."""
    if isinstance(item, Permission):
        return f"{item.content_type.app_label}.{item.codename}"
    return str(item)


def record_change(request: HttpRequest, outcome: str, person: User, detail: str = "") -> None:
    """Record a change to a person."""
    _record(request, PEOPLE, person, outcome, detail)


def _record(
    request: HttpRequest, action: str, person: User, outcome: str, detail: str = ""
) -> None:
    url = reverse("person", args=[person.pk])
    texts = {"subject": person.username, "outcome": outcome, "detail": detail, "url": url}
    entry = record(request, action, **texts)
    if entry.user_id != person.pk:
        tasks.tell_person.enqueue(entry.pk)

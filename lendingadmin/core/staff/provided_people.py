"""People who sign in with the identity provider: functions that add them and set their roles."""

from collections.abc import Iterable

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils.translation import gettext as _

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.reach import Move, RoleInApp, compare_roles
from lendingadmin.core.staff.second_manager import describe_moves
from lendingadmin.core.staff.services import move_roles, record_change
from lendingadmin.core.staff.usernames import make_distinct


def add_provided_person(
    account: SocialAccount, wanted: User, places: Iterable[tuple[str, str]]
) -> User:
    """Save a person, with roles, at the first sign-in with the identity provider.

    The user name is the name at the provider, or a similar name if another person has this name.
    Raise IntegrityError if another request saved the name or the person at the same moment.
    """
    with transaction.atomic():
        wanted.username = make_distinct(
            wanted.username, User.objects.values_list("username", flat=True)
        )
        wanted.set_unusable_password()
        wanted.save()
        account.user = wanted
        account.save()
        moves = _set_roles(wanted, places)
        record_change(None, "added", wanted, _describe_provided(moves))
    return wanted


def set_provided_roles(person: User, places: Iterable[tuple[str, str]]) -> None:
    """Give a person the roles of their groups at the identity provider; remove all other roles."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        if moves := _set_roles(person, places):
            record_change(None, "changed", person, _describe_provided(moves))


def _set_roles(person: User, places: Iterable[tuple[str, str]]) -> list[Move]:
    groups = {group.name: group for group in Group.objects.all()}
    chosen = [RoleInApp(app_id, groups[role]) for app_id, role in places]
    moves = compare_roles(person.app_roles.select_related("role"), chosen)
    move_roles(person, moves)
    return moves


def _describe_provided(moves: Iterable[Move]) -> str:
    return f"{_('roles from the identity provider')} ({', '.join(describe_moves(moves))})"

"""Add, change or remove a role: `manage.py role NAME --give RIGHT --take RIGHT [--remove]`.

The four built-in roles cannot be changed.
"""

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from lendingadmin.core.audit import record_command
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MANAGE_PEOPLE, RIGHTS, ROLES
from lendingadmin.core.staff.services import cancel_set_up_by_one


class Command(BaseCommand):
    """Add, change or remove a role. Pages of the dashboard cannot do this."""

    help = "Add, change or remove a role. The four built-in roles do not change."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        words = "a right, such as dashboard.export; may be given several times"
        parser.add_argument("--give", action="append", default=[], metavar="RIGHT", help=words)
        parser.add_argument("--take", action="append", default=[], metavar="RIGHT", help=words)
        parser.add_argument(
            "--remove", action="store_true", help="remove a role that no person has"
        )

    def handle(self, **options: Any) -> None:
        """Add, change or remove a role, and record this.

        Raise CommandError for a built-in role, or for a text that is not a right. Removing a role
        that does not exist, or that a person has, also raises CommandError.
        """
        name, given, taken = options["name"], options["give"], options["take"]
        if name in ROLES:
            raise CommandError(f"“{name}” is a built-in role (lendingadmin/core/staff/roles.py).")
        for right in (*given, *taken):
            if right not in RIGHTS:
                raise CommandError(
                    f"“{right}” is not a right. The rights are: {', '.join(RIGHTS)}."
                )
        if options["remove"]:
            self._remove(name)
            return
        with transaction.atomic():
            role, _ = Group.objects.get_or_create(name=name)
            role.permissions.add(*map(_find_permission, given))
            role.permissions.remove(*map(_find_permission, taken))
            if MANAGE_PEOPLE in given:
                holders = role.app_roles.values("person")
                people = User.objects.select_for_update(no_key=True).filter(pk__in=holders)
                cancel_set_up_by_one(people.order_by("pk"))
            changes = [*(f"+ {one}" for one in given), *(f"− {one}" for one in taken)]
            record_command(f"role {name}", detail=", ".join(changes))
        held = (f"{one.content_type.app_label}.{one.codename}" for one in role.permissions.all())
        self.stdout.write(f"{name}: {', '.join(sorted(held)) or 'no right'}")

    def _remove(self, name: str) -> None:
        with transaction.atomic():
            role = Group.objects.select_for_update().filter(name=name).first()
            if role is None:
                raise CommandError(f"There is no role “{name}”.")
            if count := role.app_roles.count():
                raise CommandError(
                    f"“{name}” is held {count} times. Remove it from these people first."
                )
            role.delete()
            record_command(f"role {name}", detail="removed")
        self.stdout.write(f"{name}: removed")


def _find_permission(right: str) -> Permission:
    label, _, codename = right.partition(".")
    return Permission.objects.get(content_type__app_label=label, codename=codename)

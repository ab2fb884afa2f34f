"""`manage.py changepassword`: Django's command, recorded in the trail."""

from typing import Any

from django.contrib.auth.management.commands import changepassword

from lendingadmin.core.staff import services


class Command(changepassword.Command):
    """Set a password and notify the person, who must choose another password after the sign-in."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Set the password.

        Raise CommandError if there is no such person, or if no password was accepted.
        """
        with services.give_password("changepassword", services.NEW_PASSWORD, "set"):
            return super().handle(*args, **options)

"""`manage.py createsuperuser`: Django's command, recorded in the trail."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser

from lendingadmin.core.staff import services


class Command(createsuperuser.Command):
    """Create a superuser, who must choose another password at the first sign-in."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the superuser. Raise CommandError for a user name that may not be chosen."""
        with services.give_password("createsuperuser", services.PEOPLE, "added"):
            super().handle(*args, **options)

"""`manage.py createsuperuser`: Django's, in the trail."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser

from lendingadmin.core.staff import services


class Command(createsuperuser.Command):
    """The superuser chooses a password of their own at the first sign-in."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError for a user name that may not be chosen."""
        with services.give_password("createsuperuser", services.PEOPLE, "added"):
            super().handle(*args, **options)

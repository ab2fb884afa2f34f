"""Print a new key for DATA_KEYS."""

from typing import Any

from cryptography.fernet import Fernet
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """`manage.py new_data_key`. It makes no system checks, because they need a key."""

    help = "Print a new key for DATA_KEYS. Put it before the older keys."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(Fernet.generate_key().decode())

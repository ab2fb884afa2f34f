"""`python -m tests.releases`, once a release is out: its columns are the next one's baseline."""

# ruff: noqa: E402

import os

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ["DATABASE_URL"] = "sqlite://"
django.setup()

from django.core.management import call_command

from tests.releases import read_columns, write_baseline

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    write_baseline(read_columns())

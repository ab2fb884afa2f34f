"""What the dashboard needs before it starts."""

import os

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError
from django.db.migrations.exceptions import InconsistentMigrationHistory

from lendingadmin.demo.environment import VAR_DIR
from lendingadmin.demo.people import make_people
from lendingadmin.demo.static_files import collect_static


class OtherVersion(Exception):
    """The database was made by a version whose migrations are not these."""


def prepare_dashboard() -> None:
    """Database, static files and people, each made or brought up to date.

    Raises NotLoopback when the configured service is not on this machine, and OtherVersion.
    """
    VAR_DIR.mkdir(exist_ok=True)  # SQLite makes files, not folders
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except (InconsistentMigrationHistory, DatabaseError) as error:
        raise OtherVersion(
            "The database was made by another version of lendingadmin and can't be brought up to "
            "date: make run FRESH=1 starts over."
        ) from error
    collect_static()
    make_people(os.environ["DEMO_PASSWORD"], settings.LENDING_BASE_URL)

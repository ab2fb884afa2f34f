"""Preparations before the dashboard starts: database, static files, people and rules."""

import fcntl
import os
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import DatabaseError
from django.db.migrations.exceptions import InconsistentMigrationHistory

from lendingadmin.core.env import is_loopback
from lendingadmin.core.policies.deciding import SECOND_MANAGER
from lendingadmin.core.policies.kinds import PolicyKind
from lendingadmin.core.policies.lender import LENDER
from lendingadmin.core.policies.services import save_policy
from lendingadmin.core.staff.roles import ROLES
from lendingadmin.demo.environment import VAR_DIR
from lendingadmin.desk.collections.policies import CALLING
from lendingadmin.money.repayments.policies import LIMITS
from lendingadmin.web.policies import (
    BORROWER,
    LOAN,
    PERFORMANCE,
    PRODUCT,
    STATUS_WORDS,
)

# The demo also shows borrowers to call at night and on holidays.
_ALWAYS = {"hours": [["00:00", "00:00"]] * 7, "has_holidays": False}
# Rules of the demo's lenders, by app; "" for the rules of all apps.
_RULES: dict[str, list[tuple[PolicyKind, dict[str, Any]]]] = {
    "": [
        (SECOND_MANAGER, {"is_on": False}),
        (
            STATUS_WORDS,
            {
                LOAN: {"1": "pending", "2": "open", "3": "closed"},
                PERFORMANCE: {
                    "1": "performing",
                    "2": "watch",
                    "3": "substandard",
                    "4": "doubtful",
                    "5": "loss",
                },
                BORROWER: {"1": "active"},
                PRODUCT: {"1": "active"},
            },
        ),
    ],
    "kenya": [
        (CALLING, _ALWAYS),
        (LENDER, {"name": "Umoja Credit", "complaints": "0800 720 100"}),
        (LIMITS, {"amount": "50000"}),
    ],
    "ghana": [
        (CALLING, _ALWAYS),
        (LENDER, {"name": "Adom Loans", "complaints": "0302 555 010"}),
        (LIMITS, {"amount": "20000"}),
    ],
}


class OtherVersion(Exception):
    """Error: the database was made by a version with other migrations."""


class NotLoopback(Exception):
    """Error: the service is on another machine, so it may be a real service."""


def prepare_dashboard() -> None:
    """Create or update the database, the static files, the people and their rules.

    Raise OtherVersion if the migrations fail, and NotLoopback if the configured service is not on
    this machine.
    """
    VAR_DIR.mkdir(exist_ok=True)  # SQLite makes files, not folders
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except (InconsistentMigrationHistory, DatabaseError) as error:
        raise OtherVersion(
            "The database was made by another version of lendingadmin and can't be updated. "
            "`make run FRESH=1` starts with new data."
        ) from error
    collect_static()
    make_people(os.environ["DEMO_PASSWORD"], settings.LENDING_BASE_URL)
    set_rules()


def set_rules() -> None:
    """Save the rules of the demo's lenders, unless the rules were changed before."""
    manager = get_user_model().objects.get(username="manager")
    for app in settings.LENDING_APPS:
        for kind, values in (*_RULES[""], *_RULES.get(app.app_id, ())):
            chosen = kind.complete(values)
            save_policy(app, kind, chosen, seen=0, by=manager, reason="Rules of the demo.")


def collect_static() -> bool:
    """Update STATIC_ROOT if a static file has changed; return True if STATIC_ROOT was updated.

    If several processes call this at the same time, one of them collects and the others wait.
    """
    root = Path(settings.STATIC_ROOT)
    root.parent.mkdir(parents=True, exist_ok=True)
    mark = root.with_name(f"{root.name}.mark")
    with root.with_name(f"{root.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Name, size and time of each static file.
        digest = sha256(str(settings.STORAGES["staticfiles"]).encode())
        for finder in get_finders():
            for path, storage in finder.list([]):
                state = Path(storage.path(path)).stat()
                digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
        wanted = digest.hexdigest()
        if root.is_dir() and mark.is_file() and mark.read_text() == wanted:
            return False
        mark.unlink(missing_ok=True)
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
        mark.write_text(wanted)
    return True


def make_people(password: str, service: str) -> None:
    """Create a person for each role, with the role in every app; set this password.

    Raise NotLoopback if the service is not on this machine, because everybody can know these names
    and the password.
    """
    if not is_loopback(urlsplit(service).hostname or ""):
        raise NotLoopback(f"The demo refuses to add its people for the service at {service}.")
    # A hash of a password takes time, so all people get the same hash.
    encoded = make_password(password)
    for name in ROLES:
        # Only managers need an address, because only they get mail. The demo prints the mail.
        address = "manager@example.com" if name == "manager" else ""
        people = get_user_model().objects
        defaults = {"email": address, "password": encoded}
        person, is_new = people.get_or_create(username=name, defaults=defaults)
        if not is_new and not person.check_password(password):
            person.password = encoded
            person.save(update_fields=["password"])
        role = Group.objects.get(name=name)
        for app in settings.LENDING_APPS:
            person.app_roles.get_or_create(app_id=app.app_id, role=role)

"""Run as a process: the tables, so many people, and a signed-in session of each, as JSON.

People sign in beforehand because signing in is throttled; each has a password to do it with.
"""

import importlib
import json
import sys
from datetime import UTC, datetime
from typing import Any

import django

PASSWORD = "correct horse battery staple"


def main(count: int) -> None:
    django.setup()
    auth = importlib.import_module("django.contrib.auth")
    roles = importlib.import_module("tests.roles")
    commands = importlib.import_module("django.core.management")
    commands.call_command("migrate", verbosity=0)
    setting = importlib.import_module("tests.policies.setting")
    setting.set_policy(setting.QUOTAS, exports=1_000_000)
    hashers = importlib.import_module("django.contrib.auth.hashers")
    made = {}
    # One for all: making one is slow on purpose.
    password = hashers.make_password(PASSWORD)
    for number in range(count + 1):
        role = "support" if number else "manager"
        person = auth.get_user_model().objects.create(username=f"{role}{number}", password=password)
        roles.give_roles(person, role)
        made[person.username] = sign_in(person)
    sys.stdout.write(json.dumps(made))


def sign_in(person: Any) -> str:
    """A signed-in session of somebody; its key."""
    session: Any = importlib.import_module("lendingadmin.core.staff.sessions").SessionStore()
    session["_auth_user_id"] = str(person.pk)
    session["_auth_user_backend"] = "lendingadmin.core.staff.permissions.PermissionsBackend"
    session["_auth_user_hash"] = person.get_session_auth_hash()
    session["sign_in"] = {"at": datetime.now(UTC).isoformat()}
    session.create()
    return str(session.session_key)


if __name__ == "__main__":
    main(int(sys.argv[1]))

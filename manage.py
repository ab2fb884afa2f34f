#!/usr/bin/env python
"""Runs the dashboard's commands.

`sandbox` belongs to a Django project of its own, `demo` brings its own
configuration. `settings` and `new_data_key` need none, because they make it.
"""

import os
import sys
from importlib import import_module
from importlib.util import find_spec

WITHOUT_SETTINGS = {"settings": "lendingadmin.core.gateway", "new_data_key": "lendingadmin.demo"}


def main() -> None:
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "--version":
        from lendingadmin import __version__

        sys.stdout.write(f"lendingadmin {__version__}\n")
        return
    if command == "sandbox":
        os.environ["DJANGO_SETTINGS_MODULE"] = "lendingadmin.sandbox.settings"
    else:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lendingadmin.settings")
    if command == "demo":
        os.environ["DJANGO_SETTINGS_MODULE"] = "lendingadmin.demo.settings"
        from lendingadmin.demo.environment import prepare

        prepare(os.environ)
    if command in WITHOUT_SETTINGS:
        module = import_module(f"{WITHOUT_SETTINGS[command]}.management.commands.{command}")
        module.Command().run_from_argv(sys.argv)
        return
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, OperationalError) as error:
        if "--traceback" in sys.argv:
            raise
        is_database = isinstance(error, OperationalError)
        sys.exit(f"The database of DATABASE_URL failed: {error}" if is_database else str(error))


if __name__ == "__main__":
    if find_spec("django") is None:
        sys.exit(f"{sys.executable} has no Django. Use .venv/bin/python, which make install makes.")
    main()

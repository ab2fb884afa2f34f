#!/usr/bin/env python
"""Runs the dashboard's commands; `sandbox` is its own Django project, and `demo` needs no configuration."""

import os
import sys


def main() -> None:
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "sandbox":
        os.environ["DJANGO_SETTINGS_MODULE"] = "lendingadmin.sandbox.settings"
    else:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lendingadmin.settings")
    if command == "demo":
        from lendingadmin.demo.environment import prepare

        prepare(os.environ)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()

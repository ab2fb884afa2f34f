"""`manage.py policy export` and `policy import FILE`: the lender's rules as one TOML file."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from lendingadmin.core.policies.files import WrongFile, save_file, write_file


class Command(BaseCommand):
    """Print the rules that are in force, or save the rules of a file.

    The operator of the host needs no second manager. Each saved rule is in the audit trail.
    """

    help = "Print the lender's rules as TOML, or save the rules of a TOML file."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("export", help="print the rules of all apps that are in force")
        saving = actions.add_parser("import", help="save the rules of a file that differ")
        saving.add_argument("file", help="a TOML file; - for standard input")
        saving.add_argument("--reason", default="Imported by a server command.")

    def handle(self, **options: Any) -> None:
        """Run the action. Raise CommandError for a file that can't be used; nothing is saved."""
        if options["action"] == "export":
            self.stdout.write(write_file(), ending="")
            return
        try:
            text = _read(options["file"])
            versions = save_file(text, options["reason"])
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"The file can't be read: {error}") from error
        except WrongFile as error:
            raise CommandError(f"Nothing was saved.\n{error}") from error
        for one in versions:
            self.stdout.write(f"Saved: {one.app_id or 'all apps'} {one}")
        if not versions:
            self.stdout.write("Nothing changed.")


def _read(file: str) -> str:
    return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")

"""`manage.py reencrypt`: encrypt all texts with the newest of DATA_KEYS, bound to their rows."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from lendingadmin.core.audit import record_command
from lendingadmin.core.staff.reencryption import TableCount, reencrypt_all

# Most primary keys that are printed for each table, of rows that cannot be decrypted.
_NAMED = 20
NONE_NEEDS_IT = "No text must be encrypted again."


class Command(BaseCommand):
    """Encrypt texts again; print each table's number of texts and the rows that can't be opened."""

    help = "Encrypt texts of older keys again, with the newest of DATA_KEYS."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="only print how many texts must still be encrypted again",
        )

    def handle(self, **options: Any) -> None:
        """Encrypt the texts again, or check them.

        Raise CommandError (exit 1) if a row cannot be opened, or, in a check, if a text must
        still be encrypted again.
        """
        is_dry, counts = options["check"], []
        for count in reencrypt_all(is_dry=is_dry):
            self._write(count, is_dry)
            counts.append(count)
        outdated = sum(count.outdated for count in counts)
        closed = sum(len(count.closed) for count in counts)
        if not is_dry:
            detail = f"{outdated} texts encrypted again, {closed} rows cannot be opened"
            record_command("reencrypt", detail=detail)
        if closed:
            raise CommandError(f"{closed:,} rows cannot be opened with any key of DATA_KEYS.")
        if is_dry and outdated:
            raise CommandError(f"{outdated:,} texts must still be encrypted again.")
        self.stdout.write(NONE_NEEDS_IT if is_dry or not outdated else "Done.")

    def _write(self, count: TableCount, is_dry: bool) -> None:
        words = "need it" if is_dry else "encrypted again"
        self.stdout.write(f"{count.table}: {count.texts:,} texts, {count.outdated:,} {words}")
        for pk in count.closed[:_NAMED]:
            self.stdout.write(f"  cannot be opened: {count.table} {pk}")
        if more := len(count.closed[_NAMED:]):
            self.stdout.write(f"  and {more:,} more")

"""`manage.py sandbox`: prepare the sandbox's database and serve it until Ctrl-C."""

import socket
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from lendingadmin.sandbox import clock, wire
from lendingadmin.sandbox.access import Client, build_clients, read_client
from lendingadmin.sandbox.rules.ids import read_id
from lendingadmin.sandbox.rules.invalid import Invalid
from lendingadmin.sandbox.seed import bulk, filler
from lendingadmin.sandbox.seed.countries import APPS
from lendingadmin.sandbox.server import Server
from lendingadmin.sandbox.store import borrowers
from lendingadmin.sandbox.store.encryption import read_key

_DAY = 86400  # seconds
# The options that end with “-seconds”.
_SECONDS = (
    ("token", "for which an access token works"),
    ("processing", "that assessments, events and offers take"),
    ("offer", "for which an offer request can be read"),
)
_WITH_HISTORY, _DAYS = "kenya", 13  # with the update of today, there are fourteen


class Command(BaseCommand):
    """Start the sandbox; print a line when it is ready."""

    help = "Run the Lending Service sandbox."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options. Port 0 means any free port."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8001)
        parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
        parser.add_argument(
            "--database", type=Path, default=settings.SANDBOX_DATABASE, help="its SQLite file"
        )
        parser.add_argument(
            "--client",
            action="append",
            default=[],
            type=_read_client,
            metavar="ID:SECRET[:PERMISSION PERMISSION…]",
            help="one more service account; without permissions it has all",
        )
        for name, work in _SECONDS:
            parser.add_argument(
                f"--{name}-seconds", type=_read_seconds, metavar="N", help=f"seconds {work}",
                default=getattr(settings, f"SANDBOX_{name.upper()}_SECONDS"),
            )  # fmt: skip
        parser.add_argument("--fill", action="store_true", help="first fill kenya and ghana")
        parser.add_argument(
            "--history",
            type=Path,
            metavar="FILE",
            help="with --fill: write there the loans of kenya as they were on past days",
        )
        parser.add_argument(
            "--seed-loans", type=int, default=0, metavar="N", help="first fill an app up to N loans"
        )
        parser.add_argument(
            "--seed-app", default="large", metavar="APP", help="which app (default large)"
        )

    def handle(self, *args: Any, host: str, port: int, workers: int, **options: Any) -> None:
        """Run the sandbox.

        Raise CommandError, with one line, if the address can't be used, or if the data in the
        database was encrypted with another key.
        """
        _configure(options)
        listener = _listen(host, port)
        address = f"http://{host}:{listener.getsockname()[1]}"
        ready = f"Sandbox ready on {address} (project {settings.SANDBOX_PROJECT})"
        call_command("migrate", verbosity=0)
        if not borrowers.can_be_read():
            raise CommandError(
                f"The data in {settings.SANDBOX_DATABASE} was encrypted with another key than the "
                "one in the file next to it: put that key there, or remove the database."
            )
        if options["fill"]:
            self._fill(options["history"])
        if options["seed_loans"] > 0:
            self._seed(options["seed_app"], options["seed_loans"])
        connection.close()  # processes must not share a connection
        Server(listener.detach(), workers, lambda: self._say(ready)).run()

    def _fill(self, history: Path | None) -> None:
        """Fill the empty apps among those that have sample data.

        If the app `kenya` was filled, write its loans on past days to the file `history`.
        """
        began, now = time.monotonic(), clock.now()
        for app_id in APPS:
            if added := filler.fill(app_id, now):
                self._say(f"{app_id}: {', '.join(f'{n} {name}' for name, n in added.items())}")
                if history and app_id == _WITH_HISTORY:
                    moments = [now - timedelta(days=days) for days in range(_DAYS, 0, -1)]
                    with history.open("wb") as file:
                        for past in filler.list_past(app_id, moments):
                            file.write(wire.write(past) + b"\n")
        self._say(f"The sandbox is filled ({time.monotonic() - began:.0f} s).")

    def _seed(self, app_id: str, count: int) -> None:
        """Fill an app and print the progress. Ctrl-C may stop this at any time."""
        began = time.monotonic()
        try:
            known = read_id(app_id, "--seed-app")
        except Invalid as error:
            raise CommandError(str(error)) from None
        progress = bulk.seed(known, count, clock.now())
        first = there = next(progress)
        tenths = first * 10 // count
        for there in progress:
            if tenths < there * 10 // count < 10:
                tenths = there * 10 // count
                self._say(f"{app_id}: {there} loans ({time.monotonic() - began:.0f} s)")
        self._say(f"{app_id}: {there - first} loans added ({time.monotonic() - began:.0f} s)")

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()  # the process that started this one may wait for the line


def _configure(options: Mapping[str, Any]) -> None:
    """Copy the options to the settings, before the settings are read.

    The processes that serve requests are forks of this process, so they have the same settings.
    """
    settings.SANDBOX_DATABASE = options["database"]
    connection.settings_dict["NAME"] = str(options["database"])
    settings.SANDBOX_CLIENTS = build_clients(options["client"])
    for name, _ in _SECONDS:
        setattr(settings, f"SANDBOX_{name.upper()}_SECONDS", options[f"{name}_seconds"])
    try:
        settings.SANDBOX_DATA_KEY = read_key(options["database"])
    except ValueError as error:
        raise CommandError(str(error)) from None


def _read_client(text: str) -> Client:
    try:
        return read_client(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _read_seconds(text: str) -> float:
    """Read a duration in seconds, at most a day."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= _DAY:
        raise ArgumentTypeError(f"give 0 to {_DAY} seconds")
    return seconds


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(256)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise CommandError(f"The sandbox can't listen on {host}:{port}: {reason}.") from None
    return listener

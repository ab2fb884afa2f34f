"""Run sandbox, dashboard and worker together, with data and people, until Ctrl-C."""

import logging
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from lendingadmin.core.staff.roles import ROLE_WORDS
from lendingadmin.demo import serving, story
from lendingadmin.demo.databases import InUse, held
from lendingadmin.demo.environment import DEFAULTS, VAR_DIR
from lendingadmin.demo.ports import PortError, port_number, require_free
from lendingadmin.demo.preparing import NotLoopback, OtherVersion, prepare_dashboard
from lendingadmin.demo.processes import Died, Processes
from lendingadmin.web.checks import is_loopback


class Command(BaseCommand):
    """`manage.py demo`, which `make run` runs."""

    help = "Starts the sandbox, fills it, starts dashboard and worker and prints how to sign in."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fresh", action="store_true", help="start over with empty databases")

    def handle(self, *args: Any, **options: Any) -> None:
        _require_own_password()
        try:
            port, sandbox_port = _ports()
            with held(VAR_DIR, fresh=options["fresh"]), Processes() as processes:
                self._run(processes, port, sandbox_port)
        except (PortError, InUse, NotLoopback, OtherVersion, Died) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            self.stdout.write("\nStopped.")

    def _run(self, processes: Processes, port: int, sandbox_port: int) -> None:
        environ = dict(os.environ)
        self.stdout.write("Preparing the sandbox…")
        history = Path(environ["SANDBOX_DATABASE"]).with_suffix(".history")
        filling = ("--fill", "--history", str(history))
        processes.start("sandbox", serving.manage("sandbox", *filling), environ)
        prepare_dashboard()
        processes.wait_until_ready("sandbox", sandbox_port, seconds=180)
        self.stdout.write("Starting the dashboard…")
        processes.start("dashboard", serving.dashboard(environ["DEMO_HOST"], port), environ)
        # The story makes a hundred calls to the service, and each call would be a line of the log.
        logging.getLogger("lendingadmin").setLevel(logging.WARNING)
        story.tell(history)
        connections.close_all()
        processes.start("worker", serving.manage("db_worker"), environ)
        processes.wait_until_ready("dashboard", port, "/healthz")
        self._tell(port, sandbox_port)
        processes.watch()

    def _tell(self, port: int, sandbox_port: int) -> None:
        password = os.environ["DEMO_PASSWORD"]
        wide = max(len(password), len("password")) + 3
        lines = [
            "",
            f"  The dashboard runs on  http://localhost:{port}",
            f"  The sandbox runs on    http://127.0.0.1:{sandbox_port}",
            "",
            f"  {'user name':<12}{'password':<{wide}}what the person does",
            *(f"  {name:<12}{password:<{wide}}{work}" for name, work in ROLE_WORDS.items()),
            "",
            "  Ctrl-C stops everything. The data stays; make run FRESH=1 starts over.",
            "",
        ]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def _require_own_password() -> None:
    """Raise CommandError if other machines can reach the demo with its default password.

    Everybody can know that password.
    """
    host, password = os.environ["DEMO_HOST"], os.environ["DEMO_PASSWORD"]
    if not is_loopback(host) and password == DEFAULTS["DEMO_PASSWORD"]:
        raise CommandError(
            f"DEMO_HOST is {host}, where others reach it, and “{password}” is a password that "
            "everybody knows: set DEMO_PASSWORD too."
        )


def _ports() -> tuple[int, int]:
    port = port_number("PORT", os.environ["PORT"])
    sandbox_port = port_number("SANDBOX_PORT", os.environ["SANDBOX_PORT"])
    if port == sandbox_port:
        raise PortError(f"PORT and SANDBOX_PORT are both {port}: give each its own.")
    require_free("PORT", os.environ["DEMO_HOST"], port)
    require_free("SANDBOX_PORT", os.environ["SANDBOX_HOST"], sandbox_port)
    return port, sandbox_port

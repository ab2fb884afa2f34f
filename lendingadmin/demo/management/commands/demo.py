"""Run sandbox, dashboard and worker together, with data and people, until Ctrl-C."""

import logging
import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from lendingadmin.core.staff.roles import ROLE_WORDS
from lendingadmin.demo import serving, story
from lendingadmin.demo.databases import InUse, held
from lendingadmin.demo.environment import VAR_DIR, find_sandbox_database
from lendingadmin.demo.ports import PortError, port_number, require_free
from lendingadmin.demo.preparing import NotLoopback, OtherVersion, prepare_dashboard
from lendingadmin.demo.processes import Died, Processes


class Command(BaseCommand):
    """`manage.py demo`; `make run` runs this command."""

    help = "Start the sandbox with data, the dashboard and the worker, and print how to sign in."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fresh", action="store_true", help="start over with empty databases")

    def handle(self, *args: Any, **options: Any) -> None:
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
        database = find_sandbox_database(environ)
        history = database.with_suffix(".history")
        filling = ("--fill", "--history", str(history))
        processes.start("sandbox", serving.sandbox(sandbox_port, database, *filling), environ)
        prepare_dashboard()
        processes.wait_until_ready("sandbox", sandbox_port, seconds=180)
        self.stdout.write("Starting the dashboard…")
        processes.start("dashboard", serving.dashboard(environ["BIND"], port), environ)
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
            f"  {'user name':<12}{'password':<{wide}}the person's work",
            *(f"  {name:<12}{password:<{wide}}{work}" for name, work in ROLE_WORDS.items()),
            "",
            "  Ctrl-C stops everything. The data stays; make run FRESH=1 starts over.",
            "",
        ]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def _ports() -> tuple[int, int]:
    """Return the ports of the dashboard and of its sandbox. The sandbox has the next port."""
    port = port_number("PORT", os.environ["PORT"])
    require_free(os.environ["BIND"], port)
    require_free("127.0.0.1", port + 1)
    return port, port + 1

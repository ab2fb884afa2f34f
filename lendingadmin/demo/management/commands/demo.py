"""Run sandbox and dashboard together, with data and people, until Ctrl-C."""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from lendingadmin.demo.environment import VAR_DIR
from lendingadmin.demo.people import PEOPLE, NotLoopback, make_people
from lendingadmin.demo.ports import PortError, port_number, require_free
from lendingadmin.demo.processes import Died, Processes
from lendingadmin.demo.static_files import collect_static

MANAGE = str(Path(settings.BASE_DIR) / "manage.py")


class Command(BaseCommand):
    """`manage.py demo`: what `make run` runs."""

    help = "Starts the sandbox, fills it, starts the dashboard and prints how to sign in."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fresh", action="store_true", help="start over with empty databases")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            port, sandbox_port = _ports()
            with Processes() as processes:
                if options["fresh"]:
                    self._remove_databases()
                self._run(processes, port, sandbox_port)
        except (PortError, NotLoopback, Died) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            self.stdout.write("\nStopped.")

    def _run(self, processes: Processes, port: int, sandbox_port: int) -> None:
        environ = dict(os.environ)
        self.stdout.write("Preparing the sandbox…")
        processes.start("sandbox", [sys.executable, MANAGE, "sandbox"], environ)
        self._prepare_dashboard()
        processes.wait_until_ready("sandbox", sandbox_port)
        processes.start("filling of the sandbox", [sys.executable, MANAGE, "sandbox_fill"], environ)
        processes.finish("filling of the sandbox")
        self.stdout.write("Starting the dashboard…")
        processes.start("dashboard", dashboard(environ["DEMO_HOST"], port), environ)
        processes.wait_until_ready("dashboard", port, "/healthz")
        self._tell(port, sandbox_port)
        processes.watch()

    def _prepare_dashboard(self) -> None:
        VAR_DIR.mkdir(exist_ok=True)
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
        collect_static()
        make_people(os.environ["DEMO_PASSWORD"], settings.LENDING_BASE_URL)

    def _remove_databases(self) -> None:
        for name in ("demo.sqlite3", "sandbox.sqlite3"):
            for end in ("", "-wal", "-shm", "-journal"):
                (VAR_DIR / f"{name}{end}").unlink(missing_ok=True)

    def _tell(self, port: int, sandbox_port: int) -> None:
        password = os.environ["DEMO_PASSWORD"]
        wide = max(len(password), len("password")) + 3
        lines = [
            "",
            f"  The dashboard runs on  http://localhost:{port}",
            f"  The sandbox runs on    http://127.0.0.1:{sandbox_port}",
            "",
            f"  {'user name':<12}{'password':<{wide}}what the person does",
            *(f"  {name:<12}{password:<{wide}}{work}" for name, work in PEOPLE.items()),
            "",
            "  Ctrl-C stops both. The data stays; make run FRESH=1 starts over.",
            "",
        ]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def dashboard(host: str, port: int) -> list[str]:
    """The command that serves the dashboard."""
    return [
        *(sys.executable, "-m", "gunicorn", "lendingadmin.wsgi"),
        *("--bind", f"{host}:{port}", "--chdir", str(settings.BASE_DIR)),
        *("--worker-class", "gthread", "--workers", "2", "--threads", "8"),
        *("--graceful-timeout", "5", "--log-level", "warning"),
    ]


def _ports() -> tuple[int, int]:
    port = port_number("PORT", os.environ["PORT"])
    sandbox_port = port_number("SANDBOX_PORT", os.environ["SANDBOX_PORT"])
    if port == sandbox_port:
        raise PortError(f"PORT and SANDBOX_PORT are both {port}: give each its own.")
    require_free("PORT", os.environ["DEMO_HOST"], port)
    require_free("SANDBOX_PORT", os.environ["SANDBOX_HOST"], sandbox_port)
    return port, sandbox_port

"""Command lines of the demo's processes."""

import sys
from pathlib import Path

from lendingadmin.demo.environment import BASE_DIR


def manage(command: str, *arguments: str) -> list[str]:
    """Return the command line of a manage.py command, such as the sandbox or the worker."""
    return [sys.executable, str(BASE_DIR / "manage.py"), command, *arguments]


def sandbox(port: int, database: Path, *arguments: str) -> list[str]:
    """Return the command line of the sandbox."""
    return manage("sandbox", "--port", str(port), "--database", str(database), *arguments)


def dashboard(host: str, port: int) -> list[str]:
    """Return the command line that serves the dashboard."""
    return [
        *(sys.executable, "-m", "gunicorn", "lendingadmin.wsgi"),
        *("--bind", f"{host}:{port}", "--chdir", str(BASE_DIR)),
        *("--worker-class", "lendingadmin.web_server.Worker", "--workers", "2", "--threads", "16"),
        *("--graceful-timeout", "5", "--log-level", "warning", "--no-control-socket"),
    ]

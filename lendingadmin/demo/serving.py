"""The demo's processes as commands."""

import sys

from lendingadmin.demo.environment import BASE_DIR

_MANAGE = (sys.executable, str(BASE_DIR / "manage.py"))


def sandbox() -> list[str]:
    """The command that serves the sandbox, on SANDBOX_PORT."""
    return [*_MANAGE, "sandbox"]


def sandbox_fill() -> list[str]:
    """The command that fills a running sandbox; it ends when that is done."""
    return [*_MANAGE, "sandbox_fill"]


def worker() -> list[str]:
    """The command that follows repayments of unknown outcome."""
    return [*_MANAGE, "db_worker"]


def dashboard(host: str, port: int) -> list[str]:
    """The command that serves the dashboard."""
    return [
        *(sys.executable, "-m", "gunicorn", "lendingadmin.wsgi"),
        *("--bind", f"{host}:{port}", "--chdir", str(BASE_DIR)),
        *("--worker-class", "lendingadmin.web_server.Worker", "--workers", "2", "--threads", "16"),
        *("--graceful-timeout", "5", "--log-level", "warning", "--no-control-socket"),
    ]

"""PgBouncer as deploy/pgbouncer.ini has it, before the server of a test.

`python -m tests.pgbouncer tests/audit tests/writes` runs these tests through it, on the server that
DATABASE_URL names; without any it runs what .ci/run runs on PostgreSQL.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.processes import ROOT
from tests.web_process import find_free_port, wait_for

PGBOUNCER = shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin:/usr/bin:/bin")
needs_pgbouncer = pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed")
_OPTION = "?DISABLE_SERVER_SIDE_CURSORS=true"


@contextmanager
def run_pgbouncer(server: str, *, any_database: bool = False) -> Iterator[str]:
    """Its address in place of that of `server`, a database of PostgreSQL.

    The database is there as `lendingadmin` and `lendingadmin_web`; with `any_database` all of the
    server are there under their own names.
    """
    parts, port = urlsplit(server), find_free_port()
    site = (ROOT / "deploy" / "pgbouncer.ini").read_text()
    host = f"host={parts.hostname} port={parts.port or 5432}"
    places = {
        "listen_port = 6432": f"listen_port = {port}",
        "auth_type = scram-sha-256": "auth_type = trust",
        "host=127.0.0.1 port=5432": host,
        "dbname=lendingadmin ": f"dbname={parts.path[1:]} ",
    }
    with tempfile.TemporaryDirectory(prefix="pgbouncer-") as name:
        folder, user = Path(name), "nobody" if os.geteuid() == 0 else None
        folder.chmod(0o755)
        people = folder / "userlist.txt"
        people.write_text(f'"{parts.username}" "{parts.password or ""}"\n')
        places["/etc/pgbouncer/userlist.txt"] = str(people)
        for written, here in places.items():
            assert written in site, written
            site = site.replace(written, here)
        if any_database:
            site = re.sub(r"^lendingadmin_web = .*$", f"* = {host}", site, flags=re.MULTILINE)
        config = folder / "pgbouncer.ini"
        config.write_text(f"{site}unix_socket_dir =\n")
        for one in (people, config):
            one.chmod(0o644)
        with (folder / "log").open("wb") as log:
            # It refuses to run as root.
            process = subprocess.Popen(
                [str(PGBOUNCER), str(config)], stdout=log, stderr=log, user=user
            )
        try:
            wait_for(port)
            login = parts.netloc.rpartition("@")[0]
            yield parts._replace(netloc=f"{login}@127.0.0.1:{port}").geturl()
        finally:
            process.terminate()
            process.wait(timeout=20)


def name_database(address: str, name: str) -> str:
    """The DATABASE_URL of one of its databases."""
    return urlsplit(address)._replace(path=f"/{name}").geturl() + _OPTION


def read_database_part() -> list[str]:
    """The folders and files that .ci/run runs on PostgreSQL."""
    text = (ROOT / ".ci" / "run").read_text()
    found = re.search(r'DATABASE_URL=\$postgres make test ARGS="([^"]+)"', text)
    assert found
    return found[1].replace("\\", " ").split()


def main(arguments: list[str]) -> int:
    """Run the tests; what pytest returns."""
    if PGBOUNCER is None or not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        sys.stderr.write("This needs PgBouncer, and a PostgreSQL server in DATABASE_URL.\n")
        return 1
    server = os.environ["DATABASE_URL"]
    with run_pgbouncer(server, any_database=True) as address:
        command = [sys.executable, "-m", "pytest", "-q", "-rs", "-n", "auto"]
        command += ["--dist", "loadfile", "--no-loadscope-reorder", "-m", "not exhaustive"]
        return subprocess.run(
            command + (arguments or read_database_part()),
            cwd=ROOT,
            env=os.environ | {"DATABASE_URL": address + _OPTION},
            check=False,
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

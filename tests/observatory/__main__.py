"""The grade that MDN's HTTP Observatory gives the dashboard: `make observatory`.

It is fetched by Node's own client when this runs, so nothing of it is kept here but its version.
What it looks at runs as in production: the Procfile's release and web process with the settings of
.env.example and keys of its own, behind deploy/nginx.conf. Its sign-in page is graded, as that is
what a stranger gets.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.example import EXAMPLE, OWN_KEYS
from tests.node import explain_missing
from tests.processes import ROOT
from tests.proxies import HOST, NGINX, OPENSSL, run_nginx
from tests.web_process import build_environ, find_free_port, read_command, run_web_process

VERSION = "1.4.8"
_PACKAGE = "@mdn/mdn-http-observatory"
_LEAST_NODE = 20
AIM = "A+"


def main() -> int:
    """Grade and print; 1 where the aim was missed, 2 where it can't be graded."""
    if missing := _explain_missing():
        _say(missing)
        return 2
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        environ = EXAMPLE | OWN_KEYS
        environ |= {
            "DATABASE_URL": f"sqlite:///{folder / 'dashboard.sqlite3'}",
            "AUDIT_ANCHOR": "none",
        }
        release = ["sh", "-c", read_command("release")]
        subprocess.run(
            release, cwd=ROOT, env=build_environ(environ), check=True, stdout=subprocess.DEVNULL
        )
        scanner, ports = _fetch(folder / "observatory"), {80: find_free_port()}
        with (
            run_web_process(application="lendingadmin.wsgi", environ=environ) as web,
            run_nginx(folder, web, plain=ports[80]) as ports[443],
        ):
            return _report(_scan(scanner, folder / "pem", ports))


def _explain_missing() -> str:
    if not (NGINX and OPENSSL):
        return "The Observatory was not run: it needs nginx and openssl."
    return explain_missing("The Observatory", _LEAST_NODE)


def _fetch(folder: Path) -> Path:
    """Have Node's client put the Observatory below `folder`; what it runs there is scan.js."""
    # What it would do by itself downloads the list below, and builds a driver of PostgreSQL.
    options = ["--loglevel=error", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(
        ["npm", "install", *options, "--prefix", str(folder), f"{_PACKAGE}@{VERSION}"], check=True
    )
    package = folder / "node_modules" / _PACKAGE
    # Which hosts browsers know to be for HTTPS only. Ours is none of them.
    (package / "conf" / "hsts-preload.json").write_text("{}")
    return package / "src" / "scan.js"


def _scan(scanner: Path, certificate: Path, ports: Mapping[int, int]) -> Any:
    """What the Observatory finds; it takes nginx's certificate for one that a browser trusts."""
    hook = Path(__file__).with_name("ports.cjs")
    command = ["node", "--use-openssl-ca", f"--require={hook}", str(scanner), HOST]
    environ = os.environ | {"PORTS_HERE": json.dumps(ports), "SSL_CERT_FILE": str(certificate)}
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, check=False)
    found = json.loads(done.stdout or "{}")
    if "scan" not in found:
        raise SystemExit(f"The Observatory ended with {done.returncode}: {found.get('error', '')}")
    return found


def _report(found: Any) -> int:
    for name, test in found["tests"].items():
        _say(f"{name:<32}{test['scoreModifier']:>4}  {test['result']}")
    scan = found["scan"]
    _say(f"HTTP Observatory {VERSION}: {scan['grade']} ({scan['score']})")
    return 0 if scan["grade"] == AIM else 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())

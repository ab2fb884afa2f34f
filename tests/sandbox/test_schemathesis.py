"""Everything that the OpenAPI document admits, and much that it does not, sent by schemathesis.

No answer is a 5xx, off its schema, or of a status or content type that is not described; what the
document does not admit is refused, and nothing is answered without a token. Which requests are
sent, and the one check that is left out, stand in schemathesis.toml.
"""

import re
import subprocess
import sys
from pathlib import Path

import requests

from lendingadmin.sandbox.api.examples import EXAMPLES
from tests.sandbox.calling import Caller
from tests.sandbox_process import SandboxProcess

CONFIG = Path(__file__).with_name("schemathesis.toml")


def test_schemathesis_finds_nothing(sandbox: SandboxProcess, tmp_path: Path) -> None:
    caller = Caller(sandbox, "described")
    caller.post("/borrowers", EXAMPLES["borrowers.create"])
    caller.post("/loans", EXAMPLES["loans.create"])
    found = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run"),
            f"{sandbox.base_url}/openapi.json",
            f"--header=Authorization: {caller.session.headers['Authorization']!s}",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    paths = requests.get(f"{sandbox.base_url}/openapi.json", timeout=10).json()["paths"]
    count = sum(len(methods) for methods in paths.values())
    assert re.search(rf"Tested: {count}\b", found.stdout), found.stdout
    print(found.stdout[found.stdout.index("SUMMARY") :])  # noqa: T201 - shown by pytest -s

"""`make prove-hosts`: two hosts under load, restarted in turn and killed, and one result.

DATABASE_URL chooses PostgreSQL; on SQLite there is one host. Prints tables, and ends with 1 when
anything is broken. For a shorter run: PROOF_PEOPLE, PROOF_SECONDS.
"""

# Django must be set up before its models can be imported.
# ruff: noqa: E402

import os
import sys
import tempfile
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.proof.hosts import Plan, judge, run, tell
from tests.proxies import NGINX, OPENSSL


def main() -> int:
    if not (NGINX and OPENSSL):
        say("It was not run: it needs nginx and openssl.")
        return 1
    plan = Plan(
        people=int(os.environ.get("PROOF_PEOPLE", "50")),
        seconds=float(os.environ.get("PROOF_SECONDS", "300")),
    )
    with tempfile.TemporaryDirectory(prefix="prove-hosts-") as name:
        found = run(Path(name), plan)
    say(*tell(found))
    faults = judge(found)
    for words, examples in faults.items():
        say(f"! {words}", *(f"    {one}" for one in examples[:5]))
    say(f"{'BROKEN' if faults else 'PROVED'} in {found.seconds:.0f} s")
    return 1 if faults else 0


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())

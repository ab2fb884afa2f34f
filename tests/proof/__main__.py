"""`make prove-money`: the load, the crash loop and the state machine at full length, one result.

DATABASE_URL chooses PostgreSQL. Prints as it goes, and ends with 1 when anything is broken. For a
shorter run: PROOF_REPAYMENTS, PROOF_EVERY (every so many-th point), PROOF_EXAMPLES, PROOF_STEPS.
"""

# Django must be set up before its models can be imported.
# ruff: noqa: E402

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from lendingadmin.money.repayments.states import RepaymentState
from tests.proof.invariants import nothing_is_lost
from tests.proof.load import Plan, run
from tests.proof.results import noted

ROOT = Path(__file__).resolve().parents[2]
_WORDS = ("recorded", "refused", "not_sent", "unknown", "presumed", "not_found", "sent", "pending")


def main() -> int:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="prove-money-") as name:
        folder = Path(name)
        with (folder / "tests.log").open("w") as log:
            plan = Plan(repayments=int(os.environ.get("PROOF_REPAYMENTS", "2000")))
            say(f"load: {plan.people} people, {plan.repayments} repayments, two workers killed …")
            result = run(folder, plan)
            tell_load(result)
            say("the crash loop and the state machine run, two at a time …")
            tests = subprocess.run(
                [
                    *(sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"),
                    *("tests/proof/long_crash.py", "tests/proof/test_machine.py"),
                ],
                cwd=ROOT, stdout=log, stderr=log, check=False,
                env=os.environ | {
                    "PROOF_RESULTS": name,
                    "PROOF_EXAMPLES": os.environ.get("PROOF_EXAMPLES", "50"),
                    "PROOF_STEPS": os.environ.get("PROOF_STEPS", "25"),
                },
            )  # fmt: skip
        tell_tests(noted(folder, "crash"), noted(folder, "machine"))
        if tests.returncode:
            say((folder / "tests.log").read_text()[-6000:])
    proved = not result["broken"] and not tests.returncode
    say(f"{'PROVED' if proved else 'BROKEN'} in {time.monotonic() - started:.0f} s")
    return 0 if proved else 1


def tell_load(result: dict[str, Any]) -> None:
    states, found = result["states"], result["broken"]
    say(
        f"\nload on {result['database']}: {result['repayments']} repayments in "
        f"{result['seconds']} s, {result['calls']} calls, {result['faulted']} of them faulted "
        f"({result['lies']} acknowledged without committing), {result['others']} payments of the "
        f"second system"
    )
    for word in (*_WORDS, *sorted(set(states) - set(_WORDS))):
        if word in states or word in _WORDS[:6]:
            say(f"  {RepaymentState(word).label:<24}{states.get(word, 0):>6}")
    lost = found.get((nothing_is_lost.__doc__ or "").strip(), [])
    figures = {"recorded twice": result["twice"], "lost": len(lost)}
    figures |= {"re-sent, warned": result["warned"]}
    figures |= {"untrue claims": sum(map(len, found.values()))}
    for word, figure in figures.items():
        say(f"  {word:<24}{figure:>6}")
    for name, faults in found.items():
        say(f"  ! {name}", *faults[:5])


def tell_tests(crashes: list[dict[str, Any]], machines: list[dict[str, Any]]) -> None:
    states: Counter[str] = Counter()
    for crash in crashes:
        states.update(crash["states"])
    points = max((crash["last"] for crash in crashes), default=0)
    ended = sum(crash["ended"] for crash in crashes)
    say(
        f"\ncrashes: {ended} processes ended, {points} points between form and receipt, "
        f"{len(crashes)} faults; after it "
        + ", ".join(f"{n} {s}" for s, n in sorted(states.items()))
    )
    for machine in machines:
        say(f"state machine: {machine['examples']} examples, {machine['steps']} steps")


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())

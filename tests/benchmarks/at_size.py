"""How the sandbox behaves at size: `python -m tests.benchmarks.at_size [--loans 100000]`.

Fills a database of its own and prints how long that took, how level the loans list stays from the
first page to the last, and how long a filtered page takes. Nothing here is asserted: figures are of
the machine that they were taken on, and ratios are what can be compared.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.sandbox.calling import Caller
from tests.sandbox_process import SandboxProcess, running_sandbox

APP = "large"
PAGE = 1000
FILTERED_PAGE = 50
FILTERS = (
    "accountId", "accountNo", "loanType", "borrowerId", "status", "appVersionId", "assessmentId",
    "performanceStatus",
)  # fmt: skip
#: Values that few loans or none have: a page of them may need to look at every loan.
RARE = ("status:1", "status:3", "performanceStatus:4", "performanceStatus:9", "loanType:none",
        "appVersionId:v2", "accountId:none", "assessmentId:none")  # fmt: skip


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--loans", type=int, default=100_000)
    loans = parser.parse_args().loans
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        with running_sandbox(Path(folder), "--seed-loans", str(loans)) as sandbox:
            took = time.monotonic() - began
            say(f"filled: {loans} loans in {took:.0f} s ({loans / took:.0f} loans a second)")
            say(f"  largest process: {peak():.0f} MB; file: {size(sandbox):.0f} MB")
            caller = Caller(sandbox, APP)
            measure_pages(caller)
            measure_filters(caller)


def measure_pages(caller: Caller) -> None:
    """From the first page of a thousand to the last: each timed, ends timed five times."""
    tokens: list[str | None] = [None]
    times = []
    while True:
        milliseconds, body = timed(lambda: read_page(caller, tokens[-1]))
        times.append(milliseconds)
        if body["nextPageToken"] is None:
            break
        tokens.append(body["nextPageToken"])
    first, last = (
        statistics.median(timed(lambda token=token: read_page(caller, token))[0] for _ in range(5))
        for token in (tokens[0], tokens[-1])
    )
    say(f"loans list, {len(tokens)} pages of {PAGE}:")
    say(f"  first {first:.0f} ms, last {last:.0f} ms: ratio {last / first:.2f}")
    median = statistics.median(times)
    say(f"  median {median:.0f} ms, slowest {max(times):.0f} ms: ratio {max(times) / median:.2f}")


def measure_filters(caller: Caller) -> None:
    """One page for each filter field, with a value of a loan in the middle, then rare values."""
    sample = caller.get("/loans", pageSize="1", filter="performanceStatus:3").body["loans"][0]
    texts = [f"{name}:{sample[name] or 'none'}" for name in FILTERS]
    say(f"filtered pages of {FILTERED_PAGE}, median of five:")
    for text in dict.fromkeys((*texts, *RARE)):
        for order in ("asc", "desc"):
            found = [
                timed(lambda: filtered(caller, text, order))  # noqa: B023 - called at once
                for _ in range(5)
            ]
            median = statistics.median(milliseconds for milliseconds, _ in found)
            count = len(found[0][1]["loans"])
            say(f"  {text:28} {order:4} {count:3} loans {median:6.1f} ms")


def read_page(caller: Caller, token: str | None) -> Any:
    """One page of the whole list."""
    params = {"pageSize": str(PAGE)} | ({"pageToken": token} if token else {})
    return caller.get("/loans", **params).body


def filtered(caller: Caller, text: str, order: str) -> Any:
    """The first page of a filter."""
    return caller.get("/loans", filter=text, order=order, pageSize=str(FILTERED_PAGE)).body


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds that a call took, and what it gave."""
    began = time.perf_counter()
    given = call()
    return (time.perf_counter() - began) * 1000, given


def peak() -> float:
    """The most memory that any ended child of this process held, in MB; the sandbox still runs."""
    return max(
        (int(line.split()[1]) / 1024)
        for status in Path("/proc").glob("[0-9]*/status")
        for line in lines(status)
        if line.startswith("VmHWM")
    )


def lines(status: Path) -> list[str]:
    """The lines of a process's status, of the sandbox's processes only."""
    try:
        text = status.read_text()
        command = status.with_name("cmdline").read_bytes()
    except OSError:
        return []
    return text.splitlines() if b"--seed-loans" in command else []


def size(sandbox: SandboxProcess) -> float:
    """The database's file, in MB."""
    return sandbox.database.stat().st_size / 1e6


def say(sentence: str) -> None:
    """Print at once."""
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Takes one snapshot in a process of its own and prints its peak memory (MB) and the seconds.

`python -m tests.benchmarks.snapshot`, with the environment of a dashboard.
"""

import importlib
import logging
import resource
import sys
import time

import django


def main() -> None:
    """Take a snapshot of `kenya`, as the worker does."""
    django.setup()
    logging.disable(logging.INFO)
    snapshot_job = importlib.import_module("lendingadmin.desk.portfolio.snapshot_job")
    began = time.perf_counter()
    row = snapshot_job.begin_snapshot("kenya", None)
    while snapshot_job.CountWalk.run_slice(row.pk) is not None:
        pass
    row.refresh_from_db()
    if row.state != "done":
        raise SystemExit(row.why)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"{peak:.1f} {time.perf_counter() - began:.1f} {row.loans_read}")


if __name__ == "__main__":
    main()

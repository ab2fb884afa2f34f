"""The files and tests that took the most time: `make test ARGS="--dearest 20"` prints them."""

import os
from collections import defaultdict
from collections.abc import Generator

import pytest


class Dearest:
    """Counts CPU seconds by file, and seconds by test.

    What a process did that still runs, as a sandbox does, is not in the CPU seconds of any file.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._counted = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note on each report what was used since the one before."""
        report = yield
        used = sum(os.times()[:4])  # of this process and of the children that it waited for
        report.user_properties.append(("cpu", used - (self._counted or used)))
        self._counted = used
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print both tables."""
        files: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
        tests: dict[str, float] = defaultdict(float)
        for reports in terminalreporter.stats.values():
            for report in reports:
                if isinstance(report, pytest.TestReport):
                    row = files[report.nodeid.partition("::")[0]]
                    row[0] += dict(report.user_properties).get("cpu", 0.0)
                    row[1] += report.duration
                    row[2] += report.when == "call"
                    tests[report.nodeid] += report.duration
        totals = (sum(column) for column in zip(*files.values(), strict=True))
        by_cpu = sorted(files.items(), key=lambda item: -item[1][0])[: self._most]
        terminalreporter.section(f"the {self._most} dearest files: CPU s, s, tests")
        for name, (cpu, wall, count) in [*by_cpu, (f"all {len(files)} files", totals)]:
            terminalreporter.line(f"{cpu:8.1f} {wall:8.1f} {count:6}  {name}")
        terminalreporter.section(f"the {self._most} longest tests: s")
        for name, wall in sorted(tests.items(), key=lambda item: -item[1])[: self._most]:
            terminalreporter.line(f"{wall:8.1f}  {name}")

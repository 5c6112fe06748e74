"""What a run of the tests costs: seconds of processor time a file and a test, child processes included.

Wall-clock durations (`--durations`) depend on what else the machine does; these hardly do. A phase of a test
(set-up, call, tear-down) is charged with all that was spent since the phase before it ended, so the sum over
all tests is the cost of the run. What a session fixture builds is charged to the test that asks for it first.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

MOST_S = 30.0
"""Seconds of processor time above which the summary names a test."""

_SHOWN = 20
"""Files in the summary."""

_ASKS, _RUNS_S = "recorded", 5.0
"""The mark of tests that ask the record (tests/recorded.py), and the seconds above which one has most likely
run, since the record was of other texts or tools.
"""


def spent() -> float:
    """Seconds of processor time of this process and of its finished children."""
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


class ProcessorTime:
    """The plugin; `tests/conftest.py` registers one a process."""

    def __init__(self) -> None:
        self.before = spent()
        self.tests: Counter[str] = Counter()
        self.asking: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        report = yield
        now = spent()
        report.processor_time, self.before = now - self.before, now
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Called where reports arrive: in the process that prints them."""
        self.tests[report.nodeid] += getattr(report, "processor_time", 0.0)
        if _ASKS in report.keywords:
            self.asking.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        files: Counter[str] = Counter()
        for test, seconds in self.tests.items():
            files[test.split("::")[0]] += seconds
        terminalreporter.section("processor time")
        for file, seconds in files.most_common(_SHOWN):
            terminalreporter.line(f"{seconds:7.1f} s  {file}")
        terminalreporter.line(f"{sum(files.values()):7.1f} s  in all")
        for test, seconds in self.tests.most_common():
            if seconds > MOST_S:
                terminalreporter.line(f"over {MOST_S:.0f} s: {seconds:.1f} s  {test}")
        if self.asking:
            ran = [t for t in self.asking if self.tests[t] > _RUNS_S]
            asked = f"{len(self.asking)} tests ask the record; {len(ran)} took over {_RUNS_S:.0f} s"
            terminalreporter.line(asked)
        if path := os.environ.get("TESTS_PROCESSOR_TIME"):
            with open(path, "a") as f:
                f.writelines(f"{s:.2f} {t}\n" for t, s in self.tests.items())

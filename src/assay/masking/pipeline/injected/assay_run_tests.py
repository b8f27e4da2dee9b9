"""Runs unit tests with pytest and writes how many cases of each test passed to test_results.json.

Usage: python assay_run_tests.py FILE...   The exit code is 0 if the tests ran, whether or not they passed.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

RESULTS = "test_results.json"
OPTIONS = ["-q", "--no-header", "--tb=line", "--assert=plain", "--continue-on-collection-errors"]
OPTIONS += ["-o", "addopts=", "-o", "filterwarnings=ignore", "-o", "xfail_strict=false"]
for plugin in ("cacheprovider", "randomly", "xdist", "cov", "hypothesispytest"):
    OPTIONS += ["-p", "no:" + plugin]


class Recorder:
    """Counts passed cases by test, and seconds by file."""

    def __init__(self) -> None:
        self.passed: Dict[str, int] = {}
        self.failed_cases: List[str] = []
        self.seconds: Dict[str, float] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count one phase of one case: it passes if its call passes and no other phase fails."""
        file, _, name = report.nodeid.partition("::")
        self.seconds[file] = self.seconds.get(file, 0.0) + report.duration
        # A key of the results is a path of names joined by dots, so the names have none.
        test = "%s::%s" % (file[: -len(".py")], name.partition("[")[0])
        test = test.replace(".", "-")
        if report.when == "call" and report.outcome == "passed":
            self.passed[test] = self.passed.get(test, 0) + 1
        elif report.outcome == "failed":
            self.failed_cases.append(report.nodeid)
            if report.when == "teardown" and self.passed.get(test):
                self.passed[test] -= 1


def make_deterministic() -> None:
    """Let hypothesis choose the same examples in every run."""
    try:
        from hypothesis import settings
    except ImportError:
        return
    settings.register_profile("assay", derandomize=True, deadline=None, max_examples=20, database=None)
    settings.load_profile("assay")


def main(files: List[str]) -> int:
    """Run the tests of these files."""
    import pytest

    make_deterministic()
    recorder = Recorder()
    start = time.perf_counter()
    code = int(pytest.main([*OPTIONS, *files], plugins=[recorder]))
    results = {"passed": recorder.passed, "seconds": recorder.seconds}
    Path(RESULTS).write_text(json.dumps(results, sort_keys=True))
    print("%.2f s, %d failed" % (time.perf_counter() - start, len(recorder.failed_cases)))
    # 3 is an internal error and 4 a wrong use of pytest; a failed test and a file without tests are results.
    return code if code in (3, 4) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

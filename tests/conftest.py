"""For all tests: how Hypothesis looks for examples, which tests run first, a folder for every user.

Hypothesis tries the same examples each time by default, new ones in `make test-long`.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

# Deadlines and the check for slow generation measure the machine's load, not the code.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("ASSAY_HYPOTHESIS", "fixed"))

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so do the programs they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


SLOWEST = (
    "tests/reporting/test_browser.py",
    "tests/certification/test_certify.py",
    "tests/masking/pipeline/test_unit_tests.py",
    "tests/evaluation/test_checkpoints.py",
    "tests/agents/test_cheats.py",
    "tests/reviewing/test_page_browser.py",
    "tests/benchmarks/mlrb/test_quantisation.py",
    "tests/evaluation/test_workers.py",
    "tests/evaluation/engines/test_workers_of_clusters.py",
    "tests/benchmarks/mlrb/test_provenance.py",
    "tests/evaluation/test_run.py",
    "tests/grading/reading/test_blind_grading.py",
    "tests/grading/test_execution_trace.py",
    "tests/agents/test_supervisor_challenge.py",
    "tests/certification/test_stopped_proof.py",
    "tests/agents/test_supervisor.py",
    "tests/agents/test_request_faults.py",
    "tests/agents/test_react.py",
    "tests/agents/test_bridge.py",
    "tests/cli/test_expbench.py",
    "tests/evaluation/test_preflight.py",
    "tests/masking/pipeline/test_make_tasks.py",
    "tests/curation/test_pipeline.py",
    "tests/cli/test_verbs.py",
)
"""The test files that take longest, longest first; `make test` prints the slowest tests, which shows when the
list is out of date. A worker runs whole files (`--dist loadfile`), so that no module fixture is made twice.
The long files start first, so that no worker is left with one at the end."""


SLOW = (
    "tests/agents/test_cheats.py",
    "tests/agents/test_honest.py",
    "tests/agents/test_request_faults.py",
    "tests/agents/test_supervisor_challenge.py",
    "tests/benchmarks/mlrb/test_budget.py",
    "tests/benchmarks/mlrb/test_full.py",
    "tests/benchmarks/mlrb/test_provenance.py",
    "tests/benchmarks/mlrb/test_quantisation.py",
    "tests/certification/test_certify.py",
    "tests/curation/test_pipeline.py",
    "tests/masking/pipeline/test_containers.py",
    "tests/masking/pipeline/test_hidden.py",
    "tests/masking/pipeline/test_make_tasks.py",
    "tests/masking/pipeline/test_unit_tests.py",
    "tests/models/test_download.py",
    "tests/reporting/test_browser.py",
    "tests/reviewing/test_page_browser.py",
    "tests/rules/test_exported_channels.py",
    "tests/varying/test_vary.py",
    "tests/workspace/building/test_build.py",
)
"""Files of slow tests that rarely fail: `.ci/run` and `make test-long` run them, `make test` does not."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of the slowest files first, and mark the slow ones that `make test` leaves out."""
    rank = {path: place for place, path in enumerate(SLOWEST)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(rank)))
    for item in items:
        if item.nodeid.partition("::")[0] in SLOW:
            item.add_marker("slow")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what was imported: it is never freed, and large."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make what a test printed safe to send: a half character in it would end the worker that sends it."""
    report = yield
    report.sections = [
        (title, text.encode("utf-8", "backslashreplace").decode()) for title, text in report.sections
    ]
    return report


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach; pytest's own lies below one that only its owner can enter."""
    with TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path

"""For all tests: how Hypothesis looks for examples, and which tests one worker runs.

Hypothesis tries the same examples each time by default, new ones in `make test-long`.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# Deadlines and the check for slow generation measure the machine's load, not the code.
settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("exploring", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("ASSAY_HYPOTHESIS", "fixed"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share a module's fixture on one worker: two workers would both make it."""
    for item in items:
        fixtures = item._fixtureinfo.name2fixturedefs.values() if isinstance(item, pytest.Function) else ()
        shared = any(definition[-1].scope == "module" for definition in fixtures)
        if shared and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Make what a test printed safe to send: a half character in it would end the worker that sends it."""
    report = yield
    report.sections = [
        (title, text.encode("utf-8", "backslashreplace").decode()) for title, text in report.sections
    ]
    return report

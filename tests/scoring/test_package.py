"""The package of scores: every name of it is there, and reading a log imports no statistics."""

from __future__ import annotations

import subprocess
import sys

import assay.scoring


def test_every_name_is_that_of_its_module() -> None:
    assert sorted(assay.scoring.__all__) == sorted(set(assay.scoring.__all__))
    for name in assay.scoring.__all__:
        assert getattr(assay.scoring, name) is not None
    assert not hasattr(assay.scoring, "no_such_name")


def test_reading_logs_imports_no_statistics() -> None:
    program = "import sys, assay.scoring.logs.log_file; print('assay.scoring.statistics' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

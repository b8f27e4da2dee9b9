"""Benchmarks of other packages: found, listed and run like ours; broken ones harm no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.benchmarks import benchmark_names, find_benchmark, is_benchmark, load_suite
from assay.errors import UsageError
from tests.benchmarks.outside_packages import EXAMPLE, install, install_example
from tests.cli.conftest import Command, assay

__all__ = ["assay"]

OURS = ["demo", "autoexperiment", "expbench", "frontier", "mlrb", "mlrb-mini"]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path, as a place where packages are installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def test_the_example_package_is_listed_run_and_shown(assay: Command, site: Path, tmp_path: Path) -> None:
    install_example(site)
    rows = {row["suite"]: row for row in json.loads(assay("suites", "--json").out)["suites"]}
    assert list(rows) == [*OURS, "dice"]
    assert (rows["dice"]["tasks"], rows["dice"]["licence"]) == (1, "CC0-1.0")
    assert "mean-of-rolls" in assay("suites", "dice").out
    assert "Fill in `mean`" in assay("show", "dice/mean-of-rolls").out

    run = assay("run", "dice", "--agent", "oracle", "--agent", "idle", "--logs", tmp_path / "logs", "--json")
    assert run.code == 0, run.err
    passed = {row["agent"]: row["suites"][0]["passed"] for row in json.loads(run.out)["agents"]}
    assert passed == {"oracle": 1, "idle": 0}

    refused = assay("fetch", "dice")
    assert refused.code == 2
    assert "'dice' needs no fetching" in refused.err


def test_the_example_package_has_under_a_hundred_lines() -> None:
    files = [path for path in EXAMPLE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(len(path.read_text().splitlines()) for path in files) < 100


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("raise ImportError('no torch here')", "cannot be imported: ImportError: no torch here"),
        ("made = object()", "is not a Benchmark: it lacks name, describe"),
        (
            "from assay.benchmarks import BaseBenchmark\nclass made(BaseBenchmark):\n    name = 'other'",
            "calls itself 'other'",
        ),
    ],
)
def test_a_broken_package_is_one_warning_and_the_others_work(
    assay: Command, site: Path, code: str, complaint: str
) -> None:
    module = f"broken_{abs(hash(code))}"
    (site / f"{module}.py").write_text(code)
    install("assay-broken", {"broken": f"{module}:made"}, site)
    listed = assay("suites")
    assert listed.code == 0
    (warning,) = listed.err.splitlines()
    assert warning.startswith("warning: benchmark 'broken' of package 'assay-broken'")
    assert complaint in warning
    assert "demo                 12 tasks" in listed.out
    refused = assay("run", "broken")
    assert refused.code == 2
    assert "'assay-broken'" in refused.err
    assert len(load_suite("demo").tasks) == 12


def test_a_benchmark_that_cannot_describe_itself_is_one_warning(assay: Command, site: Path) -> None:
    (site / "forgetful.py").write_text(
        "from assay.benchmarks import BaseBenchmark\n\n\nclass Forgetful(BaseBenchmark):\n"
        "    name = 'forgetful'\n    summary = ''\n"
    )
    install("assay-forgetful", {"forgetful": "forgetful:Forgetful"}, site)
    listed = assay("suites")
    assert listed.code == 0
    assert "warning: benchmark 'forgetful' cannot describe itself: AttributeError" in listed.err
    assert "forgetful" not in listed.out


def test_two_packages_with_one_name_are_refused_by_both_names(assay: Command, site: Path) -> None:
    install_example(site)
    install("assay-loaded-dice", {"dice": "assay_dice:DiceBenchmark"}, site)
    with pytest.raises(UsageError, match="two packages have a benchmark 'dice'") as caught:
        find_benchmark("dice")
    assert "assay-dice" in caught.value.message
    assert "assay-loaded-dice" in caught.value.message
    listed = assay("suites")
    assert listed.err.startswith("warning: two packages have a benchmark 'dice'")
    assert "demo" in listed.out


def test_an_unknown_benchmark_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(UsageError, match="there is no benchmark 'nosuch'") as caught:
        find_benchmark("nosuch")
    assert all(name in (caught.value.hint or "") for name in benchmark_names())


def test_help_and_import_load_no_benchmark() -> None:
    program = (
        "import sys, assay\n"
        "sys.argv = ['assay', '--help']\n"
        "from assay.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name.startswith('assay.benchmarks')])\n"
        "from assay.benchmarks import benchmark_names, load_suite\n"
        "benchmark_names()\n"
        "load_suite('demo')\n"
        "packages = {name.split('.')[2] for name in sys.modules if name.startswith('assay.benchmarks.')}\n"
        "print(sorted(packages & {'demo', 'autoexperiment', 'expbench', 'mlrb'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["[]", "['demo']"]


def test_a_package_that_is_installed_while_assay_runs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    os.utime(site, ns=(0, 0))
    monkeypatch.syspath_prepend(str(site))
    assert not is_benchmark("late")
    install("late-package", {"late": "late_package:Late"}, site)
    assert is_benchmark("late")

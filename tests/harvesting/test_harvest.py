"""A whole harvest from a folder of source distributions, without a package index."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.errors import UsageError
from assay.harvesting.harvest import HarvestOptions, HarvestResult, harvest_packages
from assay.harvesting.one_package import HarvestSettings
from assay.workspace import build_environment

pytestmark = pytest.mark.long
"""One harvest takes most of a minute."""

CODE = '''"""Prices."""


def total(prices, rate):
    """Return the sum with tax."""
    cents = sum(price * count for price, count in prices)
    return cents + cents * rate // 100
'''
TESTS = """from {name} import total


def test_total():
    assert total([(100, 2), (50, 1)], 10) == 275
    assert total([(3, 3)], 50) == 13
    assert total([], 7) == 0
"""
PROGRAM = """from {name} import total

for rate in (10, 50, 7):
    print(f"{{total([(100, 2), (53, rate)], rate):.1f}}")
"""
"""Its runs take a fraction of the time that pytest takes."""
LICENCE = "Permission is hereby granted, free of charge, to any person"


def add_source_distribution(folder: Path, name: str, files: dict[str, str]) -> None:
    """Write NAME-1.0.tar.gz."""
    with tarfile.open(folder / f"{name}-1.0.tar.gz", "w:gz") as archive:
        for path, text in {"PKG-INFO": f"Name: {name}\nVersion: 1.0\n", **files}.items():
            member = tarfile.TarInfo(f"{name}-1.0/{path}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of packages, as the only index; one environment with pytest (no Pygments) for all tasks."""
    environment = build_environment(["pytest<8.4"])
    folder = tmp_path_factory.mktemp("index")
    for name, path, run in (("alpha", "tests/test_alpha.py", TESTS), ("beta", "examples/run.py", PROGRAM)):
        files = {"LICENSE": LICENCE, f"{name}.py": CODE, path: run.format(name=name)}
        add_source_distribution(folder, name, files)
    add_source_distribution(folder, "gamma", {"gamma.py": CODE})
    add_source_distribution(folder, "delta", {"LICENSE": LICENCE, "delta.py": CODE})
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("UV_DEFAULT_INDEX", str(folder))
        variables.setenv("UV_FIND_LINKS", str(folder))
        variables.setenv("ASSAY_TASK_ENVIRONMENT", str(environment))
        yield folder


@pytest.fixture(scope="module")
def harvest_options(index: Path) -> HarvestOptions:
    packages = index / "packages.txt"
    packages.write_text(
        "# name and run\nalpha==1.0 --tests tests\nbeta==1.0\ngamma==1.0\ndelta\nmissing==9\n"
    )
    settings = HarvestSettings(functions=2, proved_limit=1, mutants=10)
    return HarvestOptions(packages, index / "suite", processes=2, settings=settings)


@pytest.fixture(scope="module")
def harvested(harvest_options: HarvestOptions) -> HarvestResult:
    return harvest_packages(harvest_options)


def test_the_result_is_a_suite_of_certified_tasks(harvested: HarvestResult) -> None:
    suite = load_suite(harvested.out)
    assert [task.id for task in suite.tasks] == ["alpha-1.0_0"]
    assert suite.tasks[0].certified
    assert suite.splits == {"alpha-1.0_0": "train"}
    assert len(load_suite(f"{harvested.out}?split=train").tasks) == 1
    with pytest.raises(UsageError, match="no split 'test'"):
        load_suite(f"{harvested.out}?split=test")


def test_a_near_duplicate_of_another_package_is_removed(harvested: HarvestResult) -> None:
    assert {task.id: task.duplicate_of for task in harvested.tasks} == {
        "alpha-1.0_0": "",
        "beta-1.0_0": "alpha-1.0_0",
    }
    assert [task.difficulty for task in harvested.kept] == ["easy"]


def test_every_loss_has_its_stage_and_its_reason(harvested: HarvestResult) -> None:
    lost = {record.name: (record.stage, record.reason) for record in harvested.records if not record.tasks}
    assert lost["gamma"][0] == "licence"
    assert "no licence" in lost["gamma"][1]
    assert lost["delta"] == ("run", "it has neither a program that prints numbers nor a test file")
    assert lost["missing"] == ("fetch", "missing==9: the package index has no source distribution of missing")


def test_the_data_card_has_sources_yield_and_losses(harvested: HarvestResult) -> None:
    card = (harvested.out / "README.md").read_text()
    assert "1 certified masked tasks from 1 packages" in card
    assert "near-duplicates of other packages that were removed: 1" in card
    assert "| its licence allows it | 3 | 1 |" in card
    assert "| alpha | 1.0 | MIT | unknown | 1 |" in card
    index = json.loads((harvested.out / "harvest.json").read_text())
    assert index["packages"][0]["sha256"] in card


def test_the_same_call_continues_and_makes_nothing_again(
    harvested: HarvestResult, harvest_options: HarvestOptions
) -> None:
    record = harvested.out / "packages" / "alpha" / "package.json"
    written = record.stat().st_mtime_ns
    assert harvest_packages(replace(harvest_options, processes=1)).tasks == harvested.tasks
    assert record.stat().st_mtime_ns == written


def test_packages_are_harvested_on_ray(index: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    packages = tmp_path / "packages.txt"
    packages.write_text("gamma==1.0\ndelta==1.0\n")
    result = harvest_packages(HarvestOptions(packages, tmp_path / "suite", on="ray"))
    assert {record.name: record.stage for record in result.records} == {"gamma": "licence", "delta": "run"}

"""Whole builds of small repositories, with real uv, git and bubblewrap, from a folder of distributions."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from assay.errors import EnvironmentFailed, UsageError
from assay.tasks.lock import EnvironmentLock
from assay.workspace import build_environment
from assay.workspace.building import BuildRequest, TaskPath, build, read_lock, write_lock
from tests.workspace.building.packages import commit, make_sdist, make_wheel, write

STAND_IN = {
    "setup.py": (
        "import setuptools\nsetuptools.setup(name='causal-toy', install_requires=['toyalpha',\n"
        "  'toybeta==1.0+cu113', 'sqlite3'], python_requires='>=3.7', packages=setuptools.find_packages())\n"
    ),
    "causaltoy/__init__.py": "",
    "causaltoy/search.py": (
        "import toyalpha\nfrom toybeta import __version__\n\ndef draw():\n    import toydrawing\n"
    ),
    "tests/TestSearch.py": "from causaltoy.search import toyalpha\nprint(toyalpha.__version__)\n",
    "tests/Example.ipynb": "{}",
}
"""The shape of py-why/causal-learn: declared in setup.py, with an undeclared import that does not build."""


@pytest.fixture
def stand_in(tmp_path: Path, shelf: Path) -> Path:
    make_wheel(shelf, "toyalpha", "1.1")
    make_wheel(shelf, "toybeta", "1.0")
    make_sdist(shelf, "toydrawing", "1.0", says="fatal error: graphviz/cgraph.h: No such file or directory")
    return write(tmp_path / "repo", STAND_IN)


@pytest.fixture
def without_gpu(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a GPU and without a network, whose only torch is a build for CUDA."""
    monkeypatch.setenv("ASSAY_GPUS", "")
    monkeypatch.setenv("UV_OFFLINE", "1")
    make_wheel(shelf, "nvidia-cublas-cu12", "12.1")
    make_wheel(shelf, "torch", "2.1", requires=["nvidia-cublas-cu12"])
    return shelf


def test_a_repository_like_causal_learn_gets_a_working_environment(stand_in: Path) -> None:
    pin = commit(stand_in, "2025-04-09")
    bare = stand_in.parent / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(stand_in), str(bare)], check=True)
    said: list[str] = []
    request = BuildRequest(bare, pin, smoke="python -m unittest tests.TestSearch")
    built = build(request, said.append)
    lock = built.lock
    assert (lock.commit, lock.before, lock.python) == (pin, date(2025, 4, 9), "3.9")
    assert lock.requirements == ["toyalpha==1.1", "toybeta==1.0"]
    made = sorted(repair.partition(":")[0] for repair in lock.repairs)
    assert made == ["drop-local-version", "drop-unknown-import", "replace-retired-name"]
    assert lock.ladder["C0"].status == "met", lock.ladder["C0"].evidence
    assert "skipped" in lock.ladder["C0"].evidence
    assert lock.ladder["C1"].status == "met", lock.ladder["C1"].evidence
    assert lock.ladder["C3"].status in ("unknown", "unmet", "met")
    assert any(line.startswith("repair ") for line in said)

    said.clear()
    again = build(request, said.append)
    assert (again.was_cached, again.lock, again.environment, said) == (True, lock, built.environment, [])
    smokeless = build(replace(request, smoke=None))
    assert smokeless.environment == built.environment
    assert smokeless.lock.ladder["C1"].status == "unknown"


def test_an_import_that_fails_is_unmet_and_says_how(tmp_path: Path, shelf: Path) -> None:
    make_wheel(shelf, "brokenlib", "1.0", "raise RuntimeError('no such device')\n")
    code = write(tmp_path / "repo", {"run.py": "import brokenlib\n", "requirements.txt": "brokenlib\n"})
    lock = build(BuildRequest(code, smoke="exit 3")).lock
    assert lock.ladder["C0"].status == "unmet"
    assert "RuntimeError: no such device" in lock.ladder["C0"].evidence
    assert "ended with 3" in lock.ladder["C1"].evidence
    assert lock.commit is None


def test_a_library_that_the_import_needs_held_back_is_held_back(tmp_path: Path, shelf: Path) -> None:
    make_wheel(shelf, "numpy", "2.1")
    make_wheel(shelf, "numpy", "1.26")
    old = "import numpy\nif numpy.__version__ > '2': raise ImportError('compiled using NumPy 1.x')\n"
    make_wheel(shelf, "oldabi", "1.0", old, requires=["numpy"])
    code = write(tmp_path / "repo", {"run.py": "import oldabi\n"})
    lock = build(BuildRequest(code)).lock
    assert lock.requirements == ["numpy==1.26", "oldabi==1.0"]
    assert lock.repairs == ["numpy-below-2: numpy<2: compiled using NumPy 1.x"]
    assert lock.ladder["C0"].status == "met"


def test_a_distribution_without_a_wheel_is_built_and_listed(tmp_path: Path, shelf: Path) -> None:
    make_sdist(shelf, "toysource", "2.0")
    code = write(tmp_path / "repo", {"requirements.txt": "toysource==2.0\n", "m.py": "import toysource\n"})
    lock = build(BuildRequest(code, before=date(2024, 1, 1))).lock
    assert (lock.sdists, lock.repairs) == (["toysource"], ["allow-sdist: toysource"])
    assert lock.ladder["C0"].status == "met"


def test_resolving_alone_installs_nothing(stand_in: Path) -> None:
    built = build(BuildRequest(stand_in, install=False))
    assert built.environment is None
    assert {each.status for each in built.lock.ladder.values()} == {"unknown"}
    assert built.lock.requirements


def test_builds_for_cuda_are_installed_where_there_is_a_gpu_or_they_are_asked_for(
    without_gpu: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = write(tmp_path / "repo", {"run.py": "import torch\n"})
    with pytest.raises(EnvironmentFailed, match="no build for the CPU can be reached") as caught:
        build(BuildRequest(code))
    assert "--gpu" in str(caught.value.hint)
    assert build(BuildRequest(code, gpu=True)).environment is not None
    monkeypatch.setenv("ASSAY_GPUS", "0")
    assert build(BuildRequest(code)).environment is not None
    with pytest.raises(EnvironmentFailed):
        build(BuildRequest(code, gpu=False))


def test_without_a_gpu_a_build_for_the_cpu_is_installed(without_gpu: Path, tmp_path: Path) -> None:
    make_wheel(without_gpu, "torch", "2.0+cpu", tag="cp311-none-any")
    code = write(tmp_path / "repo", {"run.py": "import torch\n", "requirements.txt": "torch==2.1\n"})
    built = build(BuildRequest(code, before=date(2025, 1, 1)))
    assert (built.lock.python, built.lock.requirements) == ("3.11", ["torch==2.0+cpu"])
    assert built.lock.repairs[-1] == "cpu-build: torch 2.1 -> 2.0+cpu for Python 3.11 in place of 3.9"
    assert built.lock.ladder["C0"].status == "met", built.lock.ladder["C0"].evidence


def test_only_what_the_tasks_import_must_work(without_gpu: Path, tmp_path: Path) -> None:
    make_wheel(without_gpu, "toyalpha", "1.0")
    make_sdist(without_gpu, "toydrawing", "1.0", says="fatal error: graphviz/cgraph.h: No such file")
    files = {
        "tests/run.py": "import toy.search\n",
        "toy/__init__.py": "",
        "toy/search.py": "import toyalpha\n",
        "toy/drawing.py": "import toydrawing\nimport torch\n",
        "requirements.txt": "toyalpha\ntoydrawing\ntorch\n",
    }
    code = write(tmp_path / "repo", files)
    lock = build(BuildRequest(code, task_path=TaskPath(("tests/run.py",)))).lock
    assert lock.requirements == ["toyalpha==1.0"]
    assert {"drop-unbuildable: toydrawing", "drop-cuda-only: torch"} <= set(lock.repairs)
    imports = lock.ladder["C0"]
    assert imports.status == "met", imports.evidence
    assert "on no task's path:\nimport torch: ModuleNotFoundError" in imports.evidence
    with pytest.raises(EnvironmentFailed, match=r"cgraph\.h|CUDA"):
        build(BuildRequest(code, task_path=TaskPath(("tests/run.py", "toy/drawing.py"))))


def test_a_package_below_src_is_found_inside_and_a_lock_has_one_environment(
    tmp_path: Path, shelf: Path
) -> None:
    make_sdist(shelf, "toysource", "2.0")
    files = {"src/relplot/__init__.py": "import toysource\n", "requirements.txt": "toysource\n"}
    code = write(tmp_path / "repo", files)
    built = build(BuildRequest(code, before=date(2024, 1, 1), smoke="python -c 'import relplot'"))
    assert built.lock.sdists == ["toysource"]
    assert built.lock.ladder["C1"].status == "met", built.lock.ladder["C1"].evidence
    assert build_environment(built.lock.requirements, f"=={built.lock.python}.*") == built.environment


def test_what_cannot_be_solved_says_what_was_tried(tmp_path: Path, shelf: Path) -> None:
    make_wheel(shelf, "picky", "1.0", requires=["absentdep"])
    code = write(tmp_path / "repo", {"run.py": "import picky\n", "requirements.txt": "picky\nnosuch==1\n"})
    with pytest.raises(EnvironmentFailed, match="absentdep") as caught:
        build(BuildRequest(code))
    assert "repairs tried: drop-nonexistent: nosuch" in caught.value.message
    assert caught.value.hint


def test_what_is_no_repository_is_refused(tmp_path: Path, shelf: Path) -> None:
    (tmp_path / "empty").mkdir()
    code = write(tmp_path / "repo", {"a.py": ""})
    with pytest.raises(UsageError, match="is no folder"):
        build(BuildRequest(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="contains no Python file"):
        build(BuildRequest(tmp_path / "empty"))
    with pytest.raises(UsageError, match="is no git repository"):
        build(BuildRequest(code, "abc"))
    commit(code, "2024-01-01")
    with pytest.raises(UsageError, match="has no commit 'abc'"):
        build(BuildRequest(code, "abc"))


def test_a_changed_working_tree_is_taken_as_it_lies(tmp_path: Path, shelf: Path) -> None:
    code = write(tmp_path / "repo", {"a.py": ""})
    pin = commit(code, "2024-01-01")
    assert build(BuildRequest(code, install=False)).lock.commit == pin
    write(code, {"a.py": "import os\n"})
    lock = build(BuildRequest(code, install=False)).lock
    assert (lock.commit, lock.before) == (None, date(2024, 1, 1))
    assert "differs from its commit" in lock.notes[0]


def test_a_lock_survives_its_file_and_a_bad_file_is_refused(tmp_path: Path) -> None:
    lock = EnvironmentLock(repository="x", python="3.10", requirements=["a==1"], before=date(2024, 1, 1))
    write_lock(lock, tmp_path / "deep" / "lock.json")
    assert read_lock(tmp_path / "deep" / "lock.json") == lock
    (tmp_path / "bad.json").write_text('{"python": 3}')
    with pytest.raises(UsageError, match="is no environment lock"):
        read_lock(tmp_path / "bad.json")
    with pytest.raises(UsageError, match="No such file"):
        read_lock(tmp_path / "absent.json")


def test_an_environment_takes_a_version_or_a_specifier(shelf: Path) -> None:
    for python in ("3.10", ">=3.9,<3.11"):
        folder = build_environment([], python)
        assert list(folder.glob("lib/python3.10"))
    with pytest.raises(EnvironmentFailed, match="'latest' is no Python"):
        build_environment([], "latest")


def test_a_failed_installation_leaves_nothing(shelf: Path, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed):
        build_environment(["nosuch==1"])
    assert [each for each in (tmp_path / "cache" / "environments").iterdir() if each.is_dir()] == []

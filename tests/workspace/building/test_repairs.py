"""Each repair of the table: the message it answers, as uv or an import says it, and what it changes."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from assay.workspace.building import REPAIRS
from assay.workspace.building.plan import BuildPlan, Failure, Stage
from assay.workspace.building.repairs import find_repair
from assay.workspace.building.wishes import GUESS, Wish, read_wish
from tests.workspace.building.packages import make_wheel

_NO_WHEEL = (
    "error: No solution found when resolving\n  cause: Because {0}=={1} has no usable wheels and "
    "you require {0}=={1}, we can conclude that your requirements are unsatisfiable.\n\nhint: Wheels are "
    "required for `{0}` because building from source is disabled for all packages (i.e., with `--no-build`)"
)
_UNBUILT = "error: Failed to build `{}`\n  cause: The build backend returned an error\n  [stderr]\n  {}\n"


def plan(*texts: str, needed: tuple[str, ...] = (), **more: object) -> BuildPlan:
    wishes = tuple(read_wish(text, "requirements.txt") for text in texts)
    return BuildPlan(wishes, "3.10", needed=frozenset(needed), **more)  # type: ignore[arg-type]


def apply_repair(before: BuildPlan, message: str, stage: Stage = "resolve") -> tuple[str, str, BuildPlan]:
    answer = find_repair(before, Failure(stage, message), frozenset({before}))
    assert answer is not None
    repair, change = answer
    return repair.name, change.detail, change.plan


def lines(after: BuildPlan) -> list[str]:
    return [wish.line for wish in after.wishes]


def test_the_names_of_the_table_are_unique_and_explained() -> None:
    assert len({repair.name for repair in REPAIRS}) == len(REPAIRS)
    assert all(repair.failure_description for repair in REPAIRS)


def test_index_lines_are_noted_and_dropped() -> None:
    name, detail, after = apply_repair(
        plan("a", index_lines=("requirements.txt: -f https://x",)), "…", "read"
    )
    assert (name, detail, after.index_lines) == ("drop-index-lines", "requirements.txt: -f https://x", ())


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("git+https://github.com/openai/CLIP.git", ["openai-clip"]),
        ("some @ git+https://h/o/other.git@abc", ["some"]),
        ("git+https://h/o/thing.git", ["thing"]),
        ("git+https://github.com/NVIDIA/apex", []),
    ],
)
def test_an_address_is_replaced_by_the_release(address: str, expected: list[str]) -> None:
    name, _, after = apply_repair(plan(address), "…", "read")
    assert (name, lines(after)) == ("replace-address", expected)


def test_an_index_without_upload_times_has_no_cut_off() -> None:
    said = "warning: a-1.whl is missing an upload date, but user provided: 2024-01-01"
    name, detail, after = apply_repair(plan("a", before=date(2024, 1, 1)), said)
    assert (name, after.before) == ("without-cut-off", None)
    assert "2024-01-01 does not apply" in detail


@pytest.mark.parametrize(
    ("wish", "said", "expected"),
    [
        ("sklearn", _NO_WHEEL.format("sklearn", "0.0"), ["scikit-learn"]),
        ("opencv", "Because opencv was not found in the package registry and you require", ["opencv-python"]),
        ("tensorflow-gpu==2.4", _NO_WHEEL.format("tensorflow-gpu", "2.4.0"), ["tensorflow==2.4"]),
        ("argparse==1", _NO_WHEEL.format("argparse", "1"), []),
    ],
)
def test_retired_names_are_replaced(wish: str, said: str, expected: list[str]) -> None:
    name, _, after = apply_repair(plan(wish), said)
    assert (name, lines(after)) == ("replace-retired-name", expected)


def test_an_import_that_no_distribution_is_called_like_is_dropped() -> None:
    before = BuildPlan((Wish("numpy"), Wish("my-lab-code", origin=GUESS)), "3.10")
    name, detail, after = apply_repair(
        before, "Because my-lab-code was not found in the package registry and you"
    )
    assert (name, detail, lines(after)) == ("drop-unknown-import", "my-lab-code", ["numpy"])


def test_a_declared_distribution_that_does_not_exist_is_dropped() -> None:
    name, _, after = apply_repair(
        plan("nosuch>=1", "a"), "nosuch was not found in the package registry and you require"
    )
    assert (name, lines(after)) == ("drop-nonexistent", ["a"])


def test_a_local_version_is_dropped() -> None:
    said = "Because there is no version of torch==1.10.0+cu113 and you require torch==1.10.0+cu113, we"
    name, _, after = apply_repair(plan("torch==1.10.0+cu113"), said)
    assert (name, lines(after)) == ("drop-local-version", ["torch==1.10.0"])


@pytest.mark.parametrize(
    ("said", "name", "constraint"),
    [
        ("error in x setup command: use_2to3 is invalid.", "setuptools-below-58", "setuptools<58"),
        (
            "error in gym setup command: 'extras_require' must be a dictionary",
            "setuptools-below-66",
            "setuptools<66",
        ),
        ("ModuleNotFoundError: No module named 'pkg_resources'", "setuptools-below-81", "setuptools<81"),
        ("Cython.Compiler.Errors.CompileError: x.pyx", "cython-below-3", "cython<3"),
        ("ModuleNotFoundError: No module named 'numpy.distutils'", "numpy-below-2-to-build", "numpy<1.26"),
    ],
)
def test_old_builds_get_old_tools(said: str, name: str, constraint: str) -> None:
    found, _, after = apply_repair(plan("x", needed=("x",)), _UNBUILT.format("x==1.0", said), "install")
    assert (found, after.build_constraints) == (name, (constraint,))


def test_a_build_is_allowed_for_one_distribution_but_never_for_a_heavy_one() -> None:
    name, detail, after = apply_repair(
        plan("gym==0.21.0", needed=("gym",)), _NO_WHEEL.format("gym", "0.21.0")
    )
    assert (name, detail, after.sdists) == ("allow-sdist", "gym", {"gym"})
    name, _, after = apply_repair(
        plan("numpy==1.19.5", needed=("numpy",)), _NO_WHEEL.format("numpy", "1.19.5")
    )
    assert (name, lines(after)) == ("loosen-pin", ["numpy>=1.19.5"])


def test_a_pin_without_wheels_is_never_loosened_downwards() -> None:
    said = "Because torch>=9 has no usable wheels and you require torch>=9, we can conclude"
    assert find_repair(plan("torch>=9", needed=("torch",)), Failure("resolve", said), frozenset()) is None


def test_what_does_not_build_is_loosened_or_dropped() -> None:
    said = _UNBUILT.format("x==1.0", "error: no gcc")
    name, _, after = apply_repair(plan("x==1.0", needed=("x",), sdists=frozenset({"x"})), said, "install")
    assert (name, lines(after), after.sdists) == ("loosen-unbuildable", ["x"], frozenset())
    assert apply_repair(plan("x", "y"), said, "install")[0::2] == ("drop-unbuildable", plan("y"))
    lazy = plan("x", needed=("x",), lazy=frozenset({"x"}))
    assert apply_repair(lazy, said, "install")[0] == "drop-unbuildable"
    assert find_repair(plan("x", needed=("x",)), Failure("install", said), frozenset()) is None


def test_what_has_neither_wheel_nor_source_is_dropped_where_nothing_needs_it() -> None:
    said = "Because all versions of torchrl have no source distribution and you require torchrl, we can"
    name, _, after = apply_repair(plan("torchrl", "a", sdists=frozenset({"torchrl"})), said)
    assert (name, lines(after), after.sdists) == ("drop-unbuildable", ["a"], frozenset())


def test_what_is_only_for_other_machines_and_imported_by_nothing_is_dropped() -> None:
    said = (
        "Because nvidia-cublas-cu12==12.1.3.1 has no wheels with a matching platform tag (e.g., "
        "`manylinux_2_36_aarch64`) and you require nvidia-cublas-cu12==12.1.3.1, we can conclude"
    )
    name, detail, _ = apply_repair(plan("nvidia-cublas-cu12==12.1.3.1"), said)
    assert (name, detail) == ("drop-unbuildable", "nvidia-cublas-cu12")


def test_the_python_of_the_authors_is_the_one_with_a_wheel(shelf: Path) -> None:
    make_wheel(shelf, "pinned", "1.0", tag="cp39-cp39-linux_x86_64")
    make_wheel(shelf, "pinned", "1.0", tag="cp39-none-any")
    before = plan("pinned==1.0", needed=("pinned",), other_pythons=("3.11", "3.9"))
    name, detail, after = apply_repair(before, _NO_WHEEL.format("pinned", "1.0"))
    assert (name, after.python, after.other_pythons) == ("other-python", "3.9", ("3.11",))
    assert detail.startswith("3.10 -> 3.9")


def test_code_that_needs_an_older_python_gets_it() -> None:
    said = "import old: ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib)"
    name, _, after = apply_repair(plan("old", other_pythons=("3.11", "3.9")), said, "import")
    assert (name, after.python) == ("other-python", "3.9")


def test_pins_that_exclude_each_other_are_loosened_one_by_one() -> None:
    said = "Because you require numpy==1.24.3 and numpy==1.24.4, we can conclude"
    name, detail, after = apply_repair(plan("numpy==1.24.3", "numpy==1.24.4"), said)
    assert (name, detail) == ("loosen-pin", "numpy==1.24.3 -> numpy>=1.24.3")
    assert lines(after) == ["numpy>=1.24.3", "numpy==1.24.4"]


@pytest.mark.parametrize(
    ("said", "name", "constraint"),
    [
        ("A module that was compiled using NumPy 1.x cannot be run in", "numpy-below-2", "numpy<2"),
        ("AttributeError: module 'numpy' has no attribute 'float'.", "numpy-below-1-24", "numpy<1.24"),
        ("TypeError: Descriptors cannot be created directly.", "protobuf-below-3-21", "protobuf<3.21"),
    ],
)
def test_imports_that_break_hold_a_distribution_back(said: str, name: str, constraint: str) -> None:
    found, _, after = apply_repair(plan("a"), f"import a: {said}", "import")
    assert (found, after.constraints) == (name, (constraint,))


@pytest.mark.parametrize(
    ("wish", "said", "name", "expected"),
    [
        ("a", "No module named 'pkg_resources'", "add-setuptools", ["a", "setuptools<81"]),
        ("a", "No module named 'yaml'", "add-missing-module", ["a", "pyyaml"]),
        (
            "opencv-python",
            "libGL.so.1: cannot open shared object file",
            "headless-opencv",
            ["opencv-python-headless"],
        ),
    ],
)
def test_missing_modules_and_libraries(wish: str, said: str, name: str, expected: list[str]) -> None:
    found, _, after = apply_repair(plan(wish), f"import x: ImportError: {said}", "import")
    assert (found, lines(after)) == (name, expected)


def test_a_plan_that_was_tried_is_not_tried_again() -> None:
    before = plan("nosuch")
    failure = Failure("resolve", "nosuch was not found in the package registry")
    assert find_repair(before, failure, frozenset({before, plan()})) is None


def test_a_requirement_that_needs_a_newer_python_gets_it() -> None:
    said = (
        "Because the current Python version (3.9.18) does not satisfy Python>=3.10 and all versions of esm "
        "depend on Python>=3.10, we can conclude that all versions of esm cannot be used."
    )
    older = BuildPlan((Wish("esm"),), "3.9", ("3.8", "3.12", "3.10"))
    name, detail, after = apply_repair(older, said)
    assert (name, after.python, after.other_pythons) == ("other-python", "3.10", ("3.8", "3.12"))
    assert "Python>=3.10" in detail


def test_an_extra_for_cuda_is_dropped_on_a_machine_without_a_gpu() -> None:
    name, detail, after = apply_repair(plan("jax[cuda12,extra]>=0.4"), "nvidia-cudnn-cu12==9.1", "cuda")
    assert (name, detail, lines(after)) == (
        "drop-cuda-extra",
        "jax[cuda12,extra]>=0.4",
        ["jax[extra]>=0.4"],
    )


def test_torch_keeps_its_version_on_the_index_for_the_cpu() -> None:
    pins = "nvidia-cublas-cu12==12.1\ntorch==2.6.0\ntorchvision==0.21.0"
    name, _, after = apply_repair(plan("torch", "torchvision"), pins, "cuda")
    assert (name, after.cpu_index) == ("cpu-index", "used")
    assert after.constraints == ("torch==2.6.0", "torchvision==0.21.0")
    name, _, after = apply_repair(after, "cause: Failed to fetch: https://x/torch/")
    assert (name, after.cpu_index, after.constraints) == ("without-cpu-index", "out of reach", ())


def test_a_companion_of_torch_without_a_build_for_the_cpu_is_dropped_by_name() -> None:
    said = "Because torchvision==0.18.1 depends on torch==2.3.1 and you require torch==2.13.0+cpu, …"
    both = plan("torch", "torchvision", needed=("torchvision",), constraints=("torch==2.13.0+cpu",))
    name, detail, after = apply_repair(both, said)
    assert (name, detail, lines(after)) == ("drop-without-cpu-build", "torchvision", ["torch"])

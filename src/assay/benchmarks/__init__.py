"""The benchmarks, each a package of its own, and `load_suite`, which finds a suite by name or folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.benchmarks.suite import Suite, from_folders
from assay.errors import UsageError
from assay.masking.dial import parse_selection
from assay.tasks.selection import Selection

__all__ = ["DIALLED", "SUITES", "Suite", "load_suite"]


def _demo() -> Suite:
    from assay.benchmarks.demo import load

    return load()


def _autoexperiment() -> Suite:
    from assay.benchmarks.autoexperiment import load

    return load(Selection())


def _autoexperiment_by_dial(selection: Selection) -> Suite:
    from assay.benchmarks.autoexperiment import load

    return load(selection)


def _expbench() -> Suite:
    return _expbench_by_split(Selection())


def _expbench_by_split(selection: Selection) -> Suite:
    from assay.benchmarks.expbench import load

    return load(selection)


def _mlrb_mini() -> Suite:
    from assay.benchmarks.mlrb import load

    return load()


def _mlrb() -> Suite:
    from assay.benchmarks.mlrb.full import load

    return load()


SUITES: dict[str, Callable[[], Suite]] = {
    "demo": _demo,
    "autoexperiment": _autoexperiment,
    "expbench": _expbench,
    "mlrb-mini": _mlrb_mini,
    "mlrb": _mlrb,
}
DIALLED: dict[str, Callable[[Selection], Suite]] = {
    "autoexperiment": _autoexperiment_by_dial,
    "expbench": _expbench_by_split,
}
"""Suites with more tasks than can be made at once: they make what is selected."""


def load_suite(name: str | Path, selection: Selection | None = None) -> Suite:
    """A suite by its name, or a folder of task folders, or one task folder.

    A selection may stand behind the name, as in `autoexperiment?n=2&sample=20&seed=0`.
    """
    if isinstance(name, str) and "?" in name:
        name, _, query = name.partition("?")
        selection = selection or parse_selection(query)
    wanted = selection or Selection()
    if isinstance(name, str) and name in DIALLED:
        return DIALLED[name](wanted)
    return _load(name).select(wanted)


def _load(name: str | Path) -> Suite:
    if isinstance(name, str) and name in SUITES:
        return SUITES[name]()
    folder = Path(name)
    folders = (
        [folder] if (folder / "task.toml").is_file() else sorted(p.parent for p in folder.glob("*/task.toml"))
    )
    if not folders:
        raise UsageError(
            f"{str(name)!r} is neither a suite nor a folder of tasks",
            hint=f"suites: {', '.join(sorted(SUITES))}",
        )
    return from_folders(folder.resolve().name, str(folder.resolve()), folders)

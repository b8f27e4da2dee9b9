"""Makes what follows from a task's generator again: public studies, gold numbers, claims, tolerances.

`vary` changes the generator first, so that another task of the same difficulty results. Standard library only.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PUBLIC = 8
TEXT = (".md", ".py", ".json", ".toml", ".patch", ".sh")
KEPT = ("vary.py", "task.toml", "certificate.json")
SHARED = "_shared"
ESTIMATES = """[[claim]]
id = "order"
question = "The studies s01, s02 and s03 in the order of their estimates, highest first."
kind = "ordering"
paths = [{paths}]
order = [{order}]
answer = [{order}]

[[claim]]
id = "compare"
question = "Is the estimate of s04 higher, lower or the same as that of s05?"
kind = "direction"
paths = ["estimates.s04", "estimates.s05"]
answer = "{compare}"
tolerance = {margin}
"""
MEANS = """[[claim]]
id = "compare"
question = "Is the mean estimate higher, lower or the same as the mean width of the intervals?"
kind = "direction"
paths = ["mean_estimate", "mean_width"]
answer = "{compare}"
tolerance = 0.05

[[claim]]
id = "mean"
question = "What is the mean estimate?"
kind = "magnitude"
paths = ["mean_estimate"]
answer = {mean}
tolerance = {tolerance}
"""


def vary(task: Path, seed: int, ranges: Mapping[str, Sequence[Any]], names: Mapping[str, Sequence[str]]) -> None:
    """Draw settings and names, then make everything that follows from them."""
    source = random.Random(f"vary/{seed}")
    path = task / "tests/drawing/settings.json"
    settings = json.loads(path.read_text())
    settings |= {name: source.choice(list(values)) for name, values in ranges.items()}
    settings["public_seed"] = source.randrange(1, 10**6)
    path.write_text(json.dumps(settings, indent=2) + "\n")
    for name, others in names.items():
        rename(task, name, source.choice([name, *others]))
    refresh(task)


def rename(task: Path, old: str, new: str) -> None:
    """Another word, its plural and its capitals in every text of the task; calls such as `.items()` keep theirs."""
    for before, after in ((old, new), (old.capitalize(), new.capitalize())):
        word = re.compile(rf"(?<![A-Za-z]){before}(s?)(?![A-Za-z(])")
        for path in sorted(task.rglob("*")):
            if path.suffix in TEXT and path.name not in KEPT and path.is_file():
                path.write_text(word.sub(rf"{after}\1", path.read_text()))


def refresh(task: Path) -> dict[str, Any]:
    """Write the public studies, the gold numbers and the claims; return what the solution found."""
    path = task / "tests/drawing/settings.json"
    settings = json.loads(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        while True:
            results = _run_solution(task, Path(folder), settings)
            if _is_clear(results, settings):
                break
            settings["public_seed"] += 1
            path.write_text(json.dumps(settings, indent=2) + "\n")
        data = task / "environment/workspace/data"
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(Path(folder) / "data", data)
    copy_for_grading(task)
    gold = {"default": {"mean estimate": [results["mean_estimate"]] * 3}}
    (task / "tests/results.json").write_text(json.dumps(gold, indent=2) + "\n")
    _write_claims(task, results, settings)
    _write_tolerance(task, settings.get("metric_tolerance", 0.3 * results["mean_width"]))
    return results


def copy_for_grading(task: Path) -> None:
    """What grading uses of the solution and of the workspace, at its place in tests/."""
    (task / "tests/checks").mkdir(parents=True, exist_ok=True)
    shutil.copy(task / "solution/files/study.py", task / "tests/checks/reference.py")
    shutil.rmtree(task / "tests/given", ignore_errors=True)
    shutil.copytree(task / "environment/workspace/data", task / "tests/given")


def _run_solution(task: Path, folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    shared = task.parent / SHARED
    places = [shared / "tests/drawing", task / "tests/drawing"]
    drawing = folder / "drawing"
    for place in [*places, shared / "solution/files", task / "solution/files"]:
        target = drawing if place in places else folder
        if place.is_dir():
            shutil.copytree(place, target, dirs_exist_ok=True)
    shutil.rmtree(folder / "data", ignore_errors=True)
    command = [sys.executable, str(drawing / "studies.py"), str(settings["public_seed"]), "data", str(PUBLIC)]
    subprocess.run(command, cwd=folder, check=True)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    subprocess.run([sys.executable, "experiment.py"], cwd=folder, check=True, env=variables)
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def _is_clear(results: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether the claims on the public studies do not hang on the choice among right analyses."""
    estimates, width = results["estimates"], results["mean_width"]
    if settings.get("claims") == "means":
        return bool(abs(results["mean_width"] - results["mean_estimate"]) > 0.3)
    if any(f"s0{number}" not in estimates for number in range(1, 6)):
        return False
    first, second, third = (estimates[f"s0{number}"] for number in (1, 2, 3))
    gaps = [abs(first - second), abs(second - third), abs(first - third)]
    apart = abs(estimates["s04"] - estimates["s05"])
    return min(gaps) > 0.35 * width and apart > settings["margin"] + 0.3 * width


def _claims(results: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    estimates = results["estimates"]
    if settings.get("claims") == "means":
        compare = "higher" if results["mean_estimate"] > results["mean_width"] else "lower"
        return {"compare": compare, "mean": round(results["mean_estimate"], 3)}
    order = sorted(("s01", "s02", "s03"), key=lambda name: -estimates[name])
    return {
        "order": order,
        "compare": "higher" if estimates["s04"] > estimates["s05"] else "lower",
    }


def _write_claims(task: Path, results: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    claims = _claims(results, settings)
    if settings.get("claims") == "means":
        tolerance = float(f"{max(0.3 * results['mean_width'], settings.get('metric_tolerance', 0.0)):.2g}")
        text = MEANS.format(**claims, tolerance=tolerance)
        instruction = task / "instruction.md"
        instruction.write_text(re.sub(r"\(within\s+\S+\)", f"(within {tolerance:g})", instruction.read_text()))
    else:
        order = ", ".join(f'"{name}"' for name in claims["order"])
        paths = ", ".join(f'"estimates.{name}"' for name in claims["order"])
        text = ESTIMATES.format(order=order, paths=paths, compare=claims["compare"], margin=settings["margin"])
    (task / "tests/conclusion.toml").write_text(text)
    turned = {**claims, "compare": "lower" if claims["compare"] == "higher" else "higher"}
    for place, stated in (("solution/files", claims), ("tests/broken/wrong-direction", turned)):
        (task / place).mkdir(parents=True, exist_ok=True)
        conclusion = {"summary": settings["summary"], "claims": stated}
        (task / place / "conclusion.json").write_text(json.dumps(conclusion, indent=2) + "\n")


def _write_tolerance(task: Path, tolerance: float) -> None:
    """The allowed distance of the mean estimate, in task.toml and in the instruction."""
    written = f"{tolerance:.2g}"
    for name, pattern, text in (
        ("task.toml", r"(?m)^absolute = .*$", f"absolute = {float(written)}"),
        ("instruction.md", r"lies\s+within\s+\S+\s+of", f"lies within {written} of"),
    ):
        path = task / name
        path.write_text(re.sub(pattern, text, path.read_text()))

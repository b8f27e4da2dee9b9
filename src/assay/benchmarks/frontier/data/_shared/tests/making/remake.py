"""Makes what follows from the generator of a task with kinds of studies again: public studies, gold numbers, claims.

`vary` changes the generator first, so that another task of the same difficulty results.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from refresh import copy_for_grading, rename

SHARED = "_shared"
TRUTHS = """
import json, sys
from studies import SETTINGS, draw_batch
first, public = SETTINGS["public_seed"], SETTINGS["public"]
for seed in range(first, first + int(sys.argv[1])):
    print(json.dumps({name: truth for name, (_, truth) in draw_batch(seed, public).items()}))
"""
WRITE = """
import sys
from pathlib import Path
from studies import SETTINGS, draw_batch, write_batch
write_batch(draw_batch(SETTINGS["public_seed"], SETTINGS["public"]), Path(sys.argv[1]))
"""
TRIED = 200
"""Seeds that are tried at once."""
CLAIMS = """[[claim]]
id = "order"
question = "Three studies of data/ in the order of their estimates, highest first."
kind = "ordering"
paths = [{paths}]
order = [{order}]
answer = [{order}]

[[claim]]
id = "compare"
question = "Is the estimate of one study of data/ higher, lower or the same as that of another?"
kind = "direction"
paths = ["estimates.{left}", "estimates.{right}"]
answer = "{compare}"
tolerance = {margin}
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
    remake(task)


def remake(task: Path) -> None:
    """Write the public studies, the gold numbers and the claims; draw again until the claims are clear."""
    path = task / "tests/drawing/settings.json"
    settings = json.loads(path.read_text())
    claims = None
    while claims is None:
        for line in _run_apart(task, TRUTHS, str(TRIED)).splitlines():
            claims = _claims(json.loads(line), float(settings["gap"]))
            if claims is not None:
                break
            settings["public_seed"] += 1
        path.write_text(json.dumps(settings, indent=2) + "\n")
    data = task / "environment/workspace/data"
    shutil.rmtree(data, ignore_errors=True)
    _run_apart(task, WRITE, str(data))
    copy_for_grading(task)
    gold = {"default": {"studies": [float(settings["public"])] * 3}}
    (task / "tests/results.json").write_text(json.dumps(gold, indent=2) + "\n")
    _write_claims(task, claims, settings)


def _run_apart(task: Path, program: str, argument: str) -> str:
    """What a program beside the task's generator prints. It runs apart, because modules of two tasks have one name."""
    with tempfile.TemporaryDirectory() as folder:
        for place in (task.parent / SHARED / "tests/drawing", task / "tests/drawing"):
            shutil.copytree(place, folder, dirs_exist_ok=True)
        command = [sys.executable, "-c", program, argument]
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def _claims(truths: Mapping[str, Any], gap: float) -> dict[str, Any] | None:
    """The claims on s01 to s05, or None if they hang on the choice among right analyses."""
    names = ["s01", "s02", "s03", "s04", "s05"]
    if any(truths[name].get("undecidable") or truths[name].get("unclear") for name in names):
        return None
    effects = {name: truths[name]["effect"] for name in names}
    gaps = [abs(effects[left] - effects[right]) for left in names[:3] for right in names[:3] if left < right]
    apart = effects["s04"] - effects["s05"]
    if min(*gaps, abs(apart)) < gap:
        return None
    return {
        "order": sorted(names[:3], key=lambda name: -effects[name]),
        "compare": "higher" if apart > 0 else "lower",
    }


def _write_claims(task: Path, claims: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    order = ", ".join(f'"{name}"' for name in claims["order"])
    paths = ", ".join(f'"estimates.{name}"' for name in claims["order"])
    text = CLAIMS.format(
        order=order, paths=paths, left="s04", right="s05", compare=claims["compare"], margin=settings["margin"]
    )
    (task / "tests/conclusion.toml").write_text(text)
    turned = {**claims, "compare": "lower" if claims["compare"] == "higher" else "higher"}
    for place, stated in (("solution/files", claims), ("tests/broken/wrong-direction", turned)):
        (task / place).mkdir(parents=True, exist_ok=True)
        conclusion = {"summary": settings["summary"], "claims": stated}
        (task / place / "conclusion.json").write_text(json.dumps(conclusion, indent=2) + "\n")

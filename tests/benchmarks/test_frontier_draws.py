"""What frontier draws for a grading cannot be foretold by someone who knows the program that draws."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from assay.benchmarks.frontier import DATA
from assay.tasks import load_task

ONE_TABLE = """
import sys
sys.path.insert(0, "tests")
import draw
draw.FAMILIES, draw.EACH = draw.FAMILIES[:1], 1
draw.main()
"""


def test_the_noise_of_an_evaluation_follows_from_the_seed_of_the_grading_alone(tmp_path: Path) -> None:
    for path, data in load_task(DATA / "few-evaluations").tests.items():
        (tmp_path / "tests" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / path).write_bytes(data)
    seeds = []
    for drawn_seed in ("1", "1", "2"):
        variables = {**os.environ, "ASSAY_SEED": drawn_seed}
        subprocess.run([sys.executable, "-c", ONE_TABLE], cwd=tmp_path, env=variables, check=True)
        (case,) = json.loads((tmp_path / "truth/truth.json").read_text())["cases"]
        seeds.append(case["seed"])
    assert seeds[0] == seeds[1]
    assert seeds[1] != seeds[2]

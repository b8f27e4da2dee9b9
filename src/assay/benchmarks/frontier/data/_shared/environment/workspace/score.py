"""Scores solve.py on problems that draw.py makes: `python score.py [SEED …]`. Grading does the same with a new seed."""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import scores


def score(seed):
    """The mean, its standard error and the processor time for one drawn problem."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in Path(".").glob("*.py"):
            shutil.copy(path, folder)
        variables = {**os.environ, "ASSAY_SEED": str(seed)}
        subprocess.run([sys.executable, "draw.py"], cwd=folder, env=variables, check=True)
        truth = json.loads((folder / "truth" / "truth.json").read_text())
        for path in (folder / "workspace").iterdir():
            shutil.copy(path, folder)
        shutil.rmtree(folder / "truth")
        start = os.times()
        subprocess.run([sys.executable, "solve.py"], cwd=folder, check=True)
        end = os.times()
        values = scores(json.loads((folder / "answers.json").read_text()), truth)
    mean = sum(values) / len(values)
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    return mean, error, end.children_user + end.children_system - start.children_user - start.children_system


if __name__ == "__main__":
    for seed in sys.argv[1:] or ["7"]:
        mean, error, used = score(int(seed))
        print(f"seed {seed}: {mean:.4f} ± {error:.4f}, {used:.1f} s of processor time")

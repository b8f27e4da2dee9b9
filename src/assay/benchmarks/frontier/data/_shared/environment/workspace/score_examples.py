"""Scores solve.py on the examples: `python score_examples.py [NAME …]`. Grading does the same with a new problem."""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import scores

EXAMPLES = Path("examples")


def score(name):
    """The mean, its standard error and the processor time for one example."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "workspace"
        shutil.copytree(".", copy)
        shutil.copy(EXAMPLES / name / "problem.json", copy)
        start = os.times()
        subprocess.run([sys.executable, "solve.py"], cwd=copy, check=True)
        end = os.times()
        answers = json.loads((copy / "answers.json").read_text())
    values = scores(answers, json.loads((EXAMPLES / name / "truth.json").read_text()))
    mean = sum(values) / len(values)
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    return mean, error, end.children_user + end.children_system - start.children_user - start.children_system


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(path.name for path in EXAMPLES.iterdir()):
        mean, error, used = score(name)
        print(f"example {name}: {mean:.4f} ± {error:.4f}, {used:.1f} s of processor time")

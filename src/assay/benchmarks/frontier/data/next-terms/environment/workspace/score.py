"""Runs solve.py on problem.json and scores it by example_truth.json: `python score.py`."""

import json
import subprocess
import sys
from pathlib import Path

from measure import scores

if __name__ == "__main__":
    subprocess.run([sys.executable, "solve.py"], check=True)
    truth = json.loads(Path("example_truth.json").read_text())
    values = scores(json.loads(Path("answers.json").read_text()), truth)
    print(f"{sum(values) / len(values):.4f} of {len(values)} sequences")

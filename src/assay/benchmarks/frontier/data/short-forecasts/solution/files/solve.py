"""Quantiles of 33 simple forecasts, mixed by networks that learned from the examples: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

from experts import experts
from network import answers_of
from panel import panel_of


def quantiles_of(group: dict) -> list[list]:
    """For each series of the group and each step ahead the three quantiles."""
    panel = panel_of(group)
    return answers_of(panel, *experts(panel)).round(5).tolist()


def main() -> None:
    groups = json.loads(Path("problem.json").read_text())["groups"]
    Path("answers.json").write_text(json.dumps({"quantiles": [quantiles_of(group) for group in groups]}))


if __name__ == "__main__":
    main()

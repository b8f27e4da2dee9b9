"""Train with both optimisers, on plain and on faint gradients, and write the paper's table to results.json."""

import argparse
import json
import os
from pathlib import Path

from data import load_split
from metrics import accuracy, mean_loss
from optimiser import Momentum, UnitWise
from train import train

SEED = 2401
COMMON = {"hidden": 24, "batch": 64, "steps": 60, "record_every": 5}
RUNS = {
    "momentum": (Momentum, {"peak": 1.5, "faintness": 1.0}),
    "momentum_faint": (Momentum, {"peak": 1.5, "faintness": 0.125}),
    "unit_wise": (UnitWise, {"peak": 0.05, "faintness": 1.0}),
    "unit_wise_faint": (UnitWise, {"peak": 0.05, "faintness": 0.125}),
}


def main():
    """Make the four runs and write what they reach."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=COMMON["steps"])
    steps = parser.parse_args().steps
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    split = load_split(seed)
    results = {}
    for name, (optimiser, settings) in RUNS.items():
        parameters, history = train(split, optimiser, COMMON | settings | {"steps": steps}, seed)
        results[name] = {
            "early_loss": history["loss"][1],
            "train_loss": history["loss"][-1],
            "test_loss": mean_loss(parameters, split.test_x, split.test_y),
            "test_accuracy": accuracy(parameters, split.test_x, split.test_y),
            "path_length": history["path_length"],
        }
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    for name, row in results.items():
        print(name, " ".join(f"{key}={value:.4f}" for key, value in row.items()))


if __name__ == "__main__":
    main()

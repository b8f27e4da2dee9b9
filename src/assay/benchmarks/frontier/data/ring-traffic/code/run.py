"""Runs cars on a ring with four kinds of drivers; writes results.json. `--tables` prints the tables of the paper."""

import argparse
import json
import os
import random
from pathlib import Path

from measures import jammed, pace
from traffic import drive

SEED = 3
DRIVERS = {
    "plain": (),
    "zone": ("zone",),
    "comfort": ("zone", "comfort"),
    "complete": ("zone", "comfort", "eyes"),
}


def measure(cars, steps, parts, seed):
    """The numbers of one run."""
    speeds, forces, gaps = drive(cars, steps, 0.25, parts, random.Random(seed))
    flat = [speed for row in speeds for speed in row]
    return {
        "speed": sum(flat) / len(flat),
        "pace": sum(pace(row) for row in speeds) / len(speeds),
        "jammed": sum(jammed([row[car] for row in speeds]) for car in range(cars)) / cars,
        "effort": sum(force**2 for row in forces for force in row) / len(flat),
        "hardest": min(force for row in forces for force in row),
        "gap_1": gaps[0],
        "gap_2": gaps[1],
        "gap_3": gaps[2],
    }


def main():
    """Run all kinds of drivers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cars", type=int, default=24)
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    results = {name: measure(options.cars, options.steps, parts, seed) for name, parts in DRIVERS.items()}
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.tables:
        for cars, steps in ((options.cars, options.steps), (options.cars, 16), (12, options.steps)):
            row = measure(cars, steps, DRIVERS["complete"], seed)
            print(f"{cars} cars, {steps} steps" + "".join(f" {key} {value:.6f}" for key, value in row.items()))


if __name__ == "__main__":
    main()

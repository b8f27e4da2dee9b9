"""Runs cars on a ring with four kinds of drivers; writes results.json. `--tables` prints the tables of the paper."""

import argparse
import json
import os
import random
from pathlib import Path

from measures import jammed, pace
from traffic import drive

SEED = 3
STEP = 0.25
OTHER_STEP = 0.2
DRIVERS = {
    "plain": (),
    "zone": ("zone",),
    "comfort": ("zone", "comfort"),
    "complete": ("zone", "comfort", "eyes"),
}


def measure(cars, steps, step, parts, seed):
    """The numbers of one run."""
    speeds, forces, gaps = drive(cars, steps, step, parts, random.Random(seed))
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


def show(label, row):
    """Print the numbers of one run in a line."""
    print(label + "".join(f" {key} {value:.6f}" for key, value in row.items()))


def main():
    """Run all kinds of drivers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cars", type=int, default=24)
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--step", type=float, default=STEP)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    cars, steps, step = options.cars, options.steps, options.step
    results = {name: measure(cars, steps, step, parts, seed) for name, parts in DRIVERS.items()}
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.tables:
        show(f"{cars} cars, {steps} steps", measure(cars, steps, step, DRIVERS["complete"], seed))
        show(f"{cars} cars, 16 steps", measure(cars, 16, step, DRIVERS["complete"], seed))
        show(f"12 cars, {steps} steps", measure(12, steps, step, DRIVERS["complete"], seed))
        for number in (steps, 16):
            row = measure(cars, number, OTHER_STEP, DRIVERS["complete"], seed)
            show(f"{cars} cars, {number} steps of {OTHER_STEP} s", row)


if __name__ == "__main__":
    main()

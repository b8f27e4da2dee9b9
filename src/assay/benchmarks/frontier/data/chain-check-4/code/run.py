"""Runs the chains, computes the diagnostics and writes results.json. `--tables` prints the tables, `--draws` sets the length."""

import argparse
import json
import os
from pathlib import Path

from mixing import shrink_factor, mean, split, both
from sampler import chain
from size import batch_error, effective_size
from tails import quantile

SEED = 61
CHAINS, WARM_UP = 4, 150
PROPOSALS, LENGTHS = (1, 2, 3, 4, 10, 150), (329, 335, 431)


def diagnose(chains, coordinate):
    """All numbers of one coordinate."""
    values = [[point[coordinate] for point in points] for points in chains]
    every = [value for part in values for value in part]
    return {
        "mean": mean(every),
        "plain_mixing": shrink_factor(split(values)),
        "mixing": both(values),
        "size": effective_size(values),
        "error": mean([batch_error(part) for part in values]),
        "low": quantile(every[::5], 0.05),
        "high": quantile(every[::5], 0.975),
        "inner": mean([quantile(every[::5], number / 20) for number in range(2, 19)]),
    }


def run_all(draws, seed):
    """The numbers of all chains, and the course of each warm-up."""
    runs = [chain(WARM_UP, draws, seed * 17 + number) for number in range(CHAINS)]
    chains = [run[0] for run in runs]
    results = {
        "accepted": mean([run[1] for run in runs]),
        "step": mean([run[2][-1][1] for run in runs]),
        "x": diagnose(chains, 0),
        "y": diagnose(chains, 1),
    }
    return results, [run[2] for run in runs]


def print_tables(seed):
    """The step size during the warm-up, and all diagnostics."""
    courses = run_all(min(LENGTHS), seed)[1]
    for number in PROPOSALS:
        middle = mean([course[number - 1][1] for course in courses])
        print(f"proposal {number}: mean log of the step size {middle:.9g}")
    for draws in LENGTHS:
        results = run_all(draws, seed)[0]
        print(f"{draws} draws: accepted {results['accepted']:.9g}")
        for name in ("x", "y"):
            print(f"  {name}:", " ".join(f"{key} {value:.9g}" for key, value in results[name].items()))


def main():
    """Run all and write the numbers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=431)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    Path("results.json").write_text(json.dumps(run_all(options.draws, seed)[0], indent=2) + "\n")
    if options.tables:
        print_tables(seed)


if __name__ == "__main__":
    main()

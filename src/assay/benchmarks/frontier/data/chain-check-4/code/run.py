"""Runs the chains, computes the diagnostics and writes results.json. `--log` prints the log, `--draws` sets the length."""

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


def main():
    """Run all and write the numbers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=430)
    parser.add_argument("--log", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    runs = [chain(WARM_UP, options.draws, seed * 17 + number) for number in range(CHAINS)]
    chains = [run[0] for run in runs]
    results = {
        "accepted": mean([run[1] for run in runs]),
        "step": mean([run[2][-1][1] for run in runs]),
        "x": diagnose(chains, 0),
        "y": diagnose(chains, 1),
    }
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.log:
        print("warm-up of the first chain: proposal, log of the step size")
        for number, (_, log_size) in enumerate(runs[0][2], start=1):
            if number % 10 == 0:
                print(f"{number:4d} {log_size:9.5f}")
    for name, row in results.items():
        print(name, row if isinstance(row, float) else " ".join(f"{key}={value:.6f}" for key, value in row.items()))


if __name__ == "__main__":
    main()

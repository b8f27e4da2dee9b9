"""Runs four basins over some years; writes results.json. `--tables` prints the tables of the paper."""

import argparse
import json
import os
from pathlib import Path

from basin import BASE, CAPACITY, simulate
from measures import efficiency
from world import gauge, weather

SEED = 5
BASINS = {
    "stores": (),
    "soil": ("soil",),
    "snow": ("snow", "soil"),
    "complete": ("snow", "soil", "delay"),
}


def describe(flows, measured):
    """The numbers of one basin."""
    ordered = sorted(flows)
    mean = sum(flows) / len(flows)
    return {
        "mean": mean,
        "spread": (sum((flow - mean) ** 2 for flow in flows) / len(flows)) ** 0.5,
        "low": ordered[len(flows) // 10],
        "high": ordered[len(flows) - 1 - len(flows) // 50],
        "spring": sum(flows[150:240]) / 90,
        "efficiency": efficiency(flows, measured),
    }


def print_tables(results):
    """The numbers of the complete basin in four climates, then one storm on the stores alone."""
    print("as it is:" + "".join(f" {key} {value:.6g}" for key, value in results["complete"].items()))
    for colder in (-5.0, 2.0, 4.0):
        row = run_basins(3, SEED, colder, BASE, CAPACITY)["complete"]
        print(f"{-colder:+g} degrees:" + "".join(f" {key} {value:.6g}" for key, value in row.items()))
    flows = simulate([60.0] + [0.0] * 8, [10.0] * 9, [0.0] * 9, (), (0.0, 0.0, 0.0))
    print("storm:" + "".join(f" {flow:.4f}" for flow in flows))


def run_basins(years, seed, colder, base, capacity):
    """The numbers of all basins in one climate."""
    rains, temperatures, potentials = weather(365 * years, seed)
    temperatures = [temperature - colder for temperature in temperatures]
    measured = gauge(rains, temperatures, seed)
    results = {}
    for name, parts in BASINS.items():
        flows = simulate(rains, temperatures, potentials, parts, base=base, capacity=capacity)
        results[name] = describe(flows, measured)
    return results


def main():
    """Run all basins."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--years", type=int, default=3)
    parser.add_argument("--base", type=float, default=BASE)
    parser.add_argument("--capacity", type=float, default=CAPACITY)
    parser.add_argument("--colder", type=float, default=0.0)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    results = run_basins(options.years, seed, options.colder, options.base, options.capacity)
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.tables:
        print_tables(results)


if __name__ == "__main__":
    main()

"""Runs four basins over some years; writes results.json. `--tables` prints the tables of the paper."""

import argparse
import json
import os
from pathlib import Path

from basin import BASE, CAPACITY, simulate
from measures import efficiency
from snow import fallen_snow, release
from world import gauge, weather

SEED = 5
BASINS = {
    "stores": (),
    "soil": ("soil",),
    "snow": ("snow", "soil"),
    "complete": ("snow", "soil", "delay"),
}
SPELLS = (
    ((30, -6), (0, 1), (12, 1), (0, -3), (6, 0.8), (0, 2), (0, 3)),
    ((25, -1), (25, 1.5), (0, 0.5), (8, 0), (0, -5), (0, 2), (5, 4), (0, 6)),
)


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
    """The numbers of the run, of two basins in a colder climate, then two storms on the stores alone and two spells."""
    for name, row in results.items():
        print(f"{name:14}" + "".join(f" {key} {value:.5g}" for key, value in row.items()))
    colder = run_basins(3, SEED, 4.0, BASE, CAPACITY)
    for name in ("snow", "complete"):
        print(f"{name + ' -4':14}" + "".join(f" {key} {value:.5g}" for key, value in colder[name].items()))
    for storm in (12.0, 60.0):
        flows = simulate([storm] + [0.0] * 8, [10.0] * 9, [0.0] * 9, (), (0.0, 0.0, 0.0))
        print(f"storm {storm:g}:" + "".join(f" {flow:.4f}" for flow in flows))
    for spell in SPELLS:
        print("spell:" + "".join(f" ({rain:g}, {temperature:g}) {left:.4f}" for rain, temperature, left in thaw(spell)))


def thaw(spell):
    """Rain, temperature and the water that leaves the pack, for each day of a spell that starts without snow."""
    ice, water, lines = 0.0, 0.0, []
    for rain, temperature in spell:
        snow, liquid = fallen_snow(rain, temperature)
        ice, water, left = release(ice + snow, water, liquid, temperature)
        lines.append((rain, temperature, left))
    return lines


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

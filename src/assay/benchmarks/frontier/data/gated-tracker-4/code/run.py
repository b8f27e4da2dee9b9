"""Tracks with a known and with a learned start of the noise level; writes results.json. `--tables` prints the tables."""

import argparse
import json
import os
from pathlib import Path

from measures import consistency, error, log_likelihood
from tracker import smooth, track
from world import simulate

SEED = 23
STRENGTH = 0.25
STEP = 0.5
LEVELS = {"low_start": 0.05, "high_start": 2.0}
TRACKS = 8
LENGTHS = (30, 160)
OTHER_STEP, OTHER_STRENGTH = 0.4, 0.18


def measure(positions, velocities, records, step):
    """The numbers of one track."""
    improved = smooth(records, step)
    innovations, spreads = [r["innovation"] for r in records], [r["spread"] for r in records]
    return {
        "position_error": error([r["state"][0] for r in records], positions[2:]),
        "velocity_error": error([r["state"][1] for r in records], velocities[2:]),
        "smoothed_position_error": error([state[0] for state in improved], positions[2:]),
        "smoothed_velocity_error": error([state[1] for state in improved], velocities[2:]),
        "consistency": consistency(innovations, spreads),
        "log_likelihood": log_likelihood(innovations, spreads),
        "level": records[-1]["level"],
    }


def track_all(length, strength, step, seed):
    """The means over all tracks, for each start of the noise level."""
    results = {}
    for name, level in LEVELS.items():
        rows = []
        for number in range(TRACKS):
            positions, velocities, measured = simulate(length, step, seed * 101 + number)
            rows.append(measure(positions, velocities, track(measured, strength, step, level), step))
        results[name] = {key: sum(row[key] for row in rows) / TRACKS for key in rows[0]}
    return results


def show(label, results):
    """Print the numbers, a line for each start of the noise level."""
    for name, row in results.items():
        print(f"{label}, {name}:", " ".join(f"{key} {value:.9g}" for key, value in row.items()))


def main():
    """Track all and write the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=160)
    parser.add_argument("--strength", type=float, default=STRENGTH)
    parser.add_argument("--step", type=float, default=STEP)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    strength, step = options.strength, options.step
    results = track_all(options.length, strength, step, seed)
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.tables:
        for length in LENGTHS:
            show(f"{length} measurements", track_all(length, strength, step, seed))
        for length in LENGTHS:
            show(f"{length} measurements, step {OTHER_STEP}", track_all(length, strength, OTHER_STEP, seed))
        for length in LENGTHS:
            show(f"{length} measurements, strength {OTHER_STRENGTH}", track_all(length, OTHER_STRENGTH, step, seed))


if __name__ == "__main__":
    main()

"""Tracks with a known and with a learned start of the noise level; writes results.json. `--log` prints the log."""

import argparse
import json
import os
from pathlib import Path

from measures import consistency, error, log_likelihood
from tracker import smooth, track
from world import simulate

SEED = 23
STRENGTH = 0.25
LEVELS = {"low_start": 0.05, "high_start": 2.0}
TRACKS = 8


def measure(positions, velocities, records):
    """The numbers of one track."""
    improved = smooth(records)
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


def print_log(name, records):
    """Every tenth step."""
    improved = smooth(records)
    print(f"{name}: step, innovation, smoothed position")
    for number, (record, state) in enumerate(zip(records, improved), start=2):
        if number % 10 == 9:
            print(f"{number:4d} {record['innovation']:9.4f} {state[0]:9.4f}")


def main():
    """Track all and write the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=160)
    parser.add_argument("--log", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    results = {}
    for name, level in LEVELS.items():
        rows = []
        for number in range(TRACKS):
            positions, velocities, measured = simulate(options.length, seed * 101 + number)
            records = track(measured, STRENGTH, level)
            rows.append(measure(positions, velocities, records))
            if options.log and number == 0:
                print_log(name, records)
        results[name] = {key: sum(row[key] for row in rows) / TRACKS for key in rows[0]}
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    for name, row in results.items():
        print(name, " ".join(f"{key}={value:.5f}" for key, value in row.items()))


if __name__ == "__main__":
    main()

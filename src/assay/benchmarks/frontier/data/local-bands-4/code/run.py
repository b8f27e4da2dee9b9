"""Makes bands on several draws and writes results.json. `--log` prints the log, `--miss` sets the share outside."""

import argparse
import json
import os
from pathlib import Path

from bands import band, band_score, lowest_coverage
from calibrate import recency, quantile, score
from places import local_scale, own_residuals
from points import draw
from smooth import centre

SEED = 41
BANDWIDTH = 0.05
TRAINING, CALIBRATION, TEST = 150, 120, 90
DRAWS = 3


def study(seed, miss, log):
    """All numbers of one draw."""
    features, targets = draw(TRAINING + CALIBRATION + TEST, seed)
    first, second = TRAINING, TRAINING + CALIBRATION
    past, known = features[:first], targets[:first]
    residuals = own_residuals(past, known, BANDWIDTH)
    rows = []
    for place, target in zip(features[first:], targets[first:]):
        rows.append((place, target, centre(place, past, known, BANDWIDTH), local_scale(place, past, residuals)))
    scores = [score(target - middle, scale) for _, target, middle, scale in rows[:CALIBRATION]]
    limit = quantile(scores, recency(len(scores)), 1.0 - miss)
    limits = [quantile(scores, recency(len(scores)), number / 20) for number in range(4, 20)]
    ends = [band(middle, scale, limit) for _, _, middle, scale in rows[CALIBRATION:]]
    tests = list(zip(rows[CALIBRATION:], ends))
    inside = [low <= row[1] <= high for row, (low, high) in tests]
    if log:
        print("calibration: place, target, centre, score")
        for row, value in list(zip(rows, scores))[:40]:
            print(f"{row[0]:8.5f} {row[1]:8.5f} {row[2]:8.5f} {value:8.5f}")
        print(f"quantile {limit:.5f}, largest scores {[round(value, 4) for value in sorted(scores)[-16:]]}")
        print("at shares from 0.2 to 0.95:", " ".join(f"{value:.5f}" for value in limits))
        print("test: place, target, low, high")
        for row, (low, high) in tests[:40]:
            print(f"{row[0]:8.5f} {row[1]:8.5f} {low:8.5f} {high:8.5f}")
    return {
        "coverage": sum(inside) / len(inside),
        "width": sum(high - low for low, high in ends) / len(ends),
        "band_score": sum(band_score(*end, row[1], miss) for row, end in tests) / len(tests),
        "lowest_coverage": lowest_coverage([row[0] for row, _ in tests], inside),
        "quantile": limit,
        "mean_limit": sum(limits) / len(limits),
        "error": sum((row[1] - row[2]) ** 2 for row, _ in tests) / len(tests),
        "local_scale": sum(row[3] for row, _ in tests) / len(tests),
    }


def main():
    """Make all draws at two shares and write the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--miss", type=float, default=0.1)
    parser.add_argument("--log", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    results = {}
    for name, miss in (("usual", options.miss), ("half", options.miss / 2)):
        rows = [study(seed * 53 + number, miss, options.log and number == 0) for number in range(DRAWS)]
        results[name] = {key: sum(row[key] for row in rows) / DRAWS for key in rows[0]}
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    for name, row in results.items():
        print(name, " ".join(f"{key}={value:.5f}" for key, value in row.items()))


if __name__ == "__main__":
    main()

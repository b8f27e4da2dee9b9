"""Makes bands and writes results.json.

`--tables` prints the tables; `--miss`, `--bandwidth` and `--calibration` replace settings.
"""

import argparse
import json
import os
from pathlib import Path

from bands import band, band_score, worst_coverage
from calibrate import ages, cut, score
from places import local_scale, own_residuals
from points import draw
from smooth import centre

SEED = 73
BANDWIDTH = 0.08
OTHER_BANDWIDTH = 0.13
TRAINING, CALIBRATION, TEST = 150, 120, 90
OTHER_CALIBRATION = 90
DRAWS = 3
SHARES = (0.005, 0.1, 0.3, 0.5, 0.7)


def study(seed, miss, bandwidth, calibration):
    """All numbers of one draw."""
    features, targets = draw(TRAINING + calibration + TEST, seed)
    past, known = features[:TRAINING], targets[:TRAINING]
    residuals = own_residuals(past, known, bandwidth)
    rows = []
    for place, target in zip(features[TRAINING:], targets[TRAINING:]):
        rows.append((place, target, centre(place, past, known, bandwidth), local_scale(place, past, residuals)))
    scores = [score(target - middle, scale) for _, target, middle, scale in rows[:calibration]]
    weights = ages(len(scores))
    limit = cut(scores, weights, 1.0 - miss)
    limits = [cut(scores, weights, number / 20) for number in range(4, 20)]
    ends = [band(middle, scale, limit) for _, _, middle, scale in rows[calibration:]]
    tests = list(zip(rows[calibration:], ends))
    inside = [low <= row[1] <= high for row, (low, high) in tests]
    return {
        "coverage": sum(inside) / len(inside),
        "width": sum(high - low for low, high in ends) / len(ends),
        "band_score": sum(band_score(*end, row[1], miss) for row, end in tests) / len(tests),
        "worst_coverage": worst_coverage([row[0] for row, _ in tests], inside),
        "cut": limit,
        "mean_limit": sum(limits) / len(limits),
        "weight": sum(weights),
        "error": sum((row[1] - row[2]) ** 2 for row, _ in tests) / len(tests),
        "local_scale": sum(row[3] for row, _ in tests) / len(tests),
    }


def study_all(seed, share, bandwidth, calibration):
    """The means over all draws, for a share outside and for half of it."""
    results = {}
    for name, miss in (("usual", share), ("half", share / 2)):
        rows = [study(seed * 53 + number, miss, bandwidth, calibration) for number in range(DRAWS)]
        results[name] = {key: sum(row[key] for row in rows) / DRAWS for key in rows[0]}
    return results


def print_means(title, results):
    """Print a line for a share outside and a line for half of it."""
    for name, row in results.items():
        print(f"{title}, {name}:", " ".join(f"{key} {value:.9g}" for key, value in row.items()))


def main():
    """Make all draws at two shares and write the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--miss", type=float, default=0.1)
    parser.add_argument("--bandwidth", type=float, default=BANDWIDTH)
    parser.add_argument("--calibration", type=int, default=CALIBRATION)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    results = study_all(seed, options.miss, options.bandwidth, options.calibration)
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.tables:
        for share in SHARES:
            print_means(share, study_all(seed, share, BANDWIDTH, CALIBRATION))
        print_means(f"0.1, bandwidth {OTHER_BANDWIDTH}", study_all(seed, 0.1, OTHER_BANDWIDTH, CALIBRATION))
        print_means(f"0.1, {OTHER_CALIBRATION} points", study_all(seed, 0.1, BANDWIDTH, OTHER_CALIBRATION))


if __name__ == "__main__":
    main()

"""Forecasts sequences by four methods; writes results.json. `--tables` prints the table of the paper."""

import argparse
import json
import os
from pathlib import Path

from coder import costs
from world import sequence

SEED = 8
SEQUENCES = 3
METHODS = {
    "single": (),
    "mixed": ("mix",),
    "learned": ("mix", "learn"),
    "complete": ("mix", "learn", "refine"),
}


def measure(texts, parts):
    """The numbers of one method."""
    row = {}
    for number, text in enumerate(texts, start=1):
        spent = costs(text, parts)
        early = spent[: len(spent) // 8]
        row[f"cost_{number}"] = sum(spent) / len(spent)
        row[f"early_{number}"] = sum(early) / len(early)
        row[f"worst_{number}"] = max(spent)
    return row


def main():
    """Forecast by all methods."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=3000)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    texts = [sequence(options.length, seed * 31 + number) for number in range(SEQUENCES)]
    results = {name: measure(texts, parts) for name, parts in METHODS.items()}
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.tables:
        for length in (options.length, 400):
            row = measure([text[:length] for text in texts], METHODS["complete"])
            print(f"{length} bits" + "".join(f" {key} {value:.6f}" for key, value in row.items()))


if __name__ == "__main__":
    main()

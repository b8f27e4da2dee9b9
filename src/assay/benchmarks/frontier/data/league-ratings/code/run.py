"""Rates a league by four methods; writes results.json. `--tables` prints the tables of the paper."""

import argparse
import json
import os
from pathlib import Path

from measures import surprise, unevenness
from ratings import rate
from world import play

SEED = 12
METHODS = {
    "plain": (),
    "goals": ("goals",),
    "doubt": ("goals", "doubt"),
    "complete": ("goals", "doubt", "summer"),
}


def measure(games, teams, parts):
    """The numbers of one method: final ratings of the first four teams, forecasts, doubts."""
    ratings, deviations, chances, scores = rate(games, teams, parts)
    row = {f"team_{number + 1}": rating for number, rating in enumerate(ratings[:4])}
    return row | {
        "mean": sum(ratings) / teams,
        "doubt": sum(deviations) / teams,
        "surprise": surprise(chances, scores),
        "unevenness": unevenness(chances, scores),
    }


def main():
    """Rate by all methods."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--teams", type=int, default=10)
    parser.add_argument("--seasons", type=int, default=4)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    games = play(options.teams, options.seasons, int(os.environ.get("ASSAY_SEED", SEED)))
    results = {name: measure(games, options.teams, parts) for name, parts in METHODS.items()}
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.tables:
        for count in (12, len(games)):
            row = measure(games[:count], options.teams, METHODS["complete"])
            print(f"{count} games" + "".join(f" {key} {value:.7g}" for key, value in row.items()))


if __name__ == "__main__":
    main()

"""Plays and writes results.json. `--tables` prints the tables, `--rounds` sets the length, `--decay` the decay."""

import argparse
import json
import os
from pathlib import Path

from arms import World
from player import play
from score import area

SEED = 8
DECAY = 0.98
OTHER_DECAY = 0.93
GAMES = 6
PLAYERS = {"plain": False, "watchful": True}
LENGTHS = (6, 7, 8, 12, 30, 500)
OTHER_LENGTHS = (30, 500)


def first_delays(changes, alarms, rounds):
    """For each change, the rounds until the next alarm of that arm; all rounds left if there is none."""
    waits = []
    for number, arm in changes:
        later = [ring - number for ring, other in alarms if other == arm and ring >= number]
        waits.append(later[0] if later else rounds - number)
    return sum(waits) / max(len(waits), 1)


def measure(world, records, alarms):
    """The numbers of one game."""
    curve = [record[4] for record in records]
    return {
        "regret": curve[-1] / len(curve),
        "area": area(curve),
        "alarms": float(len(alarms)),
        "delay": first_delays(world.changes, alarms, len(records)),
        "best_share": sum(record[5] for record in records) / len(records),
        "mean_index": sum(record[2] for record in records[5:]) / (len(records) - 5),
        "mean_level": sum(record[3] for record in records) / len(records),
    }


def play_all(rounds, seed, decay):
    """The means over all games, for each player."""
    results = {}
    for name, watchful in PLAYERS.items():
        rows = []
        for game in range(GAMES):
            world = World(rounds, seed * 31 + game)
            rows.append(measure(world, *play(world, decay, watchful)))
        results[name] = {key: sum(row[key] for row in rows) / GAMES for key in rows[0]}
    return results


def print_means(title, results):
    """Print a line for each player."""
    for name, row in results.items():
        print(f"{title}, {name}:", " ".join(f"{key} {value:.9g}" for key, value in row.items()))


def main():
    """Play all games and write the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--decay", type=float, default=DECAY)
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    results = play_all(options.rounds, seed, options.decay)
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    if options.tables:
        for rounds in LENGTHS:
            print_means(f"{rounds} rounds", play_all(rounds, seed, DECAY))
        for rounds in OTHER_LENGTHS:
            print_means(f"{rounds} rounds, decay {OTHER_DECAY}", play_all(rounds, seed, OTHER_DECAY))


if __name__ == "__main__":
    main()

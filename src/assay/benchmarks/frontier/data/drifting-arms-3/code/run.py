"""Plays with and without alarms, and writes results.json. `--log` prints the log, `--rounds` sets the length."""

import argparse
import json
import os
from pathlib import Path

from arms import World
from player import play
from score import area

SEED = 8
DECAY = 0.98
GAMES = 6
PLAYERS = {"plain": False, "watchful": True}


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


def print_log(name, records, alarms):
    """Every round at the start, later every tenth."""
    print(f"player {name}: {len(alarms)} alarms, the first at {[number for number, _ in alarms[:6]]}")
    print("round arm  reward   index   level  regret")
    for number, (arm, reward, index, level, running, _) in enumerate(records):
        if number < 60 or number % 10 == 9:
            print(f"{number:5d} {arm:3d} {reward:7.4f} {index:7.4f} {level:7.4f} {running:7.3f}")


def main():
    """Play all games and write the means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--log", action="store_true")
    options = parser.parse_args()
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    results = {}
    for name, watchful in PLAYERS.items():
        rows = []
        for game in range(GAMES):
            world = World(options.rounds, seed * 31 + game)
            records, alarms = play(world, DECAY, watchful)
            rows.append(measure(world, records, alarms))
            if options.log and game == 0:
                print_log(name, records, alarms)
        results[name] = {key: sum(row[key] for row in rows) / GAMES for key in rows[0]}
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    for name, row in results.items():
        print(name, " ".join(f"{key}={value:.4f}" for key, value in row.items()))


if __name__ == "__main__":
    main()

"""Draws games between players whose chances follow a law with many parts: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score). The truth has the
true chances of the asked games and the bits of the best known program, which is in known/.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "known")]
from measure import bits_of  # noqa: E402
from solve import odds_of  # noqa: E402

PLAYERS, GAMES, FLOORS = 40, 6000, 4
RESTS = 6.0


def tiredness(games):
    """How tired both players of each game are: less with each game that they did not play since their last one."""
    last = np.full(PLAYERS, -1000)
    tired = np.zeros((len(games), 2))
    for number, pair in enumerate(games):
        tired[number] = np.exp(-(number - last[pair]) / RESTS)
        last[pair] = number
    return tired


def log_odds(games, hosts, floors, random):
    """The law: skill, its trend, floors, hosts, tiredness, and styles that beat each other in a circle."""
    one, two = games.T
    time = np.linspace(-1.0, 1.0, len(games))
    skill, trend = random.normal(0.0, 0.7, PLAYERS), random.normal(0.0, 0.7, PLAYERS)
    on_floor = random.normal(0.0, 0.6, (PLAYERS, FLOORS))
    style = random.normal(0.0, 1.0, (PLAYERS, 2))
    tired = tiredness(games)
    total = skill[one] - skill[two] + time * (trend[one] - trend[two])
    total += on_floor[one, floors] - on_floor[two, floors]
    total += random.uniform(0.4, 0.8) * np.array([0.0, 1.0, -1.0])[hosts]
    total -= random.uniform(1.7, 2.3) * (tired[:, 0] - tired[:, 1])
    return total + 0.9 * (style[one, 0] * style[two, 1] - style[one, 1] * style[two, 0])


def draw_games(random):
    """Who plays: some players play in rounds of games, so that they are often tired."""
    games, active = [], random.permutation(PLAYERS)[:10]
    while len(games) < GAMES:
        if random.random() < 0.05:
            active = random.permutation(PLAYERS)[:10]
        games.append(random.choice(active, 2, replace=False))
    return np.array(games)


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    games = draw_games(random)
    hosts, floors = random.integers(0, 3, GAMES), random.integers(0, FLOORS, GAMES)
    odds = 1 / (1 + np.exp(-log_odds(games, hosts, floors, random)))
    wins = random.random(GAMES) < odds
    asked = random.random(GAMES) < 0.5
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    rows = np.column_stack([games, hosts, floors]).tolist()
    shown = [None if hidden else int(won) for hidden, won in zip(asked, wins)]
    problem, chances = {"games": rows, "won": shown}, odds[asked].round(6).tolist()
    Path("workspace/problem.json").write_text(json.dumps(problem, separators=(",", ":")))
    truth = {"won": chances, "known": bits_of(odds_of(problem), chances)}
    Path("truth/truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()

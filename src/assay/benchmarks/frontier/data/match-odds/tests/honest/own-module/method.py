"""Fits all parts of the law together, styles and the rest in turns, and averages over samples. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

RESTS, TURNS, STARTS, SAMPLES = 6.0, 12, 4, 40
STYLE = 0.9


def tiredness(games, players):
    """How tired the first player is compared with the second."""
    last, tired = np.full(players, -1000), np.zeros((len(games), 2))
    for number, pair in enumerate(games):
        tired[number] = np.exp(-(number - last[pair]) / RESTS)
        last[pair] = number
    return tired[:, 0] - tired[:, 1]


def columns(games, hosts, floors, players):
    """The linear parts of the law, and the price of each weight."""
    rows, time = np.arange(len(games)), np.linspace(-1.0, 1.0, len(games))
    skill = np.zeros((len(games), players))
    skill[rows, games[:, 0]], skill[rows, games[:, 1]] = 1.0, -1.0
    blocks = [skill, skill * time[:, None], *(skill * (floors == floor)[:, None] for floor in range(floors.max() + 1))]
    blocks.append(np.column_stack([(hosts == 1) * 1.0 - (hosts == 2), tiredness(games, players)]))
    prices = [0.7**-2] * (2 * players) + [0.6**-2] * (players * (len(blocks) - 3)) + [0.3, 0.3]
    return np.column_stack(blocks), np.array(prices)


def style_columns(games, styles):
    """How the odds change with the styles of one player after the other, as inputs for all styles at once."""
    rows, players = np.arange(len(games)), len(styles)
    inputs = np.zeros((len(games), players, 2))
    one, two = games.T
    inputs[rows, one] = STYLE * np.column_stack([styles[two, 1], -styles[two, 0]])
    inputs[rows, two] = STYLE * np.column_stack([-styles[one, 1], styles[one, 0]])
    return inputs.reshape(len(games), -1)


def style_terms(games, styles):
    """What styles add to the odds."""
    one, two = styles[games[:, 0]], styles[games[:, 1]]
    return STYLE * (one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0])


def newton(inputs, prices, weights, fixed, won, rounds):
    """Weights of a logistic model with prices and a fixed part; also the matrix of second slopes."""
    for _ in range(rounds):
        odds = 1 / (1 + np.exp(-(inputs @ weights + fixed)))
        inside = (inputs * (odds * (1 - odds))[:, None]).T @ inputs + np.diag(prices)
        weights = weights + np.linalg.solve(inside, inputs.T @ (won - odds) - prices * weights)
    return weights, inside


def fit(inputs, prices, games, won, random):
    """Weights and styles that fit best together: both are improved at once, as if styles acted linearly."""
    players = games.max() + 1
    weights, _ = newton(inputs, prices, np.zeros(len(prices)), 0.0, won, 5)
    styles = random.normal(0.0, 0.5, (players, 2))
    every = np.append(prices, np.ones(2 * players))
    for _ in range(TURNS):
        slopes = style_columns(games, styles)
        both = np.column_stack([inputs, slopes])
        fixed = style_terms(games, styles) - slopes @ styles.ravel()
        start = np.append(weights, styles.ravel())
        found, inside = newton(both, every, start, fixed, won, 1)
        step = found - start
        found = start + step * min(1.0, 1.0 / np.abs(step[len(prices) :]).max())
        weights, styles = found[: len(prices)], found[len(prices) :].reshape(-1, 2)
    total = inputs @ weights + style_terms(games, styles)
    value = -np.logaddexp(0.0, -np.where(won > 0, total, -total)).sum() - 0.5 * (every * found**2).sum()
    return value, found, inside


def main():
    problem = json.loads(Path("problem.json").read_text())
    one, two, hosts, floors = np.array(problem["games"]).T
    games = np.column_stack([one, two])
    asked = np.array([won is None for won in problem["won"]])
    won = np.array([won for won in problem["won"] if won is not None], dtype=float)
    inputs, prices = columns(games, hosts, floors, games.max() + 1)
    random = np.random.default_rng(2)
    tried = [fit(inputs[~asked], prices, games[~asked], won, random) for _ in range(STARTS)]
    _, found, inside = max(tried, key=lambda entry: entry[0])
    root = np.linalg.cholesky(np.linalg.inv(inside))
    odds = np.zeros(asked.sum())
    for _ in range(SAMPLES):
        sample = found + root @ random.normal(0.0, 1.0, len(found))
        styles = sample[len(prices) :].reshape(-1, 2)
        total = inputs[asked] @ sample[: len(prices)] + style_terms(games[asked], styles)
        odds += 1 / (1 + np.exp(-total)) / SAMPLES
    Path("answers.json").write_text(json.dumps({"odds": odds.round(5).tolist()}))


if __name__ == "__main__":
    main()

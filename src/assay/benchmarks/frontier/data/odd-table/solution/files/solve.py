"""Builds the parts of the law, finds its two periods, and fits all weights together. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

SHOPS, KINDS, FLIPPED = 30, 4, 0.04
FAST, SLOW = np.arange(0.6, 1.28, 0.004), 1 / np.arange(550.0, 1600.0, 10.0)
WAVE_PRICES = np.ones(4)


def fit(inputs, yes, prices, rounds=25):
    """Weights of a logistic model with some answers flipped, and the value of the fit: Newton's method."""
    weights, share = np.zeros(inputs.shape[1]), 1 - 2 * FLIPPED
    for _ in range(rounds):
        plain = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        odds = FLIPPED + share * plain
        slope = share * plain * (1 - plain)
        pull = inputs.T @ ((yes - odds) / (odds * (1 - odds)) * slope) - prices * weights
        inside = (inputs * (slope**2 / (odds * (1 - odds)))[:, None]).T @ inputs + np.diag(prices)
        step = np.linalg.solve(inside, pull)
        weights = weights + step * min(1.0, 2.0 / np.abs(step).max())
    value = np.log(np.where(yes > 0, odds, 1 - odds)).sum() - 0.5 * (prices * weights**2).sum()
    return weights, odds, value


def parts(rows, absent):
    """The parts of the law without waves, and the price of each weight."""
    main, _, first, second, shop, level, one, two, three, bent, kind, switched, _ = rows.T
    shop, kind = shop.astype(int), kind.astype(int)
    means = np.bincount(shop, level, SHOPS) / np.maximum(np.bincount(shop, minlength=SHOPS), 1)
    inputs = [np.ones(len(rows)), main, first * second, level - means[shop]]
    inputs += [1 - 2 * ((one + two + three) % 2), absent * 1.0, np.where(absent, 0.0, np.abs(bent) - 0.8)]
    inputs += [(kind == number) * switched for number in range(KINDS)]
    inputs += [(shop == number) * 1.0 for number in range(SHOPS)]
    return np.column_stack(inputs), np.array([0.1, *[1.0] * 6, *[1.2] * KINDS, *[1.6] * SHOPS])


def wave(values, pace):
    """The two columns of a wave."""
    return np.column_stack([np.sin(2 * np.pi * pace * values), np.cos(2 * np.pi * pace * values)])


def best_pace(values, left, paces):
    """The pace of the wave that explains most of what is left."""
    return paces[np.argmax(np.abs(np.exp(2j * np.pi * paces[:, None] * values) @ left))]


def with_waves(inputs, prices, phase, known, yes):
    """The inputs with both waves at the paces that fit best: a search on a grid, one wave after the other."""
    places = np.arange(len(inputs))
    left = yes - fit(inputs[known], yes, prices)[1]
    fast = best_pace(phase[known], left, FAST)
    slow = best_pace(places[known], left, SLOW)
    prices = np.append(prices, WAVE_PRICES)

    def value(fast, slow):
        tried = np.column_stack([inputs, wave(phase, fast), wave(places, slow)])
        return fit(tried[known], yes, prices, rounds=8)[2]

    for width in (1.0, 0.3):
        fast = max(fast + width * np.linspace(-0.006, 0.006, 5), key=lambda pace: value(pace, slow))
        slow = max(slow * (1 + width * np.linspace(-0.06, 0.06, 7)), key=lambda pace: value(fast, pace))
    return np.column_stack([inputs, wave(phase, fast), wave(places, slow)]), prices


def main():
    problem = json.loads(Path("problem.json").read_text())
    absent = np.array([row[9] is None for row in problem["rows"]])
    rows = np.array([[0.0 if value is None else value for value in row] for row in problem["rows"]], dtype=float)
    asked = np.array([answer is None for answer in problem["answers"]])
    yes = np.array([answer for answer in problem["answers"] if answer is not None], dtype=float)
    inputs, prices = parts(rows, absent)
    inputs, prices = with_waves(inputs, prices, rows[:, 1], ~asked, yes)
    weights = fit(inputs[~asked], yes, prices)[0]
    odds = FLIPPED + (1 - 2 * FLIPPED) / (1 + np.exp(-inputs[asked] @ weights))
    Path("answers.json").write_text(json.dumps({"odds": odds.round(5).tolist()}))


if __name__ == "__main__":
    main()

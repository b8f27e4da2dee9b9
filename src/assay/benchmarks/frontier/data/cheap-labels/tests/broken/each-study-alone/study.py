"""Analyses each study alone: rates, errors of the cheap marker and his doubts as one law, fitted by its likelihood."""

from __future__ import annotations

from itertools import product

import numpy as np
from linear import interval

MARGIN = 8.0
CELLS = np.array(list(product((0, 1), repeat=5)))
"""doubt, cheap_a, cheap_b, expert_a, expert_b"""
PRIOR = 0.5
START = np.array([0.6, 0.6, 0.15, 0.15, 0.15, 0.15, 0.2, 0.7])
STEP = 1e-3

Found = tuple[float, float, float]


def counts_of(rows: list[dict[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    """How many items have each set of five marks, and how many have three marks and no expert."""
    full, part = np.zeros(32), np.zeros(8)
    for row in rows:
        place = 4 * int(row["doubt"]) + 2 * int(row["cheap_a"]) + int(row["cheap_b"])
        if row["expert_a"]:
            full[4 * place + 2 * int(row["expert_a"]) + int(row["expert_b"])] += 1
        else:
            part[place] += 1
    return full, part


def fitness(logits: np.ndarray, full: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Log-likelihood of each row: rates of a and b, lenient and harsh errors of both, doubt if right and if mistaken."""
    rates = 1 / (1 + np.exp(-logits))[:, :, None]
    doubt, cheap, expert = CELLS[:, 0], CELLS[:, 1:3].T, CELLS[:, 3:].T
    chance = np.ones((len(logits), 32))
    for model in (0, 1):
        rate, lenient, harsh = rates[:, model], rates[:, 2 + 2 * model], rates[:, 3 + 2 * model]
        chance = chance * np.where(expert[model] == 1, rate, 1 - rate)
        wrong = np.where(expert[model] == 1, harsh, lenient)
        chance = chance * np.where(cheap[model] != expert[model], wrong, 1 - wrong)
    doubted = np.where((cheap != expert).any(axis=0), rates[:, 7], rates[:, 6])
    chance = chance * np.where(doubt == 1, doubted, 1 - doubted)
    prior = PRIOR * np.log(rates * (1 - rates)).sum(axis=(1, 2))
    result: np.ndarray = np.log(chance) @ full + np.log(chance.reshape(-1, 8, 4).sum(axis=2)) @ part + prior
    return result


def slopes(logits: np.ndarray, full: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivatives by differences."""
    count = len(logits)
    moves = STEP * np.eye(count)
    pairs = moves[:, None] + moves[None]
    points = np.concatenate(
        [[0 * logits], moves, -moves, pairs.reshape(-1, count), -pairs.reshape(-1, count)]
    )
    values = fitness(logits + points, full, part)
    up, down = values[1 : count + 1], values[count + 1 : 2 * count + 1]
    both, neither = values[2 * count + 1 :].reshape(2, count, count)
    crossed = both + neither - up[:, None] - up[None] - down[:, None] - down[None] + 2 * values[0]
    return (up - down) / (2 * STEP), crossed / (2 * STEP**2)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    full, part = counts_of(rows)
    logits = np.log(START / (1 - START))
    for _ in range(25):
        first, second = slopes(logits, full, part)
        sizes, axes = np.linalg.eigh(-second)
        move = axes @ ((axes.T @ first) / np.maximum(np.abs(sizes), 1.0))
        logits = logits + move / max(1.0, np.abs(move).max())
        if np.abs(move).max() < 1e-4:
            break
    rates = 1 / (1 + np.exp(-logits))
    weights = np.zeros(8)
    weights[:2] = np.array([100.0, -100.0]) * (rates * (1 - rates))[:2]
    error = float(weights @ np.linalg.inv(-slopes(logits, full, part)[1]) @ weights) ** 0.5
    return interval(100 * float(rates[0] - rates[1]), error, 150)

"""Maximum likelihood: signals of changing volume, heavy-tailed, uniform or autoregressive. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from math import lgamma, log, pi
from pathlib import Path

import numpy as np

ATTEMPTS, FIRST_ROUNDS, ROUNDS, LAST_ROUNDS = 2, 20, 15, 14
"""How often a search starts again, and how many rounds the first search, each other one and the last one have."""
AVERAGED = (6, 10)
"""Rounds of the last search at which rows of uniform signals become the mean of their posterior."""
CHAINS, STEPS, EDGES = 48, 250, 200
FREEDOM, BARRIER = 4.5, 0.12
VOLUME, TAILS, UNIFORM, MEMORY = range(4)

KEPT, SPREAD = 0.96, 2.5
"""The logarithm of the variance of a signal of changing volume: what a step keeps, and its standard deviation."""
LEVELS = np.linspace(-7.5, 7.5, 31)
MOVES = np.exp(-0.5 * ((LEVELS - KEPT * LEVELS[:, None]) / (SPREAD * np.sqrt(1 - KEPT**2))) ** 2)
MOVES /= MOVES.sum(axis=1, keepdims=True)
START = np.exp(-0.5 * (LEVELS / SPREAD) ** 2)
START /= START.sum()


def volumes(rows):
    """The log-likelihood of rows of changing volume, and the expected inverse of the variance at each place."""
    count, length = rows.shape
    chances = -0.5 * LEVELS - 0.5 * (rows.T[:, :, None] ** 2) * np.exp(-LEVELS)
    largest = chances.max(axis=2, keepdims=True)
    chances = np.exp(chances - largest)
    before, now, totals = np.empty_like(chances), np.tile(START, (count, 1)), np.empty((length, count, 1))
    for place in range(length):
        now = now * chances[place]
        totals[place] = now.sum(axis=1, keepdims=True)
        before[place] = now / totals[place]
        now = before[place] @ MOVES
    after, back = np.ones((count, len(LEVELS))), np.ascontiguousarray(MOVES.T)
    for place in range(length - 1, -1, -1):
        before[place] *= after
        after = (after * chances[place]) @ back
        after /= after.sum(axis=1, keepdims=True)
    before /= before.sum(axis=2, keepdims=True)
    values = (largest + np.log(totals)).sum(axis=(0, 2)) - 0.5 * length * log(2 * pi)
    return values, (before @ np.exp(-LEVELS)).T


def whiten(mixed):
    """The mixture turned and scaled so that its parts do not correlate."""
    mixed = mixed - mixed.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(np.cov(mixed))
    return (vectors / np.sqrt(values)).T @ mixed


def cues(white):
    """Matrices that are diagonal for separate signals: delays, pieces of time and fourth moments."""
    size, length = white.shape
    found = []
    for delay in range(1, 9):
        matrix = white[:, delay:] @ white[:, :-delay].T / length
        found.append((matrix + matrix.T) / 2)
    for piece in np.split(white, range(25, length, 25), axis=1):
        found.append(0.2 * (piece @ piece.T / piece.shape[1] - np.eye(size)))
    cut = np.clip(white, -4, 4)
    for one in range(size):
        for two in range(one, size):
            matrix = (cut * (cut[one] * cut[two])) @ cut.T / length - (one == two) * np.eye(size)
            matrix[one, two] -= 1.0
            matrix[two, one] -= 1.0
            found.append(matrix * (0.35 if one == two else 0.5))
    return np.array(found)


def diagonalise(matrices):
    """The turn that makes all matrices as diagonal as possible: rotations of two axes at a time."""
    size = matrices.shape[1]
    turn = np.eye(size)
    for _ in range(40):
        largest = 0.0
        for one in range(size):
            for two in range(one + 1, size):
                apart, across = matrices[:, one, one] - matrices[:, two, two], 2 * matrices[:, one, two]
                on, off = apart @ apart - across @ across, 2 * (apart @ across)
                angle = 0.5 * np.arctan2(off, on + np.hypot(on, off))
                largest = max(largest, abs(angle))
                rotation = np.eye(size)
                rotation[[one, two], [one, two]] = np.cos(angle)
                rotation[one, two], rotation[two, one] = np.sin(angle), -np.sin(angle)
                matrices, turn = rotation @ matrices @ rotation.T, rotation @ turn
        if largest < 1e-4:
            break
    return turn


def inside(white, row, normal):
    """The row of a uniform signal and its centre, scaled so that all values are within 1; the places; the normal."""
    places = np.vstack([white, -np.ones(white.shape[1])])
    values = row @ white
    middle, half = (values.max() + values.min()) / 2, (values.max() - values.min()) / 2
    point, normal = np.append(row, middle) / (half * 1.01), np.append(normal, 0.0)
    return point, places, normal if normal @ point > 0 else -normal


def curvature(point, places, normal, barrier):
    """The curvature of the likelihood of a uniform signal with a barrier at its edges."""
    values, size = point @ places, places.shape[1] * np.outer(normal, normal) / (normal @ point) ** 2
    return size + barrier * (places * (1 / (1 + values) ** 2 + 1 / (1 - values) ** 2)) @ places.T


def inner_point(point, places, normal, rounds):
    """Newton steps on the likelihood of a uniform signal with a barrier at its edges."""
    length = places.shape[1]

    def value_at(point):
        values = point @ places
        if np.abs(values).max() >= 1 or normal @ point <= 0:
            return -np.inf
        return length * np.log(normal @ point) + BARRIER * np.log(1 - values * values).sum()

    value = value_at(point)
    for _ in range(rounds):
        values = point @ places
        slope = length * normal / (normal @ point) + BARRIER * (
            places @ (1 / (1 + values) - 1 / (1 - values))
        )
        step = np.linalg.solve(curvature(point, places, normal, BARRIER), slope)
        tried = ((value_at(point + part * step), part) for part in 0.5 ** np.arange(20))
        better, part = next((one for one in tried if one[0] > value), (value, 0.0))
        point, gain, value = point + part * step, better - value, better
        if gain < 1e-6:
            break
    return point


def uniform_row(white, row, normal):
    """The most likely row of a uniform signal, kept from its edges by a barrier."""
    return inner_point(*inside(white, row, normal), 8)[:-1]


def uniform_mean(white, row, normal, random):
    """The mean of the posterior of the row of a uniform signal: random steps along random lines."""
    point, places, normal = inside(white, row, normal)
    point = inner_point(point, places, normal, 25)
    factor = np.linalg.cholesky(np.linalg.inv(curvature(point, places, normal, 0.3)))
    power = white.shape[1] + 1
    edges = places[:, np.argsort(-np.abs(point @ places))[:EDGES]]
    points, total = np.tile(point, (CHAINS, 1)), np.zeros(len(point))
    for step in range(STEPS):
        lines = random.normal(size=points.shape) @ factor.T
        along, values = lines @ edges, points @ edges
        highest = ((np.sign(along) - values) / along).min(axis=1)
        lowest = ((-np.sign(along) - values) / along).max(axis=1)
        here, growth = points @ normal, lines @ normal
        low = power * np.log(np.maximum(1 + lowest * growth / here, 1e-9))
        high = power * np.log(np.maximum(1 + highest * growth / here, 1e-9))
        chance, top = random.random(CHAINS), np.maximum(low, high)
        drawn = top + np.log((1 - chance) * np.exp(low - top) + chance * np.exp(high - top))
        moves = np.clip((np.exp(drawn / power) - 1) * here / growth, lowest, highest)
        points = points + moves[:, None] * lines
        if step >= STEPS // 4:
            total += points.sum(axis=0)
    return total[:-1]


def centred(weights, signals):
    """Weighted centres of the signals, and their scales."""
    centres = (weights * signals).sum(axis=2) / weights.sum(axis=2)
    return centres, np.sqrt((weights * (signals - centres[..., None]) ** 2).mean(axis=2))


def fit_volume(signals, centres, scales):
    """Log-likelihoods of signals of changing volume, the weights of the places, new centres and scales."""
    mixtures, size, length = signals.shape
    rows = (signals - centres[..., None]) / scales[..., None]
    values, weights = volumes(rows.reshape(mixtures * size, length))
    values, weights = values.reshape(mixtures, size) - length * np.log(scales), weights.reshape(signals.shape)
    return values, weights / scales[..., None] ** 2, *centred(weights, signals)


def fit_tails(signals, centres, scales):
    """Log-likelihoods of signals of Student's t, the weights of the places, new centres and scales."""
    length = signals.shape[2]
    for again in range(4):
        ratios = ((signals - centres[..., None]) / scales[..., None]) ** 2
        weights = (FREEDOM + 1) / (FREEDOM + ratios)
        if again < 3:
            centres, scales = centred(weights, signals)
    values = lgamma((FREEDOM + 1) / 2) - lgamma(FREEDOM / 2) - 0.5 * log(FREEDOM * pi) - np.log(scales)
    values = length * values - (FREEDOM + 1) / 2 * np.log1p(ratios / FREEDOM).sum(axis=2)
    return values, weights / scales[..., None] ** 2, centres, scales


def fit_uniform(signals):
    """Log-likelihoods of uniform signals: exact, or of a density with soft edges where that is larger."""
    length, highest, lowest = signals.shape[2], signals.max(axis=2), signals.min(axis=2)
    exact = -length * np.log(highest - lowest) - 2
    width = (6 * ((signals - (highest + lowest)[..., None] / 2) ** 6).mean(axis=2)) ** (1 / 6)
    return np.maximum(exact, -length * (np.log(2 * width) + lgamma(1 + 1 / 6) + 1 / 6))


def fit_memory(signals):
    """Log-likelihoods of autoregressive signals, and their weights of the last two values."""
    signals = signals - signals.mean(axis=2, keepdims=True)
    past, now = np.stack([signals[..., 1:-1], signals[..., :-2]], axis=2), signals[..., 2:, None]
    weights = np.linalg.solve(past @ past.swapaxes(2, 3), past @ now)
    left = (now - past.swapaxes(2, 3) @ weights)[..., 0]
    return -signals.shape[2] / 2 * (np.log(2 * pi * left.var(axis=2)) + 1) - 3, weights[..., 0]


def weighted_row(matrix, number, values, weights):
    """The most likely row for a normal signal whose places have these weights; its scale is free."""
    values = values - (values * weights).sum(axis=1, keepdims=True) / weights.sum()
    return np.linalg.solve(matrix @ (values * weights) @ values.T, np.eye(len(matrix))[number])


def search(whites, matrices, rounds, averaged=()):
    """Improves each row of each matrix in turn, with the model that fits its signal best; and the log-likelihoods."""
    matrices, random, length = matrices.copy(), np.random.default_rng(5), whites.shape[2]
    signals = matrices @ whites
    centres = tail_centres = signals.mean(axis=2)
    apart = signals - centres[..., None]
    scales = np.exp(0.5 * (np.log(apart**2 + 1e-8).mean(axis=2) + 1.27))
    tail_scales = np.median(np.abs(apart), axis=2) / 0.74
    for step in range(rounds):
        signals = matrices @ whites
        loud, inverses, centres, scales = fit_volume(signals, centres, scales)
        tailed, pulls, tail_centres, tail_scales = fit_tails(signals, tail_centres, tail_scales)
        remembering, memories = fit_memory(signals)
        values = np.array([loud, tailed, fit_uniform(signals), remembering])
        kinds, totals = values.argmax(axis=0), values.max(axis=0).sum(axis=1)
        totals += length * np.linalg.slogdet(matrices)[1]
        if step == rounds - 1:
            break
        for mixture, number in np.ndindex(kinds.shape):
            white, matrix, kind = whites[mixture], matrices[mixture], kinds[mixture, number]
            if kind == UNIFORM:
                normal = np.linalg.inv(matrix)[:, number]
                if step in averaged:
                    row = uniform_mean(white, matrix[number], normal, random)
                elif step < min(averaged, default=rounds):
                    row = uniform_row(white, matrix[number], normal)
                else:
                    continue
            elif kind == MEMORY:
                one, two = memories[mixture, number]
                left = white[:, 2:] - one * white[:, 1:-1] - two * white[:, :-2]
                row = weighted_row(matrix, number, left, np.ones(left.shape[1]))
            else:
                weights = (inverses if kind == VOLUME else pulls)[mixture, number]
                row = weighted_row(matrix, number, white, weights)
            old, new = signals[mixture, number], row @ white
            matrix[number] = row * np.sign(new @ old) * old.std() / new.std()
    return matrices, totals


def shaken(matrix, random):
    """The matrix with three of its rows turned into each other at random."""
    chosen = random.permutation(len(matrix))[:3]
    matrix = matrix.copy()
    matrix[chosen] = np.linalg.qr(random.normal(size=(3, 3)))[0] @ matrix[chosen]
    return matrix


def separate(mixtures):
    """The signals of all mixtures: the most likely ones of several searches."""
    random = np.random.default_rng(1)
    whites = np.array([whiten(mixed) for mixed in np.array(mixtures)])
    matrices, best = search(whites, np.array([diagonalise(cues(white)) for white in whites]), FIRST_ROUNDS)
    for attempt in range(ATTEMPTS):
        if attempt % 2 == 0:
            tried = np.linalg.qr(random.normal(size=matrices.shape))[0]
        else:
            tried = np.array([shaken(matrix, random) for matrix in matrices])
        tried, values = search(whites, tried, ROUNDS)
        better = values > best + 1e-6
        matrices[better], best[better] = tried[better], values[better]
    matrices, _ = search(whites, matrices, LAST_ROUNDS, AVERAGED)
    signals = matrices @ whites
    return (signals / signals.std(axis=2, keepdims=True)).round(5).tolist()


def main():
    mixtures = json.loads(Path("problem.json").read_text())["mixed"]
    Path("answers.json").write_text(json.dumps({"signals": separate(mixtures)}))


if __name__ == "__main__":
    main()

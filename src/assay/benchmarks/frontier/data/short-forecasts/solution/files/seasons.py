"""Season and effects of marks: regressions against a wandering level, shrunk to the mean of the group."""

from functools import cache

import numpy as np
from panel import AHEAD, Panel

WANDERING = (0.005, 0.05, 0.3, 1.5, 10.0)
"""Variances of a step of the level, in units of the noise; the most likely one is taken for each group."""
ROUNDS = 25
DELAYS = 3


@cache
def precision(count: int, wander: float) -> tuple[np.ndarray, float]:
    """The inverse covariance of noise on a wandering level of unknown start, its size as a logarithm."""
    order = np.arange(count)
    inverse = np.linalg.inv(np.eye(count) + wander * np.minimum.outer(order, order))
    sums = inverse.sum(axis=1)
    size = -np.linalg.slogdet(inverse)[1] + np.log(sums.sum())
    return inverse - np.outer(sums, sums) / sums.sum(), size


def design(panel: Panel) -> np.ndarray:
    """Inputs of each step of the past and of each step ahead: the phase, the mark and past marks."""
    steps = np.arange(panel.length + AHEAD)
    inputs = np.eye(panel.period)[(steps - panel.length + panel.phase) % panel.period]
    if not panel.marks.any():
        return inputs
    delayed = [np.append(np.zeros(delay), panel.marks)[: len(steps)] for delay in range(DELAYS)]
    return np.column_stack([inputs, *delayed])


def fitted(inputs: np.ndarray, values: np.ndarray, period: int, wander: float) -> tuple:
    """The likelihood, the equations for the effects in units of the noise, and the variance of the noise."""
    inverse, size = precision(len(values), wander)
    weighted = inputs.T @ inverse
    matrix, right = weighted @ inputs, weighted @ values
    effects = np.linalg.solve(matrix + 0.05 * np.eye(len(matrix)), right)
    free = len(values) - period
    noise = max(values @ inverse @ values - effects @ right, 1e-12) / max(free, 5)
    return -0.5 * size - 0.5 * free * np.log(noise), matrix / noise, right / noise, noise


def shrunk(matrices: np.ndarray, rights: np.ndarray, noise: np.ndarray, period: int) -> tuple:
    """Effects of each series, their mean over the group and their variance around it, improved in rounds."""
    count = rights.shape[1]
    kinds = np.maximum(np.arange(count) - period + 1, 0)
    mean, own, common = np.zeros(count), np.full(count, noise.mean()), np.full(count, noise.mean())
    for _ in range(ROUNDS):
        spread = np.linalg.inv(matrices + np.diag(1 / own))
        effects = np.einsum("ikl,il->ik", spread, rights + mean / own)
        doubt = 1 / (len(effects) / own + 1 / common)
        mean = doubt * (effects.sum(axis=0) / own)
        variances = np.diagonal(spread, axis1=1, axis2=2)
        for kind in range(kinds[-1] + 1):
            same = kinds == kind
            own[same] = max(((effects[:, same] - mean[same]) ** 2 + variances[:, same]).mean(), 1e-8)
            common[same] = max((mean[same] ** 2 + doubt[same]).mean(), 1e-8)
    return effects, mean, own


def group_effects(inputs: list[np.ndarray], values: list[np.ndarray], period: int) -> tuple:
    """Effects of each series of a group, and how strong the season is."""
    likely = -np.inf
    for wander in WANDERING:
        fits = [fitted(rows, one, period, wander) for rows, one in zip(inputs, values, strict=True)]
        if sum(fit[0] for fit in fits) > likely:
            likely, best, found = sum(fit[0] for fit in fits), wander, fits
    noise = np.array([fit[3] for fit in found])
    matrices, rights = (np.array([fit[part] for fit in found]) for part in (1, 2))
    effects, mean, own = shrunk(matrices, rights, noise, period)
    effects[:, :period] -= effects[:, :period].mean(axis=1, keepdims=True)
    strength = np.column_stack(
        [
            np.log(effects[:, :period].std(axis=1) / np.sqrt(noise) + 0.01),
            np.full(len(noise), np.log(best)),
            np.log(mean[:period].std() / np.sqrt(noise) + 0.01),
            np.log(own[0] / noise + 1e-3),
        ]
    )
    return effects, strength


def seasons(panel: Panel, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What season and marks add to each past step and to each step ahead, and features of their strength."""
    inputs = design(panel)
    own_inputs = [inputs[start : panel.length] for start in panel.start]
    effects, strength = group_effects(own_inputs, panel.rows(table), panel.period)
    parts = effects @ inputs.T
    return parts[:, : panel.length], parts[:, panel.length :], strength
